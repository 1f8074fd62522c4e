"""The end of contouring on a Warp device: quads are split, and triangles that cross are taken apart."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ....contour.surface import LEFT_BRICKS
from ....contouring.doubled import split_doubled
from ....contouring.overlaps import ROUNDS
from ....contouring.quads import ENTERS
from ....field.fields import Fields
from ....model.grid import Grid
from ....model.mesh import Surface
from ....runtime.errors import CarveError
from . import overlap_kernels, quad_kernels
from .job import QUADS_PER_LAUNCH, Job, runs_of, total_of
from .layout import ALL_ROWS


@dataclass(frozen=True)
class Placed:
    """The vertices and quads of all cells, N of them.

    Attributes:
        tables: the struct `Tables`.
        cells, general: the brick of each cell, and its number there; and the bits of those that are not plain.
        sorts: (N,) their indices, plain ones first.    plain: how many are plain.
        first, count: (N + 1,), (N,) where the vertices of each begin, and how many it has.
        point, origin: (W,) these vertices, with gaps: see `plain_kernels.Vertices`.
        quads: (Q, 4) for each crossing one, then two for each border point.
    """

    tables: Any
    cells: Any
    general: Any
    sorts: Any
    plain: int
    first: Any
    count: Any
    point: Any
    origin: Any
    quads: Any


@dataclass(frozen=True)
class Mesh:
    """Vertices and quads, on the device.

    Attributes:
        points: the struct `Points`.    quads, marks: (Q, 4), (Q,) see `contouring.quads`.
        of_quad: (M,) of what is split off other quads, at their end: those.
    """

    points: Any
    quads: Any
    marks: Any
    of_quad: npt.NDArray[np.int64]


def finish(job: Job, fields: Fields, grid: Grid, crossings: Any, pairs: Any, placed: Placed) -> Surface:
    """The surface, from vertices and quads that are not split yet.

    Raises:
        CarveError: it leaves the bricks.
    """
    device, wp, first_quad = job.device, job.device.wp, crossings.place.shape[0]
    mesh = _used(job, crossings, pairs, placed)
    doubled = device.empty(pairs.crowded.shape[0], wp.int32)
    if len(doubled):
        inputs = [pairs.crowded, first_quad, mesh.quads, placed.tables.ring_place, placed.tables.face_edges]
        device.launch(quad_kernels.find_doubled, doubled.shape, inputs, [doubled])
        which = device.download(doubled)
        if (which >= 0).any():
            mesh = _split(job, pairs, first_quad, mesh, which)
    _separate(job, crossings, pairs, placed, mesh)
    codes = device.struct(
        quad_kernels.Codes,
        code=crossings.code,
        codes=pairs.codes,
        of_quad=mesh.of_quad,
        triangles=fields.triangles.order,
        segments=fields.segments.order,
    )
    count = mesh.quads.shape[0]
    down = device.packed(
        points=(mesh.points.point.shape, wp.vec3d),
        faces=((count,), wp.vec4i),
        primitive=((count,), wp.int32),
        source=((count,), wp.uint8),
    )
    for start, many in runs_of(count, QUADS_PER_LAUNCH):
        inputs = [mesh.points, mesh.quads, mesh.marks, codes, start]
        device.launch(quad_kernels.finish_quads, many, inputs, [down["faces"], down["source"], down["primitive"]])
    device.gather(mesh.points.point, down["points"])
    return _surface(grid, **device.download_together(down))


def _used(job: Job, crossings: Any, pairs: Any, placed: Placed) -> Mesh:
    """The vertices that are used, and the quads, marked."""
    device, wp, quads = job.device, job.device.wp, placed.quads
    marks = device.filled(quads.shape[0], 0, wp.int32)
    device.launch(quad_kernels.mark_crossings, (job.bricks, ALL_ROWS), [crossings], [quads, marks])
    inputs = [pairs.is_first, crossings.place.shape[0]]
    device.launch(quad_kernels.drop_lenses, pairs.is_first.shape[0], inputs, [quads])
    used = device.filled(placed.point.shape[0] + 1, 0, wp.int32)
    for start, many in runs_of(quads.shape[0], QUADS_PER_LAUNCH):
        device.launch(quad_kernels.mark_used, many, [quads, start], [used])
    number = device.scan(used)
    count = total_of(device, number)
    points = device.struct(
        quad_kernels.Points,
        point=device.empty(count, wp.vec3d),
        origin=device.empty(count, wp.vec3d),
        movable=device.empty(count, wp.uint8),
    )
    inputs = [placed.cells, placed.general, placed.first, placed.count, number, placed.point, placed.origin]
    device.launch(quad_kernels.keep_used, placed.count.shape[0], inputs, [points])
    for start, many in runs_of(quads.shape[0], QUADS_PER_LAUNCH):
        device.launch(quad_kernels.renumber, many, [number, start], [quads])
    return Mesh(points, quads, marks, np.empty(0, dtype=np.int64))


def _surface(
    grid: Grid,
    points: npt.NDArray[np.float64],
    faces: npt.NDArray[np.int32],
    primitive: npt.NDArray[np.int32],
    source: npt.NDArray[np.uint8],
) -> Surface:
    """The surface in the world, without quads that are emptied.

    Raises:
        CarveError: a quad lacks a corner.
    """
    if (source == quad_kernels.INCOMPLETE).any():
        raise CarveError(LEFT_BRICKS)
    kept = source != quad_kernels.EMPTIED
    return Surface(grid.to_world(points), faces[kept], source[kept], primitive[kept])


def _split(job: Job, pairs: Any, first_quad: int, mesh: Mesh, which: npt.NDArray[np.int32]) -> Mesh:
    """Give each doubled pair a vertex of its own, on the host: few pairs are.

    Args:
        which: (K,) the doubled pair of each crowded face, or -1.
    """
    device, wp = job.device, job.device.wp
    names = ("crowded", "point", "is_first")
    crowded, border_point, is_first = (device.download(getattr(pairs, name)) for name in names)
    place, origin, movable = (device.download(getattr(mesh.points, name)) for name in ("point", "origin", "movable"))
    quads, marks = device.download(mesh.quads), device.download(mesh.marks)
    more, triangles, of_quad = split_doubled(which, crowded, border_point, is_first, first_quad, place, quads)
    points = device.struct(
        quad_kernels.Points,
        point=np.concatenate([place, more]),
        origin=np.concatenate([origin, more]),
        movable=np.concatenate([movable, np.zeros(len(more), dtype=np.uint8)]),
    )
    own = marks[of_quad] & ENTERS
    return Mesh(
        points,
        device.upload(np.concatenate([quads, triangles]), wp.int32),
        device.upload(np.concatenate([marks, own]), wp.int32),
        of_quad,
    )


def _separate(job: Job, crossings: Any, pairs: Any, placed: Placed, mesh: Mesh) -> None:
    """Move vertices of triangles that cross back toward their origins."""
    device, wp, points, quads = job.device, job.device.wp, mesh.points, mesh.quads
    general = len(placed.sorts) - placed.plain
    if not general:
        return
    crossed, vertices = crossings.place.shape[0], points.point.shape[0]
    count = device.filled(general + 1, 0, wp.int32)
    inputs = [job.layout, crossings, pairs, placed.tables, placed.cells, placed.sorts, placed.plain, crossed]
    device.launch(overlap_kernels.list_quads, general, [*inputs, None], [count, None])
    first = device.scan(count)
    listed = device.empty(total_of(device, first), wp.int32)
    device.launch(overlap_kernels.list_quads, general, [*inputs, first], [count, listed])
    rounds = device.struct(
        overlap_kernels.Rounds,
        any=device.filled(ROUNDS, 0, wp.int32),
        bricks=device.filled((ROUNDS, job.bricks), 0, wp.uint8),
        moves=device.filled(vertices, 0, wp.uint8),
    )
    turned = device.empty(quads.shape[0], wp.vec4i)
    for number in range(ROUNDS):
        for start, many in runs_of(quads.shape[0], QUADS_PER_LAUNCH):
            inputs = [points, quads, mesh.marks, rounds, number, start]
            device.launch(overlap_kernels.turn_quads, many, inputs, [turned])
        inputs = [job.layout, placed.cells, placed.sorts, placed.plain, first, listed, turned, points, number]
        device.launch(overlap_kernels.find_crossing, general, inputs, [rounds])
        share = 1.0 if number == ROUNDS - 1 else 0.5
        device.launch(overlap_kernels.go_back, vertices, [rounds, number, share], [points])
