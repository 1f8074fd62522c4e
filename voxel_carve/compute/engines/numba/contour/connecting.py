"""What is connected: numbered things, of which groups are linked (union and find: Tarjan 1975)."""

import numpy as np
import numpy.typing as npt

from ..compiler.decorators import kernel, subroutine
from .overlaps import Numbers


def least_linked(groups: npt.NDArray[np.integer], count: int) -> Numbers:
    """(count,) for each of `count` things the least that it is connected with, by groups (G, K) of linked ones.

    Numbers below 0 in a group link nothing.
    """
    root = np.arange(count, dtype=np.int32)
    link(groups, root)
    return root


def linked_parts(groups: npt.NDArray[np.integer], count: int) -> Numbers:
    """(count,) the connected part of each of `count` things. See `least_linked`. Parts are in order of their least."""
    root = least_linked(groups, count)
    number = np.cumsum(root == np.arange(count), dtype=np.int32) - np.int32(1)
    return np.asarray(number[root])


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
        for k in range(1, groups.shape[1]):
            if groups[g, 0] >= 0 and groups[g, k] >= 0:
                one, other = root_of(root, groups[g, 0]), root_of(root, groups[g, k])
                root[max(one, other)] = min(one, other)
    for v in range(len(root)):
        root[v] = root_of(root, v)
