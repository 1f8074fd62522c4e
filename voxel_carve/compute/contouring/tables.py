"""The edges and faces of a cell, and how the surface passes through a plain one, by the signs at its eight corners.

The corners of a cell are eight voxel centres. Corner k lies at (k & 1, k >> 1 & 1, k >> 2 & 1) as (x, y, z). Bit k of a
*configuration* says that corner k is inside. Each patch of surface in a cell becomes one vertex (Nielson 2004).

A face is ambiguous if just the two corners on one diagonal are inside. The base tables separate these corners. In 36
configurations, both lines on the one ambiguous face belong to the same patch. If two such cells share that face, the
edge between their vertices would have four faces. Joining the inside corners on that face in both cells repairs this
(Wenger 2013).
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

MOST_CROSSINGS = 2  # that an edge keeps
SLOTS = 2 * 12 * MOST_CROSSINGS  # of a cell: see `cells`

# (12, 2): the corners of each edge. Edge 4 a + i runs along axis a (0 is x), from a corner with bit a clear.
EDGES = np.array([(k, k | 1 << axis) for axis in range(3) for k in range(8) if not k >> axis & 1])

# (6, 4): the corners of each face in order around it. Face 2 a + s is on side s of axis a.
FACES = np.array(
    [
        [side << axis | u << (axis + 1) % 3 | v << (axis + 2) % 3 for u, v in ((0, 0), (1, 0), (1, 1), (0, 1))]
        for axis in range(3)
        for side in (0, 1)
    ]
)


class CellTables(NamedTuple):
    """Tables with a row per configuration.

    Attributes:
        patches: (2, 256) int8, number of patches. Row 1 has the ambiguous face joined.
        patch: (2, 256, 12) int8, the patch of each edge, -1 if the surface does not cross it.
        repair_face: (256,) int8, the ambiguous face with both lines on one patch, -1 for none.
    """

    patches: npt.NDArray[np.int8]
    patch: npt.NDArray[np.int8]
    repair_face: npt.NDArray[np.int8]


@cache
def cell_tables() -> CellTables:
    """The tables. They are computed once."""
    patch = np.full((2, 256, 12), -1, dtype=np.int8)
    repair_face = np.full(256, -1, dtype=np.int8)
    for configuration in range(256):
        patch[:, configuration] = _patches(configuration, joined_face=-1)
        for face in range(6):
            lines = _face_lines(configuration, face, joined=False)
            if len(lines) == 2 and len({patch[0, configuration, line[0]] for line in lines}) == 1:
                repair_face[configuration] = face
                patch[1, configuration] = _patches(configuration, joined_face=face)
    return CellTables(patch.max(axis=2) + 1, patch, repair_face)


def _patches(configuration: int, joined_face: int) -> list[int]:
    """The patch that crosses each edge, -1 for none. Lines on the faces connect the edges of a patch."""
    group = list(range(12))
    for face in range(6):
        for first, second in _face_lines(configuration, face, joined=face == joined_face):
            old, new = group[first], group[second]
            group = [new if member == old else member for member in group]
    crossed = [(configuration >> a & 1) != (configuration >> b & 1) for a, b in EDGES.tolist()]
    names: dict[int, int] = {}
    return [names.setdefault(group[edge], len(names)) if crossed[edge] else -1 for edge in range(12)]


def _face_lines(configuration: int, face: int, joined: bool) -> list[tuple[int, int]]:
    """The lines where the surface meets a face, as pairs of edges."""
    inside = [bool(configuration >> corner & 1) for corner in FACES[face].tolist()]
    edges = _edges_around(face)
    crossed = [i for i in range(4) if inside[i] != inside[(i + 1) % 4]]
    if len(crossed) < 4:
        return [(edges[crossed[0]], edges[crossed[1]])] if crossed else []
    # Each line cuts off one corner: an outside one if the inside corners are joined, else an inside one.
    return [(edges[i - 1], edges[i]) for i in range(4) if inside[i] != joined]


@cache
def _edges_around(face: int) -> list[int]:
    """The edges of a face in order: each runs from one corner to the next."""
    ends = np.sort(np.stack([FACES[face], np.roll(FACES[face], -1)], axis=1), axis=1)
    return [int(np.flatnonzero((EDGES == pair).all(axis=1))[0]) for pair in ends]


def edge_at(axis: int, far_u: int, far_v: int) -> int:
    """The edge of a cell along `axis`, on the near (0) or far (1) side of the next two axes."""
    start = far_u << (axis + 1) % 3 | far_v << (axis + 2) % 3
    return int(np.flatnonzero((EDGES[:, 0] == start) & (np.arange(12) // 4 == axis))[0])


# (3, 4): for each axis, the edge as the four cells around it number it, counter-clockwise seen from its far end. Cells
# 0 and 3 lie one step back along the next axis, cells 0 and 1 along the one after it.
RING = np.array([[edge_at(axis, u, v) for u, v in ((1, 1), (0, 1), (0, 0), (1, 0))] for axis in range(3)])

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

# (12,): which of the four cells around an edge a cell is, by the edge's number in the cell.
RING_PLACE = np.array([int(np.flatnonzero(RING[e // 4] == e)[0]) for e in range(12)])

# (256, 13): the edges with a crossing in each configuration, ascending, then the others; last, how many have one.
_IS_CROSSED = cell_tables().patch[0] >= 0
CROSSED = np.column_stack([np.argsort(~_IS_CROSSED, axis=1, kind="stable"), _IS_CROSSED.sum(axis=1)]).astype(np.uint8)

# (256,): the most loops of a cell where no edge is crossed twice. Four crossings around a face may be paired otherwise
# than in the table; a loop has three or more.
_IS_AMBIGUOUS = _IS_CROSSED[:, FACE_EDGES].all(axis=2).any(axis=1)
MOST_LOOPS = np.where(_IS_AMBIGUOUS, CROSSED[:, 12] // 3, cell_tables().patches[0]).astype(np.int64)
