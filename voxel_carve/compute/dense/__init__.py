"""Occupancies: queued sweeps over one, and one as a mesh of blocks."""
