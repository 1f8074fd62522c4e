"""Two kernels that compile in a second and replace all others. They are cached in the same way.

python -c "from tests.compute.engines.tiny_kernels import start; start()"
"""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.forks.forked import LIBRARIES, run_python

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Start:
    """The result of a process that asked for the kernels.

    Attributes:
        backend: its name, or the error.
        notes: notes of the backend.
        compiled: number of kernels that this process compiled itself.
        log: lines logged, warnings and above.
        right: whether the kernels gave the right result; None if they were not loaded.
    """

    backend: str
    notes: list[str]
    compiled: int
    log: list[str]
    right: bool | None


def replace_kernels() -> None:
    """Replace all kernels by these two."""
    from voxel_carve.compute.engines.numba.compiler import loading as numba_loading
    from voxel_carve.compute.engines.numba.compiler.signatures import Kernel

    types = {"add": '["float64","float64"]', "add_all": '["array(float64, 1d, C)","float64"]'}
    tiny = [Kernel(f"tests.compute.engines.two_kernels.{name}", types[name]) for name in types]
    numba_loading.kernels_of = lambda name: tiny if name == "carve" else []


def are_right() -> bool:
    """Whether the kernels give the right result."""
    from tests.compute.engines.two_kernels import add_all

    values = np.arange(5.0)
    add_all(values, 2.0)
    return bool(np.array_equal(values, np.arange(5.0) + 2))


def start(name: str = "cpu", before: str = "") -> None:
    """Print the result of asking for a backend, after the program `before` has run."""
    from voxel_carve.compute import BackendError, get_backend

    lines: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("voxel_carve").addHandler(handler)
    replace_kernels()
    exec(before)
    try:
        backend = get_backend(name)
        found, right = (backend.name, list(backend.notes)), are_right()
    except BackendError as error:
        found, right = (str(error), []), None
    store = sys.modules.get("voxel_carve.compute.engines.numba.compiler.store")
    print(json.dumps([*found, store.compiled_count() if store else 0, lines, right]))


def begin(folder: Path, *arguments: str, prefix: tuple[str, ...] = (), **environment: str) -> "subprocess.Popen[str]":
    """Start a process that asks for a backend, with its cache in `folder`. `arguments` go to `start`, as Python."""
    return subprocess.Popen(
        [*prefix, sys.executable, "-c", _program("start", *arguments)],
        cwd=ROOT,
        env=_environment(folder, environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process: "subprocess.Popen[str]") -> Start:
    """Wait for the process, and return its result."""
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return Start(*json.loads(out))


def started(folder: Path, *arguments: str, prefix: tuple[str, ...] = (), **environment: str) -> Start:
    """The result of such a process: a fork that has loaded the libraries, unless a prefix starts it."""
    if prefix:
        return end(begin(folder, *arguments, prefix=prefix, **environment))
    words = ["-c", _program("start", *arguments)]
    done = run_python(words, ROOT, _environment(folder, environment), loaded=LIBRARIES)
    assert done.returncode == 0, done.stderr.decode()
    return Start(*json.loads(done.stdout))


def _environment(folder: Path, more: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "VOXEL_CARVE_"))}
    return {**kept, "XDG_CACHE_HOME": str(folder), **more}


def _program(function: str, *arguments: str) -> str:
    found = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tests.compute.engines import tiny_kernels"
    return f"{found}\ntiny_kernels.{function}({', '.join(arguments)})"
