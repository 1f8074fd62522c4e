"""The compiled kernels: which there are, for arguments of which types, and by what names they are kept.

numba compiles a kernel for the types of its arguments. `signatures.json` lists them, so that kernels can be
compiled before anything calls them, in any order and by several processes. `dev.py kernels` writes it. A
kernel that is not listed is compiled when it is first called, and kept all the same. Nothing here imports numba.
"""

import hashlib
import itertools
import json
import os
import platform
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from ....runtime.cache import kept_names

FILE = Path(__file__).with_suffix(".json")
COMPUTE = __package__.removesuffix(".engines.numba.compiler")  # what the names of modules are below
# In the order in which they are compiled: for every carve, for adaptivity, for a mesh in Blender with its attributes.
SETS = ("carve", "merge", "write")


@dataclass(frozen=True)
class Kernel:
    """One kernel for arguments of some types.

    Attributes:
        function: its module, below `compute` where it begins with a dot, and its name.
        types: of its arguments, as JSON: a string for a number or an array, a list for a tuple (see `store`).
    """

    function: str
    types: str

    @property
    def kept_name(self) -> str:
        """What it is called in the cache."""
        digest = hashlib.sha256(f"{self.function} {self.types}".encode()).hexdigest()[:8]
        return f"{_code()}-{self.function.rpartition('.')[2]}-{digest}"


@cache
def kernels_of(name: str) -> tuple[Kernel, ...]:
    """The kernels of a set."""
    return tuple(Kernel(function, as_text(types)) for function, types in json.loads(FILE.read_text())[name])


def missing(kernels: Iterable[Kernel]) -> list[Kernel]:
    """Those of some kernels that the cache does not hold.

    Raises:
        BackendError: the folder for compiled kernels cannot be trusted.
    """
    there = kept_names()
    return [kernel for kernel in kernels if kernel.kept_name not in there]


def as_text(types: object) -> str:
    """Types as `Kernel` has them."""
    return json.dumps(types, separators=(",", ":"))


@cache
def _code() -> str:
    """What the names of all kernels of just this code, Python and processor begin with."""
    versions = (metadata.version(name) for name in ("numba", "llvmlite", "numpy"))
    digest = hashlib.sha256(" ".join((sys.version, *versions, __name__, *_processor())).encode())
    for file in sorted(Path(__file__).parents[3].rglob("*.py")):
        digest.update(file.read_bytes())
    return f"numba-{digest.hexdigest()[:16]}"


def _processor() -> list[str]:
    """What can be told of the processor without numba: machines may share a folder, and a container has a new name
    each time. `store` looks more closely."""
    known = [os.environ.get(name, "") for name in ("PROCESSOR_IDENTIFIER", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")]
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        first = itertools.takewhile(str.strip, file)
        known += [line for line in first if line.startswith(("model name", "flags", "Features", "CPU "))]
    return [platform.machine(), *known]
