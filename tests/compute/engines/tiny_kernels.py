"""Two kernels that compile in a second, in the place of all: what becomes of them on disk is what becomes of those.

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

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Start:
    """What came of a process that wanted the kernels.

    Attributes:
        backend: its name, or the error.
        notes: of the backend.
        compiled: kernels that this process compiled itself.
        log: what was logged, from warnings on.
        right: whether the kernels were right, where they were loaded.
    """

    backend: str
    notes: list[str]
    compiled: int
    log: list[str]
    right: bool | None


def take_the_place() -> None:
    """Have these kernels in the place of all."""
    from voxel_carve.compute.engines.numba.compiler import loading as numba_loading
    from voxel_carve.compute.engines.numba.compiler.signatures import Kernel

    types = {"add": '["float64","float64"]', "add_all": '["array(float64, 1d, C)","float64"]'}
    tiny = [Kernel(f"tests.compute.engines.two_kernels.{name}", types[name]) for name in types]
    numba_loading.kernels_of = lambda name: tiny if name == "carve" else []


def are_right() -> bool:
    """Whether the kernels do what they say."""
    from tests.compute.engines.two_kernels import add_all

    values = np.arange(5.0)
    add_all(values, 2.0)
    return bool(np.array_equal(values, np.arange(5.0) + 2))


def start(name: str = "cpu", before: str = "") -> None:
    """Print what comes of asking for a backend, after a program has set the scene."""
    from voxel_carve.compute import BackendError, get_backend

    lines: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("voxel_carve").addHandler(handler)
    take_the_place()
    exec(before)
    try:
        backend = get_backend(name)
        found, right = (backend.name, list(backend.notes)), are_right()
    except BackendError as error:
        found, right = (str(error), []), None
    store = sys.modules.get("voxel_carve.compute.engines.numba.compiler.store")
    print(json.dumps([*found, store.compiled() if store else 0, lines, right]))


def begin(folder: Path, *arguments: str, prefix: tuple[str, ...] = (), **environment: str) -> "subprocess.Popen[str]":
    """A process that asks for a backend, with its kernels in `folder`; `arguments` are those of `start`, as Python."""
    return subprocess.Popen(
        [*prefix, sys.executable, "-c", _program("start", *arguments)],
        cwd=ROOT,
        env=_environment(folder, environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process: "subprocess.Popen[str]") -> Start:
    """What came of it."""
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return Start(*json.loads(out))


def started(folder: Path, *arguments: str, prefix: tuple[str, ...] = (), **environment: str) -> Start:
    """The same, at once."""
    return end(begin(folder, *arguments, prefix=prefix, **environment))


def _environment(folder: Path, more: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "VOXEL_CARVE_"))}
    return {**kept, "XDG_CACHE_HOME": str(folder), **more}


def _program(function: str, *arguments: str) -> str:
    found = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tests.compute.engines import tiny_kernels"
    return f"{found}\ntiny_kernels.{function}({', '.join(arguments)})"
