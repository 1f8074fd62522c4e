"""A stock made ready, kept from one carve of it to the next."""

from dataclasses import dataclass

import numpy as np

from ..compute import PreparedStock, Progress, listening, prepare, share
from .carve_reading import CarveOptions, ReadStock

# The part of a job that making the stock ready is, about.
PREPARED = 0.2


@dataclass
class Prepared:
    """The last stock that was made ready, for as long as it serves."""

    _kept: PreparedStock | None = None
    _backend: str | None = None

    def stock(self, read: ReadStock, options: CarveOptions, progress: Progress | None = None) -> PreparedStock | None:
        """The stock of a carve, made ready; None where another process computes, or its own faces are kept, which
        takes another way.

        Args:
            read: the stock.
            options: of the carve.
            progress: as for `carve`; stops it likewise.

        Raises:
            CarveError: as `prepare`.
        """
        if options.result == "keep" or options.limits.use_process:
            return None
        backend, kept = options.limits.backend, self._kept
        if kept is None or self._backend != backend or kept.grid.voxel_size != read.voxel_size or not _same(kept, read):
            self._kept = None  # two at once would take twice the memory
            with listening(progress), share(0.0, 1.0, "Voxelize"):
                self._kept = kept = prepare(read.mesh, read.voxel_size, backend, options.limits.memory_limit)
            self._backend = backend
        return kept


def _same(kept: PreparedStock, read: ReadStock) -> bool:
    mesh = kept.mesh
    return mesh is read.mesh or (
        np.array_equal(mesh.points, read.mesh.points) and np.array_equal(mesh.triangles, read.mesh.triangles)
    )
