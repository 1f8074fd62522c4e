"""A tree of boxes around primitives, for kernels that look for those near a point."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

Array = npt.NDArray[np.float64]

PER_LEAF = 4


class BoxTree(NamedTuple):
    """A balanced binary tree: node k has the children 2 k + 1 and 2 k + 2. The last L nodes are the leaves.

    Attributes:
        boxes: (2 L - 1, 6) the least coordinates of all primitives below each node, and the greatest, negated.
        first: (L + 1,) int64: leaf l holds the primitives listed[first[l] : first[l + 1]].
        listed: (M,) int64.
    """

    boxes: Array
    first: npt.NDArray[np.int64]
    listed: npt.NDArray[np.int64]

    @classmethod
    def of(cls, low: Array, high: Array) -> "BoxTree":
        """The tree of primitives with boxes from low (M, 3) to high (M, 3). Without any, it has one leaf, which is
        infinitely far from everything."""
        if len(low) == 0:
            return cls(np.full((1, 6), np.inf), np.zeros(2, dtype=np.int64), np.zeros(0, dtype=np.int64))
        leaves = 1 << max(len(low) // PER_LEAF, 1).bit_length() - 1
        # The order in which a kd-tree lists its points halves them again and again.
        listed = np.asarray(scipy.spatial.cKDTree((low + high) / 2, leafsize=PER_LEAF).indices, dtype=np.int64)
        first = np.arange(leaves + 1) * len(low) // leaves
        levels = [np.minimum.reduceat(np.hstack([low, -high])[listed], first[:-1])]
        while len(levels[0]) > 1:
            levels.insert(0, np.minimum(levels[0][::2], levels[0][1::2]))
        return cls(np.concatenate(levels), first, listed)
