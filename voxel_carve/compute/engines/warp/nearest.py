"""The nearest segment to each point, on a Warp device: see `exact.nearest`. It compares each with all segments."""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...formulas.swept_body import distance as segment_distance
from ...primitives.segments import Segments
from ...runtime.progress import with_progress
from ...runtime.threads import slices
from .device.device import WarpDevice
from .device.formulas import double, kernel
from .device.structs import wp

BLOCK_DIM = 256

PAIRS_PER_LAUNCH = 1 << 31  # of a point and a segment: bounds how long a launch blocks the card of a display
POINTS_PER_LAUNCH = 1 << 22

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@kernel(double)
def find_nearest_segment(
    segments: wp.array2d[wp.float64],
    points: wp.array[wp.vec3d],
    distance: wp.array[wp.float64],
    which: wp.array[wp.int32],
) -> None:
    """Set distance (N,) and which (N,) to those of the nearest segment, the first of several. Launch with (N,).

    Args:
        segments: (K, 10) see `Segments.rows`, at least one.    points: (N,).
    """
    place = points[wp.tid()]
    x, y, z = place[0], place[1], place[2]
    least = segment_distance(segments, 0, x, y, z)
    found = wp.int32(0)
    for j in range(1, segments.shape[0]):
        own = segment_distance(segments, j, x, y, z)
        if own < least:
            least = own
            found = j
    distance[wp.tid()] = least
    which[wp.tid()] = found


def nearest_segments(device: WarpDevice, points: Array, segments: Segments) -> tuple[Array, Indices]:
    """See `SegmentSearching.nearest_segments`."""
    wp = device.wp
    rows = device.upload(segments.rows, wp.float64)
    distance, which = np.empty(len(points)), np.empty(len(points), dtype=np.int64)
    step = max(1, min(POINTS_PER_LAUNCH, PAIRS_PER_LAUNCH // len(segments)))
    for part in with_progress(slices(len(points), step)):
        asked = device.upload(points[part], wp.vec3d)
        found = device.empty(len(asked), wp.float64), device.empty(len(asked), wp.int32)
        device.launch(find_nearest_segment, len(asked), [rows, asked], list(found))
        distance[part], which[part] = (device.download(each) for each in found)
    return distance, which
