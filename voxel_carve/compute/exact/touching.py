"""How much of a sweep lies in a stock, independent of the voxels. This explains results without a trace of a sweep."""

import numpy as np

from ..engines.numba.compiler.loading import load_kernels
from ..model.combining import Operation
from ..primitives.segments import Segments
from ..primitives.triangles import Triangles
from ..runtime.sentences import Length, Sentence
from .inside import inside
from .nearest import nearest

# In voxels: a sweep that passes the surface by no more than this only touches it.
TOUCHES = 1e-6
# Anything as thick as a voxel's diagonal contains a voxel centre.
DIAGONAL = 3**0.5
SHORTEST = 0.02  # voxels: half length of stretches that are not divided further
MOST_STRETCHES = 1 << 17


def thickness(triangles: Triangles, segments: Segments, operation: Operation) -> float:
    """The largest thickness, in voxels, of what a sweep adds to a stock (for a union), or of what both share.

    It is 0 if there is nothing. Above DIAGONAL the search stops, and the value is only a lower bound.

    A ball of the sweep counts with the part of its diameter that is beyond the nearest point of the stock's surface.
    Along a segment, that changes no faster than the ball moves and grows. So a stretch of a segment is divided only
    while it can contain more than was found so far.
    """
    load_kernels("exact")
    side = -1.0 if operation == "union" else 1.0
    low, high = triangles.points.min(axis=0), triangles.points.max(axis=0)
    which, begin, end, most = np.arange(len(segments)), np.zeros(len(segments)), segments.length, 0.0
    while len(which):
        half, middle = (end - begin) / 2, (begin + end) / 2
        slope, points = segments.slope[which], segments.start[which] + middle[:, None] * segments.axis[which]
        radius, moves = segments.radius[which] - middle * slope, half * (1 + np.abs(slope))
        # Outside the stock's box, the distance from the box is enough.
        beyond = -np.linalg.norm(np.maximum(np.maximum(low - points, points - high), 0), axis=1)
        near = np.flatnonzero(-beyond <= radius + moves)
        distance, _ = nearest(points[near], triangles)
        beyond[near] = np.where(inside(points[near], triangles), distance, -distance)
        reaches = radius + side * beyond
        most = max(most, float(np.minimum(2 * radius, reaches).max()))
        limit = np.minimum(2 * (radius + half * np.abs(slope)), reaches + moves)
        more = np.flatnonzero((limit > max(most, TOUCHES)) & (half > SHORTEST))
        if most > DIAGONAL or len(more) > MOST_STRETCHES:
            break
        which = np.tile(which[more], 2)
        begin, end = np.append(begin[more], middle[more]), np.append(middle[more], end[more])
    return most if most > TOUCHES else 0.0


def trace_notes(
    name: str, triangles: Triangles, segments: Segments, voxel_size: float, operation: Operation, step: int
) -> tuple[str, ...]:
    """Notes on a result without a face of the sweep: the paths miss the stock, or are too thin for the voxels.

    Args:
        step: its number, from 1, if it is a step of several; else 0.
    """
    if operation == "intersect" or len(segments) == 0:
        return ()
    thick = thickness(triangles, segments, operation)
    if thick > DIAGONAL:
        return ()
    template = _trace_template(operation, thick > 0, step > 0)
    return (Sentence(template, name=name, step=step, remedy=thinness(thick, voxel_size)),)


def _trace_template(operation: Operation, is_thin: bool, is_step: bool) -> Sentence:
    """Of a step, only that is said to change nothing, because others may."""
    if operation == "union" and is_thin:
        if is_step:
            return Sentence("what step {step} adds to '{name}' is thinner than a voxel: it changes nothing; {remedy}")
        return Sentence("what the paths add to '{name}' is thinner than a voxel: it comes back whole; {remedy}")
    if operation == "union":
        if is_step:
            return Sentence("the paths of step {step} lie inside '{name}': it changes nothing")
        return Sentence("the paths lie inside '{name}': it comes back whole")
    if is_thin:
        if is_step:
            return Sentence(
                "what step {step} takes out of '{name}' is thinner than a voxel: it changes nothing; {remedy}"
            )
        return Sentence("what the paths take out of '{name}' is thinner than a voxel: it comes back whole; {remedy}")
    if is_step:
        return Sentence("the paths of step {step} do not touch '{name}': it changes nothing")
    return Sentence("the paths do not touch '{name}': it comes back whole")


def thinness(thick: float, voxel_size: float) -> Sentence:
    """The remedy for something `thick`, in voxels, that the voxels miss. Any ball with a diameter of twice the voxel
    size contains a voxel centre."""
    size = Length(thick * voxel_size / 2)
    return Sentence("use voxels of at most {voxel_size}, or a larger radius", voxel_size=size)
