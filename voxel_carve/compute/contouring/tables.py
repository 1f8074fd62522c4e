"""The edges and faces of a cell, and the patches of plain cells.

Corner k of a cell lies at (k & 1, k >> 1 & 1, k >> 2 & 1) as (x, y, z). The tables of patches are those of
`contour.cells`.
"""

import numpy as np

from ..contour.cells import EDGES, FACES, RING, cell_tables

MOST_CROSSINGS = 2  # that an edge keeps
SLOTS = 2 * 12 * MOST_CROSSINGS  # of a cell: see `cells`

# (12,): the first corner of each edge, and its axis.
EDGE_FIRST = EDGES[:, 0].astype(np.int64)
EDGE_AXIS = np.arange(12) // 4

# (6, 4): the edges around each face, counter-clockwise seen from the far end of the face's axis. The first two lead
# forward along their axes, the others back.
FACE_EDGES = np.array(
    [
        [
            next(e for e, pair in enumerate(EDGES.tolist()) if sorted(pair) == sorted((face[k], face[(k + 1) % 4])))
            for k in range(4)
        ]
        for face in FACES.tolist()
    ]
)

# (12,): which of the four cells around an edge a cell is, by the edge's number in the cell: see `cells.RING`.
RING_PLACE = np.array([int(np.flatnonzero(RING[e // 4] == e)[0]) for e in range(12)])

# (256, 13): the edges with a crossing in each configuration, ascending, then the others; last, how many have one.
_IS_CROSSED = cell_tables().patch[0] >= 0
CROSSED = np.column_stack([np.argsort(~_IS_CROSSED, axis=1, kind="stable"), _IS_CROSSED.sum(axis=1)]).astype(np.uint8)

# (256,): the most loops of a cell where no edge is crossed twice. Four crossings around a face may be paired otherwise
# than in the table; a loop has three or more.
_IS_AMBIGUOUS = _IS_CROSSED[:, FACE_EDGES].all(axis=2).any(axis=1)
MOST_LOOPS = np.where(_IS_AMBIGUOUS, CROSSED[:, 12] // 3, cell_tables().patches[0]).astype(np.int64)

__all__ = [
    "CROSSED",
    "EDGE_AXIS",
    "EDGE_FIRST",
    "FACE_EDGES",
    "MOST_LOOPS",
    "RING_PLACE",
    "SLOTS",
    "cell_tables",
]
