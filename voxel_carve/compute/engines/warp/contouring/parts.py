"""The end of contouring for the part of a surface that some bricks make: on the host, by the functions of the CPU."""

from typing import Any

import numpy as np

from ....contouring.dividing import Divided
from ....field.fields import Fields
from ....model.grid import Grid
from ....model.parts import SurfacePart
from ...numba.contouring import parts
from ...numba.contouring.finishing import Unfinished
from .finishing import Placed, divided_on_host, separate
from .job import Job
from .layout import ALL_ROWS


def finish_part(job: Job, fields: Fields, grid: Grid, crossings: Any, pairs: Any, placed: Placed) -> SurfacePart:
    """What the bricks of a part own of the surface.

    Raises:
        CarveError: it leaves the bricks.
    """
    device, vertices = job.device, placed.vertices
    marks, divides = separate(job, crossings, pairs, placed)
    down = vertices.quads, vertices.point, marks, crossings.code, pairs.codes
    quads, points, marks, code, codes = (device.download(array).copy() for array in down)
    codes, divided = np.concatenate([code, codes.ravel()]), Divided.nothing()
    if divides is not None:
        divided = divided_on_host(job, crossings, pairs, quads, marks, divides, points)
        quads = np.concatenate([quads, divided.quads])
        marks = np.concatenate([marks, np.zeros(len(divided.quads), marks.dtype)])
        codes = np.concatenate([codes, codes[divided.of_quad]])
    mesh = Unfinished(points, quads, marks.astype(np.uint8), codes, len(code), divided)
    return parts.finish_part(fields, grid, mesh, _owners(job, crossings, pairs, placed), job.known.own)


def _owners(job: Job, crossings: Any, pairs: Any, placed: Placed) -> parts.Owners:
    """How much each brick owns."""
    device = job.device
    crossed, faces, borders = crossings.place.shape[0], pairs.record.shape[0], pairs.point.shape[0]
    of_crossings = np.diff(device.download(crossings.first)[::ALL_ROWS], append=crossed)
    first_face = np.append(device.download(pairs.faces.first)[::ALL_ROWS], faces)
    of_borders = 2 * np.diff(np.append(device.download(pairs.first_border), borders)[first_face])
    first, brick = device.download(placed.first), device.download(placed.cells)[:, 0]
    of_vertices = np.diff(first[np.searchsorted(brick, np.arange(job.bricks + 1))])
    return parts.Owners(*(count.astype(np.int64) for count in (of_vertices, of_crossings, of_borders)))
