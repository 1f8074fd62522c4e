"""Results of the surface that is made cell by cell, and what is counted of them. Jobs are drawn in voxels."""

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from voxel_carve.compute import Path, Surface, Sweep, TriMesh, carve

BACKEND = "cpu"
ENGINES = ["cpu", pytest.param("warp", marks=pytest.mark.slow)]  # test_warp_contouring.py compares their bytes
FAR_AWAY = Sweep([90.0, 90.0, 90.0], [91.0, 90.0, 90.0], 1.0, 1.0)  # a tool that does not come near


def carved(stock, sweep=FAR_AWAY, operation="subtract", voxel_size=1.0) -> Surface:
    """The surface of a job."""
    return carve(stock, sweep, voxel_size, operation=operation, backend=BACKEND).surface


def path(points, *radii) -> Sweep:
    """The sweep of one path."""
    return Sweep.from_paths([Path(np.asarray(points, dtype=float), radii)])


def turned(mesh: TriMesh) -> TriMesh:
    """A mesh with its faces turned inside out."""
    return TriMesh(mesh.points, mesh.triangles[:, ::-1], mesh.name)


def faces_of_edges(surface):
    """(E,) the number of triangles at each edge."""
    corners = surface.triangles().astype(np.int64)
    ends = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    return np.unique(ends[:, 0] * len(surface.points) + ends[:, 1], return_counts=True)[1]


def crowded_edges(surface) -> int:
    """The number of edges that have more or fewer than two triangles."""
    return int((faces_of_edges(surface) != 2).sum())


def parts(surface) -> int:
    """The number of parts that the surface consists of."""
    corners = surface.triangles()
    links = (np.ones(corners.size), (corners.ravel(), np.roll(corners, -1, axis=1).ravel()))
    return connected_components(coo_matrix(links, (len(surface.points),) * 2), directed=False)[0]


def area(surface) -> float:
    """The area of its triangles."""
    return surface.to_tri_mesh().area()


def assert_manifold(surface):
    """Each edge has two triangles, of opposite directions."""
    assert surface.is_closed()
    assert crowded_edges(surface) == 0


def contents(surface):
    """The surface as bytes."""
    return [each.tobytes() for each in (surface.points, surface.faces, surface.source, surface.primitive)]


def rounded(figures):
    """Figures by names, to be read where a test fails."""
    return {name: round(float(each), 3) for name, each in figures.items()}


def cases(every, failing=(), reason=""):
    """The parameters of a test, of which it is known to fail on some."""
    known = pytest.mark.xfail(strict=True, reason=reason)
    return [pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=known if each in failing else ())
            for each in every]  # fmt: skip
