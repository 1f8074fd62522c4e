"""The figure of the README: one carve at one voxel size, by Blender's own SDF grid nodes and by Voxel Carve.

Run by `dev.py --python 3.13 figure`, as the nodes need Blender 5. Writes docs/pictures/edges.png in some minutes.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from demo import add_light, carve, look_at, material
from environment import ROOT
from sheet import write_sheet

sys.path.insert(0, str(ROOT))

import voxel_carve
from benchmarks import peer
from benchmarks.cases import Case
from voxel_carve.compute import Path as Polyline
from voxel_carve.compute import TriMesh
from voxel_carve.compute.model import voxel_size_for_resolution
from voxel_carve.process import skip_destructors

RESOLUTION = 72  # coarse, so that the effect of a voxel is visible
PANEL = (500, 500)  # pixels
RADIUS = 0.17
STOCK_COLOUR, CUT_COLOUR, LINE_COLOUR = (0.16, 0.3, 0.42), (0.9, 0.38, 0.09), (0.01, 0.01, 0.01)
LINE = 0.6  # darkness, from 0 to 1

# A block with a step and a chamfer, as a section across y.
SECTION = [(-2.0, -0.8), (2.0, -0.8), (2.0, 0.05), (0.95, 0.05), (0.95, 0.45), (0.6, 0.8), (-2.0, 0.8)]
HALF_WIDTH = 1.5

# The toolpath: along x, back along y, and diagonally over the chamfer down to the step; in the air in between.
TOOLPATH = [(-2.4, 0.3, 0.76), (2.4, 0.3, 0.76), (2.4, 1.9, 1.4), (0.1, 1.9, 0.72), (0.1, -1.9, 0.72),
            (0.1, -1.9, 1.4), (-0.9, 1.9, 1.4), (-0.9, 1.2, 0.78), (0.5, -0.25, 0.78), (0.95, -0.75, 0.4),
            (1.0, -0.8, 0.06), (2.4, -1.3, 0.06)]  # fmt: skip


@dataclass(frozen=True)
class Panel:
    """One render: its title, and an object of the scene."""

    title: str
    obj: Any


def main(arguments: Sequence[str] | None = None) -> int:
    """Carve in each way, render the results, and put the renders side by side."""
    parser = argparse.ArgumentParser(prog="dev.py figure", description="Make the figure of the README.")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "pictures" / "edges.png", metavar="FILE")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "figure", metavar="FOLDER", help="of the renders")
    choice = parser.parse_args(arguments)
    choice.work.mkdir(parents=True, exist_ok=True)
    try:
        by_nodes = carved_by_nodes()
    except peer.PeerError as error:
        print(f"figure: {error}; give dev.py --python 3.13", file=sys.stderr)
        return 2
    bpy.ops.wm.read_factory_settings(use_empty=True)
    voxel_carve.register()
    panels = [Panel("Blender's SDF grid nodes", add_mesh("Nodes", by_nodes.points, by_nodes.triangles.tolist()))]
    panels += carved_by_us()
    add_studio()
    pictures = [render(panel, panels, choice.work) for panel in panels]
    write_sheet([pictures], [panel.title for panel in panels], choice.output)
    for panel in panels:
        print(f"{panel.title:30} {len(panel.obj.data.polygons)} faces")
    print(f"written   {choice.output}, {choice.output.stat().st_size / 1e3:.0f} kB")
    return 0


def section_mesh() -> tuple[np.ndarray[Any, Any], list[list[int]]]:
    """Points and faces of the block: its section at both ends, and a wall for each side of the section."""
    count = len(SECTION)
    points = np.array([(x, y, z) for y in (-HALF_WIDTH, HALF_WIDTH) for x, z in SECTION])
    walls = [[(i + 1) % count, i, i + count, (i + 1) % count + count] for i in range(count)]
    return points, [list(range(count)), list(range(2 * count - 1, count - 1, -1)), *walls]


def carved_by_nodes() -> TriMesh:
    """The same job by the nodes."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    data = bpy.data.meshes.new("Block")
    points, faces = section_mesh()
    data.from_pydata(points.tolist(), [], faces)
    stock = TriMesh(points, peer.mesh_arrays(data)[1])
    job = Case(stock, Polyline(np.array(TOOLPATH), np.array([RADIUS])))
    return peer.carve(job, voxel_size_for_resolution(stock, RESOLUTION)).mesh


def carved_by_us() -> list[Panel]:
    """The results of the operator, one for each kind of result."""
    stock, path = add_mesh("Block", *section_mesh()), add_toolpath()
    stock.data.materials.append(material("Stock", STOCK_COLOUR, roughness=0.5))
    panels = []
    for kind, name in kinds_of_result():
        stock.hide_set(False)
        carved = carve(stock, [path], RESOLUTION, "AUTO", **kind)
        carved.name = name
        colour_the_cut(carved)
        panels.append(Panel(f"Voxel Carve: {name}", carved))
    stock.hide_render = path.hide_render = True
    return panels


def kinds_of_result() -> list[tuple[dict[str, str], str]]:
    """Arguments of the operator, and the names of the kinds of result in the panel."""
    offered = bpy.ops.object.voxel_carve.get_rna_type().properties.get("result")
    if offered is None:
        return [({}, "Remesh")]
    return [({"result": item.identifier}, item.name) for item in offered.enum_items]


def colour_the_cut(carved: Any) -> None:
    """Replace the last material, which carving added for the cut, by a more visible one."""
    carved.data.materials[-1] = material("Cut", CUT_COLOUR, roughness=0.5)


def add_mesh(name: str, points: Any, faces: list[list[int]]) -> Any:
    """A flat-shaded object."""
    data = bpy.data.meshes.new(name)
    data.from_pydata(points.tolist(), [], faces)
    obj = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(obj)
    return obj


def add_toolpath() -> Any:
    """The toolpath as a curve."""
    curve = bpy.data.curves.new("Toolpath", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", RADIUS
    spline = curve.splines.new("POLY")
    spline.points.add(len(TOOLPATH) - 1)
    spline.points.foreach_set("co", np.column_stack([TOOLPATH, np.ones(len(TOOLPATH))]).ravel())
    obj = bpy.data.objects.new("Toolpath", curve)
    bpy.context.collection.objects.link(obj)
    return obj


def add_studio() -> None:
    """Add a raking light, which shows every facet, and a camera close to where the grooves cross the step."""
    add_light("Key", (-2.4, -3.4, 3.0), 170, 0.8, (1.0, 0.96, 0.9))
    add_light("Fill", (4.0, -4.0, 2.0), 90, 3.0, (0.85, 0.92, 1.0))
    add_sky(strength=0.35)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.lens = 92
    camera.location = (3.9, -3.3, 3.6)
    look_at(camera, Vector((0.42, -0.1, 0.52)))
    bpy.context.collection.objects.link(camera)
    bpy.context.scene.camera = camera


def add_sky(strength: float) -> None:
    """Light from all sides, nearly white."""
    world = bpy.data.worlds.new("World")
    bpy.context.scene.world = world
    if world.node_tree is None:  # before Blender 5
        world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.8, 0.85, 0.9, 1.0)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = strength


def render(panel: Panel, panels: Sequence[Panel], folder: Path) -> Path:
    """Render one panel alone with Cycles on the CPU, shaded flat, with the edges of its faces drawn."""
    for other in panels:
        other.obj.hide_render = other.obj is not panel.obj
    if not panel.obj.data.materials:
        panel.obj.data.materials.append(material("Nodes", STOCK_COLOUR, roughness=0.5))
    panel.obj.data.shade_flat()
    for surface in panel.obj.data.materials:
        draw_lines(surface)
    name = f"{panel.title.replace(':', '').replace(' ', '_')}.png"
    return render_still(folder / name, PANEL, samples=64)


def render_still(path: Path, size: tuple[int, int], samples: int) -> Path:
    """Render the scene with Cycles on the CPU, without a denoiser, which would smooth the edges too."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = False
    scene.cycles.max_bounces = 2
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.view_settings.view_transform = "Standard"
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return path


def draw_lines(surface: Any) -> None:
    """Mix thin dark lines along the edges of faces into a material."""
    nodes, links = surface.node_tree.nodes, surface.node_tree.links
    if "Wireframe" in nodes:
        return
    shader = nodes["Principled BSDF"]
    wire = nodes.new("ShaderNodeWireframe")
    wire.use_pixel_size = True
    wire.inputs["Size"].default_value = 0.7
    mix = nodes.new("ShaderNodeMixRGB")
    mix.inputs["Color1"].default_value = shader.inputs["Base Color"].default_value
    mix.inputs["Color2"].default_value = (*LINE_COLOUR, 1.0)
    share = nodes.new("ShaderNodeMath")
    share.operation = "MULTIPLY"
    share.inputs[1].default_value = LINE
    links.new(wire.outputs[0], share.inputs[0])
    links.new(share.outputs[0], mix.inputs["Fac"])
    links.new(mix.outputs[0], shader.inputs["Base Color"])


if __name__ == "__main__":
    skip_destructors()
    sys.exit(main())
