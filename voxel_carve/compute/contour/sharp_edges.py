"""Sharp edges made whole, once every vertex lies in its cell.

Where two surfaces meet along an edge, the quads of one lie beside those of the other, and a row of vertices lies
between them. The edge runs through most of their cells, and passes beside some: a vertex there is left on one surface,
and the edge is cut off. Such vertices are drawn onto the edge here, each between its neighbours in the row, so that
they keep their order. A vertex goes back where a half of a quad would look against its own surface then, or overlap
another.

Of the vertices that do not lie on all surfaces of their cells, those make a row that have two neighbours or more along
edges. Each goes where three of the surfaces around it meet, or else two, seen from the middle of its neighbours, again
and again; not out of reach, into a segment, or past the end of a triangle. A segment that hides it there is one of its
surfaces from then on. One that has no edge to go to, but lies in a segment, steps out by the shortest way.

Of a quad that would look against its surface, or overlap another, the vertex that went farthest goes back, and quads
are split again along the diagonal whose halves look more like their surface. So on, until none has to. All gradients of
a triangle's quads look out of the mesh, or none does: most of their area says which.

What hides a point is the segment that holds it deepest inside, of those nearest at the voxels around it. A point is
beyond its triangle where, of the triangles that are nearest, as two are at an edge, one looks elsewhere.

Lengths are in voxels. Everything is of the few quads around such vertices.
"""

RELAXATIONS = 8  # of each vertex to the middle of its neighbours
FARTHEST = 2.5  # that a vertex goes
STEPS_OUT = 4  # of one segment after another

BEYOND = 0.05  # how far from the plane of a triangle that is as near as the nearest counts as beyond that
AS_NEAR = 0.01  # how much farther than the nearest triangle another is as near

# The voxels around a point: what hides it may be the nearest primitive of none of those next to it.
AROUND = 4
