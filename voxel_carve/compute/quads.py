"""How quads are split. The four vertices around a crossed edge seldom lie in a plane: of the two ways to make two
triangles of them, the right one follows an edge of the surface, and the other cuts it off or bridges it.

A diagonal misses the surface by how far it passes by the point where the edge is crossed; by as much as it likes, where
a half is turned over. The height of a half is that over its longest side.
"""

# The diagonal is taken that leaves no half lower than this, if the other leaves one half as low at most; else that
# which passes nearer to the surface, by more than this; else the shorter one, by more than this in squares. In voxels.
SLIVER = 0.02
TRUER = 1e-3
SHORTER = 1e-6
