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
from ..primitives.half_edges import face_sides, paired_sides
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
    def of(cls, mesh: TriMesh, labels: npt.NDArray[np.int32], voxel_size: float) -> "_Borders | None":
        """The borders of a stock; None without any."""
        tail, head = face_sides(mesh.triangles)
        side, across = paired_sides(tail, head)
        one, other = labels[side // 3], labels[across // 3]
        side = side[(one != other) & (one >= 0) & (other >= 0)]
        if not len(side):
            return None
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
    borders = _Borders.of(mesh, labels, voxel_size)
    faces = _faces_near_borders(surface, labels)
    if borders is None or not len(faces):
        return surface
    load_kernels("write")
    near = np.unique(surface.faces[faces])
    start = np.full(len(surface.points), -1, dtype=np.int32)
    start[surface.faces[faces].ravel()] = np.repeat(surface.primitive[faces], surface.faces.shape[1])
    walker = Walker(mesh.points[mesh.triangles], joined_triangles(mesh.triangles))
    triangle = np.full(len(surface.points), -1)
    triangle[near] = walker.walk(start[near], surface.points[near])[0]
    distance = np.full(len(surface.points), np.inf)
    distance[near] = borders.nearest(surface.points[near])[1]
    side = np.where(triangle >= 0, labels[triangle], -1).astype(np.int64)
    side[distance <= ON_BORDER * voxel_size] = -1

    points, moved = _laid_on(surface, faces, side, distance, borders, voxel_size)
    side[moved] = -1
    return _divided(surface, points, faces, side, triangle, labels)


def _faces_near_borders(surface: Surface, labels: npt.NDArray[np.int32]) -> Indices:
    """The faces from the stock around vertices whose faces have several labels, and their neighbours."""
    stock = np.flatnonzero((surface.source == Source.STOCK) & (surface.primitive >= 0))
    stock = stock[labels[surface.primitive[stock]] >= 0]
    own = labels[surface.primitive[stock]]
    corners = surface.faces[stock]
    low, high = np.full(len(surface.points), np.iinfo(np.int32).max), np.full(len(surface.points), -1)
    for corner in corners.T:
        np.minimum.at(low, corner, own)
        np.maximum.at(high, corner, own)
    marked = (low < high) & (high >= 0)
    for _ in range(2):
        near = marked[corners].any(axis=1)
        marked[corners[near]] = True
    return stock[near]


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
    sharp, features = _features(surface, tail, head)
    crossing = np.flatnonzero((side[tail] != side[head]) & (side[tail] >= 0) & (side[head] >= 0))
    tail, head, sharp = tail[crossing], head[crossing], sharp[crossing]
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
    goal, far = points.copy(), np.zeros(len(points))
    goal[vertex[order]], far[vertex[order]], moved[vertex] = target[order], length[order], True

    halves = np.concatenate([surface.faces[:, [0, 1, 2]], surface.faces[:, [0, 2, 3]]])
    halves = halves[moved[halves].any(axis=1)]
    before = _normals(points[halves])
    real = np.linalg.norm(before, axis=1) > 1e-9 * voxel_size**2
    halves, before = halves[real], before[real]
    for _ in range(ROUNDS):
        placed = np.where(moved[:, None], goal, points)
        after = _normals(placed[halves])
        size = np.linalg.norm(after, axis=1)
        longest = np.linalg.norm(placed[halves] - np.roll(placed[halves], 1, axis=1), axis=2).max(axis=1)
        upright = (after * before).sum(axis=1) > TURNED * size * np.linalg.norm(before, axis=1)
        bad = ~(upright & (size > LEAST_HEIGHT * voxel_size * longest))
        bad &= moved[halves].any(axis=1)
        if not bad.any():
            break
        worst = halves[bad, np.where(moved[halves[bad]], far[halves[bad]], -1).argmax(axis=1)]
        moved[worst] = False
    return np.where(moved[:, None], goal, points), moved


def _features(surface: Surface, tail: Indices, head: Indices) -> tuple[Flags, Indices]:
    """Whether sides of faces are sharp edges, or borders with cut faces; and the number of these at each vertex.

    Only faces around the sides are looked at.
    """
    number = len(surface.points)
    asked = np.zeros(number, dtype=bool)
    asked[tail] = True
    around = np.flatnonzero(asked[surface.faces].any(axis=1))
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
    new_faces, new_primitive = surface.faces.copy(), surface.primitive.copy()
    extra = []
    for rows, (a, b, c, d) in ((even, (0, 1, 2, 3)), (odd, (1, 2, 3, 0))):
        quads = corners[rows]
        new_faces[faces[rows]] = quads[:, [a, b, c, c]]
        extra.append((faces[rows], quads[:, [a, c, d, d]]))
    owner = np.concatenate([rows for rows, _ in extra])
    all_faces = np.concatenate([new_faces, *(quads for _, quads in extra)])
    primitive = np.concatenate([new_primitive, surface.primitive[owner]])
    source = np.concatenate([surface.source, surface.source[owner]])
    asked = np.concatenate([faces, np.arange(len(new_faces), len(all_faces))])
    sides = side[all_faces[asked]]
    top = sides.argmax(axis=1)
    rows = np.arange(len(asked))
    pure = (sides.max(axis=1) >= 0) & (
        np.where(sides >= 0, sides, sides.max(axis=1)[:, None]).min(axis=1) == sides.max(axis=1)
    )
    wrong = pure & (labels[primitive[asked]] != sides[rows, top])
    primitive[asked[wrong]] = triangle[all_faces[asked[wrong], top[wrong]]]
    return Surface(points, all_faces.astype(np.int32), source, primitive.astype(np.int32))
