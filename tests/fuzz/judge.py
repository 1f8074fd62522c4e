"""The judge of the fuzz: what is wrong with a result, by other libraries than those that made it.

Everything is judged in voxels relative to the middle of the stock, in float32 as Blender stores points:

* manifold3d accepts the mesh (NoError), and it is closed. Each edge has two faces also as Blender triangulates it.
* Overlapping faces: the triangles that `mathutils.bvhtree` pairs with another one. Its self-overlap test leaves out
  pairs with two common vertices, and coplanar pairs. A pair with no common vertex counts if the two merely touch. A
  pair with one counts if the segment that they share is longer than the root of epsilon, which is TOUCH here. Coplanar
  means a height of exactly 0, so the noise of float32 lets some pairs through: 7 to 10 in 10 000 faces of a rotated,
  perfectly flat grid. So pairs within FLAT of a common plane are left out.
* Crossing faces: the overlapping faces that pass through each other by more than TOUCH. A pair that only touches, as
  where a capsule is tangent to a face, does not count.
* Removed: what the report says is the difference of the volumes of stock and result, within REMOVED_BAR of the stock's.
* Volume: within VOLUME_BAR times the area of the true body, which manifold3d makes from the stock's parts and from
  finely faceted hulls of two balls; for an open stock, by counting points, see `counted_volume`. Thin scenes are not
  judged by volume. Neither are bodies whose mean thickness, twice the volume over the area, is below THIN_BODY: it is
  the thickness of a plate and the radius of a rod, and a cut may leave either.
"""

from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import numpy.typing as npt
from manifold3d import Error, Manifold, Mesh, Mesh64, OpType

from tests.fuzz.scenes import Scene
from tests.shapes import Points
from voxel_carve.compute import Backend, CarveResult, EmptyResultError, Source, Surface, Sweep, TriMesh, carve

VOLUME_BAR = 0.1  # voxels
REMOVED_BAR = 1e-9
THIN_BODY = 1.0  # voxels
OVERLAP_BAR = 1e-4  # of all faces
TOUCH = 1e-4  # voxels
FLAT = 2e-5  # voxels: a few steps of float32 at 64 voxels
FACET = 0.005  # voxels between a ball and its facets, at most
POINTS_PER_SIDE = 40  # of a grid that counts the volume of an open stock; of an intersection, which may be small, twice
POINTS_PER_BLOCK = 128  # for which the products of points and triangles stay in the cache

Pairs = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Verdict:
    """The verdict on a scene.

    Attributes:
        number, name, operation, backend: of the scene, and the backend that carved it.
        complaints: what is wrong, in words; empty if nothing is.
        triangles: the number of triangles of the result.
        overlapping: how many of them `mathutils` finds to overlap others; crossing: how many pass through others.
        volume_error: volume minus the true one, over the true area, in voxels; None without a result.
        thin: whether the volume is not judged.
    """

    number: int
    name: str
    operation: str
    backend: str
    complaints: tuple[str, ...]
    triangles: int = 0
    overlapping: int = 0
    crossing: int = 0
    volume_error: float | None = None
    thin: bool = False
    where: Points = field(default_factory=lambda: np.empty((0, 3)), repr=False)

    def __str__(self) -> str:
        error = "none" if self.volume_error is None else f"{self.volume_error:+.4f}"
        return (
            f"scene {self.number} ({self.name}, {self.operation}, {self.backend}): "
            f"{', '.join(self.complaints) or 'no complaint'}; {self.triangles} triangles, {self.overlapping} overlap, "
            f"{self.crossing} cross, volume error {error} voxels"
        )


def judge(scene: Scene, backend: Backend) -> Verdict:
    """Carve a scene and judge the result; an exception other than an empty result is a complaint."""
    who = (scene.number, scene.name, scene.operation, backend.name)
    true_volume, true_area = true_body(scene)
    try:
        result = carve(scene.stock, scene.sweep, scene.voxel_size, operation=scene.operation, backend=backend)
    except EmptyResultError:
        wrong = not is_thin(scene, true_volume, true_area) and true_volume > 0
        return Verdict(*who, ("empty",) if wrong else ())
    except Exception as error:  # the other scenes are judged anyway
        return Verdict(*who, (f"{type(error).__name__}: {error}",))
    verdict = verdict_on(scene, result.surface, backend.name, true_volume, true_area)
    return verdict if is_difference(scene, result) else replace(verdict, complaints=(*verdict.complaints, "removed"))


def is_difference(scene: Scene, result: CarveResult) -> bool:
    """Whether what is said to be removed is the difference of the volumes of stock and result.

    A stock that is open, or of several bodies, has no volume of its mesh alone. A path that misses may remove nothing:
    how well the surface was met does not matter then.
    """
    if len(scene.parts) != 1:
        return True
    whole, report = abs(scene.stock.volume()), result.report
    is_cut = bool((result.surface.source == Source.PATH).any())
    right = [whole - result.surface.volume(), *([] if is_cut else [0.0])]
    return any(abs(report.removed_volume - removed) <= REMOVED_BAR * whole for removed in right)


def verdict_on(scene: Scene, surface: Surface, backend: str, true_volume: float, true_area: float) -> Verdict:
    """The verdict on a result. True volume and area are in voxels; an area of 0 means to use the result's own."""
    points, triangles = in_voxels(scene, surface.points), surface.triangles()
    solid = Manifold(Mesh(points.astype(np.float32), triangles.astype(np.uint32)))
    pairs = overlapping_pairs(points, triangles)
    crossing = pairs[cross(points, triangles, pairs)]
    found = TriMesh(points, triangles)
    area = true_area or found.area()
    error, thin = (found.volume() - true_volume) / area, is_thin(scene, true_volume, area)
    complaints = []
    if solid.status() != Error.NoError:
        complaints.append(f"manifold3d says {solid.status().name}")
    if not surface.is_closed():
        complaints.append("not closed")
    if (edge_uses(blender_triangles(points, surface.faces)) != 2).any():
        complaints.append("in Blender an edge has not two triangles")
    if surface.faces.shape[1] == 4 and shared_diagonals(surface.faces):
        complaints.append("a quad has a diagonal that is an edge elsewhere")
    if not thin and abs(error) > VOLUME_BAR:
        complaints.append("volume")
    return Verdict(
        scene.number,
        scene.name,
        scene.operation,
        backend,
        tuple(complaints),
        len(triangles),
        len(np.unique(pairs)),
        len(np.unique(crossing)),
        error,
        thin,
        points[triangles[np.unique(crossing)]].mean(axis=1),
    )


def is_thin(scene: Scene, volume: float, area: float) -> bool:
    """Whether a body of this volume and area is too thin for its volume to be judged."""
    return scene.thin or 2 * volume < THIN_BODY * area


def in_voxels(scene: Scene, points: Points) -> Points:
    """World points in voxels, relative to the middle of the stock's bounds."""
    return (points - scene.stock.bounds().mean(axis=0)) / scene.voxel_size


# Triangles in Blender


def blender_triangles(points: Points, faces: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """(T, 3) how Blender triangulates quads or triangles, whose last corner may be there twice."""
    import bpy

    corners = faces[:, : 3 + int(faces.shape[1] == 4)]
    own = np.ones(corners.shape, dtype=bool)
    if faces.shape[1] == 4:
        own[:, 3] = faces[:, 2] != faces[:, 3]
    length, vertex = own.sum(axis=1), np.ascontiguousarray(corners[own])
    mesh = bpy.data.meshes.new("judged")
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.astype(np.float32).ravel())
    mesh.loops.add(len(vertex))
    mesh.loops.foreach_set("vertex_index", vertex)
    mesh.polygons.add(len(faces))
    mesh.polygons.foreach_set("loop_start", (np.cumsum(length) - length).astype(np.int32))
    mesh.update(calc_edges=True)
    mesh.calc_loop_triangles()
    found = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", found)
    bpy.data.meshes.remove(mesh)
    return found.reshape(-1, 3)


def edge_uses(triangles: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """(E,) how many triangles each edge has."""
    sides = np.sort(np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)]), axis=1).astype(np.int64)
    return np.unique(sides[:, 0] << 32 | sides[:, 1], return_counts=True)[1]


def shared_diagonals(faces: npt.NDArray[np.int32]) -> int:
    """How many diagonals of quads (M, 4) are an edge, or a diagonal, elsewhere too. What splits quads by rules of its
    own, as exporters do, may then make an edge of four triangles."""
    ends = np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)
    sides = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    quads = faces[faces[:, 2] != faces[:, 3]]
    diagonals = np.sort(np.concatenate([quads[:, [0, 2]], quads[:, [1, 3]]]), axis=1)
    return int((np.unique(np.concatenate([sides, diagonals]), axis=0, return_counts=True)[1] > 1).sum())


# Overlaps


def overlapping_pairs(points: Points, triangles: npt.NDArray[np.int32]) -> Pairs:
    """(N, 2) pairs of triangles, lower index first, that overlap according to `mathutils.bvhtree`. Needs bpy."""
    import bpy  # noqa: F401  (mathutils comes with it)
    from mathutils.bvhtree import BVHTree

    tree = BVHTree.FromPolygons(points.tolist(), triangles.tolist(), all_triangles=True, epsilon=TOUCH**2)
    pairs = np.array(tree.overlap(tree), dtype=np.int64).reshape(-1, 2)
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    a, b, normal_a, normal_b = corners_and_normals(points, triangles, pairs)
    off = np.concatenate([heights(a, b, normal_b), heights(b, a, normal_a)], axis=1)
    return pairs[(np.abs(off) > FLAT).any(axis=1)]


def cross(points: Points, triangles: npt.NDArray[np.int32], pairs: Pairs) -> npt.NDArray[np.bool_]:
    """(N,): whether pairs of triangles pass through each other by more than TOUCH.

    Each triangle must have corners farther than TOUCH from the other's plane on both sides, and their intervals on the
    line where the planes meet must overlap by more than TOUCH (after Moeller, 1997).
    """
    a, b, normal_a, normal_b = corners_and_normals(points, triangles, pairs)
    line = unit(np.cross(normal_a, normal_b))
    off_b, off_a = heights(a, b, normal_b), heights(b, a, normal_a)
    through = np.ones(len(pairs), dtype=bool)
    for off in (off_a, off_b):
        through &= (off.max(axis=1) > TOUCH) & (off.min(axis=1) < -TOUCH)
    middle = a.mean(axis=1, keepdims=True)
    spans = [span(np.einsum("nij,nj->ni", t - middle, line), off) for t, off in ((a, off_b), (b, off_a))]
    common = np.minimum(spans[0][1], spans[1][1]) - np.maximum(spans[0][0], spans[1][0])
    return through & (common > TOUCH)


def corners_and_normals(points: Points, triangles: npt.NDArray[np.int32], pairs: Pairs) -> tuple[Points, ...]:
    """Corners (N, 3, 3) of both triangles of each pair, in float32, and their unit normals (N, 3)."""
    single = points.astype(np.float32).astype(np.float64)
    a, b = (single[triangles[pairs[:, i]]] for i in range(2))
    return a, b, *(unit(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])) for t in (a, b))


def unit(vectors: Points) -> Points:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(length > 0, length, 1.0)


def heights(triangle: Points, other: Points, normal: Points) -> Points:
    """(N, 3) heights of the corners of one triangle above the plane of the other."""
    return np.einsum("nij,nj->ni", triangle - other[:, :1], normal)


def span(along: Points, off: Points) -> tuple[Points, Points]:
    """The interval on the line between the points where a triangle's sides cross the other's plane."""
    low, high = np.full(len(along), np.inf), np.full(len(along), -np.inf)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        with np.errstate(divide="ignore", invalid="ignore"):
            place = along[:, i] + (along[:, j] - along[:, i]) * off[:, i] / (off[:, i] - off[:, j])
        goes_through = (off[:, i] * off[:, j] <= 0) & (off[:, i] != off[:, j])
        low = np.where(goes_through, np.minimum(low, place), low)
        high = np.where(goes_through, np.maximum(high, place), high)
    return low, high


# The truth


def true_body(scene: Scene) -> tuple[float, float]:
    """Volume and area of the true result, in voxels; the area is 0 if only the volume is known."""
    if not scene.parts:
        return counted_volume(scene), 0.0
    sweep = swept_body(scene)
    parts = [TriMesh(in_voxels(scene, part.points), part.triangles) for part in scene.parts]
    stock = Manifold.batch_boolean([manifold_of(part) for part in parts if part.volume() > 0], OpType.Add)
    for hollow in (part for part in parts if part.volume() < 0):
        stock -= manifold_of(TriMesh(hollow.points, hollow.triangles[:, ::-1]))
    body = {"subtract": stock - sweep, "union": stock + sweep, "intersect": stock ^ sweep}[scene.operation]
    if body.status() != Error.NoError:
        raise ValueError(f"scene {scene.number}: manifold3d says {body.status().name} of the truth")
    return body.volume(), body.surface_area()


def manifold_of(mesh: TriMesh) -> Manifold:
    return Manifold(Mesh64(mesh.points, mesh.triangles.astype(np.uint64)))


def swept_body(scene: Scene) -> Manifold:
    """The union of the hulls, each of two balls."""
    start, end = in_voxels(scene, scene.sweep.start), in_voxels(scene, scene.sweep.end)
    radii = np.stack([scene.sweep.start_radius, scene.sweep.end_radius]) / scene.voxel_size
    bodies = [
        Manifold.batch_hull([ball(a, ra), ball(b, rb)])
        for a, b, ra, rb in zip(start, end, radii[0], radii[1], strict=True)
    ]
    return Manifold.batch_boolean(bodies, OpType.Add)


def ball(centre: Points, radius: float) -> Manifold:
    """A faceted ball with the volume of the true ball."""
    sides = 4 * int(np.clip(np.ceil(np.pi / 4 * np.sqrt(radius / (2 * FACET))), 8, 48))
    swollen = np.cbrt(4 / 3 * np.pi / unit_ball_volume(sides))
    return Manifold.sphere(radius * swollen, sides).translate(centre)


@cache
def unit_ball_volume(sides: int) -> float:
    return Manifold.sphere(1.0, sides).volume()


def counted_volume(scene: Scene) -> float:
    """Volume in voxels of an open stock, by counting random points, one in each cell of a grid.

    A point is inside if its generalised winding number is more than one half (Jacobson et al. 2013).
    """
    sweep = scene.sweep
    bounds, other = scene.stock.bounds(), sweep.bounds()
    if scene.operation == "union":
        bounds = np.stack([np.minimum(bounds[0], other[0]), np.maximum(bounds[1], other[1])])
    elif scene.operation == "intersect":
        bounds = np.stack([np.maximum(bounds[0], other[0]), np.minimum(bounds[1], other[1])])
        if (bounds[0] >= bounds[1]).any():
            return 0.0
    low, size = bounds[0], bounds[1] - bounds[0]
    per_side = (2 if scene.operation == "intersect" else 1) * POINTS_PER_SIDE
    cells = np.maximum(8, np.ceil(per_side * size / size.max())).astype(int)
    places = np.stack(np.meshgrid(*map(np.arange, cells), indexing="ij"), axis=-1).reshape(-1, 3)
    places = (places + np.random.default_rng(scene.number).uniform(size=places.shape)) / cells
    points = low + places * size
    swept = in_sweep(points, sweep)
    if scene.operation == "union":
        asked = ~swept & ((points > scene.stock.bounds()[0]) & (points < scene.stock.bounds()[1])).all(axis=1)
    else:
        asked = swept == (scene.operation == "intersect")
    inside = np.zeros(len(points), dtype=bool)
    inside[asked] = np.abs(winding(scene.stock, points[asked])) > 0.5
    if scene.operation == "union":
        inside |= swept
    return float(inside.mean() * np.prod(size / scene.voxel_size))


def winding(mesh: TriMesh, points: Points) -> Points:
    """(N,) generalised winding numbers by brute force over all triangles (van Oosterom and Strackee, 1983).

    Products of corners relative to a point are polynomials of the point, so a few matrix products serve all pairs.
    """
    size = np.ptp(mesh.points, axis=0).max()
    middle = mesh.bounds().mean(axis=0)
    vertices, points = (mesh.points - middle) / size, (points - middle) / size
    total = np.empty(len(points))
    for start in range(0, len(points), POINTS_PER_BLOCK):
        p = points[start : start + POINTS_PER_BLOCK]
        length = np.linalg.norm(p[:, None] - vertices, axis=2)
        square = np.einsum("ij,ij->i", p, p)[:, None]
        scale, corner = np.ones((len(p), len(mesh.triangles))), mesh.triangles.T
        for i in range(3):
            scale *= length[:, corner[i]]
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            a, b = vertices[corner[i]], vertices[corner[j]]
            scale += (np.einsum("ij,ij->i", a, b) - p @ (a + b).T + square) * length[:, corner[k]]
        a, b, c = (vertices[corner[i]] for i in range(3))
        normal = np.cross(b - a, c - a)
        total[start : start + POINTS_PER_BLOCK] = np.arctan2(
            np.einsum("ij,ij->i", a, normal) - p @ normal.T, scale
        ).sum(axis=1)
    return total / (2 * np.pi)


def in_sweep(points: Points, sweep: Sweep) -> npt.NDArray[np.bool_]:
    """(N,): whether points lie in a round cone of the sweep.

    The ball at s on the axis contains p if |p - c(s)|^2 - r(s)^2 <= 0. This is a quadratic in s, whose least value over
    the segment is at its vertex or at an end.
    """
    found = np.zeros(len(points), dtype=bool)
    for a, b, ra, rb in zip(sweep.start, sweep.end, sweep.start_radius, sweep.end_radius, strict=True):
        # |p - a|^2 - 2 s (p - a).d + s^2 |d|^2 - (ra + s (rb - ra))^2, for s from 0 to 1
        offset, d, dr = points - a, b - a, rb - ra
        square, middle = d @ d - dr * dr, offset @ d + ra * dr
        rest = np.einsum("ij,ij->i", offset, offset) - ra * ra
        s = np.clip(middle / square, 0, 1) if square > 0 else np.zeros(len(points))
        for place in (s, np.zeros(1), np.ones(1)):
            found |= rest - 2 * place * middle + place * place * square <= 0
    return found
