"""Dual contouring on Warp devices: from the field to a closed mesh."""
