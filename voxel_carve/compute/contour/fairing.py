"""Fairing: ragged places of the finished mesh become smooth (after Taubin 1995, with the surfaces as constraints).

Where a wall or a rim is thinner than a voxel, the grid sees it at some places and misses it at others. The mesh then
has notches and flaps that no single vertex can mend. Ragged are a vertex on one surface only, though several pass
through its cell; a quad that faces more than 60 degrees away from its own primitive; and a vertex on the border of the
cut, or of a cap, where that border turns sharply though stock and sweep are smooth there.

A crumb is a part of the mesh of up to three voxels that is made of both stock and sweep: a bit of such a rim that the
grid has cut off from the rest. Crumbs are removed.

A patch of such vertices and those around them is faired. First each vertex moves to the mean of its neighbours, a few
times. Then each quad joins the primitive that the surface follows at its centre, and each vertex moves half way to the
mean of its neighbours, and from there onto its surface. Where two of its sides or more are creases, it moves by the
neighbours along these, and onto all surfaces that meet. A crease is a border, an edge between segments, or a sharp edge
of the stock: two triangles that share a corner, or that belong to two bodies. What is round stays round, however small
its triangles are.

A body is a part of the stock that is connected in itself. Where the rim of an open body comes near another body, a cap
closes the gap. A cap that is one or two quads wide joins the stock: the body goes on in the plane of its rim, straight
up to the other, and they meet at a crease.

Then each vertex moves onto the surface of all primitives around it, or returns to where it was.

A patch is kept where its quads face away from their primitives less than before, by area. Else the vertices of the
worst quads return to where they were, then those around them, and at last the whole patch. Where quads overlap, the
vertex that moved farthest goes to the mean of its neighbours, and from there onto the surface, or at last returns. In a
patch that had a cap, all their vertices go to the means of their neighbours, and stay there.

Folds in the stock and its caps are ironed near ragged places. With c = 2 sin(angle / 2), a side between two triangles
has a fold of c + BEVEL c^2. A straight crease, or a bevel in its place, has about the same sum of length times fold; a
tooth or a notch has more (after the total absolute curvature of Alboul and van Damme 1995). Each vertex at a sharp fold
in turn tries the way to the mean of its neighbours, and steps along the axes. It goes where that sum is least, plus the
squared distance from where it was. So a surface with more detail than voxels is smooth, and what is sharp stays sharp.

Lengths are in voxels, limits of angles are cosines.
"""

RAGGED = 0.5  # a quad is ragged if one of its halves faces away from its primitive by a lesser cosine
SHORTEST = 0.004  # a quad with shorter diagonals has shrunk to a point
SLIVER = 0.02  # voxels squared: a quad with a half of less than half this area is split the other way
STRAIGHT = 0.75  # a border that turns by a lesser cosine is ragged
CREASE = 0.75  # two triangles of the stock with a common corner meet at a crease if their normals' cosine is less

LARGEST_CRUMB = 14  # quads: three voxels in a row

SMOOTHINGS = 4
FAIRINGS = 14
RELABELLINGS = 7  # of the first fairings: then the borders stay where they are
LONGEST_STEP = 1.0  # from the mean of the neighbours onto the surfaces
LONGEST_WAY = 6.0  # of a vertex, from where it was
OFF_SURFACE = 0.02  # a vertex farther from the surface of all primitives returns to where it was
BESIDE = 0.1  # a point farther from a body may lie beyond its rim
SETTLED = 1e-3  # a vertex that moved less, with neighbours that did, rests

NO_WORSE = 0.01  # voxels squared: so much ragged area more than before does not count
SEPARATIONS = 8  # rounds in which vertices of overlapping quads are smoothed, before they return
RETURNS = 3  # rounds in which some vertices return, before the whole patch does

IRONINGS = 6
IRONED_RINGS = 3  # around ragged vertices, and those at a corner that is not met; the last one stays
STEP = 0.3  # of a vertex along an axis
BEVEL = 0.25  # the more, the rounder
FOLD = 0.6  # a sharp fold: 30 degrees
HELD = 0.5  # what the squared distance of a vertex from where it was counts
LEAST_GAIN = 0.03  # a vertex does not move for less
