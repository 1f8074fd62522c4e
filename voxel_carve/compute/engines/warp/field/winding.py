"""The boundary sum of the winding number on Warp: kernels, and their launches. See `formulas.winding`."""

# mypy cannot check the code of kernels, which Warp translates.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,index,no-untyped-call,operator,type-var"
# mypy: disable-error-code="valid-type"

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ....formulas import winding
from ....primitives.boundary import Boundary
from ....runtime.progress import with_progress
from ....runtime.threads import slices
from ..device.device import WarpDevice
from ..device.formulas import boundary_structs, double
from ..device.functions import MODULE_OPTIONS

WINDING_BLOCK_DIM = 256

# Limits of a launch, so that it blocks the graphics card of a display only for a moment.
POINTS_PER_LAUNCH = 1 << 22
POINT_EDGES_PER_LAUNCH = 1 << 32


@dataclass(frozen=True)
class WindingKernels:
    """The kernels of one Warp module, all launched in blocks of 256 threads."""

    boundary_winding: Any
    winding_gradient: Any
    gradient_bound: Any


@functools.cache
def winding_kernels() -> WindingKernels:
    """Define the kernels."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    Edges, Pieces = boundary_structs().Edges, boundary_structs().Pieces  # noqa: N806 - structs
    boundary_sum, bound_sum = double()(winding.boundary_sum), double()(winding.bound_sum)
    gradient_sum = double()(winding.gradient_sum)

    @wp.kernel
    def boundary_winding(points: wp.array[wp.vec3d], edges: Edges, out: wp.array[wp.float64]) -> None:  # type: ignore[misc]
        """Set out (N,) to the boundary sum at points (N,), in voxels. Launch with (N,)."""
        p = points[wp.tid()]
        out[wp.tid()] = boundary_sum(edges, p[0], p[1], p[2])

    @wp.kernel
    def winding_gradient(points: wp.array[wp.vec3d], edges: Edges, out: wp.array[wp.vec3d]) -> None:  # type: ignore[misc]
        """Set out (N,) to the gradient of the winding number, per voxel, at points (N,). Launch with (N,)."""
        p = points[wp.tid()]
        x, y, z = gradient_sum(edges, p[0], p[1], p[2])
        out[wp.tid()] = wp.vec3d(x, y, z)

    @wp.kernel
    def gradient_bound(  # type: ignore[misc]
        points: wp.array[wp.vec3d], pieces: Pieces, reach: wp.float64, out: wp.array[wp.float64]
    ) -> None:
        """Set out (N,) to an upper bound of the gradient's length within `reach` of points (N,). Launch with (N,)."""
        p = points[wp.tid()]
        out[wp.tid()] = bound_sum(pieces, p[0], p[1], p[2], reach)

    return WindingKernels(boundary_winding, winding_gradient, gradient_bound)


@dataclass(frozen=True)
class DeviceBoundary:
    """A `Boundary` on a device: see `formulas.language`."""

    edges: Any
    pieces: Any


def boundary_on(device: WarpDevice, boundary: Boundary) -> DeviceBoundary:
    """The boundary on a device, uploaded once."""
    wp = device.wp

    def upload() -> DeviceBoundary:
        edges, pieces = boundary_structs().Edges(), boundary_structs().Pieces()
        for name in ("low", "high", "sign"):
            setattr(edges, name, device.upload(getattr(boundary, name), wp.float64))
        pieces.middle, pieces.length = (device.upload(part, wp.float64) for part in boundary.pieces)
        return DeviceBoundary(edges, pieces)

    return device.cached(boundary, upload)


def boundary_winding(
    device: WarpDevice, points: npt.NDArray[np.float64], boundary: Boundary
) -> npt.NDArray[np.float64]:
    """(N,) boundary sum: see `primitives.boundary`."""
    out = np.zeros(len(points))
    if len(boundary):
        kernel = device.kernels(winding_kernels, WINDING_BLOCK_DIM).boundary_winding
        _at_points(device, points, kernel, boundary, [boundary_on(device, boundary).edges], out, device.wp.float64)
    return out


def winding_gradient(
    device: WarpDevice, points: npt.NDArray[np.float64], boundary: Boundary
) -> npt.NDArray[np.float64]:
    """(N, 3) gradient of the winding number."""
    out = np.zeros((len(points), 3))
    if len(boundary):
        kernel = device.kernels(winding_kernels, WINDING_BLOCK_DIM).winding_gradient
        _at_points(device, points, kernel, boundary, [boundary_on(device, boundary).edges], out, device.wp.vec3d)
    return out


def gradient_bound(
    device: WarpDevice, points: npt.NDArray[np.float64], boundary: Boundary, reach: float
) -> npt.NDArray[np.float64]:
    """(N,) upper bound of the gradient's length within `reach`."""
    wp, out = device.wp, np.zeros(len(points))
    if len(boundary):
        kernel = device.kernels(winding_kernels, WINDING_BLOCK_DIM).gradient_bound
        inputs = [boundary_on(device, boundary).pieces, wp.float64(reach)]
        _at_points(device, points, kernel, boundary, inputs, out, wp.float64)
    return out


def _at_points(
    device: WarpDevice,
    points: npt.NDArray[np.float64],
    kernel: Any,
    boundary: Boundary,
    inputs: list[Any],
    out: npt.NDArray[np.float64],
    dtype: Any,
) -> None:
    """Fill `out` by a kernel over the boundary, with a value of Warp's `dtype` for each of points (N, 3)."""
    step = max(1, min(POINTS_PER_LAUNCH, POINT_EDGES_PER_LAUNCH // len(boundary)))
    for rows in with_progress(slices(len(points), step)):
        place = device.upload(points[rows], device.wp.vec3d)
        result = device.empty(len(place), dtype)
        device.launch(kernel, len(place), [place, *inputs], [result])
        out[rows] = device.download(result)
        del place, result
