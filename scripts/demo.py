"""The demonstration: Suzanne, carved by a tapering helix and a Bezier curve, as a user would do it.

Run by `dev.py demo`, in Blender as a module. Writes carved.blend, carved.stl and carved.png into build/demo, and prints
the figures.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import bpy
import numpy as np
from mathutils import Vector

from environment import ROOT

sys.path.insert(0, str(ROOT))

import voxel_carve
from voxel_carve.formats import replacing
from voxel_carve.process import skip_destructors

STOCK_COLOUR = (0.03, 0.1, 0.16)
CUT_COLOUR = (0.95, 0.36, 0.06)
FLOOR_COLOUR = (0.62, 0.64, 0.66)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the scene, carve, render, write the files, and print the figures."""
    parser = argparse.ArgumentParser(prog="dev.py demo", description="Carve Suzanne and write a picture of it.")
    parser.add_argument("--resolution", type=int, default=384, help="voxels along the stock's longest side")
    parser.add_argument("--backend", default="AUTO", help="as in the panel")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "demo", metavar="FOLDER")
    choice = parser.parse_args(arguments)
    choice.output.mkdir(parents=True, exist_ok=True)

    bpy.ops.wm.read_factory_settings(use_empty=True)
    voxel_carve.register()
    stock, paths = add_suzanne(), [add_helix(), add_bezier()]
    carved = carve(stock, paths, choice.resolution, choice.backend)
    report = json.loads(carved["voxel_carve_report"])
    colour_the_cut(carved)
    for path in paths:
        path.hide_render = True
    add_studio()
    with replacing(choice.output / "carved.png", overwrite=True) as picture:
        seconds = render(picture)
    with replacing(choice.output / "carved.stl", overwrite=True) as mesh:
        write_stl(carved, mesh)
    with replacing(choice.output / "carved.blend", overwrite=True) as scene:
        bpy.ops.wm.save_as_mainfile(filepath=str(scene), copy=True, check_existing=False)
    print_figures(report, seconds, choice.output)
    return 0


def add_suzanne(levels: int = 3) -> bpy.types.Object:
    """The stock: Suzanne, smoothed by a subdivision modifier that carving evaluates."""
    bpy.ops.mesh.primitive_monkey_add(size=2.0)
    stock = bpy.data.objects["Suzanne"]
    smooth = stock.modifiers.new("Subdivision", "SUBSURF")
    smooth.levels = smooth.render_levels = levels
    stock.data.materials.append(material("Suzanne", STOCK_COLOUR, roughness=0.35, coat=0.6))
    return stock


def add_helix(
    degrees: tuple[float, float] = (6.0, 82.0), turns: float = 5.5, radii: tuple[float, float] = (0.065, 0.0325)
) -> bpy.types.Object:
    """A poly curve that winds up the skull between two latitudes, with tapering radii of both coil and tool."""
    along = np.linspace(0.0, 1.0, round(80 * turns))
    angle = 2 * math.pi * turns * along
    rise = np.radians(degrees[0] + (degrees[1] - degrees[0]) * along)
    coil = 0.83 * np.cos(rise)
    points = np.column_stack([coil * np.cos(angle), 0.1 + 0.8 * coil * np.sin(angle), 0.24 + 0.7 * np.sin(rise)])
    spline = add_curve("Helix", "POLY", bevel_depth=radii[0])
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", np.column_stack([points, np.ones(len(points))]).ravel())
    spline.points.foreach_set("radius", 1.0 + (radii[1] / radii[0] - 1.0) * along)
    return bpy.data.objects["Helix"]


def add_bezier() -> bpy.types.Object:
    """A Bezier curve that goes through one ear, runs along the cheek and leaves below the chin."""
    spline = add_curve("Bezier", "BEZIER", bevel_depth=0.1)
    knots = [(-1.22, 0.8, 0.4), (-0.57, -0.62, 0.0), (0.06, -0.78, -0.5), (0.6, -0.5, -1.0)]
    spline.bezier_points.add(len(knots) - 1)
    for point, knot in zip(spline.bezier_points, knots, strict=True):
        point.co = knot
        point.handle_left_type = point.handle_right_type = "AUTO"
    return bpy.data.objects["Bezier"]


def add_curve(name: str, kind: Literal["POLY", "BEZIER"], bevel_depth: float) -> Any:
    """Add a curve object with one empty spline, and return the spline."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    curve.bevel_depth = bevel_depth
    bpy.context.collection.objects.link(bpy.data.objects.new(name, curve))
    return curve.splines.new(kind)


def carve(
    stock: bpy.types.Object, paths: Sequence[bpy.types.Object], resolution: int, backend: str, **options: str
) -> Any:
    """Select the paths, then the stock, and call Carve with more options; return the new object."""
    for obj in bpy.context.selectable_objects:
        obj.select_set(obj in (stock, *paths))
    bpy.context.view_layer.objects.active = stock
    bpy.ops.object.voxel_carve(resolution=resolution, backend=backend, **options)
    return bpy.data.objects[f"{stock.name} Carved"]


def colour_the_cut(carved: bpy.types.Object) -> None:
    """Replace the last material, which carving added for the cut, by a more visible one."""
    carved.data.materials[-1] = material("Cut", CUT_COLOUR, roughness=0.45)


def add_studio() -> None:
    """Add a floor that curves up into a wall, three soft lights, and a camera that shows Suzanne."""
    floor = add_backdrop()
    floor.data.materials.append(material("Backdrop", FLOOR_COLOUR, roughness=0.9))
    add_light("Key", (-3.2, -4.2, 4.6), 520, 2.4, (1.0, 0.95, 0.88))
    add_light("Fill", (4.6, -3.4, 1.6), 150, 4.0, (0.82, 0.9, 1.0))
    add_light("Rim", (2.6, 3.4, 4.2), 420, 1.8, (1.0, 1.0, 1.0))
    world = bpy.data.worlds.new("World")
    bpy.context.scene.world = world
    if world.node_tree is None:  # before Blender 5
        world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.5, 0.55, 0.62, 1.0)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.35
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.lens = 76
    camera.location = (-2.1, -6.2, 2.35)
    look_at(camera, Vector((-0.08, 0.0, -0.05)))
    bpy.context.collection.objects.link(camera)
    bpy.context.scene.camera = camera


def add_backdrop() -> bpy.types.Object:
    """A sheet under the subject that bends up behind it."""
    bend = np.linspace(0.0, 0.5 * math.pi, 24)
    along = np.concatenate([[-12.0], 4.0 + 3.0 * np.sin(bend), [7.0]])
    height = np.concatenate([[0.0], 3.0 - 3.0 * np.cos(bend), [12.0]]) - 1.0
    points = [(x, y, z) for x in (-14.0, 14.0) for y, z in zip(along, height, strict=True)]
    count = len(along)
    faces = [(i, count + i, count + i + 1, i + 1) for i in range(count - 1)]
    mesh = bpy.data.meshes.new("Backdrop")
    mesh.from_pydata(points, [], faces)
    mesh.shade_smooth()
    backdrop = bpy.data.objects.new("Backdrop", mesh)
    bpy.context.collection.objects.link(backdrop)
    return backdrop


def add_light(name: str, place: tuple[float, float, float], power: float, size: float, colour: Sequence[float]) -> None:
    """A square area light that points at the middle of the scene."""
    lamp = bpy.data.lights.new(name, "AREA")
    lamp.energy, lamp.size, lamp.color = power, size, colour
    obj = bpy.data.objects.new(name, lamp)
    obj.location = place
    look_at(obj, Vector((0.0, 0.0, 0.0)))
    bpy.context.collection.objects.link(obj)


def look_at(obj: bpy.types.Object, target: Vector) -> None:
    """Turn a camera or a light toward a point."""
    obj.rotation_euler = (target - obj.location).to_track_quat("-Z", "Y").to_euler()


def material(name: str, colour: Sequence[float], roughness: float, coat: float = 0.0) -> bpy.types.Material:
    """A plain surface of one colour."""
    surface = bpy.data.materials.new(name)
    if surface.node_tree is None:  # before Blender 5
        surface.use_nodes = True
    shader = surface.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Coat Weight"].default_value = coat
    return surface


def render(path: Path) -> float:
    """Render with Cycles on the CPU, which needs neither a display nor a GPU; return the seconds it took."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = 10
    scene.cycles.max_bounces = 4
    scene.cycles.use_denoising = True
    scene.cycles.denoising_prefilter = "FAST"
    scene.render.resolution_x, scene.render.resolution_y = 1024, 768
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.look = "AgX - Medium High Contrast"
    scene.render.filepath = str(path)
    clock = time.perf_counter()
    bpy.ops.render.render(write_still=True)
    return time.perf_counter() - clock


def write_stl(carved: bpy.types.Object, path: Path) -> None:
    """Export only the carved object, with Blender's own exporter."""
    for obj in bpy.context.selectable_objects:
        obj.select_set(obj == carved)
    bpy.ops.wm.stl_export(filepath=str(path), export_selected_objects=True, check_existing=False)


def print_figures(report: dict[str, Any], render_seconds: float, output: Path) -> None:
    """Print the removed volume, the number of faces, and the time of each stage."""
    stock_volume = report["volume"] + report["removed_volume"]
    share = report["removed_volume"] / stock_volume
    print()
    print(f"removed   {report['removed_volume']:.4f} of {stock_volume:.4f} cubic units ({share:.1%})")
    print(f"faces     {report['faces']} faces, {'closed' if report['closed'] else 'not closed'}")
    print(f"grid      {' x '.join(map(str, report['grid_shape']))} (Z, Y, X), voxel {report['voxel_size']:.4f}")
    print(f"backend   {report['backend']} on {report['device']}, {report['peak_memory_mb']:.0f} MB at most")
    print("seconds   " + ", ".join(f"{stage} {value:.2f}" for stage, value in report["seconds"].items()))
    print(f"          render {render_seconds:.1f}")
    for warning in report["warnings"]:
        print(f"warning   {warning}")
    print(f"written   {output}: carved.blend, carved.stl, carved.png")


if __name__ == "__main__":
    skip_destructors()
    sys.exit(main())
