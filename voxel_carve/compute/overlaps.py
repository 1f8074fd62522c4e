"""Which triangles of a mesh overlap: run through each other, or touch where they share no corner.

Two triangles with two common corners never count, and two in one plane do not either. Of others, both have a stretch on
the line where their planes meet, and these stretches overlap (Moeller 1997). Those that share a corner must share more
than that, which cannot be where the others lie on one side.
"""

# In voxels: what counts as a common plane, and as a touch; of two with a common corner, how near to the other's plane
# one is on it, and what counts as a stretch that they share.
FLAT = 2e-5
TOUCH = 1e-4
COMMON = 1e-6
STRETCH = 1e-3
