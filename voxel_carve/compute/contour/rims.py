"""Rims: where stock and sweep meet, the mesh is cut exactly.

A cell has one vertex for each patch, so the grid cannot hold a rim whose tip is thinner than a voxel: it hits the tip
at some places only, and the mesh has notches and flaps. Stock and sweep alone are smooth there. So along each border
between them that is ragged anywhere, both are extracted alone, as two *sheets*; these are cut where they cross; and
what is left of them takes the place of the quads near the border.

1. The region: the quads around the border, up to two quads away. Its own border is the *seam*. Beyond it, the mesh is
   one of the sheets, vertex for vertex: a vertex of the sheet stands for that of the mesh in the same patch of the same
   cell. Where it has no such vertex, the region grows.
2. The sheets are extracted from the fields of the stock and of the sweep, in the cells near the border, also in bricks
   where the result has no surface. A *tip* is where a rim, or a ridge between two cuts, is thinner than a voxel: the
   mesh has no vertex there for one of the sheet, though the other sheet does not cut that off. Along tips the sheets go
   on, step by step, to where they meet. Their feature edges are completed, and they are faired.
3. Two triangles cross along a line, from where an edge goes through a triangle to where another does. Each such *node*
   is known by its edge and its triangle, and on which side of a triangle a vertex lies is decided once for any four
   vertices, so lines join whatever rounding does. Each triangle is cut along its lines; what is kept lies on their
   left. Then short sides at the line collapse, sides that cross the border's bends are flipped, and nodes move onto
   both surfaces, as long as no triangle turns around. Where triangles overlap afterwards, as at the thin tip of a rim,
   this is done again with less freedom.
4. From the seam inward, faces are collected over all edges. They replace the region if they are closed, apart from the
   seam. Chips that the grid has cut off from a rim go with it, but not those behind the other sheet. Where the sheets
   end too early, they are extended; where their line crosses the seam, the region is, along the tip that begins there;
   and both are cut again. Small holes, where a triangle could not be cut, are filled. What still does not fit stays,
   and is faired.

Lengths are in voxels.
"""

RINGS = 2  # of quads around the border, in the region
REACH = 5  # cells from the border in which sheets are extracted
TIP_STEPS = 8  # of the cells, along a tip that is too thin for the grid
DOUBT = 0.1  # a vertex of a sheet so deep behind the other may be part of the result
FAR_BEHIND = 1.0  # the other sheet: so deep, no cut comes, and a sheet need not go on
RIDGE = 0.5  # likewise where a tip is known to go on: between voxels, the field knows no ridge
EXTENSIONS = 4  # of the cells, to where the sheets end too early
LARGEST_HOLE = 12  # sides: a hole that is filled
GROWTHS = 3  # of the region, where the sheets have no vertex for one of the seam

SHIFT = 3e-6  # of the stock's vertices, along their normals, so that vertices of the sweep in its plane are all cut off
JITTER = 1e-6  # of the sweep's vertices, so that no vertex lies in a triangle, and no two edges meet
LONGEST_SHIFT = 0.75  # of a node, onto both surfaces
SHORTEST_SIDE = 0.4  # of triangles at the line: two ends that are nearer become one
BEND = 0.87  # a line that turns by a lesser cosine keeps its node there
NO_BEND = 0.02  # of nodes that are nearer, rounding alone tells how the line turns
LEAST_COSINE = 0.5  # between a triangle, once its nodes have moved, and the one that it was cut from
