"""The boundary sum of the winding number on Warp: functions, kernels, and their launches.

Where the order of operations decides a bit, it is the one of `winding`, and nothing is contracted.
"""

# What stands in a kernel is Warp's language, of which the types of its Python names know too little.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,index,no-untyped-call,operator,type-var"

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .progress import steps
from .threads import slices
from .warp_device import WarpDevice
from .warp_functions import MODULE_OPTIONS
from .winding import SHIFT, Boundary

WINDING_BLOCK_DIM = 256

# What one launch works on: it keeps a display's graphics card for no longer than a moment.
POINTS_PER_LAUNCH = 1 << 22
POINT_EDGES_PER_LAUNCH = 1 << 32


@dataclass(frozen=True)
class WindingFunctions:
    """Warp functions of the boundary sum, for the kernels of several modules."""

    length: Any
    edge_angle: Any


@functools.cache
def winding_functions() -> WindingFunctions:
    """Define what the boundary sum is made of: see `winding.boundary_winding`."""
    import warp as wp

    shift = wp.constant(wp.float64(SHIFT))
    shift_square = wp.constant(wp.float64(SHIFT**2))
    zero = wp.constant(wp.float64(0.0))

    @wp.func
    def length(v: wp.vec3d) -> wp.float64:
        return wp.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])

    @wp.func
    def edge_angle(low: wp.vec3d, high: wp.vec3d, p: wp.vec3d) -> wp.float64:
        """Half the solid angle of the directions from p to both ends of an edge and -z."""
        step = high - low
        a = low - p
        b = high - p
        side = step[1] * a[0] - step[0] * a[1]
        if side == zero:
            side = wp.where(step[1] != zero, -step[1] * shift, step[0] * shift_square)
        across = (a[0] - shift) * (b[0] - shift) + (a[1] - shift_square) * (b[1] - shift_square)
        scale = (length(a) - a[2]) * (length(b) - b[2]) + across
        return wp.atan2(-side, scale)

    return WindingFunctions(length, edge_angle)


@dataclass(frozen=True)
class WindingKernels:
    """The kernels of one Warp module, all launched in blocks of 256 threads."""

    boundary_winding: Any
    winding_gradient: Any
    gradient_bound: Any


@functools.cache
def winding_kernels() -> WindingKernels:
    """Define the kernels."""
    return WindingKernels(*_sum_kernels(), _bound_kernel())


def _sum_kernels() -> tuple[Any, Any]:
    """The kernels `boundary_winding` and `winding_gradient`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    functions = winding_functions()
    length, edge_angle = functions.length, functions.edge_angle
    tau = wp.constant(wp.float64(2 * np.pi))

    @wp.kernel
    def boundary_winding(  # type: ignore[misc]
        points: wp.array[wp.vec3d],  # type: ignore[valid-type]
        low: wp.array[wp.vec3d],  # type: ignore[valid-type]
        high: wp.array[wp.vec3d],  # type: ignore[valid-type]
        sign: wp.array[wp.float64],  # type: ignore[valid-type]
        out: wp.array[wp.float64],  # type: ignore[valid-type]
    ) -> None:
        """The boundary sum at N points: see `winding.boundary_winding`.

        Launch with (N,).

        Args:
            points: (N,), in voxels.
            low, high, sign: (E,): see `Boundary`.
            out: (N,) part of the winding number.
        """
        i = wp.tid()
        total = wp.float64(0.0)
        for edge in range(sign.shape[0]):
            total += sign[edge] * edge_angle(low[edge], high[edge], points[i])
        out[i] = total / tau

    @wp.kernel
    def winding_gradient(  # type: ignore[misc]
        points: wp.array[wp.vec3d],  # type: ignore[valid-type]
        low: wp.array[wp.vec3d],  # type: ignore[valid-type]
        high: wp.array[wp.vec3d],  # type: ignore[valid-type]
        sign: wp.array[wp.float64],  # type: ignore[valid-type]
        out: wp.array[wp.vec3d],  # type: ignore[valid-type]
    ) -> None:
        """The gradient of the winding number at N points: see `winding.winding_gradient`.

        Launch with (N,).

        Args:
            points: (N,), in voxels.
            low, high, sign: (E,): see `Boundary`.
            out: (N,) per voxel.
        """
        i = wp.tid()
        total = wp.vec3d()
        for edge in range(sign.shape[0]):
            a = low[edge] - points[i]
            b = high[edge] - points[i]
            length_a = length(a)
            length_b = length(b)
            product = length_a * length_b
            scale = product * (product + a[0] * b[0] + a[1] * b[1] + a[2] * b[2])
            weight = sign[edge] * (length_a + length_b) / wp.max(scale, wp.float64(1.0e-12))
            total += wp.cross(a, b) * weight
        out[i] = total / (wp.float64(2.0) * tau)

    return boundary_winding, winding_gradient


def _bound_kernel() -> Any:
    """The kernel `gradient_bound`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    length_of = winding_functions().length
    half = wp.constant(wp.float64(0.5))
    least = wp.constant(wp.float64(1e-6))
    sphere = wp.constant(wp.float64(4 * np.pi))

    @wp.kernel
    def gradient_bound(  # type: ignore[misc]
        points: wp.array[wp.vec3d],  # type: ignore[valid-type]
        middle: wp.array[wp.vec3d],  # type: ignore[valid-type]
        length: wp.array[wp.float64],  # type: ignore[valid-type]
        reach: wp.float64,
        out: wp.array[wp.float64],  # type: ignore[valid-type]
    ) -> None:
        """Upper bound of the length of the gradient about N points: see `winding.gradient_bound`.

        Launch with (N,).

        Args:
            points: (N,), in voxels.
            middle, length: (K,): see `Boundary.pieces`.
            reach: how far about each point it holds, in voxels.
            out: (N,) per voxel.
        """
        i = wp.tid()
        total = wp.float64(0.0)
        for piece in range(length.shape[0]):
            distance = length_of(middle[piece] - points[i]) - (length[piece] * half + reach)
            distance = wp.max(distance, least)
            total += length[piece] / (distance * distance)
        out[i] = total / sphere

    return gradient_bound


@dataclass(frozen=True)
class DeviceBoundary:
    """A `Boundary` on a device: arrays of its edges (low, high, sign), and of their pieces (middle, length)."""

    edges: tuple[Any, Any, Any]
    pieces: tuple[Any, Any]


def boundary_on(device: WarpDevice, boundary: Boundary) -> DeviceBoundary:
    """The boundary on a device, uploaded once."""
    wp = device.wp

    def upload() -> DeviceBoundary:
        low, high = device.upload(boundary.low, wp.vec3d), device.upload(boundary.high, wp.vec3d)
        middle, length = boundary.pieces
        return DeviceBoundary(
            (low, high, device.upload(boundary.sign, wp.float64)),
            (device.upload(middle, wp.vec3d), device.upload(length, wp.float64)),
        )

    return device.held(boundary, upload)


def boundary_winding(
    device: WarpDevice, points: npt.NDArray[np.float64], boundary: Boundary
) -> npt.NDArray[np.float64]:
    """(N,): see `winding.boundary_winding`."""
    out = np.zeros(len(points))
    if len(boundary):
        kernel = device.kernels(winding_kernels, WINDING_BLOCK_DIM).boundary_winding
        _at_points(device, points, kernel, boundary_on(device, boundary).edges, [], out, device.wp.float64)
    return out


def winding_gradient(
    device: WarpDevice, points: npt.NDArray[np.float64], boundary: Boundary
) -> npt.NDArray[np.float64]:
    """(N, 3): see `winding.winding_gradient`."""
    out = np.zeros((len(points), 3))
    if len(boundary):
        kernel = device.kernels(winding_kernels, WINDING_BLOCK_DIM).winding_gradient
        _at_points(device, points, kernel, boundary_on(device, boundary).edges, [], out, device.wp.vec3d)
    return out


def gradient_bound(
    device: WarpDevice, points: npt.NDArray[np.float64], boundary: Boundary, reach: float
) -> npt.NDArray[np.float64]:
    """(N,): see `winding.gradient_bound`."""
    wp, out = device.wp, np.zeros(len(points))
    if len(boundary):
        kernel = device.kernels(winding_kernels, WINDING_BLOCK_DIM).gradient_bound
        pieces = boundary_on(device, boundary).pieces
        _at_points(device, points, kernel, pieces, [wp.float64(reach)], out, wp.float64)
    return out


def _at_points(
    device: WarpDevice,
    points: npt.NDArray[np.float64],
    kernel: Any,
    edges: tuple[Any, ...],
    more: list[Any],
    out: npt.NDArray[np.float64],
    dtype: Any,
) -> None:
    """Fill `out`, of Warp's `dtype` for each of points (N, 3), by a kernel over all edges or their pieces."""
    step = max(1, min(POINTS_PER_LAUNCH, POINT_EDGES_PER_LAUNCH // len(edges[0])))
    for rows in steps(slices(len(points), step)):
        place = device.upload(points[rows], device.wp.vec3d)
        result = device.empty(len(place), dtype)
        device.launch(kernel, len(place), [place, *edges, *more], [result])
        out[rows] = device.download(result)
        del place, result
