"""The same cuts made three ways: by Voxel Carve, by Blender's Remesh and by Blender's Boolean, in close-ups.

Run by `dev.py compare`. Writes docs/pictures/comparison.png in some minutes. Both of Blender's ways get a tube along
each path, made by the curve's bevel, with closed ends:

- Boolean: the modifier's Exact solver. Self Intersection and Hole Tolerant are set: they take longer and do better.
- Remesh: the same, and after it the Remesh modifier, by voxels of Voxel Carve's size. So does a user who wants an even,
  closed mesh. The other order gives the rims of the Boolean column, in a stock whose own edges are rounded.

The result of Boolean is shaded smooth except at edges over 30 degrees, as by Shade Auto Smooth, that of Remesh by its
own Smooth Shading. Results of Voxel Carve are as the button makes them. An open edge is one without its two faces.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from compare_scenes import SCENES, Scene
from demo import carve, look_at, material
from environment import ROOT
from figure import CUT_COLOUR, STOCK_COLOUR, add_sky, colour_the_cut, render_still
from sheet import write_sheet

sys.path.insert(0, str(ROOT))

import voxel_carve
from voxel_carve.process import skip_destructors

SHARP = math.radians(30)
BEVEL_RESOLUTION = 8  # 36 faces around the tube
LENS, SENSOR = 85, 36  # mm
# Toward the lights, where the camera looks along -z and y is up: one rakes over the surface, one lightens its shadows.
LIGHTS = {"Key": ((-0.7, 0.6, 0.4), 3.0), "Fill": ((0.8, -0.2, 0.6), 1.0)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Cut each scene in each way, render the results, and put the renders side by side."""
    parser = argparse.ArgumentParser(prog="dev.py compare", description="Compare cuts of Voxel Carve and Blender.")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "pictures" / "comparison.png", metavar="FILE")
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build" / "comparison", metavar="FOLDER", help="of the renders"
    )
    parser.add_argument("--scene", nargs="+", choices=SCENES, default=list(SCENES), help="the rows")
    parser.add_argument("--resolution", type=int, help="of all scenes, instead of their own")
    parser.add_argument("--size", type=int, default=360, help="pixels along each side of a close-up")
    parser.add_argument("--samples", type=int, default=32, help="per pixel")
    choice = parser.parse_args(arguments)
    choice.work.mkdir(parents=True, exist_ok=True)
    voxel_carve.register()
    rows: list[list[Path]] = []
    captions, titles = [], []
    for name in choice.scene:
        resolution = choice.resolution or SCENES[name].resolution
        results = cut(SCENES[name], resolution)
        add_studio(SCENES[name])
        rows.append([])
        captions.append([described(result.data) for result in results.values()])
        for way, result in results.items():
            for obj in bpy.context.scene.objects:
                obj.hide_render = obj is not result and obj.type not in {"CAMERA", "LIGHT"}
            picture = choice.work / f"{name} {way.split()[-1]}.png".replace(" ", "_").lower()
            rows[-1].append(render_still(picture, (choice.size, choice.size), choice.samples))
        titles.append(f"{SCENES[name].title}\n{resolution} voxels")
    write_sheet(rows, list(results), choice.output, titles, captions)
    print(f"written   {choice.output}, {choice.output.stat().st_size / 1e3:.0f} kB")
    return 0


def cut(scene: Scene, resolution: int) -> dict[str, Any]:
    """Build a scene in an empty file, and cut it in each way. Return the results by the names of the ways."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    stock, paths = scene.build()
    stock.data.materials.clear()
    stock.data.materials.append(material("Stock", STOCK_COLOUR, roughness=0.5))
    ours = timed("Voxel Carve", lambda: carve(stock, paths, resolution, "AUTO"))
    colour_the_cut(ours)
    tubes = [tube_along(path) for path in paths]
    by_boolean = timed("Blender's Boolean", lambda: evaluated(with_boolean(stock, tubes)))
    by_boolean.data.set_sharp_from_angle(angle=SHARP)
    voxel_size = json.loads(ours["voxel_carve_report"])["voxel_size"]
    by_remesh = timed("Blender's Remesh", lambda: evaluated(with_remesh(by_boolean, voxel_size)))
    return {"Voxel Carve": ours, "Blender's Remesh": by_remesh, "Blender's Boolean": by_boolean}


def timed(way: str, make: Callable[[], Any]) -> Any:
    """What a way makes; prints its faces and seconds."""
    clock = time.perf_counter()
    result = make()
    print(f"{way:20} {len(result.data.polygons):8} faces {time.perf_counter() - clock:6.1f} s", flush=True)
    return result


def described(mesh: Any) -> str:
    """How many faces a mesh has, and how many of its edges do not have two."""
    edges = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("edge_index", edges)
    open_edges = np.count_nonzero(np.bincount(edges, minlength=len(mesh.edges)) != 2)
    return f"{len(mesh.polygons):,} faces, " + (f"{open_edges} open edges" if open_edges else "closed")


def tube_along(path: Any) -> Any:
    """A mesh around a curve, or around the outlines of text, by the curve's bevel."""
    outline = path.to_curve(bpy.context.evaluated_depsgraph_get()) if path.type == "FONT" else path.data
    data = outline.copy()
    data.dimensions, data.use_fill_caps, data.bevel_resolution = "3D", True, BEVEL_RESOLUTION
    data.materials.clear()
    data.materials.append(material("Tube", CUT_COLOUR, roughness=0.45))
    curve = bpy.data.objects.new("Tube", data)
    curve.matrix_world = path.matrix_world
    bpy.context.collection.objects.link(curve)
    return evaluated(curve)


def with_boolean(stock: Any, tubes: Sequence[Any]) -> Any:
    """A copy of the stock with a boolean modifier for each tube."""
    copy = stock.copy()
    bpy.context.collection.objects.link(copy)
    for tube in tubes:
        boolean = copy.modifiers.new("Boolean", "BOOLEAN")
        boolean.operation, boolean.object, boolean.solver = "DIFFERENCE", tube, "EXACT"
        boolean.use_self = boolean.use_hole_tolerant = True
        boolean.material_mode = "TRANSFER"
    return copy


def with_remesh(result: Any, voxel_size: float) -> Any:
    """A copy of a result with a remesh modifier."""
    copy = result.copy()
    bpy.context.collection.objects.link(copy)
    remesh = copy.modifiers.new("Remesh", "REMESH")
    remesh.mode, remesh.voxel_size, remesh.use_smooth_shade = "VOXEL", voxel_size, True
    return copy


def evaluated(obj: Any) -> Any:
    """A mesh object of what modifiers make of an object, in place of that."""
    mesh = bpy.data.meshes.new_from_object(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    result = bpy.data.objects.new(mesh.name, mesh)
    result.matrix_world = obj.matrix_world
    bpy.context.collection.objects.link(result)
    bpy.data.objects.remove(obj)
    return result


def add_studio(scene: Scene) -> None:
    """Add a camera close to the scene's target, and lights that turn with it."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.lens, camera.data.sensor_width, camera.data.clip_start = LENS, SENSOR, 0.01
    target = Vector(scene.target)
    camera.location = target + Vector(scene.toward).normalized() * scene.width * LENS / SENSOR
    look_at(camera, target)
    bpy.context.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    for name, (toward, strength) in LIGHTS.items():
        lamp = bpy.data.lights.new(name, "SUN")
        lamp.energy, lamp.angle = strength, math.radians(6)
        light = bpy.data.objects.new(name, lamp)
        light.rotation_euler = (
            (camera.rotation_euler.to_quaternion() @ Vector(toward)).to_track_quat("Z", "Y").to_euler()
        )
        bpy.context.collection.objects.link(light)
    add_sky(strength=0.35)


if __name__ == "__main__":
    skip_destructors()
    sys.exit(main())
