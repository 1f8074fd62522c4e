"""The kernels of this room, compiled by numba: which samples a surface comes near."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..engines.numba.compiler.decorators import inlined, kernel, subroutine
from ..engines.numba.compiler.formulas import DOUBLE
from ..exact.kernels import next_leaf
from ..exact.nearest import new_stack
from ..formulas import z_columns

line_place = DOUBLE(z_columns.line_place)

# Samples are listed by groups of voxels that follow each other along x: so many, as a power of 2.
GROUP_BITS = 3

# The edges around a sample: those between so many nodes along each axis. Nodes and cells are numbered with a margin.
NODES = 4
SIDE = NODES + 1
STEPS = (SIDE * SIDE, SIDE, 1)
START = sum(STEPS)
SLOTS = SIDE**3
# The four faces of cells at an edge along an axis, from the number of its first node: SLOTS for each axis that a face
# is across, then the number of the face's first node.
FACES = tuple((u * SLOTS, u * SLOTS - STEPS[v], v * SLOTS, v * SLOTS - STEPS[u]) for u, v in ((1, 2), (2, 0), (0, 1)))
NEAR = 1.2  # voxels: a surface that crosses an edge within this has a vertex within about one; measured


class Edges(NamedTuple):
    """The edges around a sample, by the number of their first node.

    Attributes:
        crossed: (3, SLOTS) how often the surface crosses each, along x, y and z.
        square: (3, SLOTS) the squared distance of the nearest of these crossings from the sample.
        faces: (3 SLOTS,) the number of crossed edges of each face, where those with an end inside count twice.
        stack: of nodes of a tree.
    """

    crossed: npt.NDArray[np.int64]
    square: npt.NDArray[np.float64]
    faces: npt.NDArray[np.int64]
    stack: npt.NDArray[np.int64]

    @classmethod
    def empty(cls) -> "Edges":
        """Room for the edges of one sample at a time."""
        crossed, square = np.empty((3, SLOTS), np.int64), np.empty((3, SLOTS))
        return cls(crossed, square, np.empty(3 * SLOTS, np.int64), np.asarray(new_stack()))


@kernel
def mark_near(start, stop, points, origin, scale, shape, first, listed, samples, is_near):  # type: ignore[no-untyped-def]
    """Mark the samples (S, 3) that have one of points (N, 3) within a voxel: see `measured.near_points`."""
    x0, y0, z0, last = origin[0], origin[1], origin[2], len(first) - 2
    for i in range(start, stop):
        x, y, z = (points[i, 0] - x0) * scale, (points[i, 1] - y0) * scale, (points[i, 2] - z0) * scale
        group = ((int(z) * shape[1] + int(y)) * shape[2] + (int(x) >> GROUP_BITS)) & last
        for k in range(first[group], first[group + 1]):
            s = listed[k]
            dx, dy, dz = samples[s, 0] - x, samples[s, 1] - y, samples[s, 2] - z
            if dx * dx + dy * dy + dz * dz <= 1.0:
                is_near[s] = True


@subroutine
def cross_edges(points, corners, i, axis, first, size, place, edges):  # type: ignore[no-untyped-def]
    """Note in `edges` (see `Edges`) where triangle i crosses those along an axis, around a place (x, y, z)."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    a, b, c = corners[i, 0], corners[i, 1], corners[i, 2]
    low_u, high_u = min(points[a, u], points[b, u], points[c, u]), max(points[a, u], points[b, u], points[c, u])
    low_v, high_v = min(points[a, v], points[b, v], points[c, v]), max(points[a, v], points[b, v], points[c, v])
    for j in range(max(0, step_after(low_u, first[u], size)), min(NODES, step_after(high_u, first[u], size))):
        pu = first[u] + j * size
        for k in range(max(0, step_after(low_v, first[v], size)), min(NODES, step_after(high_v, first[v], size))):
            pv = first[v] + k * size
            sign, height = line_place(points, a, b, c, u, v, axis, pu, pv)
            edge = step_after(height, first[axis], size) - 1
            if sign != 0 and 0 <= edge and edge < NODES - 1:
                n = START + edge * STEPS[axis] + j * STEPS[u] + k * STEPS[v]
                du, dv, dh = pu - place[u], pv - place[v], height - place[axis]
                edges.crossed[axis, n] += 1
                edges.square[axis, n] = min(edges.square[axis, n], du * du + dv * dv + dh * dh)


@inlined
def step_after(coordinate, first, size):  # type: ignore[no-untyped-def]
    """How many steps from the first node go beyond a coordinate."""
    return math.ceil((coordinate - first) / size)


@inlined
def first_node(coordinate, origin, size):  # type: ignore[no-untyped-def]
    """The first of the nodes around a coordinate: it lies between the second and the third."""
    return origin + (math.floor((coordinate - origin) / size - 0.5) - 0.5) * size


@subroutine
def has_near_vertex(edges, size):  # type: ignore[no-untyped-def]
    """Whether a crossing near the sample is part of a surface: one of its faces has another edge that is crossed.

    The two crossings of a single edge would make a lens without volume. An edge with one crossing has an end inside.
    """
    edges.faces[:] = 0
    for axis in range(3):
        for n in range(SLOTS):
            if edges.crossed[axis, n] > 0:
                for face in range(4):
                    edges.faces[n + FACES[axis][face]] += 1 + edges.crossed[axis, n] % 2
    for axis in range(3):
        for n in range(SLOTS):
            if edges.square[axis, n] <= (NEAR * size) ** 2:
                for face in range(4):
                    if edges.faces[n + FACES[axis][face]] > 1:
                        return True
    return False


@kernel
def mark_kept(start, stop, samples, origin, size, points, corners, tree, is_kept, edges):  # type: ignore[no-untyped-def]
    """Mark the samples (S, 3) that voxels of a size keep: see `expected.expected_loss`."""
    for n in range(start, stop):
        x, y, z, edges.stack[0] = samples[n, 0], samples[n, 1], samples[n, 2], 0
        first = (first_node(x, origin[0], size), first_node(y, origin[1], size), first_node(z, origin[2], size))
        edges.crossed[:] = 0
        edges.square[:] = math.inf
        leaf, depth = next_leaf(tree, x, y, z, NODES * size, edges.stack, 1)
        while leaf >= 0:
            for k in range(tree.first[leaf], tree.first[leaf + 1]):
                for axis in range(3):
                    cross_edges(points, corners, tree.listed[k], axis, first, size, (x, y, z), edges)
            leaf, depth = next_leaf(tree, x, y, z, NODES * size, edges.stack, depth)
        is_kept[n] = has_near_vertex(edges, size)
