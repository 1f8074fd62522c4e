"""A new user's day, by mouse and keyboard: install, carve, engrave, thread, mill, change, delete, undo, export.

Each station has a module, begins with Blender's own scene of a cube, and notes what the test judges. The last exports
what the one before has left.
"""

from drivers import install
from drivers.day import bolt, chain, channels, export, first_carve, text


def steps():
    yield from install.steps()
    for station in (first_carve, text, bolt, channels, chain, export):
        yield from station.steps()
