"""From object to object: a stock and a curve in Blender's scene, carved by the operator as from its button.

    python -m benchmarks.in_blender STOCK.ply PATH.csv RESOLUTION BACKEND      prints one line of JSON

`seconds` has the operator's own stages, and `wall`: the time of the call, from the objects to the new object. A small
carve comes first, because an open Blender loads the kernels only once.
"""

import json
import sys
import time
from pathlib import Path as File
from typing import Any

import bpy
import numpy as np

import voxel_carve
from benchmarks.cases import Case, box, read
from benchmarks.peer import add_mesh, link
from voxel_carve.compute import Path
from voxel_carve.process import skip_destructors

RADIUS = 1.0  # for a point radius of 1, so that point radii are the radii of the path


def main(arguments: list[str]) -> int:
    """Carve the case of two files and print the figures."""
    case, resolution, backend = read(File(arguments[0]), File(arguments[1])), int(arguments[2]), arguments[3]
    voxel_carve.register()
    small = Case(box((0, 0, 0), (1, 1, 1)), Path(np.array([[0.0, 0.5, 0.5], [1.0, 0.5, 0.5]]), np.array([0.2])))
    carve(small, 16, backend)
    print(json.dumps(carve(case, resolution, backend)))
    return 0


def carve(case: Case, resolution: int, backend: str) -> dict[str, Any]:
    """Put the case into an empty scene, call the operator, and return its report with the wall time."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    stock, path = add_mesh("Stock", case.stock), add_curve("Path", case.path)
    view_layer: Any = bpy.context.view_layer
    for obj in (stock, path):
        obj.select_set(True)
    view_layer.objects.active = stock
    view_layer.update()

    operator: Any = bpy.ops.object
    start = time.perf_counter()
    operator.voxel_carve(
        size_mode="RESOLUTION",
        resolution=resolution,
        radius=RADIUS,
        operation="SUBTRACT",
        replace=False,
        backend=backend.partition(":")[0].upper(),
    )
    wall = time.perf_counter() - start
    report: dict[str, Any] = json.loads(view_layer.objects.active["voxel_carve_report"])
    return report | {"seconds": report["seconds"] | {"wall": wall}, "blender": bpy.app.version_string}


def add_curve(name: str, path: Path) -> Any:
    """A curve object of one poly spline, without a bevel, so that Blender does not build a tube."""
    data: Any = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    count = len(path.points)
    spline.points.add(count - 1)
    spline.points.foreach_set("co", np.column_stack([path.points, np.ones(count)]).astype(np.float32).ravel())
    spline.points.foreach_set("radius", (path.radii / RADIUS).astype(np.float32))
    return link(name, data)


if __name__ == "__main__":
    skip_destructors()
    sys.exit(main(sys.argv[1:]))
