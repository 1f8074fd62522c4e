"""Opens the extension's preferences: Preferences, Add-ons, search for its name, expand."""

from inside.facts import note
from inside.places import find_property, rectangle
from inside.preferences import open_preferences
from inside.user import click, look, press, write


def steps():
    yield from open_preferences("ADDONS")
    page = rectangle("WINDOW", "PREFERENCES")
    yield from look("1_add_ons")
    yield from click(page.x + 120, page.y + 18)
    yield from write("Voxel Carve")
    yield from press("Return")
    yield from look("2_found")
    yield from click(page.x + 24, page.y + 50)  # the arrow before the name
    found = []
    for name in ("backend", "memory_limit"):
        yield from find_property(name, page.below(page.y + 200))
        found.append(name)
    yield from look("3_opened")
    note(found=found)
