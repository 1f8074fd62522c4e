"""Structs of edges, faces and cells on a Warp device, and the binder of the formulas that write to them."""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

import functools
from typing import Any

from ....contouring.edges import MOST_EVENTS
from ....contouring.faces import MOST_AROUND
from ....contouring.tables import SLOTS
from ....formulas import language
from ....formulas.binding import Binder
from ....formulas.language import Point, Values
from ..device.formulas import binder_of, warp_type
from ..device.structs import wp

MOST_MEMBERS = 2 * SLOTS  # of a cell


class Edge:
    """See `formulas.language`."""

    place: wp.types.vector(MOST_EVENTS, wp.float64)
    code: wp.types.vector(MOST_EVENTS, wp.int32)
    change: wp.types.vector(MOST_EVENTS, wp.int32)
    gap: wp.types.vector(2, wp.float64)
    gap_code: wp.types.vector(2, wp.int32)


class Face:
    """See `formulas.language`; and the `index` of each crossing among all, and the `edge` of the face, from 0 to 3."""

    point: wp.types.matrix((MOST_AROUND, 3), wp.float64)
    code: wp.types.vector(MOST_AROUND, wp.int32)
    sign: wp.types.vector(MOST_AROUND, wp.float64)
    leaves: wp.types.vector(MOST_AROUND, wp.int32)
    index: wp.types.vector(MOST_AROUND, wp.int32)
    edge: wp.types.vector(MOST_AROUND, wp.int32)


class Borders:
    """See `formulas.language`."""

    point: wp.array[wp.vec3d]
    middle: wp.array[wp.vec3d]
    codes: wp.array2d[wp.int32]


class CellLoops:
    """See `formulas.language`; and the `index` of the crossing in each slot."""

    corner: Point
    face_edges: wp.array2d[wp.int32]
    number: wp.types.vector(12, wp.int32)
    starts_inside: wp.types.vector(12, wp.int32)
    point: wp.types.matrix((SLOTS, 3), wp.float64)
    code: wp.types.vector(SLOTS, wp.int32)
    sign: wp.types.vector(SLOTS, wp.float64)
    next: wp.types.vector(SLOTS, wp.int32)
    border: wp.types.vector(SLOTS, wp.int32)
    border_side: wp.types.vector(SLOTS, wp.int32)
    border_point: wp.types.matrix((SLOTS, 3), wp.float64)
    taken: wp.types.vector(SLOTS, wp.int32)
    vertex: wp.types.vector(SLOTS, wp.int32)
    hub: wp.types.vector(SLOTS, wp.int32)
    around: wp.types.vector(MOST_AROUND, wp.int32)
    leaves: wp.types.vector(MOST_AROUND, wp.int32)
    loop: wp.types.vector(SLOTS, wp.int32)
    run_end: wp.types.vector(SLOTS, wp.int32)
    surface: wp.types.vector(3, wp.int32)
    at_corners: wp.types.vector(MOST_MEMBERS, wp.int32)
    near: wp.types.vector(SLOTS, wp.int32)
    near_sign: wp.types.vector(SLOTS, wp.float64)
    near_count: wp.types.vector(1, wp.int32)
    codes: wp.types.vector(MOST_MEMBERS, wp.int32)
    signs: wp.types.vector(MOST_MEMBERS, wp.float64)
    group: wp.types.vector(MOST_MEMBERS, wp.int32)
    values: Values
    mean: Point
    index: wp.types.vector(SLOTS, wp.int32)


@functools.cache
def looped() -> Binder:
    """Formulas in float64, for cells with as many members as their loops can have."""
    import warp

    written: dict[Any, Any] = {
        language.Integers: warp.types.vector(MOST_MEMBERS, warp.int32),
        language.Signs: warp.types.vector(MOST_MEMBERS, warp.float64),
    }
    for plain in (Edge, Face, CellLoops):
        written[plain] = written[getattr(language, plain.__name__)] = warp_type(plain)
    read = {
        language.Points: warp.array[warp.vec3d],
        language.Listed: warp.array[warp.int32],
        language.Borders: warp_type(Borders),
    }
    return binder_of(warp.float64, "looped", written, read)
