"""Contouring: the surface of stock and sweep combined, made cell by cell. Read the modules in this order.

1. `edges`: where the result's surface crosses an edge of the grid, and on which primitive. The crossings of the stock
   and of the sweep are found each by itself, so a wall or a groove thinner than a voxel is seen too. An edge keeps two
   crossings at most. `drifting`: where the cap of an open stock crosses it.
2. `pairing`: which crossings of a cell's face belong together. Such a *pair* is where the surface meets the face.
   `bends` says where a surface is smooth. `faces`, `borders`: where the surfaces of a pair meet at an angle, the face
   has a *border point*. All this is decided from the face's own crossings, so the cells on both sides agree, and the
   mesh is closed by construction.
3. `cells`: the pairs of a cell's faces form *loops* around patches of surface. Border points divide a loop into
   *runs* of one smooth surface each.
4. `vertices`, `hubs`: a loop has a vertex on each run, and a *hub* where the runs meet: on a curve for two surfaces, at
   a corner for three. A run's vertex that is near the hub is the hub. `projection` moves them there.
5. `quads`: each crossing becomes a quad of the vertices of its edge's four cells. Each border point becomes two
   quads, which share the piece of the border between the hubs of two cells.
6. `overlaps`: where two triangles at a cell cross, their vertices go back toward where they came from. Where that does
   not help, or a side would have more than two triangles, `dividing` keeps every triangle inside one cell.

A cell without a border point, and without an edge or a face that is crossed more than once by each line, is *plain*. It
needs no loops: `tables` says which of its edges belong to which patch.

Dual contouring is by Ju, Losasso, Schaefer and Warren (2002). Ho and others (2005) pair crossings face by face. The
stock's crossings on grid lines along three axes are layered depth-normal images (Chen and Wang 2008).

Lengths are voxels, limits of angles are cosines. Codes number primitives as in `Field.nearest`.
"""

from ..runtime.sentences import Sentence

LEFT_BRICKS = Sentence("the surface leaves the bricks where it was looked for: please report this as a bug")
