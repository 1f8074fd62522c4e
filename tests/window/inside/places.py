"""Positions on the screen: areas, regions, and the buttons in them, found as a user finds them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d

from inside.user import move, press, until

STEP = 8  # pixels between tries; a button is 20 high


@dataclass(frozen=True)
class Rectangle:
    """A rectangle in pixels from the top left of the screen, and the context of the region there."""

    x: int
    y: int
    width: int
    height: int
    context: dict[str, object]

    def at(self, right: float, down: float) -> tuple[float, float]:
        """A position by fractions of width and height."""
        return self.x + right * self.width, self.y + down * self.height

    def below(self, y: float) -> "Rectangle":
        """The part below y."""
        return replace(self, y=int(y), height=self.y + self.height - int(y))


def window() -> bpy.types.Window:
    """The only window, which start.py ensures."""
    return bpy.context.window_manager.windows[0]


def area(kind: str = "VIEW_3D") -> bpy.types.Area:
    """The largest area of one type."""
    return max(
        (each for each in window().screen.areas if each.type == kind), key=lambda found: found.width * found.height
    )


def region(kind: str = "WINDOW", area_kind: str = "VIEW_3D") -> bpy.types.Region:
    """The region of one type in the largest area of one type."""
    found = [each for each in area(area_kind).regions if each.type == kind]
    if not found:
        raise LookupError(f"{area_kind} has no region {kind}, but {[each.type for each in area(area_kind).regions]}")
    return found[0]


def rectangle(kind: str = "WINDOW", area_kind: str = "VIEW_3D") -> Rectangle:
    """The rectangle of a region."""
    found = region(kind, area_kind)
    context = {"window": window(), "screen": window().screen, "area": area(area_kind), "region": found}
    return Rectangle(found.x, window().height - found.y - found.height, found.width, found.height, context)


def view3d() -> dict[str, object]:
    """For temp_override: operators of the 3D view."""
    return rectangle().context


def on_screen(point: tuple[float, float, float]) -> tuple[float, float]:
    """Where the 3D view shows a point of the scene."""
    where, shown = rectangle(), region()
    across, up = location_3d_to_region_2d(shown, area().spaces.active.region_3d, point)
    return where.x + across, where.y + where.height - up


def open_sidebar(category: str) -> Iterator[float]:
    """Show a tab of the 3D view's sidebar; return the sidebar's rectangle."""
    area().spaces.active.show_region_ui = True

    def shown() -> bool:
        area().tag_redraw()
        sidebar = region("UI")
        try:
            sidebar.active_panel_category = category
        except (AttributeError, TypeError):  # it has no tabs before it is drawn
            return False
        return sidebar.active_panel_category == category

    yield from until(shown, what=f"a tab '{category}' in the sidebar")
    yield 0.7
    return rectangle("UI")


def find_property(path: str, where: Rectangle, right: float = 0.7) -> Iterator[float]:
    """The middle of the button of a property, such as "voxel_carve.resolution".

    Moves the pointer down over the buttons, and asks Blender for the property of the button under it.
    """
    seen = []
    for y in range(where.y + STEP, where.y + where.height, STEP):
        yield from move(where.at(right, 0)[0], y)
        with bpy.context.temp_override(**where.context):
            found = bpy.context.property
        if found and found[1] == path:
            seen.append(y)
        elif seen:
            return where.at(right, 0)[0], sum(seen) / len(seen)
    raise LookupError(f"no button of the property {path}")


def find_operator(command: str, where: Rectangle, right: float = 0.5) -> Iterator[float]:
    """The middle of the button of an operator, such as "bpy.ops.object.voxel_carve(", by what Ctrl C over it copies."""
    manager = bpy.context.window_manager
    for y in range(where.y + STEP, where.y + where.height, 2 * STEP):
        position = where.at(right, 0)[0], y
        manager.clipboard = ""
        yield from move(*position)
        yield from press("ctrl+c", settle_s=0.12)
        if manager.clipboard.startswith(command):
            return position
    raise LookupError(f"no button of the operator {command})")
