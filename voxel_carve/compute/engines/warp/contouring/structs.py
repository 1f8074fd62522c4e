"""Structs of edges, faces and cells on a Warp device, and the binder of the formulas that write to them."""

# mypy: disable-error-code="name-defined, valid-type"

from __future__ import annotations

import functools
from typing import Any

from ....contouring.edges import MOST_EVENTS
from ....contouring.faces import MOST_AROUND
from ....contouring.projection import MOST_FACETS, MOST_MEMBERS
from ....contouring.tables import SLOTS
from ....formulas import language
from ....formulas.binding import Binder
from ....formulas.language import Point, Values
from ....formulas.vertex_placement import MOST_OCCLUDERS
from ..device.formulas import binder_of, warp_type
from ..device.structs import wp

PLAIN_MEMBERS = 12 + MOST_OCCLUDERS  # of a plain cell: one for each edge, and what hides its vertex


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
    border_point: wp.types.matrix((SLOTS, 3), wp.float64)
    border_code: wp.types.matrix((SLOTS, 2), wp.int32)
    border_side: wp.types.vector(SLOTS, wp.int32)
    taken: wp.types.vector(SLOTS, wp.int32)
    vertex: wp.types.vector(SLOTS, wp.int32)
    hub: wp.types.vector(SLOTS, wp.int32)
    around: wp.types.vector(MOST_AROUND, wp.int32)
    leaves: wp.types.vector(MOST_AROUND, wp.int32)
    loop: wp.types.vector(SLOTS, wp.int32)
    run_end: wp.types.vector(SLOTS, wp.int32)
    remaining: wp.types.vector(SLOTS, wp.int32)
    remaining_end: wp.types.vector(SLOTS, wp.int32)
    one_with: wp.types.vector(SLOTS, wp.int32)
    hub_run: wp.types.vector(SLOTS, wp.int32)
    hub_end: wp.types.vector(SLOTS, wp.int32)
    surface: wp.types.vector(3, wp.int32)
    at_corners: wp.types.vector(MOST_MEMBERS, wp.int32)
    far: wp.types.vector(SLOTS, wp.float64)
    facets: wp.types.vector(MOST_FACETS, wp.int32)
    facet_count: wp.types.vector(1, wp.int32)
    near: wp.types.vector(SLOTS, wp.int32)
    near_sign: wp.types.vector(SLOTS, wp.float64)
    near_count: wp.types.vector(1, wp.int32)
    codes: wp.types.vector(MOST_MEMBERS, wp.int32)
    signs: wp.types.vector(MOST_MEMBERS, wp.float64)
    group: wp.types.vector(MOST_MEMBERS, wp.int32)
    values: Values
    mean: Point
    index: wp.types.vector(SLOTS, wp.int32)


class Corners:
    """See `formulas.language`."""

    point: wp.types.matrix((6, 3), wp.float64)
    origin: wp.types.matrix((6, 3), wp.float64)
    name: wp.types.vector(6, wp.int32)
    movable: wp.types.vector(6, wp.int32)


class PlainCell:
    """What a plain cell needs of `CellLoops`, with a slot for each crossing of one of its patches."""

    corner: Point
    point: wp.types.matrix((12, 3), wp.float64)
    code: wp.types.vector(12, wp.int32)
    loop: wp.types.vector(12, wp.int32)
    at_corners: wp.types.vector(PLAIN_MEMBERS, wp.int32)
    codes: wp.types.vector(PLAIN_MEMBERS, wp.int32)
    signs: wp.types.vector(PLAIN_MEMBERS, wp.float64)
    group: wp.types.vector(PLAIN_MEMBERS, wp.int32)
    values: Values
    mean: Point


@functools.cache
def looped() -> Binder:
    """Formulas in float64, for edges, faces, and cells with as many members as their loops can have."""
    return _binder("looped", MOST_MEMBERS, {Edge: Edge, Face: Face, CellLoops: CellLoops})


@functools.cache
def plain() -> Binder:
    """Formulas in float64, for plain cells."""
    return _binder("plain", PLAIN_MEMBERS, {CellLoops: PlainCell, PlainCell: PlainCell})


@functools.cache
def cornered() -> Binder:
    """Formulas in float64, for the corners of two triangles."""
    import warp

    struct = warp_type(Corners)
    points = warp.types.matrix((6, 3), warp.float64)
    return binder_of(warp.float64, "cornered", {language.Points: points, language.Corners: struct, Corners: struct})


def _binder(name: str, members: int, structs: dict[type, type]) -> Binder:
    """The binder for cells with as many members, where structs of this room stand for those of `language`."""
    import warp

    written: dict[Any, Any] = {
        language.Integers: warp.types.vector(members, warp.int32),
        language.Signs: warp.types.vector(members, warp.float64),
    }
    for known, struct in structs.items():
        written[known] = written[getattr(language, known.__name__, known)] = warp_type(struct)
    read = {
        language.Points: warp.array[warp.vec3d],
        language.Listed: warp.array[warp.int32],
        language.Marks: warp.array[warp.int32],
        language.IntegerRows: warp.array2d[warp.int32],
        language.Borders: warp_type(Borders),
    }
    return binder_of(warp.float64, name, written, read)
