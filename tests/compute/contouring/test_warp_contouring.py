"""The surface that is made cell by cell on a Warp device is that of the CPU, byte for byte.

Without a GPU, the kernels for CUDA run on Warp's own CPU device.
"""

import numpy as np
import pytest

from tests.compute.contouring.results import FAR_AWAY, contents, path
from tests.shapes import box, hemisphere, joined, sphere, tube
from voxel_carve.compute import BackendError, Path, Sweep, TriMesh, carve, get_backend
from voxel_carve.compute.engines.warp.contouring import contour, finishing, job
from voxel_carve.compute.engines.warp.device import device
from voxel_carve.compute.engines.warp.field import pairs

OPERATIONS = ["subtract", "union", "intersect"]
BLOCK = box((-12, -11, -10.3), (12, 10.4, 10))
SLAB = box((-12, -11, -0.4), (12, 10.4, 0.7))  # thinner than two voxels


def tangle(seed, count, thinnest, thickest):
    """Paths that cross each other in a box of 24 voxels around the origin."""
    rng = np.random.default_rng(seed)
    return Sweep.from_paths(
        [Path(rng.uniform(-14, 14, (4, 3)), rng.uniform(thinnest, thickest, 4)) for _ in range(count)]
    )


JOBS = {
    "a block and crossing paths": (BLOCK, tangle(3, 12, 0.8, 3.0)),
    "a block and thin grooves": (BLOCK, tangle(5, 12, 0.15, 0.5)),
    "a slab and crossing paths": (SLAB, tangle(8, 9, 0.4, 2.0)),
    "a ball and a thick path": (sphere(12.0, subdivisions=3), path([[-14, 1, 2], [3, -2, 9], [14, 8, -3]], 4.0)),
    "a hemisphere": (hemisphere(12.0, 3), tangle(2, 6, 0.4, 3.0)),
    "an open tube": (tube(10.0, 18.0, 24), tangle(20, 8, 0.2, 2.0)),
    "shells over each other": (
        joined(sphere(9.0, subdivisions=3), sphere(8.0, (5, 1, 2), subdivisions=3)),
        tangle(4, 8, 0.4, 2.5),
    ),
    "voxel centres on the surfaces": (
        box((-7.5, -7.5, -7.5), (7.5, 7.5, 7.5)),
        path([[0.5, 0.5, 0.5], [9.5, 0.5, 0.5]], 3.0),
    ),
}


@pytest.fixture(scope="module", params=["warp:cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def warp(request):
    return get_backend(request.param)


def carved(name, operation, backend, voxel_size=1.0):
    return carve(*JOBS[name], voxel_size, operation=operation, backend=backend).surface


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", JOBS)
def test_the_bytes_are_those_of_the_cpu(warp, name, operation):
    expected = carved(name, operation, "cpu", 0.7)
    found = carved(name, operation, warp, 0.7)
    assert contents(found) == contents(expected)
    assert len(found.faces) > 300
    kinds = [(each.dtype, each.shape) for each in (found.points, found.faces, found.source, found.primitive)]
    assert kinds == [
        (each.dtype, each.shape) for each in (expected.points, expected.faces, expected.source, expected.primitive)
    ]


@pytest.mark.parametrize("seed", range(12))
def test_the_bytes_of_random_jobs(warp, seed):
    rng = np.random.default_rng(seed)
    stock = [BLOCK, SLAB, sphere(11.0, subdivisions=3), hemisphere(12.0, 2)][seed % 4]
    sweep = tangle(100 + seed, int(rng.integers(2, 20)), *np.sort(rng.uniform(0.15, 3.0, 2)))
    size, operation = float(rng.uniform(0.6, 1.3)), OPERATIONS[seed % 3]
    expected, found = (carve(stock, sweep, size, operation=operation, backend=each).surface for each in ("cpu", warp))
    assert contents(found) == contents(expected)


def test_steps_lower_than_a_voxel(warp):
    """Terraces: most faces of cells at them show two sides that are alike."""
    profile = np.array([[6.0, 0.0], [6.0, -0.6], [7.0, -0.6], [7.0, -1.2], [8.0, -1.2], [8.0, -6.0]])
    turn = np.arange(32) * np.pi / 16
    rings = [np.column_stack([r * np.cos(turn), r * np.sin(turn), np.full(32, z)]) for r, z in profile]
    points = np.vstack([*rings, [[0, 0, 0], [0, 0, -6.0]]])
    here, there = np.arange(32), (np.arange(32) + 1) % 32
    bottom, triangles = 32 * (len(profile) - 1), [np.stack([np.full(32, len(points) - 2), here, there], axis=1)]
    for ring in range(0, bottom, 32):
        triangles.append(np.stack([here + ring, here + ring + 32, there + ring + 32], axis=1))
        triangles.append(np.stack([here + ring, there + ring + 32, there + ring], axis=1))
    triangles.append(np.stack([np.full(32, len(points) - 1), there + bottom, here + bottom], axis=1))
    lean = np.linalg.qr([[0.9, 0.3, 0.2], [-0.2, 0.8, 0.4], [0.1, -0.5, 0.9]])[0]
    stock = TriMesh(points @ lean.T, np.concatenate(triangles))
    expected, found = (carve(stock, FAR_AWAY, 1.0, backend=each).surface for each in ("cpu", warp))
    assert contents(found) == contents(expected)


def test_quads_are_divided(warp, monkeypatch):
    """Some of these jobs have such quads: they go to the host and back."""
    divide, seen = finishing.divide, []

    def record(*arguments):
        seen.append(divide(*arguments))
        return seen[-1]

    monkeypatch.setattr(finishing, "divide", record)
    for seed in range(6):
        sweep = tangle(seed, 20, 0.3, 1.2)
        expected, found = (carve(BLOCK, sweep, 1.0, backend=each).surface for each in ("cpu", warp))
        assert contents(found) == contents(expected)
    assert sum(len(each.points) for each in seen) > 0


@pytest.mark.parametrize("items", [1, 7, 100])
def test_the_length_of_launches_decides_no_bit(warp, items, monkeypatch):
    names = "a slab and crossing paths", "a hemisphere"
    expected = [contents(carved(name, "subtract", warp)) for name in names]
    for module in (contour, finishing, job):
        for limit in ("ITEMS_PER_LAUNCH", "QUADS_PER_LAUNCH"):
            if hasattr(module, limit):
                monkeypatch.setattr(module, limit, 50 * items)
    monkeypatch.setattr(pairs, "BRICKS_PER_LAUNCH", items)
    assert [contents(carved(name, "subtract", warp)) for name in names] == expected


def test_a_stock_that_the_tool_does_not_reach(warp):
    far = path([[90, 90, 90], [91, 90, 90]], 1.0)
    for stock in (BLOCK, sphere(12.0, subdivisions=3), hemisphere(12.0, 2)):
        expected, found = (carve(stock, far, 1.0, backend=each).surface for each in ("cpu", warp))
        assert contents(found) == contents(expected)


def test_a_single_ball_in_a_large_mesh(warp):
    stock = TriMesh(40 * BLOCK.points, BLOCK.triangles)
    expected, found = (
        carve(stock, path([[0, 0, 390.0]], 11.0), 1.0, operation="intersect", backend=each).surface
        for each in ("cpu", warp)
    )
    assert contents(found) == contents(expected)


def test_counts_of_a_closed_stock():
    """Launches: nine to bin segments, six to bin triangles, seven to pass columns; eleven to find the crossings, nine
    for the pairs on faces, six to place the vertices; five to mark the quads and to list those at a cell, three in each
    of eight rounds, and five to number the vertices that are used, and to finish. Downloads: the lists of segments;
    those of triangles, with the columns; nine totals, by which room is made; whether quads are divided; and the mesh.
    """
    backend = get_backend("warp:cpu")
    carved("a ball and a thick path", "subtract", backend)
    carved("a ball and a thick path", "subtract", backend)
    assert backend.counts() == {"launches": 82, "uploads": 10, "downloads": 13, "copies": 0, "waits": 0}


def test_a_device_without_room_is_named(warp, monkeypatch):
    monkeypatch.setattr(device.WarpDevice, "free_bytes", lambda device: 1 << 20)
    with pytest.raises(BackendError, match=r"has 1 MiB of memory free, and the job needs about \d+ MiB: use larger"):
        carved("a ball and a thick path", "subtract", warp)
