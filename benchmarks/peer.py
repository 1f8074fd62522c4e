"""The peer: the same job by Blender's own SDF grid nodes (OpenVDB), as a Geometry Nodes modifier. Needs Blender 5.

    python -m benchmarks.peer STOCK.ply PATH.csv RESOLUTION [RESULT.ply]      prints one line of JSON

Mesh to SDF Grid makes the stock, Points to SDF Grid the sweep, SDF Grid Boolean the difference, Grid to Mesh the mesh.
The nodes have balls but no capsules, so the path becomes balls, so close together that the ridges between them stay
under a tenth of a voxel.
"""

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from benchmarks.cases import Case, mesh_arrays, read
from voxel_carve.compute import Path, TriMesh
from voxel_carve.compute.model import voxel_size_for_resolution
from voxel_carve.compute.runtime.memory import peak_bytes
from voxel_carve.formats import write_meshes
from voxel_carve.process import skip_destructors

Points = npt.NDArray[np.float64]

RIDGE = 0.1  # voxels
RADIUS = "ball_radius"  # the attribute of the points


class PeerError(Exception):
    """This Blender cannot run the peer."""


@dataclass(frozen=True)
class PeerResult:
    """The result of the nodes.

    Attributes:
        mesh: the resulting triangles.
        seconds: from the arrays of stock and path to the arrays of the result.
    """

    mesh: TriMesh
    seconds: float


def carve(case: Case, voxel_size: float) -> PeerResult:
    """Subtract the sweep from the stock.

    Raises:
        PeerError: this Blender lacks the nodes.
    """
    if not hasattr(bpy.types, "GeometryNodeSDFGridBoolean"):
        raise PeerError(f"Blender {bpy.app.version_string} has no SDF grid nodes: the peer needs Blender 5")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    view_layer: Any = bpy.context.view_layer
    stock = add_mesh("Stock", case.stock)
    view_layer.update()

    start = time.perf_counter()
    centres, radii = balls(case.path, RIDGE * voxel_size)
    stock.modifiers.new("Carve", "NODES").node_group = node_group(add_points("Sweep", centres, radii), voxel_size)
    view_layer.update()
    evaluated = stock.evaluated_get(bpy.context.evaluated_depsgraph_get())
    points, triangles = mesh_arrays(evaluated.to_mesh())
    seconds = time.perf_counter() - start
    return PeerResult(TriMesh(points.astype(np.float64), triangles, "peer"), seconds)


def balls(path: Path, ridge: float) -> tuple[Points, Points]:
    """Centres (N, 3) and radii (N,) of balls along a path, whose union leaves no ridge higher than `ridge`.

    Two balls of radius r whose centres are s apart leave a ridge of r - sqrt(r^2 - s^2 / 4), about s^2 / (8 r).
    """
    start, stop = path.points[:-1], path.points[1:]
    smaller = np.minimum(path.radii[:-1], path.radii[1:])
    counts = np.ceil(np.linalg.norm(stop - start, axis=1) / np.sqrt(8 * smaller * ridge)).astype(np.int64)
    counts = np.maximum(counts, 1)
    # A place along the path is a segment index plus the fraction along that segment.
    firsts = np.cumsum(counts) - counts
    segment = np.repeat(np.arange(len(counts)), counts)
    place = np.append(segment + (np.arange(len(segment)) - firsts[segment]) / counts[segment], len(counts))
    knots = np.arange(len(path.points))
    centres = np.column_stack([np.interp(place, knots, path.points[:, axis]) for axis in range(3)])
    return centres, np.interp(place, knots, path.radii)


def add_mesh(name: str, mesh: TriMesh) -> Any:
    """A mesh object in the scene."""
    data = bpy.data.meshes.new(name)
    data.from_pydata(mesh.points.tolist(), [], mesh.triangles.tolist())
    return link(name, data)


def add_points(name: str, centres: Points, radii: Points) -> Any:
    """A mesh object of vertices with their radii as an attribute."""
    data: Any = bpy.data.meshes.new(name)
    data.vertices.add(len(centres))
    data.vertices.foreach_set("co", centres.astype(np.float32).ravel())
    data.attributes.new(RADIUS, "FLOAT", "POINT").data.foreach_set("value", radii.astype(np.float32))
    return link(name, data)


def link(name: str, data: bpy.types.ID) -> Any:
    """A new object of the scene."""
    obj = bpy.data.objects.new(name, data)
    scene: Any = bpy.context.scene
    scene.collection.objects.link(obj)
    return obj


def node_group(sweep: bpy.types.Object, voxel_size: float) -> Any:
    """The node group that subtracts balls at the vertices of `sweep` from the mesh of its modifier."""
    group: Any = bpy.data.node_groups.new("Carve", "GeometryNodeTree")
    group.interface.new_socket("Stock", in_out="INPUT", socket_type="NodeSocketGeometry")
    group.interface.new_socket("Carved", in_out="OUTPUT", socket_type="NodeSocketGeometry")

    def node(kind: str, *sources: Any, **values: Any) -> Any:
        """Add a node, with its first inputs linked to outputs and named inputs set to values."""
        made = group.nodes.new(kind)
        for socket, source in zip(made.inputs, sources, strict=False):
            if source is not None:
                group.links.new(source, socket)
        for name, value in values.items():
            made.inputs[name.replace("_", " ")].default_value = value
        return made

    radius = group.nodes.new("GeometryNodeInputNamedAttribute")
    radius.data_type = "FLOAT"
    radius.inputs["Name"].default_value = RADIUS
    vertices = node("GeometryNodeObjectInfo", Object=sweep).outputs["Geometry"]
    points = node("GeometryNodeMeshToPoints", vertices)
    group.links.new(radius.outputs["Attribute"], points.inputs["Radius"])
    swept = node("GeometryNodePointsToSDFGrid", points.outputs[0], radius.outputs["Attribute"], Voxel_Size=voxel_size)
    stock = node("GeometryNodeMeshToSDFGrid", node("NodeGroupInput").outputs["Stock"], Voxel_Size=voxel_size)
    difference = group.nodes.new("GeometryNodeSDFGridBoolean")
    difference.operation = "DIFFERENCE"
    group.links.new(stock.outputs[0], difference.inputs["Grid 1"])
    group.links.new(swept.outputs[0], difference.inputs["Grid 2"])
    surface = node("GeometryNodeGridToMesh", difference.outputs[0], Threshold=0.0, Adaptivity=0.0)
    node("NodeGroupOutput", surface.outputs[0])
    return group


def main(arguments: list[str]) -> int:
    """Carve the case of two files and print the figures."""
    case = read(File(arguments[0]), File(arguments[1]))
    result = carve(case, voxel_size_for_resolution(case.stock, int(arguments[2])))
    peak = peak_bytes()  # before computing the volume, whose memory is not the peer's
    figures = {
        "seconds": {"compute": result.seconds},
        "peak_memory_mb": peak / 2**20,
        "triangles": len(result.mesh.triangles),
        "volume": result.mesh.volume() if len(result.mesh.triangles) else 0.0,
        "blender": bpy.app.version_string,
    }
    if len(arguments) > 3:
        write_meshes(File(arguments[3]), [result.mesh])
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    skip_destructors()
    sys.exit(main(sys.argv[1:]))
