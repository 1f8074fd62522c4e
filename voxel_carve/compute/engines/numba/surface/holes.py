"""Small holes in the pieces of two sheets, filled. See `contour.rims`."""

from dataclasses import replace

import numpy as np

from ....contour.rims import LARGEST_HOLE
from ..contour.connecting import linked_parts
from ..contour.overlaps import Numbers
from .cutting import Indices, Pieces


def fill_holes(pieces: Pieces, face: Indices, tail: Numbers, head: Numbers) -> Pieces:
    """The pieces with small holes filled. A triangle in a hole has the primitive of the face beside it.

    Args:
        face, tail, head: (E,) half-edges without an opposite, and their faces.
    """
    faces, codes = [pieces.faces], [pieces.codes]
    for loop in _loops(tail, head):
        triangles, side = _best_fan(pieces, tail[loop])
        faces.append(triangles[:, [0, 1, 2, 2]])
        codes.append(pieces.codes[face[loop[side]]])
    return replace(pieces, faces=np.concatenate(faces), codes=np.concatenate(codes))


def _loops(tail: Numbers, head: Numbers) -> list[Indices]:
    """Small loops of half-edges (E,), each in its order, with no other half-edge at their vertices."""
    vertices, ends = np.unique(np.concatenate([tail, head]), return_inverse=True)
    start, stop = np.split(ends, 2)
    count = len(vertices)
    number = linked_parts(np.stack([start, stop], axis=1), count)[start]
    simple = (np.bincount(start, minlength=count) == 1) & (np.bincount(stop, minlength=count) == 1)
    broken = np.bincount(number, ~(simple[start] & simple[stop])) > 0
    size = np.bincount(number)
    small = np.flatnonzero(~broken & (size > 2) & (size <= LARGEST_HOLE))
    leaving = np.empty(count, dtype=np.int64)
    leaving[start] = np.arange(len(start))
    loops = []
    for first in (np.flatnonzero(number == loop)[0] for loop in small):
        sides = [first]
        while (following := leaving[stop[sides[-1]]]) != first:
            sides.append(following)
        loops.append(np.array(sides))
    return loops


def _best_fan(pieces: Pieces, vertices: Numbers) -> tuple[Numbers, Indices]:
    """The fan of triangles (N - 2, 3) with the best worst shape in a loop of N vertices, turned against the loop.

    Also the side of the loop (N - 2,) that each triangle lies along.
    """
    count = len(vertices)
    apex = np.arange(count)[:, None]
    side = (apex + np.arange(1, count - 1)) % count
    triangles = vertices[np.stack([(side + 1) % count, side, np.broadcast_to(apex, side.shape)], axis=2)]
    corners = pieces.points[triangles]
    along = np.roll(corners, -1, axis=2) - corners
    normals = np.cross(along[:, :, 0], along[:, :, 1])
    shape = normals @ normals[0].sum(axis=0) / (along**2).sum(axis=3).max(axis=2)
    best = shape.min(axis=1).argmax()
    return triangles[best], side[best]
