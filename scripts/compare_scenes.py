"""The scenes of the comparison: what is cut, by what, and where the camera looks."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import bmesh
import bpy
import numpy as np

from demo import add_bezier, add_curve, add_helix, add_suzanne

GROOVE_DEPTH = 0.2  # voxels
GROOVE_RESOLUTION = 128


@dataclass(frozen=True)
class Scene:
    """What is cut.

    Attributes:
        title: one or two lines.
        resolution: voxels along the stock's longest side.
        build: adds the stock and its paths to the open file.
        target: the point that the camera looks at.
        toward: the direction from there to the camera.
        width: of the view, at the target.
    """

    title: str
    resolution: int
    build: Callable[[], tuple[Any, list[Any]]]
    target: tuple[float, float, float]
    toward: tuple[float, float, float]
    width: float


def demo() -> tuple[Any, list[Any]]:
    """The demonstration."""
    return smooth(add_suzanne()), [add_helix(), add_bezier()]


def spiral() -> tuple[Any, list[Any]]:
    """Suzanne, and a spiral that winds up her head, above the eyes."""
    return smooth(add_suzanne(levels=2)), [add_helix(degrees=(32.0, 84.0), turns=4.0, radii=(0.06, 0.06))]


def bowl() -> tuple[Any, list[Any]]:
    """A bowl with a thin wall, and a tilted ring that cuts a groove into the wall and through its rim."""
    bpy.ops.mesh.primitive_uv_sphere_add()
    stock: Any = bpy.context.object
    mesh = bmesh.new()
    mesh.from_mesh(stock.data)
    bmesh.ops.delete(mesh, geom=[vertex for vertex in mesh.verts if vertex.co.z > 0.3], context="VERTS")
    mesh.to_mesh(stock.data)
    mesh.free()
    stock.modifiers.new("Solidify", "SOLIDIFY").thickness = 0.06
    finer = stock.modifiers.new("Subdivision", "SUBSURF")
    finer.levels = finer.render_levels = 3
    turn = np.linspace(0.0, 2 * math.pi, 181)
    tilt = math.radians(25)
    ring = 1.04 * np.column_stack([np.cos(turn), np.sin(turn) * math.cos(tilt), np.sin(turn) * math.sin(tilt)])
    return smooth(stock), [add_line("Ring", ring, radius=0.08)]


def text() -> tuple[Any, list[Any]]:
    """A plate, and the outlines of letters along its upper side."""
    stock = add_plate((3.0, 1.3, 0.3))
    data: Any = bpy.data.curves.new("Letters", "FONT")
    data.body, data.align_x, data.align_y = "Carve", "CENTER", "CENTER"
    data.bevel_depth, data.fill_mode = 0.035, "NONE"
    letters = bpy.data.objects.new("Letters", data)
    letters.location.z = 0.16
    bpy.context.collection.objects.link(letters)
    return stock, [letters]


def groove() -> tuple[Any, list[Any]]:
    """A plate, and a tool that hardly dips into it."""
    radius, width = 0.1, 2.0
    height = 0.1 + radius - GROOVE_DEPTH * width / GROOVE_RESOLUTION
    return add_plate((width, width, 0.2)), [add_line("Line", [(-0.8, -0.63, height), (0.8, 0.55, height)], radius)]


def smooth(stock: Any) -> Any:
    """The stock, shaded smooth."""
    stock.data.shade_smooth()
    return stock


def add_plate(size: tuple[float, float, float]) -> Any:
    """A box around the origin."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, scale=size)
    return bpy.context.object


def add_line(name: str, points: Any, radius: float) -> Any:
    """A poly curve whose bevel is the tool."""
    spline = add_curve(name, "POLY", bevel_depth=radius)
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", np.column_stack([points, np.ones(len(points))]).ravel())
    return bpy.data.objects[name]


SCENES = {
    "demo": Scene("Suzanne, the demo", 384, demo, (-0.45, -0.6, 0.2), (-0.5, -1.0, 0.25), 0.75),
    "spiral": Scene("Suzanne, a spiral", 128, spiral, (0.15, -0.25, 0.75), (0.3, -0.9, 0.75), 0.9),
    "spiral fine": Scene("Suzanne, a spiral", 256, spiral, (0.3, -0.3, 0.7), (0.5, -0.8, 0.6), 0.55),
    "bowl": Scene("A bowl, its rim cut", 128, bowl, (0.88, 0.3, 0.16), (0.7, -0.55, 0.6), 0.6),
    "text": Scene("Text in a plate", 256, text, (-0.2, 0.0, 0.15), (-0.1, -0.6, 0.8), 1.2),
    "groove": Scene("A groove of 0.2 voxel", GROOVE_RESOLUTION, groove, (0.0, -0.04, 0.1), (0.5, -0.6, 0.7), 0.4),
}
