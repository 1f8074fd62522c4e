"""The CUDA backend: Warp kernels. They run on Warp's CPU device as well, which is how they are tested without a GPU."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from . import dense, evaluation
from .backend import BooleanOperation, Occupancy
from .binning import BinnedSweep
from .bricks import BRICK_SIZE, BRICK_VOXELS, Bins, BrickTable, State
from .combining import Operation
from .errors import BackendError
from .fields import Fields, Loss
from .grid import Grid
from .host_steps import HostSteps
from .mesh import TriMesh
from .segments import SegmentPairs, Segments
from .surface import Field
from .sweep import Sweep
from .triangles import TrianglePairs, Triangles
from .warp_dense_kernels import DENSE_BLOCK_DIM, DenseKernels, dense_kernels
from .warp_device import compile_seconds, load_kernels, start_warp
from .warp_kernels import BRICK_BLOCK_DIM, BrickKernels, brick_kernels
from .winding import Boundary

# What one launch works on: no launch comes near Warp's limit of 2^31 threads, takes much memory, or keeps a display's
# graphics card for long.
BRICKS_PER_LAUNCH = 1 << 16
PAIRS_PER_LAUNCH = 1 << 19
VOXELS_PER_LAUNCH = 1 << 26
POINTS_PER_LAUNCH = 1 << 22
POINT_EDGES_PER_LAUNCH = 1 << 32


class WarpBackend(HostSteps):
    """Runs everything on a Warp device. See `Backend` for what each operation does.

    Args:
        device: Warp's name of it: "cuda", "cuda:1", "cpu".

    Raises:
        BackendError: Warp is missing or does not start, or has no such device.
    """

    def __init__(self, device: str = "cuda") -> None:
        self._wp = start_warp()
        try:
            found = self._wp.get_device(device)
        except (ValueError, RuntimeError) as error:
            names = ", ".join(other.alias for other in self._wp.get_devices())
            raise BackendError(f"Warp has no device '{device}': choose {names}") from error
        self.name = "cuda" if found.is_cuda else "warp"
        self.device: str = found.name
        self._device: str = found.alias

    def compile_seconds(self) -> float:
        """Seconds spent compiling kernels, and reading them from the cache."""
        return compile_seconds()

    def boolean(self, operation: BooleanOperation, a: Occupancy, b: Occupancy) -> Occupancy:
        """Union, intersection or difference."""
        dense.check_operands(operation, a, b)
        kernels = self._dense_kernels()
        kernel = {"union": kernels.union, "intersect": kernels.intersect, "subtract": kernels.subtract}[operation]
        out = np.empty(a.shape, dtype=np.bool_)
        for slab in _slabs(a.shape):
            result = self._upload(a[slab], self._wp.bool)
            self._launch(kernel, result.shape, [result, self._upload(b[slab], self._wp.bool)], [result])
            out[slab] = result.numpy()
            del result
        return out

    def dilate(self, occupancy: Occupancy, kernel: Occupancy) -> Occupancy:
        """Dilate by a structuring element."""
        dense.check_kernel(occupancy, kernel)
        steps = self._upload((np.argwhere(kernel) - np.array(kernel.shape) // 2).astype(np.int32), self._wp.vec3i)
        margin = kernel.shape[0] // 2
        out = np.empty(occupancy.shape, dtype=np.bool_)
        for slab in _slabs(occupancy.shape):
            first = max(0, slab.start - margin)
            source = self._upload(occupancy[first : slab.stop + margin], self._wp.bool)
            result = self._wp.empty(out[slab].shape, dtype=self._wp.bool, device=self._device)
            self._launch(self._dense_kernels().dilate, result.shape, [source, steps, slab.start - first], [result])
            out[slab] = result.numpy()
            del source, result
        return out

    def voxelize_mesh(self, mesh: TriMesh, grid: Grid, fill_holes: bool = False) -> Occupancy:
        """The voxels inside a mesh: columns go through a tree of its triangles, slab by slab along y."""
        triangles = Triangles.on_grid(mesh, grid)
        out = np.zeros(grid.shape, dtype=np.bool_)
        if len(triangles) == 0:
            return out
        boundary = self._boundary(Boundary.of(triangles.points, triangles.triangles))
        points = self._upload(triangles.points, self._wp.vec3d)
        corners = self._upload(triangles.triangles.astype(np.int32), self._wp.vec3i)
        tree = self._wp.Mesh(
            self._upload(triangles.points.astype(np.float32), self._wp.vec3), corners.view(self._wp.int32).flatten()
        )
        depth, height, width = grid.shape
        rows = max(1, VOXELS_PER_LAUNCH // (depth * width * BRICK_SIZE)) * BRICK_SIZE
        for first in range(0, height, rows):
            slab = out[:, first : first + rows]
            count = self._wp.zeros(slab.shape, dtype=self._wp.int32, device=self._device)
            self._launch(self._dense_kernels().pass_columns, slab.shape[1:], [tree.id, points, corners, first], [count])
            slab[:] = self._inside(count, boundary, first).numpy()
            del count
        return ndimage.binary_fill_holes(out) if fill_holes else out

    def _inside(self, count: Any, boundary: list[Any], first_row: int) -> Any:
        """Device array (Z, rows, X): the voxels inside by signed crossings and boundary sum."""
        wp, kernels = self._wp, self._dense_kernels()
        shape = tuple(-(-side // BRICK_SIZE) for side in count.shape)
        total = wp.empty(shape, dtype=wp.float64, device=self._device)
        settled = wp.empty(shape, dtype=wp.bool, device=self._device)
        self._launch(kernels.settle_bricks, shape, [*boundary, first_row // BRICK_SIZE], [total, settled])
        inside = wp.empty(count.shape, dtype=wp.bool, device=self._device)
        self._launch(kernels.mark_inside, count.shape, [count, *boundary, first_row, total, settled], [inside])
        return inside

    def subtract_segments(
        self, occupancy: Occupancy, first_layer: int, segments: Segments, binned: BinnedSweep, table: BrickTable
    ) -> int:
        """Clear the voxels of a slab within binned segments. Only the box of the bricks they reach is copied."""
        removed = 0
        for rows in _blocks_of_bricks(first_layer, first_layer + len(occupancy), table):
            states = binned.states[rows]
            touched = np.argwhere(states != State.EMPTY) + np.array([rows[0].start, rows[1].start, 0])
            if len(touched) == 0:
                continue
            corner, stop = touched.min(axis=0) * BRICK_SIZE, (touched.max(axis=0) + 1) * BRICK_SIZE
            corner[0] = max(corner[0], first_layer)
            z, y, x = (slice(*ends) for ends in zip(corner, stop, strict=True))
            part = occupancy[z.start - first_layer : z.stop - first_layer, y, x]
            solid = touched[states[states != State.EMPTY] == State.SOLID] * BRICK_SIZE
            removed += self._clear(part, corner, solid, segments, _bins_in(binned.bins, rows, table), table)
        return removed

    def _clear(
        self,
        part: Occupancy,
        origin: npt.NDArray[np.int64],
        solid: npt.NDArray[np.int64],
        segments: Segments,
        bins: Bins,
        table: BrickTable,
    ) -> int:
        """Clear bricks with corners `solid` (N, 3), and those of `bins`, in a part of a grid beginning at `origin`."""
        wp, kernels = self._wp, self._brick_kernels()
        occupancy = self._upload(part, wp.bool)
        removed = wp.zeros(1, dtype=wp.int64, device=self._device)
        place = wp.vec3i(*(int(index) for index in origin))
        for start in range(0, len(solid), BRICKS_PER_LAUNCH):
            corner = self._upload(solid[start : start + BRICKS_PER_LAUNCH].astype(np.int32), wp.vec3i)
            self._launch(kernels.clear_bricks, (len(corner), BRICK_VOXELS), [corner, place], [occupancy, removed])
        for start, stop in _launches(bins):
            near = bins.part(start, stop)
            corner = self._upload((table.coordinates(near.bricks) * BRICK_SIZE).astype(np.int32), wp.vec3i)
            inputs = [self._segment_pairs(segments, near, table), corner, place]
            self._launch(kernels.subtract_segments, (len(corner), BRICK_VOXELS), inputs, [occupancy, removed])
        count = int(removed.numpy()[0])
        if count:
            # Nothing is written but what was cleared: the array may be a file, or shared.
            np.copyto(part, False, where=np.greater(part, occupancy.numpy()))
        del occupancy
        return count

    def subtract_sweep(self, occupancy: Occupancy, grid: Grid, sweep: Sweep) -> int:
        """Clear the voxels within a sweep."""
        return dense.subtract_sweep(self, occupancy, grid, sweep)

    def subtract_swept_capsule(
        self, occupancy: Occupancy, grid: Grid, p0: npt.ArrayLike, p1: npt.ArrayLike, radius: float
    ) -> int:
        """Clear the voxels within a capsule."""
        return dense.subtract_sweep(self, occupancy, grid, dense.capsule(p0, p1, radius))

    def segment_distance(self, segments: Segments, bins: Bins, table: BrickTable) -> npt.NDArray[np.float32]:
        """(B, 512) signed distance to the nearest segment of each brick."""
        out = np.empty((len(bins.bricks), BRICK_VOXELS), dtype=np.float32)
        for start, stop in _launches(bins):
            distance = self._wp.empty((stop - start, BRICK_VOXELS), dtype=self._wp.float32, device=self._device)
            pairs = self._segment_pairs(segments, bins.part(start, stop), table)
            self._launch(self._brick_kernels().segment_distance, distance.shape, [pairs], [distance])
            out[start:stop] = distance.numpy()
            del pairs, distance
        return out

    def triangle_distance(self, triangles: Triangles, bins: Bins, table: BrickTable) -> npt.NDArray[np.float32]:
        """(B, 512) unsigned distance to the nearest triangle of each brick."""
        wp = self._wp
        out = np.empty((len(bins.bricks), BRICK_VOXELS), dtype=np.float32)
        for start, stop in _launches(bins):
            part = bins.part(start, stop)
            near = TrianglePairs.at(triangles, part.primitive, table.centres(part.bricks)[part.owner()])
            inputs = [
                self._upload(part.first.astype(np.int32), wp.int32),
                self._upload(near.corners, wp.vec3),
                self._upload(near.normal, wp.vec3),
                self._upload(near.plane, wp.float32),
            ]
            distance = wp.empty((stop - start, BRICK_VOXELS), dtype=wp.float32, device=self._device)
            self._launch(self._brick_kernels().triangle_distance, distance.shape, inputs, [distance])
            out[start:stop] = distance.numpy()
            del inputs, distance
        return out

    def evaluate(self, fields: Fields, operation: Operation, progress: Callable[[float], None]) -> tuple[Field, Loss]:
        """The two fields made one, in every brick."""
        return evaluation.evaluate(fields, operation, self, progress, list(fields.chunks()))

    def boundary_winding(self, points: npt.NDArray[np.float64], boundary: Boundary) -> npt.NDArray[np.float64]:
        """(N,) sum over the open boundary."""
        return self._at_points(points, boundary, "boundary_winding", np.empty(len(points)), self._wp.float64)

    def winding_gradient(self, points: npt.NDArray[np.float64], boundary: Boundary) -> npt.NDArray[np.float64]:
        """(N, 3) gradient of the winding number."""
        return self._at_points(points, boundary, "winding_gradient", np.empty((len(points), 3)), self._wp.vec3d)

    def _at_points(
        self,
        points: npt.NDArray[np.float64],
        boundary: Boundary,
        kernel: str,
        out: npt.NDArray[np.float64],
        dtype: Any,
    ) -> npt.NDArray[np.float64]:
        """Fill `out`, of Warp's `dtype` for each of points (N, 3), by a kernel over all edges."""
        if len(boundary) == 0:
            out[:] = 0.0
            return out
        edges = self._boundary(boundary)
        step = max(1, min(POINTS_PER_LAUNCH, POINT_EDGES_PER_LAUNCH // len(boundary)))
        for start in range(0, len(points), step):
            place = self._upload(points[start : start + step], self._wp.vec3d)
            result = self._wp.empty(len(place), dtype=dtype, device=self._device)
            self._launch(getattr(self._brick_kernels(), kernel), result.shape, [place, *edges], [result])
            out[start : start + step] = result.numpy()
            del place, result
        return out

    def _boundary(self, boundary: Boundary) -> list[Any]:
        """Device arrays low, high and sign."""
        return [
            self._upload(boundary.low, self._wp.vec3d),
            self._upload(boundary.high, self._wp.vec3d),
            self._upload(boundary.sign, self._wp.float64),
        ]

    def _segment_pairs(self, segments: Segments, bins: Bins, table: BrickTable) -> Any:
        """The struct `Pairs` of some bricks, on the device."""
        wp = self._wp
        near = SegmentPairs.at(segments, bins.primitive, table.centres(bins.bricks)[bins.owner()])
        pairs = self._brick_kernels().Pairs()
        pairs.first = self._upload(bins.first.astype(np.int32), wp.int32)
        pairs.toward, pairs.axis = self._upload(near.toward, wp.vec3), self._upload(near.axis, wp.vec3)
        for name in ("low", "high", "radius", "slope", "tangent"):
            setattr(pairs, name, self._upload(getattr(near, name), wp.float32))
        return pairs

    def _upload(self, array: npt.NDArray[Any], dtype: Any) -> Any:
        """A copy of an array on the device, of Warp's `dtype`."""
        return self._wp.array(np.ascontiguousarray(array), dtype=dtype, device=self._device)

    def _launch(self, kernel: Any, dim: tuple[int, ...], inputs: list[Any], outputs: list[Any]) -> None:
        block_dim = BRICK_BLOCK_DIM if kernel.module.name == brick_kernels.__module__ else DENSE_BLOCK_DIM
        self._wp.launch(kernel, dim=dim, inputs=inputs, outputs=outputs, device=self._device, block_dim=block_dim)

    def _brick_kernels(self) -> BrickKernels:
        return load_kernels(brick_kernels, self._device, BRICK_BLOCK_DIM)

    def _dense_kernels(self) -> DenseKernels:
        return load_kernels(dense_kernels, self._device, DENSE_BLOCK_DIM)


def _slabs(shape: tuple[int, ...]) -> Iterator[slice]:
    """Layers of an occupancy (Z, Y, X), as many at once as a launch may work on."""
    layers = max(1, VOXELS_PER_LAUNCH // max(1, shape[1] * shape[2]))
    return (slice(first, min(first + layers, shape[0])) for first in range(0, shape[0], layers))


def _launches(bins: Bins) -> Iterator[tuple[int, int]]:
    """Runs of bricks (start, stop): as many bricks and pairs as a launch may work on, but at least one brick."""
    start = 0
    while start < len(bins.bricks):
        stop = int(np.searchsorted(bins.first, bins.first[start] + PAIRS_PER_LAUNCH, side="right")) - 1
        stop = min(max(stop, start + 1), start + BRICKS_PER_LAUNCH, len(bins.bricks))
        yield start, stop
        start = stop


def _blocks_of_bricks(first_layer: int, stop_layer: int, table: BrickTable) -> Iterator[tuple[slice, slice]]:
    """Blocks (rows z, rows y) of the bricks that meet some layers, as large as a launch may work on."""
    row = table.shape[2] * BRICK_VOXELS
    step_z = max(1, VOXELS_PER_LAUNCH // (row * table.shape[1]))
    step_y = max(1, min(table.shape[1], VOXELS_PER_LAUNCH // row))
    last = (stop_layer - 1) // BRICK_SIZE
    for z in range(first_layer // BRICK_SIZE, last + 1, step_z):
        for y in range(0, table.shape[1], step_y):
            yield slice(z, min(z + step_z, last + 1)), slice(y, min(y + step_y, table.shape[1]))


def _bins_in(bins: Bins, rows: tuple[slice, slice], table: BrickTable) -> Bins:
    """The bricks in a block (rows z, rows y)."""
    layer = table.shape[1] * table.shape[2]
    part = bins.part(*np.searchsorted(bins.bricks, [rows[0].start * layer, rows[0].stop * layer]))
    y = table.coordinates(part.bricks)[:, 1]
    return part.select((y >= rows[1].start) & (y < rows[1].stop))
