"""Two fields combined at a voxel, in float32: see `model.combining`."""

from .language import where

ZERO = 0.0
HALF = 0.5
ONE = 1.0
# A voxel exactly on the sweep's surface is inside the sweep, so outside of what is left: the least float32 above 0.
JUST_OUTSIDE = 2.0**-126


def sweep_operand(distance: float, sign: float) -> float:
    """The distance to the sweep that counts: to its outside, where sign is -1."""
    turned = sign * distance
    return where(sign < ZERO, where(turned == ZERO, JUST_OUTSIDE, turned), turned)


def is_from_sweep(stock: float, sweep: float, inner: bool) -> bool:
    """Whether the result's distance is the sweep's: the lesser of both counts where `inner`, else the greater."""
    return where(inner, sweep < stock, sweep > stock)


def inside_fraction(distance: float) -> float:
    """The part of a voxel that is inside, from the distance of its centre, to second order."""
    return min(max(HALF - distance, ZERO), ONE)
