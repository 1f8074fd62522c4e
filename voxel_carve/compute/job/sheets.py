"""The result of a stock with sheets: the carved solid without its skirts and floors."""

from dataclasses import replace

from ..model.mesh import Source, TriMesh
from ..repair.flat_lids import closed_volume
from ..runtime.sentences import Sentence
from ..sheets import OpenStock, SheetSolid, opened
from .result import CarveResult


def of_sheet(
    result: CarveResult, stock: TriMesh, solid: SheetSolid, open_stock: OpenStock, close: bool, spent: float
) -> CarveResult:
    """The result of a stock, from that of the solid behind its sheets. Its narrow band stays that of the solid.

    Args:
        open_stock: a warning says that it was taken for a sheet, if nobody has said that it is one.
        close: whether skirts and floors are kept.
        spent: the seconds that the solid took.
    """
    surface, cut_face = solid.named(result.surface), result.cut_face
    if not close:
        if cut_face is not None:
            cut_face = cut_face[surface.source != Source.CLOSURE]
        surface = opened(surface)
    notes = (sheet_note(stock.name),) if open_stock == "automatic" else ()
    report = replace(
        result.report,
        stock_triangles=len(stock.triangles),
        volume=result.report.volume if close else closed_volume(surface.points, surface.triangles()),
        vertices=len(surface.points),
        faces=len(surface.faces),
        triangles=surface.triangle_count(),
        closed=surface.is_closed(),
        seconds=result.report.seconds | {name: result.report.seconds[name] + spent for name in ("voxelize", "compute")},
        warnings=(*solid.notes, *notes, *result.report.warnings),
    )
    return replace(result, surface=surface, report=report, cut_face=cut_face)


def sheet_note(name: str) -> Sentence:
    """The note on a stock that is a sheet."""
    return Sentence("'{name}' is a sheet: it was carved as solid behind its faces", name=name)
