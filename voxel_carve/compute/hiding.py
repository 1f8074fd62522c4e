"""Points on the surface of some primitives that are not on the surface of all: inside another segment, or beyond the
triangle whose plane they are in.

What hides a point is the segment that holds it deepest inside, of those nearest at the voxels around it. A point is
beyond its triangle where, of the triangles that are nearest, as two are at an edge, one looks elsewhere.
"""

# In voxels: how deep in a segment a point counts as hidden; how far from a plane as beyond the triangle in it; and how
# much farther than the nearest triangle another is as near.
CLOSE = 0.02
BEYOND = 0.05
AS_NEAR = 0.01

# The voxels around a point: what hides it may be the nearest primitive of none of those next to it.
AROUND = 4
