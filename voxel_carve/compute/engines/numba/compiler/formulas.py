"""Formulas compiled by numba. See `formulas`."""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....contouring import (
    bends,
    borders,
    cells,
    drifting,
    edges,
    faces,
    hubs,
    overlaps,
    pairing,
    projection,
    vertices,
)
from ....formulas import newton, round_cone, triangle, vertex_placement, z_columns
from ....formulas.binding import Binder, Formula
from .decorators import Callee, inlined, subroutine


@inlined
def where(condition, yes, no):  # type: ignore[no-untyped-def]
    """See `formulas.language.where`."""
    return yes if condition else no


def _single(value: Any) -> Any:
    return np.float32(value) if isinstance(value, float) else value


# These are called, because they are used in many places or seldom. All others are inlined.
CALLED = (
    round_cone.value, triangle.anchor_degenerate, z_columns.edge_function,
    newton.group_value, newton.newton_step, newton.newton_iterate,
    vertex_placement.project_onto_segment, vertex_placement.clamp_to_cell,
    edges.add_event, edges.surface_place, edges.nearest_place, edges.add_sweep,
    edges.fill_gap, edges.segment_span, drifting.settle_drifting,
    bends.do_bend, faces.place_border_point, faces.hiding_segment, faces.thin_between, faces.put_between,
    faces.place_middle, faces.closing_segment, faces.ending_triangle, faces.facet_at, faces.follow_to_bend,
    faces.is_cut_off, bends.is_step_between, faces.is_on_both,
    pairing.is_on_stock, pairing.bends_between, borders.end_pair, borders.separate_pairs, overlaps.do_cross,
    overlaps.do_touch,
    projection.find_facets, projection.nearer_facet, projection.put_on_facets, triangle.box_meets,
    projection.put_on_surface, projection.put_beside_crossing, projection.approach_surface, projection.keep_visible,
    projection.add_all, projection.find_around, projection.distance_from_result, projection.show, projection.meet,
    projection.put_on_surfaces,
    projection.put_on_some, projection.bring_inside, projection.deepest, projection.is_of_sweep, projection.add_run,
    hubs.joined_group, hubs.put_elsewhere, hubs.gather_surfaces, hubs.meet_shown, hubs.put_on_fold, hubs.place_hub,
    cells.are_one_there, cells.enclosed_run, cells.take_enclosed, cells.surround_hub,
    vertices.has_no_width, vertices.put_on_crease, vertices.place_smooth_loop, vertices.place_run, vertices.place_loop,
)  # fmt: skip

_WORDS = {
    "atan2": math.atan2, "ceil": math.ceil, "floor": math.floor, "single": np.float32, "some": bool, "sqrt": math.sqrt,
    "where": where,
}  # fmt: skip
_BINDERS: dict[Any, Binder] = {
    np.float64: Binder(_WORDS | {"real": np.float64}, lambda value: value, inlined, dict.fromkeys(CALLED, subroutine)),
    np.float32: Binder(_WORDS | {"real": np.float32}, _single, inlined),
}


@dataclass(frozen=True, eq=False)
class BoundFormula(Callee):
    """A formula for numbers of one type, which is bound when a kernel that calls it is compiled."""

    formula: Formula
    number: Any

    @functools.cached_property
    def dispatcher(self) -> Any:
        """See `Callee`."""
        return _BINDERS[self.number](self.formula).dispatcher


def DOUBLE(formula: Formula) -> Any:  # noqa: N802 - as the constant that it stands for
    """A formula in float64."""
    return BoundFormula(formula, np.float64)


def SINGLE(formula: Formula) -> Any:  # noqa: N802
    """A formula in float32."""
    return BoundFormula(formula, np.float32)
