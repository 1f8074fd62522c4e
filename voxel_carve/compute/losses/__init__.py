"""What a carve loses: of a stock's surface where no path is, expected before it and measured after it; and of a cut."""

from .expected import can_expect_losses, expected_loss, keeping_voxel_size, surface_of
from .measured import Kept, lost_share, lost_share_of_parts
from .notes import lost_note, small_radius_notes

__all__ = [
    "Kept",
    "can_expect_losses",
    "expected_loss",
    "keeping_voxel_size",
    "lost_note",
    "lost_share",
    "lost_share_of_parts",
    "small_radius_notes",
    "surface_of",
]
