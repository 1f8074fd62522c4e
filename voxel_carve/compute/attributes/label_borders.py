"""Borders between faces of a stock with different labels, such as materials, as edges of the result.

Cells know nothing of materials, so a border would run in steps along their sides. Of each side of a face that a border
crosses, the nearer end is laid on the border; what is left then lies on one side of it, or is a quad that its diagonal
divides. So no vertex moves by more than half a side, and none leaves the stock.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from ..engines.numba.compiler.loading import load_kernels
from ..model.mesh import Source, Surface, TriMesh
from ..primitives.half_edges import paired_sides, side_keys
from .transfer import Walker, joined_triangles

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

# In voxels: what is nearer to a border lies on it; the least height of a triangle at a vertex that was moved.
ON_BORDER, LEAST_HEIGHT = 1e-3, 0.05
# In voxels, between the samples of a border by which its nearest edges are found; and how many are looked at.
SPACING, SAMPLES = 0.5, 4
# The cosine of the bend at an edge from which it counts as sharp, and of the turn of a face that is still allowed.
SHARP, TURNED = np.cos(np.radians(20)), 0.5
ROUNDS = 6


@dataclass(frozen=True)
class _Borders:
    """The edges of a stock between triangles of different labels: (E, 3) each end."""

    start: Floats
    end: Floats
    tree: cKDTree
    edge: Indices

    @classmethod
    def of(
        cls, mesh: TriMesh, joined: npt.NDArray[np.int32], labels: npt.NDArray[np.int32], voxel_size: float
    ) -> "_Borders | None":
        """The borders of a stock, whose triangles are joined so; None without any."""
        across = np.where(joined >= 0, labels[joined], -1)
        triangle, corner = np.nonzero((across != labels[:, None]) & (across >= 0) & (labels >= 0)[:, None])
        if not len(triangle):
            return None
        tail, head = (mesh.triangles[triangle, (corner + turn) % 3] for turn in (1, 2))
        _, side = np.unique(side_keys(np.minimum(tail, head), np.maximum(tail, head)), return_index=True)
        start, end = mesh.points[tail[side]], mesh.points[head[side]]
        count = np.ceil(np.linalg.norm(end - start, axis=1) / (SPACING * voxel_size)).astype(np.int64) + 1
        edge = np.repeat(np.arange(len(side)), count)
        share = (np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count)) / np.maximum(count - 1, 1)[edge]
        samples = start[edge] + share[:, None] * (end - start)[edge]
        return cls(start, end, cKDTree(samples), edge)

    def nearest(self, points: Floats) -> tuple[Floats, Floats]:
        """The nearest points (N, 3) on borders, and their distances (N,)."""
        count = min(SAMPLES, len(self.edge))
        _, found = self.tree.query(points, k=count)
        edge = self.edge[found.reshape(len(points), count)]
        start, along = self.start[edge], (self.end - self.start)[edge]
        share = ((points[:, None] - start) * along).sum(axis=2) / np.maximum((along**2).sum(axis=2), 1e-300)
        place = start + np.clip(share, 0, 1)[..., None] * along
        distance = np.linalg.norm(place - points[:, None], axis=2)
        best = distance.argmin(axis=1)
        rows = np.arange(len(points))
        return place[rows, best], distance[rows, best]


def has_borders(labels: npt.NDArray[np.int32]) -> bool:
    """Whether triangles have different labels; negative ones are none."""
    known = labels[labels >= 0]
    return len(known) > 0 and bool(np.ptp(known) > 0)


def along_borders(surface: Surface, mesh: TriMesh, labels: npt.NDArray[np.int32], voxel_size: float) -> Surface:
    """A surface whose faces from the stock meet in edges where labels of the stock do.

    Args:
        surface: of quads, as it was made cell by cell.
        mesh: the stock; labels: (T,) of its triangles.
        voxel_size: in the unit of the points.
    """
    faces = _faces_near_borders(surface, labels)
    if not len(faces):
        return surface
    joined = joined_triangles(mesh.triangles)
    borders = _Borders.of(mesh, joined, labels, voxel_size)
    if borders is None:
        return surface
    load_kernels("write")
    near = np.unique(surface.faces[faces])
    start = np.full(len(surface.points), -1, dtype=np.int32)
    start[surface.faces[faces].ravel()] = np.repeat(surface.primitive[faces], surface.faces.shape[1])
    walker = Walker(mesh.points[mesh.triangles], joined)
    triangle = np.full(len(surface.points), -1)
    triangle[near] = walker.walk(start[near], surface.points[near])[0]
    distance = np.full(len(surface.points), np.inf)
    distance[near] = borders.nearest(surface.points[near])[1]
    side = np.full(len(surface.points), -1)
    side[near] = np.where(distance[near] > ON_BORDER * voxel_size, labels[triangle[near]], -1)

    points, moved = _laid_on(surface, faces, side, distance, borders, voxel_size)
    side[moved] = -1
    return _divided(surface, points, faces, side, triangle, labels)


def _faces_near_borders(surface: Surface, labels: npt.NDArray[np.int32]) -> Indices:
    """The faces from the stock around vertices whose faces have several labels, and their neighbours."""
    stock = np.flatnonzero((surface.source == Source.STOCK) & (surface.primitive >= 0))
    own = labels[surface.primitive[stock]]
    stock, own = stock[own >= 0], own[own >= 0]
    corners = np.ascontiguousarray(surface.faces[stock].T, dtype=np.intp)
    last = np.full(len(surface.points), -1, dtype=np.int32)
    for corner in corners:
        last[corner] = own
    marked = np.zeros(len(surface.points), dtype=bool)
    for corner in corners:
        marked[corner[last[corner] != own]] = True
    marked[corners[:, _touching(corners, marked)]] = True
    return stock[_touching(corners, marked)]


def _touching(corners: npt.NDArray[np.integer], marked: Flags) -> Indices:
    """The faces, of which `corners` (K, M) has each corner, with a vertex that is marked."""
    touching = marked[corners[0]]
    for corner in corners[1:]:  # several times as fast as all corners of each face together
        touching |= marked[corner]
    return np.flatnonzero(touching)


def _sides(faces: npt.NDArray[np.int32]) -> tuple[Indices, Indices]:
    """The ends of the sides of quads (M, 4); a triangle among them has one of no length."""
    return faces.ravel().astype(np.int64), np.roll(faces, -1, axis=1).ravel().astype(np.int64)


def _laid_on(
    surface: Surface, faces: Indices, side: Indices, distance: Floats, borders: _Borders, voxel_size: float
) -> tuple[Floats, Flags]:
    """The points with those laid on borders, and which these are."""
    points = surface.points.copy()
    moved = np.zeros(len(points), dtype=bool)
    tail, head = _sides(surface.faces[faces])
    crossing = np.flatnonzero((side[tail] != side[head]) & (side[tail] >= 0) & (side[head] >= 0))
    tail, head = tail[crossing], head[crossing]
    asked = np.zeros(len(points), dtype=bool)
    asked[tail] = asked[head] = True
    around = _touching(surface.faces.T, asked)
    sharp, features = _features(surface, around, tail, head)
    share = distance[tail] / (distance[tail] + distance[head])
    target = points[tail] + share[:, None] * (points[head] - points[tail])
    free = [(features[end] == 0) | (sharp & (features[end] == 2)) for end in (tail, head)]
    first = np.where(share <= 0.5, free[0], ~free[1] & free[0])
    chosen = free[0] | free[1]
    vertex = np.where(first, tail, head)[chosen]
    target = target[chosen]
    smooth = features[vertex] == 0
    target[smooth] = borders.nearest(target[smooth])[0]
    length = np.linalg.norm(target - points[vertex], axis=1)
    order = np.argsort(-length, kind="stable")  # the last, which is the shortest, counts
    far = np.zeros(len(points))
    points[vertex[order]], far[vertex[order]], moved[vertex] = target[order], length[order], True

    quads = surface.faces[around]
    halves = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    halves = halves[moved[halves].any(axis=1)]
    before = _normals(surface.points[halves])
    real = np.linalg.norm(before, axis=1) > 1e-9 * voxel_size**2
    halves, before = halves[real], before[real]
    for _ in range(ROUNDS):
        placed = points[halves]
        after = _normals(placed)
        size = np.linalg.norm(after, axis=1)
        longest = np.linalg.norm(placed - np.roll(placed, 1, axis=1), axis=2).max(axis=1)
        upright = (after * before).sum(axis=1) > TURNED * size * np.linalg.norm(before, axis=1)
        bad = ~(upright & (size > LEAST_HEIGHT * voxel_size * longest))
        bad &= moved[halves].any(axis=1)
        if not bad.any():
            break
        worst = halves[bad, np.where(moved[halves[bad]], far[halves[bad]], -1).argmax(axis=1)]
        moved[worst] = False
        points[worst] = surface.points[worst]
    return points, moved


def _features(surface: Surface, around: Indices, tail: Indices, head: Indices) -> tuple[Flags, Indices]:
    """Whether sides of faces are sharp edges, or borders with cut faces; and the number of these at each of their ends.

    Only the faces around these ends are looked at.
    """
    number = len(surface.points)
    faces, source = surface.faces[around], surface.source[around]
    every_tail, every_head = _sides(faces)
    one, other = paired_sides(every_tail, every_head)
    normal = _normals(surface.points[faces[:, [0, 1, 2]]]) + _normals(surface.points[faces[:, [0, 2, 3]]])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    bent = (normal[one // 4] * normal[other // 4]).sum(axis=1) < SHARP
    bent |= source[one // 4] != source[other // 4]
    ends = np.stack([every_tail[one[bent]], every_head[one[bent]]])
    keys = np.minimum(*ends) * number + np.maximum(*ends)
    sharp = np.isin(np.minimum(tail, head) * number + np.maximum(tail, head), keys)
    return sharp, np.bincount(ends.ravel(), minlength=number)


def _normals(corners: Floats) -> Floats:
    return np.asarray(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), dtype=np.float64)


def _divided(
    surface: Surface, points: Floats, faces: Indices, side: Indices, triangle: Indices, labels: npt.NDArray[np.int32]
) -> Surface:
    """The surface with these points, and faces on one side of a border each: quads with corners on both are divided."""
    corners = surface.faces[faces]
    sides = side[corners]
    low = np.where(sides >= 0, sides, np.iinfo(np.int64).max).min(axis=1)
    high = sides.max(axis=1)
    mixed = (low < high) & (high >= 0)
    quad = corners[:, 2] != corners[:, 3]
    even = mixed & quad & (sides[:, 0] < 0) & (sides[:, 2] < 0)
    odd = mixed & quad & (sides[:, 1] < 0) & (sides[:, 3] < 0) & ~even
    owner = np.concatenate([faces[even], faces[odd]])
    quads = np.concatenate([corners[even], corners[odd][:, [1, 2, 3, 0]]])
    all_faces = np.concatenate([surface.faces, quads[:, [0, 2, 3, 3]]])
    all_faces[owner] = quads[:, [0, 1, 2, 2]]
    primitive = np.concatenate([surface.primitive, surface.primitive[owner]])
    source = np.concatenate([surface.source, surface.source[owner]])
    asked = np.concatenate([faces, np.arange(len(surface.faces), len(all_faces))])
    sides = side[all_faces[asked]]
    top = sides.argmax(axis=1)
    rows = np.arange(len(asked))
    pure = (sides.max(axis=1) >= 0) & (
        np.where(sides >= 0, sides, sides.max(axis=1)[:, None]).min(axis=1) == sides.max(axis=1)
    )
    wrong = pure & (labels[primitive[asked]] != sides[rows, top])
    primitive[asked[wrong]] = triangle[all_faces[asked[wrong], top[wrong]]]
    return Surface(points, all_faces, source, primitive)
