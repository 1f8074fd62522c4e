"""Octants of bricks, as masks: a bit for each, a step along x adding 1 to its number, along y 2 and along z 4."""

HALF_ROW = 15
OTHER_HALF = 240


def octant_bits(octants: int, z: int, y: int) -> int:
    """A bit for each voxel of row (z, y) of a brick that lies in one of some octants."""
    own = octants >> ((z >> 2) * 4 + (y >> 2) * 2)
    return (own & 1) * HALF_ROW | ((own >> 1) & 1) * OTHER_HALF
