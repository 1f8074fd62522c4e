"""A stock made ready, kept from one carve of it to the next."""

from dataclasses import dataclass

import numpy as np

from ...compute import PreparedStock, Progress, listening, prepare, share
from .carve_reading import CarveOptions, ReadStock

# The part of a job that making the stock ready is, about.
PREPARED = 0.2


@dataclass
class Prepared:
    """The last stock that was made ready, for as long as it serves."""

    _kept: PreparedStock | None = None
    _backend: str | None = None

    def is_ready(self, read: ReadStock, options: CarveOptions) -> bool:
        """Whether `stock` has what it gives already."""
        kept = self._kept
        return (
            kept is not None
            and self._backend == options.limits.backend
            and kept.grid.voxel_size == read.voxel_size
            and _same(kept, read)
        )

    def stock(self, read: ReadStock, options: CarveOptions, progress: Progress | None = None) -> PreparedStock | None:
        """The stock of a carve, made ready; None where `can_prepare` says that this is for the carve to do.

        Args:
            read: the stock.
            options: of the carve.
            progress: as for `carve`; stops it likewise.

        Raises:
            CarveError: as `prepare`.
        """
        if not can_prepare(options):
            return None
        if not self.is_ready(read, options):
            backend = options.limits.backend
            self._kept = None  # two at once would take twice the memory
            with listening(progress), share(0.0, 1.0, "Voxelize"):
                self._kept = prepare(read.mesh, read.voxel_size, backend, options.limits.memory_limit)
            self._backend = backend
        return self._kept


def can_prepare(options: CarveOptions) -> bool:
    """Whether a carve takes a stock made ready: not in another process, nor where the stock's own faces are kept."""
    return options.result != "keep" and not options.limits.use_process


def _same(kept: PreparedStock, read: ReadStock) -> bool:
    mesh = kept.mesh
    return mesh is read.mesh or (
        np.array_equal(mesh.points, read.mesh.points) and np.array_equal(mesh.triangles, read.mesh.triangles)
    )
