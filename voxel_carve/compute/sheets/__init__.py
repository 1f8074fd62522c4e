"""Sheets: open stocks without a closed side to speak of, such as terrains, and the solids behind their faces."""

from .recognition import OPEN_STOCKS, Openings, OpenStock, can_tell_openings, has_sheets, openings_at_hand
from .solid import SheetSolid, opened, solid_behind, solid_of

__all__ = [
    "OPEN_STOCKS",
    "OpenStock",
    "Openings",
    "SheetSolid",
    "can_tell_openings",
    "has_sheets",
    "opened",
    "openings_at_hand",
    "solid_behind",
    "solid_of",
]
