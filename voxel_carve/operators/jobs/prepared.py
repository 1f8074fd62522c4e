"""A prepared stock, kept from one carve of it to the next."""

from dataclasses import dataclass

import numpy as np

from ...compute import PreparedStock, Progress, prepare
from ...compute.runtime import progress_range, reporting_to
from ...compute.sheets import has_sheets
from .carve_reading import CarveOptions, ReadStock

# Approximate share of a job that preparing the stock takes.
PREPARE_SHARE = 0.2


@dataclass
class StockCache:
    """The last prepared stock, reused until another one is needed."""

    _kept: PreparedStock | None = None
    _backend: str | None = None
    _open_stock: str = ""

    def is_ready(self, read: ReadStock, options: CarveOptions) -> bool:
        """Whether `stock` can return the stock without preparing it."""
        kept = self._kept
        return (
            kept is not None
            and self._backend == options.limits.backend
            and self._open_stock == options.open_stock
            and kept.grid.voxel_size == read.voxel_size
            and _same(kept, read)
        )

    def stock(self, read: ReadStock, options: CarveOptions, progress: Progress | None = None) -> PreparedStock | None:
        """The prepared stock of a carve; None if `can_prepare` does not hold, or if the solid behind a sheet depends on
        the paths.

        Args:
            read: the stock.
            options: of the carve.
            progress: as for `carve`; can stop it too.

        Raises:
            CarveError: as `prepare`.
        """
        if not can_prepare(options):
            return None
        if not self.is_ready(read, options):
            if has_sheets(read.mesh, options.open_stock):
                return None
            backend = options.limits.backend
            self._kept = None  # free the old one first, to save memory
            with reporting_to(progress), progress_range(0.0, 1.0, "Voxelize"):
                self._kept = prepare(read.mesh, read.voxel_size, backend, options.limits.memory_limit)
            self._backend, self._open_stock = backend, options.open_stock
        return self._kept


def can_prepare(options: CarveOptions) -> bool:
    """Whether a carve can use a prepared stock: not in another process, not with Keep Stock, and not in several steps,
    whose grid is another."""
    return options.result != "keep" and not options.limits.use_process and not options.has_steps()


def _same(kept: PreparedStock, read: ReadStock) -> bool:
    mesh = kept.mesh
    return mesh is read.mesh or (
        np.array_equal(mesh.points, read.mesh.points) and np.array_equal(mesh.triangles, read.mesh.triangles)
    )
