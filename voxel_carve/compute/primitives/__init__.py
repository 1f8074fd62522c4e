"""Segments and triangles in voxel units, and the two parts of the winding number that gives the stock its sign."""
