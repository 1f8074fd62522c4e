"""Compiled kernels as bytes in our own cache, and in this process.

The cache holds one block of bytes for each kernel. It is checked before it is read, and says which kernel it is, and
for which processor. numba is imported only to compile a kernel that neither it nor the zip holds.
"""

import importlib
import json
import logging
import pickle
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ....runtime.cache import keep, kept, throw_away
from ....runtime.errors import UnusableFolderError
from ....runtime.progress import checkpoint
from .calling import Entry, module_name
from .emitting import machine_code, processor
from .linking import link
from .numba_start import start_llvm, start_numba
from .shipped import Lowered, shipped
from .signatures import COMPUTE, Kernel

logger = logging.getLogger(__name__)

ARRAY = re.compile(r"(readonly )?array\((\w+), (\d)d, (\w)\)")

# The name of a kernel in its code, the type of its result, and the code.
Built = tuple[str, str, bytes]

_lock = threading.RLock()
_preloaded: dict[Kernel, Built] = {}
_requested: list[Kernel] = []
_compiled_count = 0
_storage_error: UnusableFolderError | None = None


class KernelError(Exception):
    """A kernel cannot be compiled: a developer is changing it."""


def preload(kernels: Iterable[Kernel]) -> bool:
    """Read kernels from the cache for `load`. Return whether all were there and undamaged."""
    for kernel in kernels:
        content = _read(kernel)
        if content is None:
            return False
        _preloaded[kernel] = content
    return True


def load(kernel: Kernel) -> None:
    """Load a kernel of the list, or compile and keep it if it is not in the cache."""
    with _listed_rightly(kernel):
        _load(kernel, _marked(kernel))


def compile_listed(kernel: Kernel) -> None:
    """Compile a kernel of the list, and keep it."""
    with _listed_rightly(kernel):
        compile_kernel(kernel)


def load_for(marked: Any, types: str) -> Entry:
    """The code of a kernel for types of arguments that it has not been called with yet."""
    return _load(Kernel(name_of(marked.function), types), marked)


def compile_kernel(kernel: Kernel) -> Built:
    """Compile a kernel, and keep it.

    Raises:
        BackendError: numba cannot compile here.
        KernelError: it cannot compile this kernel for these types.
    """
    global _compiled_count, _storage_error  # noqa: PLW0603 - of the process
    start_llvm()
    name, result, lowered = shipped(kernel) or lower(kernel)
    content = name, result, machine_code(lowered)
    _compiled_count += 1
    try:
        keep(kernel.cache_name, pickle.dumps((processor(), (kernel.function, kernel.types), content)))
    except UnusableFolderError as error:
        _storage_error = error
    return content


def lower(kernel: Kernel) -> Lowered:
    """A kernel as numba lowers it.

    Raises:
        BackendError: numba cannot compile here.
        KernelError: it cannot compile this kernel for these types.
    """
    start_numba()
    from . import building

    try:
        return building.lower(kernel, _marked(kernel).dispatcher, types_of(kernel))
    except (AttributeError, ImportError, building.NumbaError) as error:
        raise KernelError(f"{kernel.function} cannot be compiled for {kernel.types}") from error


def requested() -> tuple[Kernel, ...]:
    """The kernels loaded or compiled in this process, in that order."""
    return tuple(_requested)


def compiled_count() -> int:
    """The number of kernels compiled in this process."""
    return _compiled_count


def storage_error() -> UnusableFolderError | None:
    """The error that kept a kernel compiled in this process out of the cache; None if there was none."""
    return _storage_error


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function, as in `Kernel`."""
    return f"{module_name(function)}.{function.__qualname__}"


def types_of(kernel: Kernel) -> tuple[Any, ...]:
    """numba's types of a kernel's arguments."""
    return tuple(_from_json(kind) for kind in json.loads(kernel.types))


@contextmanager
def _listed_rightly(kernel: Kernel) -> Iterator[None]:
    """Go on without a kernel that cannot be found or compiled. It is compiled when it is called."""
    try:
        yield
    except (AttributeError, ImportError, KernelError):
        logger.exception("%s is listed wrongly: run dev.py kernels", kernel.function)


def _load(kernel: Kernel, marked: Any) -> Entry:
    with _lock:
        if kernel.types not in marked.entries:
            checkpoint()
            content = _preloaded.pop(kernel, None) or _read(kernel)
            entry = None if content is None else _linked(kernel, content)
            marked.entries[kernel.types] = entry or _entry(kernel, *compile_kernel(kernel))
            _requested.append(kernel)
        return marked.entries[kernel.types]


def _linked(kernel: Kernel, content: Built) -> Entry | None:
    """The code from the cache in this process. Even undamaged, it may be unusable, with any exception. That must not
    stop every later job."""
    try:
        return _entry(kernel, *content)
    except Exception:
        logger.warning("a kernel cannot be loaded, and is compiled anew: %s", kernel.function, exc_info=True)
        return None


def _entry(kernel: Kernel, name: str, result: str, code: bytes) -> Entry:
    return Entry.at(kernel.function, link(name, code), result)


def _marked(kernel: Kernel) -> Any:
    """The `decorators.MarkedKernel`."""
    module, _, name = kernel.function.rpartition(".")
    return getattr(importlib.import_module(module, COMPUTE), name)


def _from_json(kind: Any) -> Any:
    from . import building

    if isinstance(kind, list):
        name, *members = kind
        module, _, name = name.rpartition(".")
        named = getattr(importlib.import_module(module, COMPUTE), name) if name else None
        return building.tuple_type(map(_from_json, members), named)
    array = ARRAY.fullmatch(kind)
    if array is None:
        return building.scalar_type(kind)
    readonly, scalar, dimensions, layout = array.groups()
    return building.array_type(scalar, dimensions, layout, bool(readonly))


def _read(kernel: Kernel) -> Built | None:
    """The compiled kernel from the cache; None if it is missing, damaged or for another processor."""
    content = kept(kernel.cache_name)
    if content is None:
        return None
    machine, held, made = pickle.loads(content)
    is_it = held == (kernel.function, kernel.types)
    if is_it and machine == processor():
        return made  # type: ignore[no-any-return]
    throw_away(kernel.cache_name, "made for another processor" if is_it else "another kernel")
    return None
