"""Sharp edges made whole, once every vertex lies in its cell.

Where two surfaces meet along an edge, the quads of one lie beside those of the other, and a row of vertices lies
between them. The edge runs through most of their cells, and passes beside some: a vertex there is left on one surface,
and the edge is cut off. Such vertices are drawn onto the edge here, each between its neighbours in the row, so that
they keep their order. A vertex goes back where a half of a quad would look against its own surface then, or overlap
another.

Lengths are in voxels. Everything is of the few quads around such vertices.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .bricks import NO_PRIMITIVE
from .hermite import ON_SURFACE, ROUNDING, Array, Codes, Mask, Primitives, is_known
from .hiding import CodesAround, hidden_by, is_beyond
from .mesh import DualMesh
from .overlaps import overlapping
from .progress import share, steps
from .threads import slices
from .triangles import cross, dot
from .vertices import FALLBACK, PARTLY, SAME_SURFACE, SHARP, Members, find_groups, member_normals, settle

Indices = npt.NDArray[np.int64]
Quads = npt.NDArray[np.int32]

RELAXATIONS = 8  # of each vertex to the middle of its neighbours
FARTHEST = 2.5  # that a vertex goes
STEPS_OUT = 4  # of one segment after another

LEAST_CELL = 2.0  # what is nearer than this to a quad that moved may be overlapped by it
MOST_CELLS = 128  # along an axis, of a table of where that is

# What is found for each of many vertices or quads is found in as many parts at most, or for so many at once: that
# bounds the memory.
PARTS = 32
AT_ONCE = 4096


@dataclass(frozen=True)
class Row:
    """Vertices that do not lie on all surfaces of their cells.

    Attributes:
        vertex: (N,) ascending.
        owner, neighbour: (E,) of each side of a quad that lies on an edge: which of the vertices it begins at, and the
            vertex where it ends.
        members: of each vertex, the primitives of the quads around it.
    """

    vertex: Indices
    owner: Indices
    neighbour: Indices
    members: Members


def complete_edges(primitives: Primitives, mesh: DualMesh, codes_around: CodesAround) -> None:
    """Move the vertices that are FALLBACK or PARTLY, or are hidden, onto the edge or corner near them, if they can be;
    else out of what hides them.

    Args:
        primitives: whose surface it is.
        mesh: of which points, quads (only where they are split) and kinds are changed.
        codes_around: of the field.
    """
    sharp = np.flatnonzero(mesh.kinds == SHARP)
    with share(0.0, 0.2):
        mesh.kinds[sharp[_hidden_by(primitives, codes_around, mesh.points[sharp].T) != NO_PRIMITIVE]] = FALLBACK
    open_ = np.isin(mesh.kinds, (FALLBACK, PARTLY))
    if not open_.any():
        return
    near = np.flatnonzero(open_[mesh.quads].any(axis=1))
    turns = _turns(primitives, mesh, near)
    with share(0.2, 0.25):
        row = _row(primitives, mesh, near, turns, open_)
    with share(0.25, 0.6):
        vertex, points = _drawn(primitives, mesh, codes_around, row)
    with share(0.6, 0.85):
        drawn = _move(primitives, mesh, near, turns, vertex, points)
    mesh.kinds[drawn] = SHARP
    open_[drawn] = False
    left = np.flatnonzero(open_)
    with share(0.85, 0.9):
        out, points = _stepped_out(primitives, codes_around, np.ascontiguousarray(mesh.points[left].T))
    with share(0.9, 1.0):
        _move(primitives, mesh, near, turns, left[out], points)


def _drawn(primitives: Primitives, mesh: DualMesh, codes_around: CodesAround, row: Row) -> tuple[Indices, Array]:
    """Which vertices (N,) of a row lie on an edge or corner, and where (3, N)."""
    with share(0.0, 0.3):
        points, met = _relaxed(primitives, mesh, row)
    with share(0.3, 0.5):
        hiding = np.where(met, _hidden_by(primitives, codes_around, points), NO_PRIMITIVE)
    hidden = hiding != NO_PRIMITIVE
    if hidden.any():
        row = replace(row, members=row.members.joined(hiding, primitives.rule))
        with share(0.5, 0.8):
            points, met = _relaxed(primitives, mesh, row)
        again = np.flatnonzero(hidden & met)
        met[again] = _hidden_by(primitives, codes_around, points[:, again]) == NO_PRIMITIVE
    flat = np.flatnonzero(met & (row.members.has & (row.members.codes >= 0)).any(axis=0))
    with share(0.8, 1.0):
        for part in steps(_parts(flat)):
            here = np.ascontiguousarray(points[:, part])
            met[part] = ~is_beyond(primitives, codes_around(here), here)
    return row.vertex[met], points[:, met]


def _stepped_out(primitives: Primitives, codes_around: CodesAround, points: Array) -> tuple[Mask, Array]:
    """Which of points (3, N) lie in a segment, and soon in none where they step out by the shortest way; and there."""
    stepped = points.copy()
    hidden = hiding = _hidden_by(primitives, codes_around, points)
    for _ in steps(range(STEPS_OUT)):
        inner = np.flatnonzero(hiding != NO_PRIMITIVE)
        value, outward = primitives.segment_values(-1 - hiding[inner], stepped[:, inner])
        stepped[:, inner] -= value * outward
        hiding = np.full(len(hiding), NO_PRIMITIVE, dtype=np.int32)
        hiding[inner] = _hidden_by(primitives, codes_around, stepped[:, inner])
    out = (hidden != NO_PRIMITIVE) & (hiding == NO_PRIMITIVE)
    return out, stepped[:, out]


def _hidden_by(primitives: Primitives, codes_around: CodesAround, points: Array) -> Codes:
    """As `hidden_by`, of points (3, N) among the codes around them."""
    parts = [np.ascontiguousarray(points[:, part]) for part in _parts(np.arange(points.shape[1]))]
    found = [hidden_by(primitives, codes_around(part), part) for part in steps(parts)]
    return np.concatenate([np.empty(0, dtype=np.int32), *found])


def _turns(primitives: Primitives, mesh: DualMesh, near: Indices) -> Array:
    """1 where the gradient of a quad's primitive looks out of the mesh, else -1, of the quads `near` (N,).

    That is so of all quads of a triangle, or of none: most of their area says which.
    """
    codes = mesh.codes[near]
    turns = np.full(len(near), -1.0 if primitives.rule.carves else 1.0)
    flat = np.flatnonzero((codes >= 0) & is_known(codes))
    a, b, c, d = mesh.points[mesh.quads[near[flat]]].transpose(1, 2, 0)
    outward = dot(cross(c - a, d - b), primitives.triangles.columns[9:].take(codes[flat], axis=1))
    turns[flat] = np.where(np.bincount(codes[flat], outward)[codes[flat]] >= 0, 1.0, -1.0)
    return turns


def _outward(primitives: Primitives, codes: Codes, turns: Array, at: Array) -> Array:
    """(3, N) outward normals at points (3, N); 0 where the primitive is not known."""
    normals = np.zeros_like(at)
    known = is_known(codes)
    flat, round_ = np.flatnonzero(known & (codes >= 0)), np.flatnonzero(known & (codes < 0))
    normals[:, flat] = primitives.triangles.columns[9:].take(codes[flat], axis=1)
    normals[:, round_] = primitives.segment_values(-1 - codes[round_], at[:, round_])[1]
    return normals * turns


def _row(primitives: Primitives, mesh: DualMesh, near: Indices, turns: Array, open_: Mask) -> Row:
    """The vertices where open_ (V,) with at least two neighbours along edges; `near` (N,) are the quads around them."""
    quads, count = mesh.quads[near], len(mesh.points)
    here, there = quads.ravel().astype(np.int64), np.roll(quads, -1, axis=1).ravel().astype(np.int64)
    side, first = np.unique(here * count + there, return_index=True)
    owner, neighbour = np.divmod(side, count)
    own = open_[owner]
    owner, neighbour, one = owner[own], neighbour[own], first[own] // 4
    other = first[np.searchsorted(side, neighbour * count + owner)] // 4
    middle = (mesh.points[owner] + mesh.points[neighbour]).T / 2
    normals = [_outward(primitives, mesh.codes[near[quad]], turns[quad], middle) for quad in (one, other)]
    sharp = dot(*normals) < SAME_SURFACE
    owner, neighbour = owner[sharp], neighbour[sharp]
    vertex, place, count_of = np.unique(owner, return_inverse=True, return_counts=True)
    several = count_of > 1
    kept, vertex = several[place], vertex[several]
    members = _members(mesh, near, turns, vertex)
    return Row(vertex, (np.cumsum(several) - 1)[place[kept]], neighbour[kept], members)


def _members(mesh: DualMesh, near: Indices, turns: Array, vertex: Indices) -> Members:
    """The primitives of the quads around vertices (N,), each once."""
    place = np.full(len(mesh.points), -1)
    place[vertex] = np.arange(len(vertex))
    codes = mesh.codes[near]
    quad, corner = np.nonzero((place[mesh.quads[near]] >= 0) & is_known(codes)[:, None])
    owner, code, turn = place[mesh.quads[near[quad], corner]], codes[quad], turns[quad]
    order = np.lexsort((code, owner))
    owner, code, turn = owner[order], code[order], turn[order]
    new = np.ones(len(owner), dtype=bool)
    new[1:] = (owner[1:] != owner[:-1]) | (code[1:] != code[:-1])
    owner, code, turn = owner[new], code[new], turn[new]
    slot = np.arange(len(owner)) - np.searchsorted(owner, owner)
    shape = int(slot.max(initial=0)) + 1, len(vertex)
    members = Members(np.zeros(shape, dtype=bool), np.zeros(shape, dtype=np.int32), np.ones(shape))
    members.has[slot, owner], members.codes[slot, owner], members.turns[slot, owner] = True, code, turn
    return members


def _relaxed(primitives: Primitives, mesh: DualMesh, row: Row) -> tuple[Array, Mask]:
    """Where the vertices of a row lie on their edges and corners (3, N), between their neighbours; which (N,) do.

    One that is PARTLY on its surfaces must come to lie on all three."""
    here = np.ascontiguousarray(mesh.points[row.vertex].T)
    partly = mesh.kinds[row.vertex] == PARTLY
    place = np.full(len(mesh.points), -1)
    place[row.vertex] = np.arange(len(row.vertex))
    ends, inner = mesh.points[row.neighbour].T.copy(), place[row.neighbour]
    count = np.bincount(row.owner, minlength=len(row.vertex))
    groups, group = _groups(primitives, row.members, here)
    points, met = here.copy(), np.zeros(len(partly), dtype=bool)
    for _ in steps(range(RELAXATIONS)):
        middle = np.stack([np.bincount(row.owner, axis, len(count)) for axis in ends]) / count
        found, surfaces = _met(primitives, row.members, groups, group, here, middle)
        now = surfaces > np.where(partly, 2, 1)
        points[:, now] = found[:, now]
        met |= now
        ends[:, inner >= 0] = points[:, inner[inner >= 0]]
    return points, met


def _groups(
    primitives: Primitives, members: Members, points: Array
) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.int8]]]:
    """How many surfaces (N,) the members make at points (3, N); which (S, N) each is of, of two, and of three."""
    normals, _ = member_normals(primitives, members, points)
    (_, two), (groups, three) = (find_groups(members, normals, most) for most in (2, 3))
    return groups, [two, three]


def _met(
    primitives: Primitives,
    members: Members,
    groups: npt.NDArray[np.int64],
    group: list[npt.NDArray[np.int8]],
    here: Array,
    begin: Array,
) -> tuple[Array, npt.NDArray[np.int64]]:
    """Where three surfaces meet, or else two, seen from points `begin` (3, N), not far from `here` (3, N); and how many
    do (N,), 0 for none."""
    points, surfaces = here.copy(), np.zeros(len(groups), dtype=np.int64)
    for count in (3, 2):
        rows = np.flatnonzero((groups >= count) & (surfaces == 0))
        own, found = members.at(rows), begin[:, rows].copy()
        far = settle(primitives, own, group[count - 2][: len(own.has), rows], count, found)
        off = found - here[:, rows]
        near = (far < ON_SURFACE) & (dot(off, off) < FARTHEST * FARTHEST)
        points[:, rows[near]], surfaces[rows[near]] = found[:, near], count
    return points, surfaces


@dataclass
class _Moves:
    """Vertices on their way, and the quads that have any of them.

    Attributes:
        vertex: (N,).
        old, off: (N, 3) where each was, (N,) how far it goes.
        live: (N,) whether it has moved, and not gone back.
        quad: (M,) places of the quads.
        original: (M, 4) as they were.
        mover: (M, 4) which of the vertices is at each corner, -1 for none.
        turns: (M,) see `_turns`.
    """

    vertex: Indices
    old: Array
    off: Array
    live: Mask
    quad: Indices
    original: Quads
    mover: Indices
    turns: Array

    def moving(self, mover: Indices) -> Mask:
        """Of vertices at corners, -1 for none, whether they have moved."""
        return (mover >= 0) & self.live[mover]

    def go_back(self, mesh: DualMesh, groups: Indices) -> Indices:
        """Move the farthest vertex of each group (G, K), -1 for none, back to where it was; which (B,) these are."""
        groups = np.sort(groups, axis=1)  # of two as far, the first
        moving = self.moving(groups)
        groups, moving = groups[moving.any(axis=1)], moving[moving.any(axis=1)]
        farthest = np.where(moving, self.off[groups], -1.0).argmax(axis=1)
        back = np.unique(groups[np.arange(len(groups)), farthest])
        self.live[back] = False
        mesh.points[self.vertex[back]] = self.old[back]
        return back


def _move(
    primitives: Primitives,
    mesh: DualMesh,
    near: Indices,
    turns: Array,
    vertex: Indices,
    points: Array,
) -> Indices:
    """Move vertices (N,) to points (3, N), save where a quad would be turned over, or overlap another; which moved."""
    if not len(vertex):
        return vertex
    points = points.T
    place = np.full(len(mesh.points), -1)
    place[vertex] = np.arange(len(vertex))
    touched = np.flatnonzero((place[mesh.quads[near]] >= 0).any(axis=1))
    quad = near[touched]
    original, old = mesh.quads[quad], mesh.points[vertex]
    off = np.sqrt(((points - old) ** 2).sum(axis=1))
    moves = _Moves(vertex, old, off, np.ones(len(vertex), dtype=bool), quad, original, place[original], turns[touched])
    mesh.points[vertex] = points
    cells = _Cells.of(mesh)
    stale = np.ones(len(vertex), dtype=bool)
    while stale.any():
        changed = np.flatnonzero(((moves.mover >= 0) & stale[moves.mover]).any(axis=1))
        folded = _split_again(primitives, mesh, moves, changed)
        back = moves.go_back(mesh, moves.mover[folded])
        if not len(back):
            stale[:] = False
            back = moves.go_back(mesh, place[_overlaps(mesh, cells, moves.quad[changed])])
        stale[back] = True
    return vertex[moves.live]


def _split_again(primitives: Primitives, mesh: DualMesh, moves: _Moves, which: Indices) -> Indices:
    """Split the quads at places `which` (N,), if a vertex of theirs has moved, along the diagonal whose halves look
    more like their surface.

    Returns:
        (F,) the places of those that look against it even so.
    """
    original = moves.original[which]
    corner = mesh.points[original].transpose(1, 2, 0)  # (4, 3, N)
    codes = mesh.codes[moves.quad[which]]
    least = np.full((2, len(codes)), np.inf)
    for turn in range(2):
        a, b, c, d = np.roll(corner, -turn, axis=0)
        for u, v, w in ((a, b, c), (a, c, d)):
            normal = cross(v - u, w - u)
            length = np.sqrt(dot(normal, normal))
            outward = _outward(primitives, codes, moves.turns[which], (u + v + w) / 3)
            # A half without area looks nowhere.
            cosine = np.where(length > ROUNDING, dot(normal, outward) / np.where(length > ROUNDING, length, 1), 0.0)
            least[turn] = np.minimum(least[turn], cosine)
    moving = moves.moving(moves.mover[which]).any(axis=1)
    odd = moving & (least[1] > least[0] + ROUNDING)
    mesh.quads[moves.quad[which]] = np.where(odd[:, None], np.roll(original, -1, axis=1), original)
    return which[moving & (least.max(axis=0) < -ROUNDING)]


@dataclass(frozen=True)
class _Cells:
    """A coarse grid.

    Attributes:
        number: (V,) int32, of the cell that each vertex lies in.
        side: how many cells there are along x, y and z.
    """

    number: Quads
    side: tuple[int, int, int]

    @classmethod
    def of(cls, mesh: DualMesh) -> "_Cells":
        """With a cell without vertices on every side."""
        low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
        size = max(LEAST_CELL, float((high - low).max()) / MOST_CELLS)
        x, y, z = (((mesh.points[:, i] - low[i]) / size).astype(np.int32) + 1 for i in range(3))
        width, depth, height = (int(part.max()) + 2 for part in (x, y, z))
        return cls((z * depth + y) * width + x, (width, depth, height))

    def near(self, mesh: DualMesh, changed: Indices) -> Indices:
        """The quads that come into the same cells as the quads `changed` (C,), or into the cells around these."""
        width, depth, height = self.side
        marked = np.zeros(width * depth * height, dtype=bool)
        marked[self.number[mesh.quads[changed]]] = True
        for step in (1, width, width * depth):
            index = np.flatnonzero(marked)
            marked[index + step], marked[index - step] = True, True
        return np.flatnonzero(marked[self.number][mesh.quads].any(axis=1))


def _overlaps(mesh: DualMesh, cells: _Cells, changed: Indices) -> Indices:
    """(P, 6) the corners of pairs of triangles that overlap, one of them of the quads `changed` (C,), ascending."""
    found = [np.empty((0, 6), dtype=np.int64)]
    for part in steps(_parts(changed)):
        around = cells.near(mesh, part)
        triangles = mesh.quads[around][:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
        place = np.searchsorted(around, part)
        pairs = overlapping(mesh.points, triangles, np.column_stack([2 * place, 2 * place + 1]).ravel())
        found.append(triangles[pairs].reshape(-1, 6).astype(np.int64))
    return np.concatenate(found)


def _parts(which: Indices) -> list[Indices]:
    """Some numbers (N,), in parts."""
    return [which[rows] for rows in slices(len(which), max(AT_ONCE, -(-len(which) // PARTS)))]
