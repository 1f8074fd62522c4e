"""How the fields of stock and sweep are combined at a voxel, in float32: see `model.combining`."""

from .language import where

ZERO = 0.0
# A voxel exactly on the sweep's surface is inside the sweep, so it is outside the result: the least float32 above 0.
JUST_OUTSIDE = 2.0**-126


def sweep_operand(distance: float, sign: float) -> float:
    """The distance to the sweep, or to its complement if sign is -1."""
    signed = sign * distance
    return where(sign < ZERO, where(signed == ZERO, JUST_OUTSIDE, signed), signed)


def is_from_sweep(stock: float, sweep: float, inner: bool) -> bool:
    """Whether the result takes the distance of the sweep. The lesser distance counts if `inner`, else the greater."""
    return where(inner, sweep < stock, sweep > stock)
