"""The standard cases: a stock and one path each, reproducible to the last digit. In millimetres.

    python -m benchmarks.cases FOLDER NAME...     writes NAME.stock.ply and NAME.path.csv

| family | stock | path | segments |
|---|---|---|---|
| W1 | a block | a ball end mill facing it in a wavy zig-zag | 100, 1 000, 10 000 |
| W2 | Suzanne, subdivided: an open mesh | a helix with a tapering tool | 500, 5 000 |
| W3 | a sphere of 200 000 triangles | tunnels of a random walk that often crosses itself | 2 000, 20 000 |
| S1 | the sphere of W3 | twelve chords that cross in it, with sharp bends | 12 |
| B1 | a box whose sides are no whole number of voxels | far away: nothing is carved | 1 |
| F1 | a plate | a finishing pass with rows 0.1 mm apart | 1 000 000 |
| F2 | a larger plate, for slabs | a finishing pass with rows 0.2 mm apart | 5 000 000 |
| R1 | a gear wheel with spokes and narrow bevels | straight runs across it | 60 |
| R2 | Suzanne's head, closed, with bumps of a voxel | straight runs across it | 60 |
| R3 | text in two lines, extruded and bevelled | straight runs across it | 60 |
| R4 | a fluted vase with a wall of two voxels | straight runs across it | 60 |
| R5 | a thin bent plate with ribs | straight runs across it | 60 |
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path as File
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from benchmarks.real_cases.crossing import across
from benchmarks.real_cases.stocks import lettering, monkey, ribbed_plate, vase, wheel
from voxel_carve.compute import Path, TriMesh
from voxel_carve.formats import read_mesh, read_paths, replacing, write_meshes

Points = npt.NDArray[np.float64]

STOCK_SUFFIX, PATH_SUFFIX = ".stock.ply", ".path.csv"

BALL = 3.0  # radius of the tool of W1 and F1
LONGEST_SIDE = 100.0  # of the stocks of W1, W2 and W3
SPHERE_SEGMENTS, SPHERE_RINGS = 320, 313

WALK_SEED, WALK_STEP, WALK_PIECES = 20240601, 8.0, 16
WALK_LIMIT = 53.0  # a step that would end farther from the centre turns back
WALK_RADIUS = 1.5

CHORD_RADIUS, CHORD_REACH = 5.0, 44.0
GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))

WHOLE_SIDES = (100.0, 61.7, 38.3)

PLATE_OVERRUN = 4.0  # rows run past the plate on both sides
PLATE_DEPTH, PLATE_WAVE = 3.0, 2.0  # mean depth under the plate's top, and amplitude


@dataclass(frozen=True)
class Plate:
    """A plate, and a finishing pass over it.

    Attributes:
        side, height: of the plate.    rows, columns, stepover: of the pass; and the distance between its rows.
        wavelengths: along x and y. The plate has whole waves, so PLATE_DEPTH is the exact mean.
    """

    side: float
    height: float
    rows: int
    columns: int
    stepover: float
    wavelengths: tuple[float, float]


SMALL_PLATE = Plate(300.0, 20.0, 3125, 320, 0.1, (150.0, 100.0))
LARGE_PLATE = Plate(1000.0, 50.0, 5000, 1000, 0.2, (500.0, 250.0))


@dataclass(frozen=True)
class Case:
    """A stock and the path to carve it along."""

    stock: TriMesh
    path: Path


def make(name: str) -> Case:
    """A standard case by its name, such as "W1-1000"; those of W2 and R1 to R5 need bpy.

    Raises:
        KeyError: there is no such case.
    """
    stock, path = CASES[name]
    return Case(stock(), path(int(name.partition("-")[2])))


def write(case: Case, name: str, folder: File) -> None:
    """Write a case as NAME.stock.ply and NAME.path.csv, completely or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    table = np.column_stack([case.path.points, case.path.radii])
    with replacing(folder / f"{name}{PATH_SUFFIX}", overwrite=True) as beside:
        np.savetxt(beside, table, fmt="%.9g", delimiter=",", header="x,y,z,radius", comments="")
    write_meshes(folder / f"{name}{STOCK_SUFFIX}", [case.stock], overwrite=True)


def read(stock: File, path: File) -> Case:
    """A case from its two files.

    Raises:
        InputError: a file cannot be read, or has no radii; ValueError: it has more than one path.
    """
    paths = read_paths(path)
    if len(paths) != 1:
        raise ValueError(f"{path} has {len(paths)} paths: a case has one")
    return Case(read_mesh(stock), paths[0])


def box(low: Sequence[float], high: Sequence[float]) -> TriMesh:
    """A closed box in 12 triangles, facing outward."""
    (west, south, bottom), (east, north, top) = low, high
    ring = [(west, south), (east, south), (east, north), (west, north)]
    points = np.array([(x, y, z) for z in (bottom, top) for x, y in ring])
    walls = [(i, (i + 1) % 4, (i + 1) % 4 + 4, i + 4) for i in range(4)]
    quads = np.array([(3, 2, 1, 0), (4, 5, 6, 7), *walls])
    triangles = np.vstack([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return TriMesh(points, triangles.astype(np.int32), "box")


def block() -> TriMesh:
    """100 x 100 x 20, its top in the plane z = 0."""
    return box((0.0, 0.0, -20.0), (LONGEST_SIDE, LONGEST_SIDE, 0.0))


def whole() -> TriMesh:
    """The box that nothing is removed from."""
    return box((0.0, 0.0, 0.0), WHOLE_SIDES)


def plate(kind: Plate = SMALL_PLATE) -> TriMesh:
    """A plate, its top in the plane z = 0."""
    return box((0.0, 0.0, -kind.height), (kind.side, kind.side, 0.0))


def sphere() -> TriMesh:
    """A closed UV sphere with its poles on the z axis: 199 680 triangles."""
    polar = np.pi * np.arange(1, SPHERE_RINGS) / SPHERE_RINGS
    azimuth = 2.0 * np.pi * np.arange(SPHERE_SEGMENTS) / SPHERE_SEGMENTS
    polar, azimuth = (angles.ravel() for angles in np.meshgrid(polar, azimuth, indexing="ij"))
    rings = np.column_stack([np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)])
    points = LONGEST_SIDE / 2 * np.vstack([rings, [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])

    index = np.arange(len(rings)).reshape(SPHERE_RINGS - 1, SPHERE_SEGMENTS)
    east = np.roll(index, -1, axis=1)
    north, south = np.full(SPHERE_SEGMENTS, len(rings)), np.full(SPHERE_SEGMENTS, len(rings) + 1)
    triangles = [
        (index[:-1], index[1:], east[1:]),
        (index[:-1], east[1:], east[:-1]),
        (north, index[0], east[0]),
        (south, east[-1], index[-1]),
    ]
    corners = np.concatenate([np.stack(three, axis=-1).reshape(-1, 3) for three in triangles])
    return TriMesh(points, corners.astype(np.int32), "sphere")


def suzanne() -> TriMesh:
    """Blender's monkey after three subdivisions, centred, with a longest side of 100; open around the eyes."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_monkey_add(size=2.0)
    obj: Any = bpy.data.objects["Suzanne"]
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 3
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    single, triangles = mesh_arrays(mesh)
    points = single.astype(np.float64)
    low, high = points.min(axis=0), points.max(axis=0)
    points = (points - (low + high) / 2) * (LONGEST_SIDE / (high - low).max())
    return TriMesh(points, triangles, "Suzanne")


def mesh_arrays(mesh: Any) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]:
    """Points (N, 3) and triangles (M, 3) of a Blender mesh."""
    points = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    mesh.vertices.foreach_get("co", points.ravel())
    mesh.calc_loop_triangles()
    triangles = np.empty((len(mesh.loop_triangles), 3), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles.ravel())
    return points, triangles


def facing(segments: int) -> Path:
    """Rows back and forth over the block, the ball's lowest point 2 to 8 below its top; the last segment exits in y."""
    rows = {100: 10, 1000: 25, 10000: 50}[segments]
    forth = np.tile(np.linspace(2.0, 98.0, segments // rows), (rows, 1))
    forth[1::2] = forth[1::2, ::-1]
    across = np.repeat(2.0 + 96.0 * np.arange(rows) / (rows - 1), segments // rows)
    x = np.append(forth.ravel(), forth[-1, -1])
    y = np.append(across, across[-1] + 1.5)
    depth = 5.0 + 3.0 * np.sin(2 * np.pi * x / 41) * np.cos(2 * np.pi * y / 57)
    return Path(np.column_stack([x, y, BALL - depth]), np.array([BALL]), name="facing")


def helix(segments: int) -> Path:
    """Six turns up an elliptic cylinder, with a radius from 4 at the bottom to 1 at the top."""
    along = np.linspace(0.0, 1.0, segments + 1)
    turn = 12 * np.pi * along
    points = np.column_stack([30 * np.cos(turn), 20 * np.sin(turn), 68 * along - 34])
    return Path(points, 4.0 - 3.0 * along, name="helix")


def tunnels(segments: int) -> Path:
    """A smooth random walk within the sphere, through knots 8 apart, with 16 segments between two knots.

    The curve through the knots is a Catmull-Rom spline (1974).
    """
    spans = -(-segments // WALK_PIECES)
    knots = _walk(spans + 3)
    polynomial = np.array([[0.0, 2.0, 0.0, 0.0], [-1.0, 0.0, 1.0, 0.0], [2.0, -5.0, 4.0, -1.0], [-1.0, 3.0, -3.0, 1.0]])
    powers = (np.arange(WALK_PIECES) / WALK_PIECES)[:, None] ** np.arange(4)
    weights = powers @ polynomial / 2
    four = np.stack([knots[first : first + spans] for first in range(4)], axis=1)
    points = np.einsum("pk,skx->spx", weights, four).reshape(-1, 3)
    points = np.vstack([points, knots[spans + 1]])[: segments + 1]
    return Path(points, np.array([WALK_RADIUS]), name="tunnels")


def chords(segments: int) -> Path:
    """Chords between points on a golden-angle spiral over a ball within the sphere, which visit every fifth point."""
    count = segments + 1
    turn = np.arange(count) * 5 % count
    height = 1.0 - (2.0 * turn + 1.0) / count
    across = np.sqrt(1.0 - height**2)
    points = np.column_stack([across * np.cos(GOLDEN_ANGLE * turn), across * np.sin(GOLDEN_ANGLE * turn), height])
    return Path(CHORD_REACH * points, np.array([CHORD_RADIUS]), name="chords")


def beside(segments: int) -> Path:
    """One segment that touches nothing."""
    return Path(np.array([[-50.0, 0.0, 0.0], [-50.0, 10.0, 0.0]]), np.array([1.0]), name="beside")


def _walk(steps: int) -> Points:
    """(steps + 1, 3) knots from the centre, with a random turn at each step."""
    random = np.random.default_rng(WALK_SEED)
    knots, heading = [np.zeros(3)], np.array([1.0, 0.0, 0.0])
    for _ in range(steps):
        heading = _unit(heading + 1.35 / np.sqrt(3) * random.normal(size=3))
        if np.linalg.norm(knots[-1] + WALK_STEP * heading) > WALK_LIMIT:
            heading = _unit(0.5 * random.normal(size=3) - _unit(knots[-1]))
        knots.append(knots[-1] + WALK_STEP * heading)
    return np.array(knots)


def _unit(vector: Points) -> Points:
    return cast(Points, vector / np.linalg.norm(vector))


def finishing(segments: int, kind: Plate = SMALL_PLATE) -> Path:
    """Rows back and forth over a plate that leave a gently wavy surface; the last segment lifts the tool.

    The ball's centre is offset from that surface along its normal, so the ball touches it and never gouges: the waves
    are far less curved than the ball.
    """
    if segments != kind.rows * kind.columns:
        raise ValueError(f"{segments} segments: the finishing pass has {kind.rows * kind.columns}")
    forth = np.tile(np.linspace(-PLATE_OVERRUN, kind.side + PLATE_OVERRUN, kind.columns), (kind.rows, 1))
    forth[1::2] = forth[1::2, ::-1]
    first = (kind.side - kind.stepover * (kind.rows - 1)) / 2
    across = np.repeat(first + kind.stepover * np.arange(kind.rows), kind.columns)
    touch, normal = wavy_surface(forth.ravel(), across, kind)
    centres = touch + BALL * normal
    lifted = centres[-1] + [0.0, 0.0, 2 * kind.height]
    return Path(np.vstack([centres, lifted]), np.array([BALL]), name="finishing")


def wavy_surface(x: Points, y: Points, kind: Plate = SMALL_PLATE) -> tuple[Points, Points]:
    """Points (N, 3) of the surface that the finishing pass leaves, over (N,) x and y, and its unit normals (N, 3)."""
    along, across = (2 * np.pi / length for length in kind.wavelengths)
    z = PLATE_WAVE * np.sin(along * x) * np.sin(across * y) - PLATE_DEPTH
    slope_x = PLATE_WAVE * along * np.cos(along * x) * np.sin(across * y)
    slope_y = PLATE_WAVE * across * np.sin(along * x) * np.cos(across * y)
    normal = np.column_stack([-slope_x, -slope_y, np.ones_like(z)])
    return np.column_stack([x, y, z]), normal / np.linalg.norm(normal, axis=1, keepdims=True)


REAL_STOCKS = (wheel, monkey, lettering, vase, ribbed_plate)

CASES: dict[str, tuple[Callable[[], TriMesh], Callable[[int], Path]]] = {
    **{f"W1-{segments}": (block, facing) for segments in (100, 1000, 10000)},
    **{f"W2-{segments}": (suzanne, helix) for segments in (500, 5000)},
    **{f"W3-{segments}": (sphere, tunnels) for segments in (2000, 20000)},
    "S1-12": (sphere, chords),
    "B1-1": (whole, beside),
    "F1-1000000": (plate, finishing),
    "F2-5000000": (partial(plate, LARGE_PLATE), partial(finishing, kind=LARGE_PLATE)),
    **{f"R{number}-60": (stock, across(stock, number)) for number, stock in enumerate(REAL_STOCKS, start=1)},
}


if __name__ == "__main__":
    for wanted in sys.argv[2:]:
        write(make(wanted), wanted, File(sys.argv[1]))
