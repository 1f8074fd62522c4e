"""A carve as data, and in a separate process. If that process runs out of memory, the caller survives."""

import os
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from .adaptivity.simplify import Labels
from .boolean.keep import keep_stock
from .field.protocol import Backend
from .field.stock import PreparedStock
from .job.carve import carve
from .job.result import CarveResult
from .model.mesh import TriMesh
from .model.report import ResultKind
from .model.steps import Operations
from .model.sweep import Sweep
from .runtime.child_process import Child, child_command
from .runtime.errors import InputError, MemoryLimitError
from .runtime.pipes import answer
from .runtime.progress import Progress, progress_range, reporting_to
from .runtime.sentences import Sentence
from .sheets import OpenStock, solid_of
from .verification.verify import with_accuracy

# The niceness of a job, so that the computer stays responsive.
NICENESS = 5
# The fraction of a job that carving takes if the result is verified too.
CARVED = 0.6
ENDED = Sentence(
    "the process of the job ended with status {status}, perhaps for want of memory: use larger voxels, or set a memory "
    "limit"
)


@dataclass(frozen=True)
class CarveCall:
    """The arguments of `carve` or `keep_stock`.

    Attributes:
        kind: "keep" to keep the stock, where that is possible; "remesh" to remesh it.
        verify: whether the result is measured.
        half_width: of the narrow band of a remeshed stock; 0 for none.
        open_stock, close: as for `carve`.
    """

    stock: TriMesh | PreparedStock
    sweep: Sweep
    voxel_size: float
    operation: Operations
    tolerance: float
    labels: Labels | None
    backend: str | Backend | None
    memory_limit: int | None
    kind: ResultKind = "remesh"
    verify: bool = False
    half_width: float = 0.0
    open_stock: OpenStock = "automatic"
    close: bool = False

    def run(self, progress: Progress | None) -> CarveResult:
        """Carve in this process. The reported progress never decreases.

        Raises:
            CarveError: as `carve` and `keep_stock`, or out of memory.
        """
        try:
            with reporting_to(progress):
                return self._run()
        except MemoryLimitError:
            raise
        except MemoryError as error:
            raise InputError("memory ran out while carving: choose larger voxels, or a lower memory limit") from error

    def _run(self) -> CarveResult:
        if not self.verify:
            return self._carve()
        with progress_range(0.0, CARVED, "Start"):
            result = self._carve()
        with progress_range(CARVED, 1.0, "Verify"):
            solid = solid_of(self._mesh(), self.sweep, self.voxel_size, self.open_stock)
            stock = self._mesh() if solid is None else solid.mesh
            return with_accuracy(result, stock, self.sweep, self.operation, memory_limit=self.memory_limit)

    def _carve(self) -> CarveResult:
        if self.kind == "keep":
            job = partial(keep_stock, self._mesh())
        else:
            job = partial(carve, self.stock, half_width=self.half_width)
        return job(
            self.sweep,
            voxel_size=self.voxel_size,
            operation=self.operation,
            tolerance=self.tolerance,
            labels=self.labels,
            backend=self.backend,
            memory_limit=self.memory_limit,
            verified=self.verify,
            open_stock=self.open_stock,
            close=self.close,
        )

    def _mesh(self) -> TriMesh:
        return self.stock.mesh if isinstance(self.stock, PreparedStock) else self.stock


def run_apart(call: CarveCall, progress: Progress) -> CarveResult:
    """Carve in a separate process, which is killed if `progress` raises.

    Args:
        call: the arguments.
        progress: as for `carve`; called several times a second.

    Raises:
        CarveError: as `carve`; or the process could not start, or ended early.
    """
    at = ("Start", 0.0)

    def told(*news: Any) -> None:
        nonlocal at
        at = news or at
        progress(*at)

    with Child(child_command(__name__, serve.__name__), Sentence("job"), ENDED) as child:
        return cast(CarveResult, child.ask(call, told))


def serve() -> None:
    """The main function of the separate process, which is asked for the result of a call."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    answer(lambda call, told: call.run(told))
