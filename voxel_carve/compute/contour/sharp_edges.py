"""Sharp edges: vertices beside a feature edge are snapped onto it, once every vertex lies in its cell.

A feature edge passes through most of the cells along it, and just misses some. The vertex of such a cell was placed on
one surface, so the edge is cut off there. These vertices are *unresolved*. So are vertices that are occluded: they lie
in a segment.

Relaxation: unresolved vertices with two or more neighbours along feature edges form chains. Each moves to the mean of
its neighbours, and from there to where three of the surfaces around it meet, or else two. This is repeated, which keeps
the vertices in order. A vertex stays where it is if it would move too far, end in a segment, or pass the border of a
triangle. If a segment occludes its new place, that segment joins the surfaces around it. An occluded vertex without an
edge to go to steps out of the segment by the shortest way.

Snapping: each quad is split along the diagonal that fits its surface better. If a half still faces against its surface,
or overlaps another quad, the vertex of it that moved farthest moves back. This is repeated until no vertex has to.
Gradients of a triangle's quads all point out of the mesh, or all into it: the larger area decides.

Occlusion: only the primitives nearest to the voxels around a point are searched. The occluder is the segment that the
point lies deepest in. A point is past the border of a triangle if it lies off the plane of one of the nearest
triangles; at an edge, two are equally near.

Lengths are in voxels.
"""

RELAXATIONS = 8  # at most, for each vertex
LONGEST_MOVE = 2.5  # of a vertex
STEPS_OUT = 4  # at most, out of one segment after another

OFF_PLANE = 0.05  # a point farther from the plane of a nearest triangle is past its border
TIE = 0.01  # a triangle at most this much farther than the nearest one is as near

# Voxels searched along each axis. The occluder may be nearest to none of the eight voxels next to the point.
SEARCH_WIDTH = 4
