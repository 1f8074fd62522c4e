"""Exact distances and sides of single points, in float64, without a grid or a narrow band."""
