"""The list of kernels: their argument types, and their names in the cache.

numba compiles a kernel for the types of its arguments. `signatures.json` lists these types, so that several processes
can compile kernels in any order before anything calls them. `dev.py kernels` writes it. A kernel that is not listed is
compiled when it is first called, and cached too. Nothing here imports numba.
"""

import hashlib
import itertools
import json
import os
import platform
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from ....runtime.cache import kept_names

FILE = Path(__file__).with_suffix(".json")
COMPUTE = __package__.removesuffix(".engines.numba.compiler")  # the package that module names are relative to
# In the order of compiling: for every carve, for a mesh in Blender with its attributes, for adaptivity, and for the
# distances of single points that `verify` needs.
SETS = ("carve", "write", "merge", "exact", "slabs")


# They say what code is for, or is made with.
_VARIABLES = ("PROCESSOR_IDENTIFIER", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_ENABLE_AVX")


@dataclass(frozen=True)
class Kernel:
    """One kernel for one list of argument types.

    Attributes:
        function: its module and name; a leading dot stands for `compute`.
        types: of its arguments, as JSON: a string for a number or an array, a list for a tuple (see `calling`).
    """

    function: str
    types: str

    @property
    def cache_name(self) -> str:
        """Its name in the cache."""
        return f"{_name_prefix()}-{self._short_name}"

    @property
    def lowered_name(self) -> str:
        """The name of the file with its code as the zip brings it: see `shipped`."""
        return f"llvmlite-{metadata.version('llvmlite')}-{_sources().hex()[:16]}-{self._short_name}.bc"

    @property
    def _short_name(self) -> str:
        digest = hashlib.sha256(f"{self.function} {self.types}".encode()).hexdigest()[:8]
        return f"{self.function.rpartition('.')[2]}-{digest}"


@cache
def kernels_of(name: str) -> tuple[Kernel, ...]:
    """The kernels of a set."""
    return tuple(Kernel(function, json_text(types)) for function, types in json.loads(FILE.read_text())[name])


def missing(kernels: Iterable[Kernel]) -> list[Kernel]:
    """The kernels that are not in the cache.

    Raises:
        BackendError: the folder for compiled kernels cannot be trusted.
    """
    there = kept_names()
    return [kernel for kernel in kernels if kernel.cache_name not in there]


def json_text(types: object) -> str:
    """JSON text of types, as in `Kernel`."""
    return json.dumps(types, separators=(",", ":"))


@cache
def _name_prefix() -> str:
    """The start of all names in the cache. It identifies this code, its compiler and the processor.

    Compiled kernels call nothing of Python or numpy, so one Blender reads those that another has compiled.
    """
    versions = (metadata.version(name) for name in ("numba", "llvmlite"))
    digest = hashlib.sha256(" ".join((*versions, *_processor())).encode() + _sources())
    return f"numba-{digest.hexdigest()[:16]}"


@cache
def _sources() -> bytes:
    """A checksum of this code."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parents[3].rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.digest()


def _processor() -> list[str]:
    """A description of the processor that does not need LLVM; `emitting.processor` looks more closely.

    Machines may share a folder. A container has a new host name each time, so host names are no use.
    """
    known = [os.environ.get(name, "") for name in _VARIABLES]
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        first = itertools.takewhile(str.strip, file)
        known += [line for line in first if line.startswith(("model name", "flags", "Features", "CPU "))]
    return [platform.machine(), *known]
