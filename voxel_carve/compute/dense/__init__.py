"""Occupancies: carving with queued sweeps, and conversion to a mesh of blocks."""
