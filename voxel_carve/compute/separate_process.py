"""A carve as data, and in a separate process. If that process runs out of memory, the caller survives."""

import os
import pickle
import queue
import subprocess
import sys
import threading
from dataclasses import dataclass
from functools import partial
from typing import IO, Any, cast

from .adaptivity.simplify import Labels
from .boolean.keep import Cut, MeshBoolean, Points, keep_stock
from .field.protocol import Backend
from .field.stock import PreparedStock
from .job.carve import CarveResult, carve
from .model.combining import Operation
from .model.mesh import Surface, TriMesh
from .model.sweep import Sweep
from .runtime.child_process import NO_WINDOW, child_command
from .runtime.errors import CarveError, InputError, MemoryLimitError
from .runtime.progress import Progress, progress_range, reporting_to
from .verification.verify import with_accuracy

# The niceness of a job, so that the computer stays responsive.
NICENESS = 5
# The fraction of a job that carving takes if the result is verified too.
CARVED = 0.6
# Seconds between two checks whether the job is cancelled.
LOOK_EVERY = 0.1


@dataclass(frozen=True)
class CarveCall:
    """The arguments of `carve` or `keep_stock`.

    Attributes:
        wrong_edges: of the boolean's stock, to keep the stock; None to remesh it.
        verify: whether the result is measured.
    """

    stock: TriMesh | PreparedStock
    sweep: Sweep
    voxel_size: float
    operation: Operation
    tolerance: float
    labels: Labels | None
    backend: str | Backend | None
    memory_limit: int | None
    wrong_edges: Points | None = None
    verify: bool = False

    def run(self, progress: Progress | None, boolean: MeshBoolean | None = None) -> CarveResult:
        """Carve in this process. With a boolean, keep the stock. The reported progress never decreases.

        Raises:
            CarveError: as `carve` and `keep_stock`, or out of memory.
        """
        try:
            with reporting_to(progress):
                return self._run(boolean)
        except MemoryLimitError:
            raise
        except MemoryError as error:
            raise InputError("memory ran out while carving: choose larger voxels, or a lower memory limit") from error

    def _run(self, boolean: MeshBoolean | None) -> CarveResult:
        if not self.verify:
            return self._carve(boolean)
        with progress_range(0.0, CARVED, "Start"):
            result = self._carve(boolean)
        with progress_range(CARVED, 1.0, "Verify"):
            return with_accuracy(result, self._mesh(), self.sweep, memory_limit=self.memory_limit)

    def _carve(self, boolean: MeshBoolean | None) -> CarveResult:
        job = partial(carve, self.stock) if boolean is None else partial(keep_stock, self._mesh(), boolean=boolean)
        return job(
            self.sweep,
            voxel_size=self.voxel_size,
            operation=self.operation,
            tolerance=self.tolerance,
            labels=self.labels,
            backend=self.backend,
            memory_limit=self.memory_limit,
            verified=self.verify,
        )

    def _mesh(self) -> TriMesh:
        return self.stock.mesh if isinstance(self.stock, PreparedStock) else self.stock


def run_apart(call: CarveCall, progress: Progress, boolean: MeshBoolean | None = None) -> CarveResult:
    """Carve in a separate process, which is killed if `progress` raises.

    Args:
        call: the arguments.
        progress: as for `carve`; called several times a second.
        boolean: of the stock, to keep it. It is called in this process.

    Raises:
        CarveError: as `carve`; or the process could not start, or ended early.
    """
    command = child_command(__name__, "serve")
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, creationflags=NO_WINDOW)
    except OSError as error:
        raise CarveError(f"no process could be started for the job ({error})") from error
    try:
        return _served(process, call, progress, boolean)
    finally:
        process.kill()
        process.wait()


def serve() -> None:
    """The main function of the separate process: read a call from standard input, and answer on standard output."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    call: CarveCall = pickle.load(questions)
    boolean = None if call.wrong_edges is None else _DistantBoolean(call.wrong_edges, questions, answers)
    try:
        result = call.run(lambda stage, fraction: _send(answers, ("progress", stage, fraction)), boolean)
    except Exception as error:
        _send(answers, ("failed", error))
    else:
        _send(answers, ("done", result))


def _served(
    process: "subprocess.Popen[bytes]", call: CarveCall, progress: Progress, boolean: MeshBoolean | None
) -> CarveResult:
    questions, answers = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
    heard: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(answers, heard), daemon=True).start()
    at = ("Start", 0.0)
    try:
        _send(questions, call)
        while True:
            try:
                kind, *rest = heard.get(timeout=LOOK_EVERY)
            except queue.Empty:
                kind, rest = "progress", [*at]
            if kind == "progress":
                at = (rest[0], rest[1])
                progress(*at)
            elif kind == "boolean" and boolean is not None:
                _send(questions, boolean(*rest))
            elif kind == "done":
                return cast(CarveResult, rest[0])
            elif kind == "failed":
                raise rest[0]
            else:
                raise EOFError
    except EOFError:
        status = process.wait()
        raise CarveError(
            f"the process of the job ended with status {status}, perhaps for want of memory: use larger voxels, "
            "or set a memory limit"
        ) from None


def _listen(answers: IO[bytes], heard: "queue.SimpleQueue[tuple[Any, ...]]") -> None:
    """Pass on the messages of the process until it ends."""
    try:
        while True:
            heard.put(pickle.load(answers))
    except (EOFError, OSError, ValueError, pickle.UnpicklingError):
        heard.put(("ended",))
    except Exception as error:  # such as too little memory for the result
        heard.put(("failed", error))


def _send(stream: IO[bytes], message: object) -> None:
    """Send a message to another process. Raises EOFError if that has ended."""
    try:
        pickle.dump(message, stream, protocol=pickle.HIGHEST_PROTOCOL)
        stream.flush()
    except OSError as error:  # a broken pipe, under several names
        raise EOFError from error


@dataclass(frozen=True)
class _DistantBoolean:
    """The boolean of the parent process, called through the pipes."""

    edges: Points
    questions: IO[bytes]
    answers: IO[bytes]

    def wrong_edges(self) -> Points:
        return self.edges

    def __call__(self, tool: Surface, operation: Operation) -> Cut:
        _send(self.answers, ("boolean", tool, operation))
        cut: Cut = pickle.load(self.questions)
        return cut
