"""Evaluation of the combined field on Warp devices."""
