"""What is connected: faces with common edges or vertices, and numbered things, of which groups are linked."""

import numpy as np
import numpy.typing as npt

from ....runtime.threads import over_rows
from ..compiler.decorators import inlined, kernel, subroutine
from .overlaps import QUADS_PER_RUN, Mask, Numbers

Indices = npt.NDArray[np.int64]

# Odd factors that spread neighbouring numbers over a hash table: from the golden ratio (Knuth 1973), and a large prime.
HASH_LOW, HASH_HIGH = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


def touching(quads: Numbers, chosen: Mask) -> Indices:
    """The quads (Q, 4), of a large mesh, with a corner that is chosen (V,), ascending."""
    return np.flatnonzero(has_any(quads, chosen))


def has_any(faces: npt.NDArray[np.integer], chosen: Mask) -> Mask:
    """(F,) whether a corner of faces (F, K) is chosen (V,); -1 is no corner."""
    found = np.empty(len(faces), dtype=np.bool_)
    over_rows(find_touching, len(faces), QUADS_PER_RUN, faces, chosen, found)
    return found


def merged(one: Indices, other: Indices) -> Indices:
    """The numbers of both (N,), (M,), which ascend, each once and ascending."""
    both = np.sort(np.concatenate([one, other]), kind="stable")  # which merges them
    return both[np.diff(both, prepend=-1) > 0]


def twin_sides(faces: Numbers) -> Indices:
    """(K F,) the half-edge that lies along the same edge, for those of faces (F, K); -1 unless there is exactly one.

    Half-edge K f + k begins at corner k of face f. One from a corner to the same vertex has none.
    """
    twin = np.full(faces.size, -1, dtype=np.int64)
    find_twins(faces, np.full(1 << faces.size.bit_length(), -1, dtype=np.int32), twin)
    return np.maximum(twin, -1)


def least_linked(groups: npt.NDArray[np.integer], count: int) -> Numbers:
    """(count,) for each of `count` things the least that it is connected with, by groups (G, K) of linked ones.

    Numbers below 0 in a group link nothing. By union and find (Tarjan 1975).
    """
    root = np.arange(count, dtype=np.int32)
    link(groups, root)
    return root


def linked_parts(groups: npt.NDArray[np.integer], count: int) -> Numbers:
    """(count,) the connected part of each of `count` things. See `least_linked`. Parts are in order of their least."""
    root = least_linked(groups, count)
    number = np.cumsum(root == np.arange(count), dtype=np.int32) - np.int32(1)
    return np.asarray(number[root])


@inlined
def has_chosen(faces, f, chosen):  # type: ignore[no-untyped-def]
    """Whether a corner of a face is chosen (V,); -1 is no corner.

    There are no branches, and no signs that numba would test for counting from the end.
    """
    found = False
    for k in range(faces.shape[1]):
        v = faces[f, k]
        found |= (v >= 0) & chosen[np.uint64(max(v, 0))]
    return found


@kernel
def spread(start, stop, quads, chosen, reached):  # type: ignore[no-untyped-def]
    """Set reached (V,) for all corners of quads with a corner that is chosen (V,)."""
    for q in range(start, stop):
        if has_chosen(quads, q, chosen):
            for k in range(4):
                reached[quads[q, k]] = True


@kernel
def find_touching(start, stop, faces, chosen, found):  # type: ignore[no-untyped-def]
    """Set found (F,) for faces (F, K) with a corner that is chosen (V,)."""
    for f in range(start, stop):
        found[f] = has_chosen(faces, f, chosen)


@subroutine
def root_of(root, v):  # type: ignore[no-untyped-def]
    """The end of the way from v along `root`, which gets shorter."""
    while root[v] != v:
        root[v] = root[root[v]]
        v = root[v]
    return v


@kernel
def link(groups, root):  # type: ignore[no-untyped-def]
    """Set root[v], v before, to the least number that groups (G, K) link to v. Numbers below 0 link nothing."""
    for g in range(len(groups)):
        last = -1
        for k in range(groups.shape[1]):
            if groups[g, k] >= 0:
                one = root_of(root, groups[g, k])
                if last >= 0:
                    root[max(one, last)] = min(one, last)
                last = min(one, last) if last >= 0 else one
    for v in range(len(root)):
        root[v] = root_of(root, v)


@kernel
def find_twins(faces, table, twin):  # type: ignore[no-untyped-def]
    """Set twin (K F,), -1 before, for the half-edges of faces (F, K): see `twin_sides`. Where three meet, it is -2.

    table (N,), -1 before, is scratch: a hash table of the first half-edge along each edge. N is a power of two.
    """
    sides, last = faces.shape[1], np.uint64(len(table) - 1)
    for f in range(len(faces)):
        for k in range(sides):
            a, b = faces[f, k], faces[f, k + 1 if k + 1 < sides else 0]
            if a == b:
                continue
            low, high = min(a, b), max(a, b)
            place = (np.uint64(low) * HASH_LOW ^ np.uint64(high) * HASH_HIGH) >> np.uint64(20) & last
            while table[place] >= 0:
                g, j = table[place] // sides, table[place] % sides
                c, d = faces[g, j], faces[g, j + 1 if j + 1 < sides else 0]
                if min(c, d) == low and max(c, d) == high:
                    break
                place = place + np.uint64(1) & last
            own, first = f * sides + k, table[place]
            if first < 0:
                table[place] = own
            elif twin[first] == -1:
                twin[first], twin[own] = own, first
            else:
                if twin[first] >= 0:
                    twin[twin[first]] = -2
                twin[first], twin[own] = -2, -2
