"""The corners of a surface's faces, as a mesh in Blender stores them: one face after the other."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..compute import Surface

T = TypeVar("T", bound=np.generic)
BLOCK = 1 << 16  # corners at a time, which stay in the cache


@dataclass(frozen=True)
class FaceCorners:
    """The corners of M faces with up to K corners.

    Attributes:
        faces: (M, K) int32, their points, in the order of the mesh. A triangle among quads names a corner twice.
        order: the order of the mesh's corners within each face of the surface.
        once: (M, K) bool, false where a corner is named again; None if every face has K corners.
    """

    faces: npt.NDArray[np.int32]
    order: Sequence[int]
    once: npt.NDArray[np.bool_] | None

    @classmethod
    def of(cls, surface: Surface, order: Sequence[int]) -> "FaceCorners":
        """The corners of a surface's faces, in an order that may mirror them."""
        faces = np.ascontiguousarray(_ordered(surface.faces, order)).astype(np.int32, copy=False)
        whole = surface.triangle_count() == len(faces) * (faces.shape[1] - 2)
        return cls(faces, order, None if whole else faces != np.roll(faces, -1, axis=1))

    def reordered(self, values: npt.NDArray[T]) -> npt.NDArray[T]:
        """Values (C, ...) at the mesh's corners, from those (M, K, ...) at the surface's, which are used up."""
        return self.listed(_ordered(values, self.order))

    def listed(self, values: npt.NDArray[T]) -> npt.NDArray[T]:
        """Values (C,) or (C, D) at the mesh's corners, from those (M, K) or (M, K, D) in their order, which are used
        up: they move together within their array, because new memory takes longer to get than to fill."""
        if self.once is None:
            return values.reshape(-1, *values.shape[2:])
        listed, once, stop = np.ascontiguousarray(values).reshape(-1, *values.shape[2:]), self.once.ravel(), 0
        # numpy selects single elements in runs, but rows of several one by one: here each row is an element.
        rows = listed.view(np.dtype((np.void, listed.itemsize * math.prod(values.shape[2:])))).reshape(-1)
        for start in range(0, len(rows), BLOCK):
            kept = rows[start : start + BLOCK][once[start : start + BLOCK]]
            rows[stop : stop + len(kept)] = kept
            stop += len(kept)
        return listed[:stop]

    def points(self) -> npt.NDArray[np.int32]:
        """(C,) the point of each corner."""
        return self.listed(self.faces if self.once is None else self.faces.copy()).ravel()

    def start(self) -> npt.NDArray[np.int32]:
        """(M,) the first corner of each face."""
        sides = self.faces.shape[1]
        if self.once is None:
            return np.arange(0, self.faces.size, sides, dtype=np.int32)
        corners = self.once.sum(axis=1, dtype=np.int32)
        return np.cumsum(corners, dtype=np.int32) - corners


def _ordered(values: npt.NDArray[Any], order: Sequence[int]) -> npt.NDArray[Any]:
    return values if list(order) == list(range(len(order))) else values[:, list(order)]
