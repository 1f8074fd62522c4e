"""Distances and sides of single points, in float64: no grid, and no band around a surface."""
