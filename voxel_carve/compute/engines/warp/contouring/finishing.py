"""The end of contouring on a Warp device: triangles that cross are taken apart, and quads are split."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ....contouring import LEFT_BRICKS
from ....contouring.dividing import BorderPoints, Divided, divide, split_quads
from ....contouring.overlaps import ROUNDS
from ....field.fields import Fields
from ....model.grid import Grid
from ....model.mesh import Surface
from ....runtime.errors import CarveError
from ....runtime.progress import with_progress
from . import overlap_kernels, quad_kernels
from .job import Job, runs_of, total_of
from .layout import ALL_ROWS

QUADS_PER_LAUNCH = 1 << 24


@dataclass(frozen=True)
class Placed:
    """The vertices and quads of all cells, N of them.

    Attributes:
        tables: the struct `Tables`.    cells: the brick of each cell, and its number there.
        sorts: (N,) their indices, plain ones first.    plain: how many are plain.
        first: (N + 1,) the first vertex of each.
        vertices: the struct `Vertices`.
    """

    tables: Any
    cells: Any
    sorts: Any
    plain: int
    first: Any
    vertices: Any


@dataclass(frozen=True)
class Mesh:
    """Vertices and quads, on the device.

    Attributes:
        point: (W,) the vertices, with gaps.    quads, marks: (Q, 4), (Q,) see `contouring.quads`.
        used: (W + 1,) 1 for vertices that are used whatever the quads are.
        of_quad: (K,) of what replaces divided quads, at the end of the quads: those.
    """

    point: Any
    quads: Any
    marks: Any
    used: Any
    of_quad: npt.NDArray[np.int64]


def finish(job: Job, fields: Fields, grid: Grid, crossings: Any, pairs: Any, placed: Placed) -> Surface:
    """The surface, from vertices with gaps and quads that are not split yet.

    Raises:
        CarveError: it leaves the bricks.
    """
    device, wp, vertices = job.device, job.device.wp, placed.vertices
    marks, divides = separate(job, crossings, pairs, placed)
    if divides is None:
        used = device.filled(vertices.point.shape[0] + 1, 0, wp.int32)
        mesh = Mesh(vertices.point, vertices.quads, marks, used, np.empty(0, dtype=np.int64))
    else:
        mesh = _divided(job, crossings, pairs, vertices, marks, divides)
    codes = device.struct(
        quad_kernels.Codes,
        code=crossings.code,
        codes=pairs.codes,
        of_quad=mesh.of_quad,
        triangles=fields.triangles.order,
        segments=fields.segments.order,
    )
    number, count = _numbered(job, mesh), mesh.quads.shape[0]
    down = device.packed(
        points=((total_of(device, number),), wp.vec3d),
        faces=((count,), wp.vec4i),
        primitive=((count,), wp.int32),
        source=((count,), wp.uint8),
    )
    device.launch(quad_kernels.keep_used, mesh.point.shape[0], [number, mesh.point], [down["points"]])
    for start, many in runs_of(count, QUADS_PER_LAUNCH):
        device.launch(quad_kernels.renumber, many, [number, start], [mesh.quads])
    for start, many in runs_of(count, QUADS_PER_LAUNCH):
        inputs = [down["points"], mesh.quads, mesh.marks, codes, start]
        device.launch(quad_kernels.finish_quads, many, inputs, [down["faces"], down["source"], down["primitive"]])
    return _surface(grid, job.known.octants is not None, **device.download_together(down))


def separate(job: Job, crossings: Any, pairs: Any, placed: Placed) -> tuple[Any, Any]:
    """Move vertices of triangles that cross back toward their origins. Return the marks of the quads (Q,), and the
    vertices (W,) whose quads are to be divided, None if there are none."""
    device, wp, vertices = job.device, job.device.wp, placed.vertices
    quads = vertices.quads
    marks = device.filled(quads.shape[0], 0, wp.int32)
    device.launch(quad_kernels.mark_crossings, (job.bricks, ALL_ROWS), [crossings], [quads, marks])
    inputs = [pairs.is_first, vertices.first_quad]
    device.launch(quad_kernels.mark_lenses, pairs.is_first.shape[0], inputs, [quads, marks])
    return marks, _move_apart(job, crossings, pairs, placed, marks)


def _move_apart(job: Job, crossings: Any, pairs: Any, placed: Placed, marks: Any) -> Any:
    """See `separate`."""
    device, wp, vertices = job.device, job.device.wp, placed.vertices
    general, total, quads = len(placed.sorts) - placed.plain, vertices.point.shape[0], vertices.quads.shape[0]
    if not general:
        return None
    count = device.filled(general + 1, 0, wp.int32)
    inputs = [job.layout, crossings, pairs, placed.tables, vertices, placed.cells, placed.sorts, placed.plain]
    device.launch(overlap_kernels.list_quads, general, [*inputs, None], [count, None])
    first = device.scan(count)
    listed = device.empty(total_of(device, first), wp.int32)
    device.launch(overlap_kernels.list_quads, general, [*inputs, first], [count, listed])
    rounds = device.struct(
        overlap_kernels.Rounds,
        any=device.filled(ROUNDS, 0, wp.int32),
        moves=device.filled((2, total), 0, wp.int32),
        divides=device.filled(total, 0, wp.uint8),
        any_divides=device.filled(1, 0, wp.int32),
    )
    turned = device.empty(quads, wp.vec4i)
    for number in with_progress(range(ROUNDS)):
        for start, many in runs_of(quads, QUADS_PER_LAUNCH):
            device.launch(overlap_kernels.turn_quads, many, [vertices, marks, rounds, number, start], [turned])
        inputs = [first, count, listed, turned, vertices, number]
        device.launch(overlap_kernels.find_crossing, general, inputs, [rounds])
        device.launch(overlap_kernels.go_back, total, [rounds, number], [vertices])
    return rounds.divides if device.download(rounds.any_divides)[0] else None


def crossing_points(job: Job, crossings: Any, which: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Where some crossings are (K, 3), in voxels, by their indices."""
    device, wp = job.device, job.device.wp
    points = device.empty(len(which), wp.vec3d)
    inputs = [job.layout, crossings, device.upload(which.astype(np.int32), wp.int32)]
    device.launch(quad_kernels.put_crossings, len(which), inputs, [points])
    found: npt.NDArray[np.float64] = device.download(points)
    return found


def _divided(job: Job, crossings: Any, pairs: Any, vertices: Any, marks: Any, divides: Any) -> Mesh:
    """Divide the quads at some vertices (W,), on the host: they are few."""
    device, wp = job.device, job.device.wp
    quads, points, own_marks = (device.download(array) for array in (vertices.quads, vertices.point, marks))
    divided = divided_on_host(job, crossings, pairs, quads, own_marks, divides, points)
    own, parts = len(divided.points), len(divided.quads)
    made = device.upload_together(
        {
            "point": (np.concatenate([points, divided.points]), wp.vec3d),
            "quads": (np.concatenate([quads, divided.quads]), wp.int32),
            "marks": (np.concatenate([own_marks, np.zeros(parts, dtype=np.int32)]), wp.int32),
            "used": (np.repeat([0, 1, 0], [len(points), own, 1]), wp.int32),
        }
    )
    return Mesh(**made, of_quad=divided.of_quad)


def divided_on_host(job: Job, crossings: Any, pairs: Any, quads: Any, marks: Any, divides: Any, points: Any) -> Divided:
    """See `dividing.divide`, whose arrays are on the host, but for divides (W,)."""
    device = job.device
    borders = BorderPoints(*(device.download(array) for array in (pairs.point, pairs.is_first, pairs.ends)))
    where = device.download(divides).astype(np.bool_)
    crossed = crossings.place.shape[0]
    return divide(quads, marks, where, crossed, partial(crossing_points, job, crossings), borders, points)


def _numbered(job: Job, mesh: Mesh) -> Any:
    """How many used vertices (W + 1,) are before each."""
    for start, many in runs_of(mesh.quads.shape[0], QUADS_PER_LAUNCH):
        job.device.launch(quad_kernels.mark_used, many, [mesh.quads, start], [mesh.used])
    return job.device.scan(mesh.used)


def _surface(
    grid: Grid,
    is_part: bool,
    points: npt.NDArray[np.float64],
    faces: npt.NDArray[np.int32],
    primitive: npt.NDArray[np.int32],
    source: npt.NDArray[np.uint8],
) -> Surface:
    """The surface in the world, without quads that are emptied; of a part, without those that lack a corner.

    Raises:
        CarveError: a quad lacks a corner.
    """
    incomplete = source == quad_kernels.INCOMPLETE
    if incomplete.any() and not is_part:
        raise CarveError(LEFT_BRICKS)
    kept = (source != quad_kernels.EMPTIED) & ~incomplete
    faces, source, primitive = faces[kept], source[kept], primitive[kept]
    split_quads(faces, source, primitive)
    return Surface(grid.to_world(points), faces, source, primitive)
