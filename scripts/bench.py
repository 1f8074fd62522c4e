"""Seconds by stage on a standard case: a block, faced by a ball in a zig-zag of wavy depth. Run by `dev.py bench`."""

import argparse
import statistics
import sys
from collections.abc import Sequence

import numpy as np

from environment import ROOT

sys.path.insert(0, str(ROOT))

from voxel_carve.compute import (
    Path,
    Report,
    Sweep,
    TriMesh,
    carve,
    get_backend,
    voxel_size_for_resolution,
)

STAGES = ("voxelize", "sweep", "surface", "compute", "compile")


def main(arguments: Sequence[str] | None = None) -> int:
    """Carve the case a few times and print the median of each stage."""
    parser = argparse.ArgumentParser(prog="dev.py bench", description="Time the stages of carving a faced block.")
    parser.add_argument("--segments", type=int, default=1000)
    parser.add_argument("--resolution", type=int, default=256, help="voxels along the block's longest side")
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--repeat", type=int, default=3, help="the table shows medians (default: 3)")
    choice = parser.parse_args(arguments)
    stock, sweep = block(), Sweep.from_paths([raster(choice.segments)])
    voxel_size = voxel_size_for_resolution(stock, choice.resolution)
    backend = get_backend(choice.backend)
    reports = [carve(stock, sweep, voxel_size, backend=backend).report for _ in range(choice.repeat)]
    print_table(reports)
    return 0


def print_table(reports: Sequence[Report]) -> None:
    """What was carved, and the seconds of each stage: median, least and greatest."""
    last = reports[-1]
    print(f"{last.segments} segments, grid {last.grid_shape} (Z, Y, X), {last.faces} faces, {last.backend}")
    print(f"{last.device}, peak memory {last.peak_memory_mb:.0f} MB, {len(reports)} runs\n")
    print(f"{'seconds':10}{'median':>9}{'least':>9}{'most':>9}")
    for stage in STAGES:
        seconds = [report.seconds.get(stage, 0.0) for report in reports]
        print(f"{stage:10}{statistics.median(seconds):9.3f}{min(seconds):9.3f}{max(seconds):9.3f}")


def block() -> TriMesh:
    """A block of 100 x 100 x 20 under the plane z = 0."""
    low, high = np.array([0.0, 0.0, -20.0]), np.array([100.0, 100.0, 0.0])
    points = np.array([[(low, high)[i >> axis & 1][axis] for axis in range(3)] for i in range(8)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = np.array([triangle for a, b, c, d in quads for triangle in ((a, b, c), (a, c, d))], dtype=np.int32)
    return TriMesh(points, triangles, "block")


def raster(segments: int) -> Path:
    """Rows to and fro across the block, 2 to 8 deep, with a ball of radius 3."""
    rows = max(2, round(np.sqrt(segments / 2)))
    along = np.linspace(0.0, rows, segments + 1)
    row = np.minimum(along.astype(int), rows - 1)
    forth = np.where(row % 2, 1.0 - (along - row), along - row)
    x, y = 2 + 96 * forth, 2 + 96 * row / (rows - 1)
    depth = 5 + 3 * np.sin(2 * np.pi * x / 40) * np.cos(2 * np.pi * y / 60)
    return Path(np.column_stack([x, y, 3 - depth]), np.array([3.0]), name="raster")


if __name__ == "__main__":
    sys.exit(main())
