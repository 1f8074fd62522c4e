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

Flat parts go first, within a small part of the tolerance: there a cheap test of the neighbours takes the place of the
last two rules. What they leave is the old mesh for the rest.

At last, edges are flipped where two triangles get better shapes, by the same rules.

Threads share the work by cubes of space. A vertex is removed only if all its neighbours are in its cube, so no two
threads meet. Larger cubes follow, which hold the borders of the smaller ones.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..arrays import EqualByValue
from ..model.grid import as_length
from ..model.mesh import MeshLike, Source, Surface, used_points
from ..runtime.errors import BackendError, CarveError, InputError
from ..runtime.progress import (
    Progress,
    checkpoint,
    progress_range,
    remaining_progress,
    reporting_to,
    with_progress,
)
from ..runtime.sentences import Sentence, SentenceByDoor
from ..runtime.threads import over_rows, slices

if TYPE_CHECKING:
    from .corner_table import Corners
    from .ring import Cubes

# Edges with a larger bend are sharp, unless both faces belong to one segment: a tool is round.
SHARP_ANGLE = math.radians(20)
# The part of the tolerance that flat parts may take.
FLAT_PART = 0.03
# The part of the rest that all may take before any takes more, so that triangles grow evenly.
EVEN_PART = 0.6
# Leaves a margin for rounding: coordinates are written as float32.
SLACK = 0.98
# The side of the smallest cubes, in mean lengths of the mesh's edges, which are taken from one triangle in so many.
CUBE_SIDE, SAMPLED = 40, 64
# The most cubes along an axis, and the sides of the next larger cubes.
MOST_CUBES, COARSER = 1000, 3
# The part of the time until the mesh is prepared; and of the rest, until flat parts, EVEN_PART and all are removed.
PREPARED, FLATTENED, EVEN, REMOVED = 0.1, 0.35, 0.65, 0.95
VERTICES_PER_CALL, CORNERS_PER_CALL = 1 << 14, 1 << 20
# At the peak, per triangle of the input surface: measured, and rounded up.
BYTES_PER_TRIANGLE = 155

NEEDS_NUMBA = SentenceByDoor(
    "simplifying needs numba: {error}; or leave the tolerance at 0",
    command_line="simplifying needs numba: {error}; or leave --adaptivity and --tolerance out",
    window="simplifying needs numba: {error}; or set the adaptivity to 0",
)


@dataclass(frozen=True)
class Adaptivity:
    """How far simplification may move the surface, given in one of two ways.

    Attributes:
        part: a fraction of a voxel, 0 to 1.
        length: in the unit of the points; if it is 0, `part` applies.
    """

    part: float = 0.0
    length: float = 0.0

    def tolerance(self, voxel_size: float) -> float:
        """The largest change, in the unit of the points; 0 for none."""
        return self.length or self.part * voxel_size


@dataclass(frozen=True, eq=False)
class Labels(EqualByValue):
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


def checked_labels(labels: object) -> Labels | None:
    """Labels as they are, or None. Raises InputError if they are something else."""
    if labels is None or isinstance(labels, Labels):
        return labels
    raise InputError("labels is a {kind}: give Labels(stock, path)", kind=type(labels).__name__)


def simplify(
    surface: Surface | MeshLike,
    tolerance: float,
    labels: npt.ArrayLike | None = None,
    progress: Progress | None = None,
) -> Surface:
    """Merge faces if that moves the surface by less than a tolerance.

    The result's points are a subset of the input's. Edges with a bend of more than 20 degrees, and borders between
    faces with different sources or labels, stay within the tolerance of where they were. Each face keeps its source and
    primitive. A merged face has those of one of the original faces.

    Args:
        surface: closed, with quads or triangles; the result of `carve`, or any mesh: see `TriMesh.of`.
        tolerance: largest distance of either surface from the other, in the unit of the points.
        labels: (M,) int; faces with different labels are not merged.
        progress: called often; raise CarveCancelled in it to stop.

    Returns:
        A closed, oriented 2-manifold of triangles (M, 3).

    Raises:
        InputError: the tolerance is not a positive length, or the number of labels is not that of the faces.
        BackendError: numba is missing.
        CarveError: the surface is not closed.
    """
    as_length(tolerance, Sentence("tolerance"))
    whole = Surface.of(surface)
    region = _regions(whole, labels)
    with reporting_to(progress):
        load_kernels()
        with remaining_progress(stage="Simplify"):
            return merge_faces(whole, tolerance, region)


def merge_faces(surface: Surface, tolerance: float, region: npt.NDArray[np.int64]) -> Surface:
    """As `simplify`, with kernels that are already loaded. Faces of different regions (M,) are not merged."""
    triangles, face = surface.triangles(), surface.face_of_triangle()
    if len(triangles):
        segment = np.where(surface.source == Source.PATH, surface.primitive, -1)
        with progress_range(0.0, PREPARED):
            corners = _corners(surface.points, triangles, region[face], segment[face])
        with progress_range(PREPARED, 1.0):
            _remove_vertices(corners, SLACK * tolerance)
        left = corners.vertex.reshape(-1, 3)
        stay = left[:, 0] >= 0
        triangles, face = left[stay], face[stay]
    return Surface(*used_points(surface.points, triangles), surface.source[face], surface.primitive[face])


def load_kernels() -> None:
    """Load the compiled kernels. They are compiled first if needed, and the job can be cancelled meanwhile.

    Raises:
        BackendError: numba is missing.
    """
    from ..engines.numba.compiler import loading

    try:
        loading.load_kernels("merge")
    except BackendError as error:
        raise BackendError(NEEDS_NUMBA, error=error) from error


def _regions(surface: Surface, labels: npt.ArrayLike | None) -> npt.NDArray[np.int64]:
    """(M,) a number for each pair of source and label."""
    source = surface.source.astype(np.int64)
    if labels is None:
        return source
    given = np.asarray(labels, dtype=np.int64)
    if given.shape != source.shape:
        raise InputError(
            "labels and faces differ in number, {size} and {count}: give one for each face",
            size=given.size,
            count=len(source),
        )
    return given * (max(Source) + 1) + source


def _corners(
    points: npt.NDArray[np.float64],
    triangles: npt.NDArray[np.int32],
    region: npt.NDArray[np.int64],
    segment: npt.NDArray[np.int32],
) -> "Corners":
    """The mesh, prepared for the kernels, from the region (M,) and segment (M,) of each triangle; -1 for no segment.

    Raises:
        CarveError: an edge has unequal numbers of half-edges in its two directions.
    """
    from .corner_table import Corners, link_corners, lock_touching, mark_kept, match_edges, set_normals

    points = points - points[triangles[0, 0]]
    vertex = np.array(triangles, dtype=np.int32).ravel()
    first, following, opposite = _none(len(points)), np.empty_like(vertex), _none(len(vertex))
    locked = np.zeros(len(points), dtype=np.bool_)
    normal, kept = np.empty(triangles.shape), np.empty(len(vertex), dtype=np.bool_)
    for rows in slices(len(vertex), CORNERS_PER_CALL):
        checkpoint()
        link_corners(rows.start, rows.stop, vertex, first, following)
    over_rows(match_edges, len(points), VERTICES_PER_CALL, vertex, first, following, opposite, locked)
    if (opposite < 0).any():
        raise CarveError("the surface to simplify is not closed")
    over_rows(lock_touching, len(points), VERTICES_PER_CALL, vertex, first, following, opposite, locked)
    over_rows(set_normals, len(triangles), VERTICES_PER_CALL, points, vertex, normal)
    cosine = math.cos(SHARP_ANGLE)
    over_rows(mark_kept, len(triangles), VERTICES_PER_CALL, opposite, normal, region, segment, cosine, kept)
    return Corners(points, vertex, opposite, kept, first, normal, locked)


def _remove_vertices(corners: "Corners", tolerance: float) -> None:
    """Remove all vertices that can be removed, in place, and flip edges where that makes better triangles."""
    from .collapse import AWAKE, remove_flat, remove_near
    from .flips import flip_edges
    from .nearness import Removed

    count, triangles, grids = len(corners.points), len(corners.normal), _grids_of_cubes(corners)
    flat, near = FLAT_PART * tolerance, (1 - FLAT_PART) * tolerance
    state, spent = np.full(count, AWAKE), np.zeros(triangles)
    with progress_range(0.0, FLATTENED):
        for cubes in with_progress(grids):
            _in_cubes(remove_flat, cubes, corners, state, spent, flat)
    original = corners._replace(
        vertex=corners.vertex.copy(), opposite=corners.opposite.copy(), first=corners.first.copy()
    )
    removed = Removed(_none(count), _none(triangles), _none(3 * triangles))
    for kernel, reach, some, begin, end in (
        (remove_near, EVEN_PART * near, grids[:1], FLATTENED, EVEN),
        (remove_near, near, grids, EVEN, REMOVED),
        (flip_edges, near, grids[:2], REMOVED, 1.0),
    ):
        state[:] = AWAKE
        with progress_range(begin, end):
            for cubes in with_progress(some):
                _in_cubes(kernel, cubes, corners, state, original, removed, reach)


def _in_cubes(
    kernel: Callable[..., None], cubes: "Cubes", corners: "Corners", state: npt.NDArray[np.uint8], *arguments: Any
) -> None:
    """Call a kernel for the vertices that are left, cube by cube, with their state (N,): see `collapse`."""
    from .collapse import ASLEEP, AWAKE
    from .ring import number_cubes, ring_scratch

    left = np.flatnonzero(corners.first >= 0).astype(np.int32)
    number = np.empty(len(left), dtype=np.int64)
    over_rows(number_cubes, len(left), VERTICES_PER_CALL, left, corners.points, cubes, number)
    # Small numbers are sorted by their digits, in linear time.
    number = number.astype(np.min_scalar_type(int(number.max(initial=0))))
    by_cube = np.argsort(number, kind="stable")
    number = number[by_cube]
    first = np.flatnonzero(np.concatenate([[True], number[1:] != number[:-1], [True]]))
    over_rows(kernel, len(first) - 1, 1, left[by_cube], first, cubes, corners, state, *arguments, scratch=ring_scratch)
    state[:] = np.where(state == ASLEEP, ASLEEP, AWAKE)


def _grids_of_cubes(corners: "Corners") -> "list[Cubes]":
    """Grids of ever larger cubes, up to one cube around the whole mesh. No side of one is a side of the next."""
    from .ring import Cubes

    points, triangle = corners.points, corners.vertex.reshape(-1, 3)[::SAMPLED]
    edges = points[triangle[:, 0]] - points[triangle[:, 1]]
    low, high = (np.array([least(axis) for axis in points.T]) for least in (np.min, np.max))
    size = float((high - low).max())
    side = max(CUBE_SIDE * float(np.linalg.norm(edges, axis=1).mean()), size / MOST_CUBES) or 1.0
    found = [Cubes(low, 1 / side, ((high - low) / side).astype(np.int64) + 1)]
    while found[-1].count.max() > 1:
        start, side = found[-1].low - side / 2, side * COARSER
        found.append(Cubes(start, 1 / side, ((high - start) / side).astype(np.int64) + 1))
    return found


def _none(size: int) -> npt.NDArray[np.int32]:
    return np.full(size, -1, dtype=np.int32)
