"""Evaluation of the combined field on Warp devices, and the dense operations."""
