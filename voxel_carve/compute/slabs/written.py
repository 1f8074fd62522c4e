"""What is known of a job in slabs while its parts are made: they are written into a folder, and counted."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from ..field.protocol import Backend
from ..field.stock import PreparedStock
from ..job.result import Clock
from ..losses import Kept
from ..model.mesh import Source
from ..model.report import Report
from ..runtime.errors import InputError
from ..runtime.memory import peak_bytes
from .folder import read_part, write_part
from .making import Made, Slab, SlabJob

MOST_VERTICES = 2**31 - 1  # their indices have 32 bits


class WrittenParts:
    """What is known of the parts so far."""

    def __init__(self) -> None:
        self.slabs: list[Slab] = []
        self.files: list[Path] = []
        self.kept: list[Kept] = []
        self.vertices = self.faces = self.triangles = self.balance = self.bricks = self.estimated = 0
        self.has_cut = False
        self._volumes: list[float] = []

    @property
    def volume(self) -> float:
        """Of all parts."""
        return math.fsum(self._volumes)

    def add(self, slab: Slab, file: Path, made: Made[Any]) -> None:
        """Write the part of a slab into its file, if it is not there yet, and count what it has."""
        if made.part is not None:
            write_part(file, made.part)
        part = read_part(file)
        self.slabs.append(slab)
        self.files.append(file)
        self.kept.append(made.kept)
        self.vertices += len(part.points)
        if self.vertices > MOST_VERTICES:
            raise InputError(
                "the result has more than {most} vertices, which no file can number: use larger voxels",
                most=MOST_VERTICES,
            )
        self.faces += len(part.faces)
        self.triangles += 2 * len(part.faces) - int(np.count_nonzero(part.faces[:, 2] == part.faces[:, 3]))
        self.balance = (self.balance + part.balance) % 2**64
        self.bricks += made.bricks
        self.estimated = max(self.estimated, made.estimated)
        self.has_cut |= bool((part.source == Source.PATH).any())
        self._volumes.append(part.volume)

    def report(
        self,
        stock: PreparedStock,
        job: SlabJob,
        segments: int,
        removed: float,
        backend: Backend,
        clock: Clock,
        before: int,
        warnings: tuple[str, ...],
    ) -> Report:
        """The report of the job.

        Args:
            segments: of the sweep.    removed: the volume.    before: the resident size, in bytes, when it began.
        """
        return Report(
            operation=job.operation,
            backend=backend.name,
            device=backend.device,
            voxel_size=stock.grid.voxel_size,
            grid_shape=stock.grid.shape,
            segments=segments,
            stock_triangles=len(job.mesh.triangles),
            removed_volume=removed,
            volume=self.volume,
            vertices=self.vertices,
            faces=self.faces,
            triangles=self.triangles,
            closed=self.balance == 0,
            seconds=clock.all_seconds(),
            counts={"slabs": len(self.slabs), "bricks": self.bricks},
            estimated_memory_mb=self.estimated / 2**20,
            memory_before_mb=before / 2**20,
            peak_memory_mb=peak_bytes() / 2**20,
            warnings=tuple(dict.fromkeys(warnings)),
            triangles_before=self.triangles,
        )
