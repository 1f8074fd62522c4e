"""A kernel of Warp that samples a volume. Warp reads the source of kernels from a file."""

import warp as wp


@wp.kernel(enable_backward=False)
def sample_volume(
    volume: wp.uint64,
    points: wp.array(dtype=wp.vec3),  # type: ignore[valid-type]
    out: wp.array(dtype=float),  # type: ignore[valid-type]
):
    n = wp.tid()
    place = wp.volume_world_to_index(volume, points[n])
    out[n] = wp.volume_sample_f(volume, place, wp.Volume.LINEAR)
