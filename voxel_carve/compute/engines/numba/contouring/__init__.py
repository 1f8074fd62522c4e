"""Contouring on the CPU: the loops over bricks around the formulas of `compute.contouring`."""
