"""Meshes made for the tests: points and triangles as numpy arrays."""

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from voxel_carve.compute import TriMesh

Points = npt.NDArray[np.float64]


def box(low=(-1.0, -1.0, -1.0), high=(1.0, 1.0, 1.0), name="box") -> TriMesh:
    """Twelve triangles."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = [corner for a, b, c, d in quads for corner in ((a, b, c), (a, c, d))]
    return TriMesh(low + corners * (high - low), np.array(triangles), name)


def sphere(radius=1.0, centre=(0.0, 0.0, 0.0), subdivisions=4, name="sphere") -> TriMesh:
    """A subdivided octahedron with its points on the sphere."""
    points = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    corners = np.array(points, float)[np.array(faces)]
    for _ in range(subdivisions):
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        parts = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        corners = np.concatenate([np.stack(part, axis=1) for part in parts])
        corners /= np.linalg.norm(corners, axis=2, keepdims=True)
    points, index = np.unique(corners.reshape(-1, 3).round(12), axis=0, return_inverse=True)
    points = points / np.linalg.norm(points, axis=1, keepdims=True)
    return TriMesh(points * radius + np.asarray(centre, float), index.reshape(-1, 3), name)


def keep_triangles(mesh: TriMesh, kept: npt.NDArray[np.bool_], name="open") -> TriMesh:
    """Some triangles of a mesh."""
    return TriMesh(mesh.points, mesh.triangles[kept], name)


def joined(*meshes: TriMesh, name="joined") -> TriMesh:
    """Several meshes as one."""
    first = np.cumsum([0, *(len(mesh.points) for mesh in meshes[:-1])])
    return TriMesh(
        np.concatenate([mesh.points for mesh in meshes]),
        np.concatenate([mesh.triangles + start for mesh, start in zip(meshes, first, strict=True)]),
        name,
    )


def hemisphere(radius=1.0, subdivisions=4) -> TriMesh:
    """The lower half of a sphere, open at the top."""
    whole = sphere(radius, subdivisions=subdivisions)
    return keep_triangles(whole, whole.corners()[:, :, 2].mean(axis=1) < 0, "hemisphere")


def tube(radius=1.0, height=2.0, sides=48) -> TriMesh:
    """A cylinder without caps."""
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    points = np.vstack([np.column_stack([ring, np.full(sides, z)]) for z in (-height / 2, height / 2)])
    here, there = np.arange(sides), (np.arange(sides) + 1) % sides
    lower = np.stack([here, there, there + sides], axis=1)
    upper = np.stack([here, there + sides, here + sides], axis=1)
    return TriMesh(points, np.concatenate([lower, upper]), "tube")


def lidless_box() -> TriMesh:
    """A box without its top face."""
    whole = box(name="lidless box")
    return keep_triangles(whole, ~(whole.corners()[:, :, 2] == 1).all(axis=1), whole.name)


def solid_angle_winding(mesh: TriMesh, points: Points) -> Points:
    """Generalised winding number by brute force over all triangles (Jacobson et al. 2013)."""
    out, corners = np.empty(len(points)), np.moveaxis(mesh.corners(), 0, -1)  # (3 corners, 3 axes, M)
    step = max(1, 30_000 // max(1, corners.shape[2]))
    for start in range(0, len(points), step):
        places = points[start : start + step].T[..., None]
        a, b, c = (corner[:, None] - places for corner in corners)
        la, lb, lc = (np.sqrt(_dot(side, side)) for side in (a, b, c))
        volume = _dot(a, np.cross(b, c, axis=0))
        scale = la * lb * lc + _dot(a, b) * lc + _dot(b, c) * la + _dot(c, a) * lb
        out[start : start + step] = np.arctan2(volume, scale).sum(axis=1) / (2 * np.pi)
    return out


def ball_union_distance(points: Points, sweep, balls=2000) -> Points:
    """Distance to a sweep, as the minimum over many balls along each segment: never too small, at most a little too
    large."""
    t = np.linspace(0, 1, balls)
    least = np.full(len(points), np.inf)
    for a, b, ra, rb in zip(sweep.start, sweep.end, sweep.start_radius, sweep.end_radius, strict=True):
        centres = a + (b - a) * t[:, None]
        radii = ra + (rb - ra) * t
        for start in range(0, len(points), 512):
            distance = cdist(points[start : start + 512], centres) - radii
            least[start : start + 512] = np.minimum(least[start : start + 512], distance.min(axis=1))
    return least


def triangle_distances(points: Points, mesh: TriMesh) -> Points:
    """(M, ...) unsigned distances of points (..., 3) to each triangle: to its sides, and to its plane where the point
    lies over it."""
    places = np.moveaxis(points, -1, 0).reshape(3, 1, -1)
    corners = np.moveaxis(mesh.corners(), 0, -1)[..., None]  # (3 corners, 3 axes, M, 1)
    found = np.empty((corners.shape[2], places.shape[2]))
    step = max(1, 30_000 // max(1, places.shape[2]))
    for start in range(0, len(found), step):
        a, b, c = corners[:, :, start : start + step]
        normal = np.cross(b - a, c - a, axis=0)
        nearest, over = np.inf, True
        for u, v in ((a, b), (b, c), (c, a)):
            side, offset = v - u, places - u
            t = np.clip(_dot(offset, side) / np.maximum(_dot(side, side), 1e-300), 0, 1)
            nearest = np.minimum(
                nearest, sum((along - t * part) ** 2 for along, part in zip(offset, side, strict=True))
            )
            over &= _dot(offset, np.cross(normal, side, axis=0)) >= 0
        area = np.sqrt(_dot(normal, normal))
        height = np.where(over & (area > 0), np.abs(_dot(places - a, normal)) / np.maximum(area, 1e-300), np.inf)
        found[start : start + step] = np.minimum(np.sqrt(nearest), height)
    return found.reshape(-1, *points.shape[:-1])


def triangle_distance(points: Points, mesh: TriMesh) -> Points:
    """(N,) unsigned distances of points (N, 3) to the nearest of all triangles."""
    return triangle_distances(points, mesh).min(axis=0)


def _dot(one: Points, other: Points) -> Points:
    """The scalar products of vectors whose coordinates are the first axis."""
    return sum(x * y for x, y in zip(one, other, strict=True))
