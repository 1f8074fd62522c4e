"""A day of someone who uses the library, as a script: `python library_day.py FOLDER LIBRARY...`.

Neither pytest nor the checkout is there: only the package, and the libraries that are named.
"""

import io
import math
import os
import sys
import threading
from collections import Counter
from pathlib import Path

import numpy as np

from voxel_carve import (
    CarveSession,
    Grid,
    SparseField,
    Surface,
    TriMesh,
    carve,
    keep_stock,
    prepare,
    sweep_distance,
    verify,
)

BOX = np.array([4.0, 3.0, 2.0])
RADIUS = 0.5
STOCK = TriMesh.box(np.zeros(3), BOX)
CHANNEL = (np.array([[-1.0, 1.5, 2.0], [5.0, 1.5, 2.0]]), RADIUS)  # along the top, from beyond one side to the other
CHANNEL_VOLUME = math.pi * RADIUS**2 / 2 * BOX[0]
HOLE = ([[1.0, 1.5, 1.0], [3.0, 1.5, 1.0]], RADIUS)  # inside
HOLE_VOLUME = math.pi * RADIUS**2 * 2 + 4 / 3 * math.pi * RADIUS**3
GRID = Grid([0, 0, 0], 0.1, (24, 20, 20))
DEVICES = 8
LINE = np.array([[0.3, 0.3, 0.3], [1.7, 1.0, 1.7]])


def near(value, expected, rel=0.01):
    assert abs(value - expected) <= rel * abs(expected), (value, expected)


def is_closed(triangles):
    """Whether each edge has a triangle on both sides, which go along it in opposite ways."""
    ways = Counter((int(face[i]), int(face[i - 1])) for face in triangles for i in range(3))
    return set(ways.values()) == {1} and all((end, start) in ways for start, end in ways)


def meshes(folder):
    for path, volume in ((CHANNEL, CHANNEL_VOLUME), (HOLE, HOLE_VOLUME)):
        result = carve(STOCK, path, resolution=64, half_width=3)
        near(result.report.removed_volume, volume)
        near(result.surface.volume(), BOX.prod() - volume, rel=0.001)
        assert is_closed(result.surface.to_tri_mesh().triangles)
    for suffix in (".stl", ".ply", ".nvdb"):
        result.save(folder / f"hole{suffix}")
        buffer = io.BytesIO()
        result.save(buffer, suffix=suffix)
        assert buffer.getvalue() == (folder / f"hole{suffix}").read_bytes()
    field = SparseField.from_nanovdb(buffer.getvalue())
    near(field.sample(np.array([[2.0, 1.5, 1.55]]))[0], -0.05, rel=0.05)
    again = carve(prepare(STOCK, resolution=64), HOLE, resolution=64)
    assert np.array_equal(again.surface.points, result.surface.points)
    assert verify(result, STOCK, HOLE, resolution=64).vertices.largest < 1e-4
    kept = keep_stock(STOCK, CHANNEL, resolution=64)
    assert kept.report.result == "keep" and not kept.report.warnings
    near(kept.report.removed_volume, CHANNEL_VOLUME)


def occupancies():
    occupancy = np.ones(GRID.shape, dtype=bool)
    with CarveSession(occupancy, GRID) as session:
        session.subtract((LINE, 0.4))
        session.add((LINE[:1], 0.2))
    centres = GRID.centres(np.indices(GRID.shape).reshape(3, -1).T)
    within = sweep_distance(centres, (LINE, 0.4)).distance <= 0
    assert session.removed[0] == within.sum() > 0
    filled = np.linalg.norm(centres - LINE[0], axis=1) <= 0.2
    assert np.array_equal(occupancy.ravel(), ~within | filled)


def carved(points):
    """A full occupancy after one sweep."""
    occupancy = np.ones(GRID.shape, dtype=bool)
    with CarveSession(occupancy, GRID) as session:
        session.subtract((points, 0.4))
    return occupancy


def forked(folder):
    child = os.fork()
    if not child:
        status = 1
        try:
            carve(STOCK, CHANNEL, resolution=48).save(folder / "forked.ply")
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0 and (folder / "forked.ply").is_file()


def with_trimesh(folder):
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=4)
    carved = carve(ball, ([[-2, 0, 0], [2, 0, 0]], 0.3), resolution=64).to_trimesh()
    assert carved.is_watertight and carved.euler_number == 0
    near(carved.volume, 4 / 3 * math.pi * (1 - 0.3**2) ** 1.5)  # a ball with a hole through it
    for suffix in (".stl", ".ply"):
        near(trimesh.load(folder / f"hole{suffix}").volume, BOX.prod() - HOLE_VOLUME, rel=0.001)
    near(Surface.of(carved).volume(), carved.volume, rel=1e-6)


def with_jax(folder):
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
    import jax
    import jax.numpy as jnp
    from jax.sharding import Mesh, PartitionSpec

    from voxel_carve.jax import sweep
    from voxel_carve.jax import sweep_distance as distance

    points = jnp.array(LINE)
    assert len(jax.devices()) == DEVICES
    split, same = PartitionSpec("z"), PartitionSpec()

    def on_one(layers, points):
        return sweep(layers, GRID, points, 0.4, first_layer=jax.lax.axis_index("z") * len(layers))

    on_all = jax.shard_map(on_one, mesh=Mesh(jax.devices(), ("z",)), in_specs=(split, same), out_specs=split)
    assert np.array_equal(jax.jit(on_all)(jnp.ones(GRID.shape, dtype=bool), points), carved(np.asarray(points)))

    asked = jnp.array([[1.0, 1.4, 1.0]])
    gradient = jax.jit(jax.grad(lambda radius: distance(asked, points, radius).sum()))(0.4)
    near(float(gradient), -1.0, rel=1e-5)


def with_torch(folder):
    import torch

    from voxel_carve.torch import sweep, sweep_distance

    points = torch.tensor(LINE, requires_grad=True)
    radius = torch.tensor(0.4, dtype=torch.float64, requires_grad=True)
    asked = torch.tensor([[1.0, 1.4, 1.0]], dtype=torch.float64)
    sweep_distance(asked, points, radius).sum().backward()
    near(radius.grad.item(), -1.0, rel=1e-9)
    near(np.linalg.norm(points.grad.sum(dim=0)), 1.0, rel=1e-9)  # moving the whole path
    left = sweep(torch.ones(GRID.shape, dtype=torch.bool), GRID, points, 0.4)
    assert np.array_equal(left.numpy(), carved(LINE))


def with_warp(folder):
    on_warp = carve(STOCK, CHANNEL, resolution=48, backend="warp:cpu")
    near(on_warp.report.removed_volume, CHANNEL_VOLUME)
    near(on_warp.surface.volume(), carve(STOCK, CHANNEL, resolution=48).surface.volume(), rel=1e-5)


def with_zarr(folder):
    import zarr

    stored = zarr.create_array(folder / "stored.zarr", shape=GRID.shape, chunks=(8, 8, 8), dtype=bool)
    stored[:] = True
    with CarveSession(stored, GRID) as session:
        session.subtract((LINE, 0.4))
    assert session.removed[0] == (~stored[:]).sum() > 0


WITH = {"trimesh": with_trimesh, "jax": with_jax, "torch": with_torch, "warp": with_warp, "zarr": with_zarr}


def main(folder, libraries):
    meshes(folder)
    occupancies()
    if hasattr(os, "fork"):
        forked(folder)  # before libraries start threads
    for name in libraries:
        WITH[name](folder)
    threading.Thread(target=lambda: carve(STOCK, HOLE, resolution=96).save(folder / "thread.ply")).start()
    print("numpy", np.__version__, *libraries)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
