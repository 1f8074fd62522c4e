"""Mesh simplification: faces are merged while both surfaces stay within a tolerance of each other.

Vertices are removed one by one, each merged into a neighbour (a half-edge collapse). The remaining vertices do not
move: they stay on the exact surface and on its sharp edges. A vertex is removed if

* the mesh stays a closed, oriented 2-manifold (the link condition: Dey, Edelsbrunner, Guha, Nekhayev 1999);
* no triangle flips or becomes much thinner than it was;
* every vertex removed so far is within the tolerance of a triangle of the new mesh;
* every new edge is within the tolerance of the old mesh, along its whole length.

The difference of the two surfaces is linear between the vertices of both and the crossings of their edges. So the last
two rules bound it from both sides (the argument of Cohen, Manocha and Olano 1997). Sharp edges and the borders of
regions are merged only along themselves. Their removed vertices must be within the tolerance of the remaining edges.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..model.grid import as_length
from ..model.mesh import Source, Surface
from ..runtime.errors import BackendError, CarveError, InputError
from ..runtime.progress import checkpoint, report_progress, reporting_to
from ..runtime.threads import in_runs, slices

if TYPE_CHECKING:
    from .corner_table import Corners

# Edges with a larger bend are sharp, unless both faces belong to one segment: a tool is round.
SHARP_ANGLE = math.radians(20)
# The tolerance grows in steps. A step ends when a sweep over all vertices removes less than this fraction of them.
TOLERANCES = (1 / 8, 1 / 2, 1)
DONE_BELOW = 0.02
# The smallest height of a triangle, as a fraction of its longest side, unless it was smaller before.
LEAST_SHAPE = 0.01
# Leaves a margin for rounding: coordinates are written as float32.
SLACK = 0.98
VERTICES_PER_CALL = 1 << 14
# At the peak, per triangle of the input surface: measured, and rounded up.
BYTES_PER_TRIANGLE = 380

NEEDS_NUMBA = "simplifying needs numba: {}; or set the adaptivity to 0"


@dataclass(frozen=True)
class Adaptivity:
    """How far simplification may move the surface, given in one of two ways.

    Attributes:
        part: a fraction of a voxel, 0 to 1.
        length: in Blender units; if it is 0, `part` applies.
    """

    part: float = 0.0
    length: float = 0.0

    def tolerance(self, voxel_size: float) -> float:
        """The largest change, in Blender units; 0 for none."""
        return self.length or self.part * voxel_size


@dataclass(frozen=True)
class Labels:
    """Labels of faces. Faces with different labels are not merged, for instance those of different materials.

    Attributes:
        stock: (T,) int, a label for each triangle of the stock, or one number for all.
        path: (K,) int, a label for each segment of the sweep, or one number for all.
    """

    stock: npt.NDArray[np.int32]
    path: npt.NDArray[np.int32]

    def of_faces(self, surface: Surface) -> npt.NDArray[np.int32]:
        """(M,) the label of each face; -1 for a face of neither."""
        found = np.full(len(surface.faces), -1, dtype=np.int32)
        for source, labels in ((Source.STOCK, self.stock), (Source.PATH, self.path)):
            mine = (surface.source == source) & (surface.primitive >= 0)
            values = np.asarray(labels, dtype=np.int32).ravel()
            found[mine] = values[surface.primitive[mine]] if values.size > 1 else values
        return found


def simplify(
    surface: Surface,
    tolerance: float,
    labels: npt.ArrayLike | None = None,
    progress: Callable[[float], None] | None = None,
) -> Surface:
    """Merge faces if that moves the surface by less than a tolerance.

    The result's points are a subset of the input's. Edges with a bend of more than 20 degrees, and borders between
    faces with different sources or labels, stay within the tolerance of where they were. Each face keeps its source and
    primitive. A merged face has those of one of the original faces.

    Args:
        surface: closed, with quads or triangles.
        tolerance: largest distance of either surface from the other, in Blender units.
        labels: (M,) int; faces with different labels are not merged.
        progress: called with the fraction that is done, 0 to 1. It stops the work by raising.

    Returns:
        A closed, oriented 2-manifold of triangles (M, 3).

    Raises:
        InputError: the tolerance is not a positive length, or the number of labels is not that of the faces.
        BackendError: numba is missing.
        CarveError: the surface is not closed.
    """
    check_tolerance(tolerance)
    region = _regions(surface, labels)
    with reporting_to(None if progress is None else lambda _, done: progress(done)):
        load_kernels()
        return merge_faces(surface, tolerance, region)


def merge_faces(surface: Surface, tolerance: float, region: npt.NDArray[np.int64]) -> Surface:
    """As `simplify`, with kernels that are already loaded. Faces of different regions (M,) are not merged."""
    triangles, per_face = surface.triangles(), surface.faces.shape[1] - 2
    face = np.repeat(np.arange(len(surface.faces), dtype=np.int32), per_face)
    if len(triangles):
        primitive = np.where(surface.source == Source.PATH, surface.primitive, -1)
        corners = _corners(surface.points, triangles, region[face], primitive[face])
        _remove_vertices(corners, tolerance)
        left = corners.vertex.reshape(-1, 3)
        stay = left[:, 0] >= 0
        triangles, face = left[stay], face[stay]
    used = np.zeros(len(surface.points), dtype=bool)
    used[triangles.ravel()] = True
    place = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return Surface(surface.points[used], place[triangles], surface.source[face], surface.primitive[face])


def check_tolerance(tolerance: float) -> None:
    """Raise InputError if it is not a positive length."""
    as_length(tolerance, "tolerance")


def load_kernels() -> None:
    """Load the compiled kernels. They are compiled first if needed, and the job can be cancelled meanwhile.

    Raises:
        BackendError: numba is missing.
    """
    from ..engines.numba.compiler import loading

    try:
        loading.load_kernels("merge")
    except BackendError as error:
        raise BackendError(NEEDS_NUMBA.format(error)) from error


def _regions(surface: Surface, labels: npt.ArrayLike | None) -> npt.NDArray[np.int64]:
    """(M,) a number for each pair of source and label."""
    source = surface.source.astype(np.int64)
    if labels is None:
        return source
    given = np.asarray(labels, dtype=np.int64)
    if given.shape != source.shape:
        raise InputError(f"{given.size} labels for {len(source)} faces: give one for each face")
    return given * (max(Source) + 1) + source


def _corners(
    points: npt.NDArray[np.float64],
    triangles: npt.NDArray[np.int32],
    region: npt.NDArray[np.int64],
    segment: npt.NDArray[np.int32],
) -> "Corners":
    """The mesh, prepared for the kernels, from the region (M,) and segment (M,) of each triangle; -1 for no segment."""
    from .corner_table import Corners, fan_sizes

    vertex = np.ascontiguousarray(triangles, dtype=np.int32).ravel()
    opposite, doubled = _opposite_corners(vertex)
    first = np.full(len(points), -1, dtype=np.int32)
    first[vertex[::-1]] = np.arange(len(vertex), dtype=np.int32)[::-1]
    checkpoint()
    centred = np.ascontiguousarray(points - points[vertex[0]])
    a, b, c = (centred[corner] for corner in triangles.T)
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1)[:, None]
    normal = np.divide(normal, length, out=np.zeros_like(normal), where=length > 0)

    checkpoint()
    here, there = np.repeat(np.arange(len(triangles)), 3), opposite // 3
    bent = np.einsum("ij,ij->i", normal[here], normal[there]) < math.cos(SHARP_ANGLE)
    one_tool = (segment[here] >= 0) & (segment[here] == segment[there])
    kept = (region[here] != region[there]) | (bent & ~one_tool)

    checkpoint()
    # Where parts of the surface touch at a point or an edge, a fan does not contain all corners of its vertex.
    sizes = np.zeros(len(points), dtype=np.int32)
    in_runs(fan_sizes, len(points), VERTICES_PER_CALL, vertex, opposite, first, sizes)
    locked = sizes != np.bincount(vertex, minlength=len(points))
    locked[vertex[doubled]] = True
    return Corners(centred, vertex, opposite, kept, first, normal, locked)


def _opposite_corners(vertex: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """(C,) the corner opposite each corner; and the corners on edges of more than two triangles.

    Raises:
        CarveError: an edge has unequal numbers of half-edges in its two directions.
    """
    corner = vertex.reshape(-1, 3)
    start, stop = corner[:, [1, 2, 0]].ravel().astype(np.int64), corner[:, [2, 0, 1]].ravel().astype(np.int64)
    key = np.minimum(start, stop) << 32 | np.maximum(start, stop)
    up, down = np.flatnonzero(start < stop), np.flatnonzero(start > stop)
    checkpoint()
    up = up[np.argsort(key[up], kind="stable")]
    checkpoint()
    down = down[np.argsort(key[down], kind="stable")]
    checkpoint()
    if len(up) + len(down) != len(vertex) or not np.array_equal(key[up], key[down]):
        raise CarveError("the surface to simplify is not closed")
    opposite = np.empty(len(vertex), dtype=np.int32)
    opposite[up], opposite[down] = down, up
    repeated = np.flatnonzero(key[up][1:] == key[up][:-1])
    across = up[np.union1d(repeated, repeated + 1)]
    triangle = across - across % 3
    return opposite, np.concatenate([triangle + (across + step) % 3 for step in (1, 2)])


def _remove_vertices(corners: "Corners", tolerance: float) -> None:
    """Remove all vertices that can be removed, in place."""
    from .collapse import MOST_AROUND, Limits, Removed, Scratch, sweep
    from .corner_table import Original

    count = len(corners.points)
    ends = corners.points[corners.vertex.reshape(-1, 3)[:, :2]]
    spacing = float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).mean())
    original = Original(corners.vertex.copy(), corners.opposite.copy(), corners.first.copy())

    def none(size: int) -> npt.NDArray[np.int32]:
        return np.full(size, -1, dtype=np.int32)

    removed = Removed(none(count), none(len(corners.normal)), none(count), none(len(corners.vertex)))
    scratch = Scratch(
        ring=none(MOST_AROUND), around=none(MOST_AROUND), score=np.zeros(MOST_AROUND), mark=none(1), stamp=none(count),
        which=none(count), face=none(count), cross=np.zeros(4), last=np.zeros(4), here=np.zeros(3), there=np.zeros(3),
    )  # fmt: skip
    resting, number, left = none(count), 0, int((corners.first >= 0).sum())
    for step, part in enumerate(TOLERANCES):
        reach = part * SLACK * tolerance
        # A bend is ignored if it lifts an edge of mean length by less than a tenth of the tolerance.
        flat = math.cos(min(0.2 * reach / spacing, 1.0)) if spacing > 0 else 1.0
        limits = Limits(reach * reach, LEAST_SHAPE, spacing, flat)
        asleep, gone, sweeps = np.zeros(count, dtype=np.bool_), left, 0
        while gone > DONE_BELOW * left:
            gone = 0
            for block in slices(count, VERTICES_PER_CALL):
                report_progress((step + 1 - 0.7 ** (sweeps + block.start / count)) / len(TOLERANCES))
                gone += sweep(
                    block.start, block.stop, number, corners, original, removed, scratch, limits, asleep, resting
                )
            number, sweeps, left = number + 1, sweeps + 1, left - gone
