"""Where the vertices of the surface lie: on the surface of the nearest primitives, and on edges and corners where two
or three of these surfaces meet (dual contouring: Ju, Losasso, Schaefer and Warren 2002).

A patch of surface in a cell has the primitives that cross the cell's edges, its members. From the mean of the
crossings, the vertex goes by least steps onto the planes that touch the members: Newton's method, and the least squares
of the quadric, as there are never more than three planes, which no member shares with another. Members whose normals
are alike are one surface, the nearest of them at each step. No vertex leaves its cell: where the surfaces do not meet
in it, the vertex is put on fewer of them, and `sharp_edges` sees to it. A point near an edge may be hidden by a segment
that crosses no edge of the cell: then that is a member too.

Which members are one surface is found by their normals at the mean: the two that are farthest apart, found by going
twice to the farthest one, are those of two surfaces, and the one that stands out most from their plane is that of a
third. Each member belongs to the surface that it is most like. Segments of one surface make the least of their
distances, triangles that from the plane of the nearest; both together, what the operation makes of them. Where three
surfaces do not meet in the cell, two may.
"""

SAME_SURFACE = 0.97  # cosine: normals nearer than 14 degrees are those of one surface
NOT_PARALLEL = 0.985  # cosine: surfaces that look away from each other, as those of a wall, do not meet
CORNER = 0.15  # the least determinant of three normals that make a corner

# In voxels: where the mean of the crossings is good enough, and how far a vertex may be out of its cell by rounding.
ON_PLANE = 0.002
INSIDE_CELL = 1e-3
MARGIN = 5e-4  # from the sides of the cell: vertices of two cells must not be one

STEPS = 4  # of Newton's method, at most
TRIES = 4  # to find a point in the cell, going back into it each time
MOST_HIDDEN = 2  # members found because they hide the vertex
SLOTS = 12 + MOST_HIDDEN  # members of a patch at most: on each of its edges, and hiding it

# What became of a vertex: on the only surface of its cell; where all of them meet; on two of three; on one of several.
SMOOTH, SHARP, PARTLY, FALLBACK = 0, 1, 2, 3
