"""Sheets: open stocks without a closed side to speak of, such as terrains, and the solids behind their faces."""

from .recognition import OPEN_STOCKS, OpenStock, has_sheets, sheet_triangles
from .solid import SheetSolid, opened, solid_behind

__all__ = ["OPEN_STOCKS", "OpenStock", "SheetSolid", "has_sheets", "opened", "sheet_triangles", "solid_behind"]
