"""Sheets: open stocks without a closed side to speak of, such as terrains, and the solids behind their faces."""

from .recognition import OPEN_STOCKS, OpenStock, has_sheets
from .solid import SheetSolid, closed_behind, opened, solid_behind

__all__ = ["OPEN_STOCKS", "OpenStock", "SheetSolid", "closed_behind", "has_sheets", "opened", "solid_behind"]
