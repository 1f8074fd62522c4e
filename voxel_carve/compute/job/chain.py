"""The results of a job's steps, each carved from the one before, as one result."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..level_set.sparse_field import SparseField
from ..model.bricks import NO_PRIMITIVE
from ..model.mesh import Source, Surface, TriMesh
from ..model.plan import job_bounds
from ..model.report import Report
from ..model.steps import Step
from .result import CarveResult


def bounds_of_steps(stock: TriMesh, steps: tuple[Step, ...]) -> npt.NDArray[np.float64]:
    """(2, 3): bounds that contain every possible result of every step, so that one grid serves them all."""
    each = np.array([job_bounds(stock, step.sweep, step.operation) for step in steps])
    return np.stack([each[:, 0].min(axis=0), each[:, 1].max(axis=0)])


def after(before: CarveResult | None, result: CarveResult, step: Step) -> CarveResult:
    """The result of a step, as one of all steps so far.

    Its faces know the triangles of the first stock and the segments of the sweep of all paths. The report has sums.

    Args:
        before: of the steps before; None for the first.
        result: of this step, with the surface before as its stock.
        step: has the segments of this step.
    """
    surface = result.surface
    source, primitive = surface.source.copy(), surface.primitive.copy()
    cut_face = None if result.cut_face is None else result.cut_face.copy()
    cut = (source == Source.PATH) & (primitive >= 0)
    if before is not None:
        old = (source == Source.STOCK) & (primitive >= 0)
        face = before.surface.face_of_triangle()[primitive[old]]
        source[old], primitive[old] = before.surface.source[face], before.surface.primitive[face]
        if cut_face is not None and before.cut_face is not None:
            cut_face[cut_face >= 0] += before.cut_face.max(initial=-1) + 1
            cut_face[old] = before.cut_face[face]
    primitive[cut] = step.segments[primitive[cut]]
    done = Surface(surface.points, surface.faces, source, primitive)
    report = result.report if before is None else _joined(before.report, result.report)
    band = None if result.band is None else _named(result.band, before, step)
    return CarveResult(done, report, cut_face, band)


def _named(band: SparseField, before: CarveResult | None, step: Step) -> SparseField:
    """The band of a step's result, with primitives of the first stock and of the sweep of all paths."""
    assert band.primitive is not None  # it was made from fields
    code = band.primitive.copy()
    cut, kept = code < 0, (code >= 0) & (code != NO_PRIMITIVE)
    code[cut] = -1 - step.segments[-1 - code[cut]]
    if before is not None:
        surface = before.surface
        face = surface.face_of_triangle()[code[kept]]
        source, primitive = surface.source[face], surface.primitive[face]
        named = np.where(source == Source.PATH, -1 - primitive, primitive)
        code[kept] = np.where(primitive < 0, NO_PRIMITIVE, named)
    return replace(band, primitive=code)


def _joined(before: Report, report: Report) -> Report:
    """The report of all steps, from those before and of the last."""
    return replace(
        report,
        operation=f"{before.operation}, {report.operation}",
        segments=before.segments + report.segments,
        stock_triangles=before.stock_triangles,
        removed_volume=before.removed_volume + report.removed_volume,
        triangles_before=report.triangles_before + before.triangles_before - before.triangles,
        seconds=_sums(before.seconds, report.seconds),
        counts=_sums(before.counts, report.counts),
        estimated_memory_mb=max(before.estimated_memory_mb, report.estimated_memory_mb),
        memory_before_mb=before.memory_before_mb,
        peak_memory_mb=max(before.peak_memory_mb, report.peak_memory_mb),
        warnings=tuple(dict.fromkeys((*before.warnings, *report.warnings))),
    )


def _sums(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in dict.fromkeys((*one, *other))}
