"""What a job returns, and the clock that times it."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..arrays import EqualByValue
from ..field.protocol import Backend
from ..level_set.sparse_field import SparseField
from ..model.mesh import Surface
from ..model.report import Report
from ..runtime.progress import progress_range

STAGES = ("voxelize", "sweep", "combine", "surface", "simplify")


@dataclass(frozen=True, eq=False)
class CarveResult(EqualByValue):
    """The result of a carve.

    Attributes:
        surface: the result, in world space.
        report: its figures and warnings.
        cut_face: for a kept stock, (M,) int32: the face of the sweep's body that each triangle is, or is a part of; -1
            for the stock's.
        band: the distances near the surface, with the primitives they come from; None if they were not requested. For
            checkers of types it is anything as well, because who has requested it need not ask whether it is there.
    """

    surface: Surface
    report: Report
    cut_face: npt.NDArray[np.int32] | None = None
    band: SparseField | Any = None

    def with_warnings(self, warnings: Sequence[str]) -> "CarveResult":
        """The same with further warnings in its report, each once."""
        every = tuple(dict.fromkeys((*self.report.warnings, *warnings)))
        return replace(self, report=replace(self.report, warnings=every))

    def to_trimesh(self) -> Any:
        """The surface as triangles, in a `trimesh.Trimesh`: see `Surface.to_trimesh`."""
        return self.surface.to_trimesh()

    def save(
        self,
        file: str | os.PathLike[str] | BinaryIO,
        overwrite: bool = False,
        *,
        suffix: str | None = None,
        unit: float | str = 1.0,
    ) -> None:
        """Write the surface to a file as triangles. A failed write leaves no partial file.

        Args:
            file: a path, or a file object that is open for writing bytes.
            overwrite: whether an existing file may be replaced.
            suffix: selects the format of a file object: .ply, .stl, .obj, .glb or .3mf; or .nvdb for the narrow band
                as a level set. A path has its own, which may be .vdb too.
            unit: the unit of the coordinates, which a .3mf says: its name, such as "mm", or its meters.

        Raises:
            InputError: unknown or missing suffix; unknown unit; the file exists already, or cannot be written; the
                format cannot represent the coordinates; or, for a volume, there is no narrow band, or, for a .vdb, no
                openvdb module.
        """
        from ...formats import save_result

        save_result(file, self.surface.to_tri_mesh(), self.band, overwrite, suffix, self.report.voxel_size, unit)


class Clock:
    """The seconds of a job by stage, from when it is made.

    Args:
        backend: compiles kernels meanwhile.
        stages: their names.
        loaded: seconds that loading kernels took before.
    """

    def __init__(self, backend: Backend, stages: tuple[str, ...] = STAGES, loaded: float = 0.0) -> None:
        self.seconds = dict.fromkeys(stages, 0.0)
        self._backend, self._loaded = backend, loaded
        self._began, self._compiled = time.perf_counter(), backend.compile_seconds()

    @contextmanager
    def stage(self, name: str, begin: float, end: float) -> Iterator[None]:
        """Add the time of the work in this block, without compiling, to a stage.

        It covers the range of the job from `begin` to `end`.
        """
        start, compiled = time.perf_counter(), self._backend.compile_seconds()
        try:
            with progress_range(begin, end, name.capitalize()):
                yield
        finally:
            compiled = self._backend.compile_seconds() - compiled
            self.seconds[name] += time.perf_counter() - start - compiled

    def all_seconds(self) -> dict[str, float]:
        """Those by stage, and those of the whole job so far: compute without compiling, and compile."""
        compiled = self._backend.compile_seconds() - self._compiled
        computed = time.perf_counter() - self._began - compiled
        return self.seconds | {"compute": computed, "compile": self._loaded + compiled}
