"""Compiled kernels as bytes in our own cache, instead of numba's cache files.

numba keeps two files for each kernel and does not check that they are complete. A damaged file ends the process, even
inside LLVM. Our cache holds one block of bytes for each kernel. It is checked before it is read, and says which kernel
it is, and for which processor.
"""

import importlib
import json
import logging
import pickle
import re
from collections.abc import Callable, Iterable
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.extending import is_jitted

from ....runtime.cache import keep, kept, throw_away
from ....runtime.errors import UnusableFolderError
from ....runtime.progress import checkpoint
from .signatures import COMPUTE, Kernel, json_text

logger = logging.getLogger(__name__)

ARRAY = re.compile(r"(readonly )?array\((\w+), (\d)d, (\w)\)")

# numba does not annotate these.
_RESULT: Any = CompileResult
_DUMPS: Callable[[object], bytes] = dumps
_IS_KERNEL: Any = is_jitted
_TYPES: Any = types

_preloaded: dict[Kernel, bytes] = {}
_requested: list[Kernel] = []
_compiled_count = 0
_storage_error: UnusableFolderError | None = None


class _Store(NullCache):  # type: ignore[misc]
    """The cache of one function. numba looks here before it compiles, and saves here afterwards."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = name_of(function)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for these types; None makes numba compile it."""
        checkpoint()
        kernel = Kernel(self._function, types_as_text(sig))
        _requested.append(kernel)
        content = _preloaded.pop(kernel, None) or _read(kernel)
        if content is None:
            return None
        target_context.refresh()
        # Even an undamaged kernel may fail to load, with any exception. That must not stop every later job.
        try:
            return _RESULT._rebuild(target_context, *pickle.loads(content))
        except Exception:
            logger.warning("a kernel cannot be loaded, and is compiled anew: %s", self._function, exc_info=True)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Cache a compiled kernel, unless it contains addresses of this process."""
        if data.library.has_dynamic_globals:
            return
        global _compiled_count, _storage_error  # noqa: PLW0603 - of the process
        kernel = Kernel(self._function, types_as_text(sig))
        _compiled_count += 1
        try:
            keep(kernel.cache_name, _DUMPS((_processor(), (kernel.function, kernel.types), _DUMPS(data._reduce()))))
        except UnusableFolderError as error:
            _storage_error = error


def stored(kernel: Any) -> Any:
    """Make numba cache a kernel here."""
    if _IS_KERNEL(kernel):  # false if NUMBA_DISABLE_JIT is set
        kernel._cache = _Store(kernel.py_func)
    return kernel


def preload(kernels: Iterable[Kernel]) -> bool:
    """Read kernels from the cache for `load`. Return whether all were there and undamaged."""
    for kernel in kernels:
        content = _read(kernel)
        if content is None:
            return False
        _preloaded[kernel] = content
    return True


def load(kernel: Kernel) -> None:
    """Load a kernel, or compile and cache it if it is not in the cache."""
    module, _, name = kernel.function.rpartition(".")
    try:
        function: Any = getattr(importlib.import_module(module, COMPUTE), name)
        function.compile(types_of(kernel))
    except (AttributeError, ImportError, numba.errors.NumbaError):
        # A developer is changing this kernel. It is compiled when it is called.
        logger.exception("%s is listed wrongly: run dev.py kernels", kernel.function)


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
    return f"{_module_name(function)}.{function.__qualname__}"


def types_as_text(signature: Iterable[Any]) -> str:
    """numba's types as text, as in `Kernel`."""
    return json_text([_to_json(kind) for kind in signature])


def types_of(kernel: Kernel) -> tuple[Any, ...]:
    """numba's types of a kernel's arguments."""
    return tuple(_from_json(kind) for kind in json.loads(kernel.types))


def _to_json(kind: Any) -> Any:
    """A tuple as a list of its class, empty for a plain tuple, and its members; other types as numba prints them."""
    if not isinstance(kind, types.BaseTuple):
        return str(kind)
    named = getattr(kind, "instance_class", tuple)
    name = "" if named is tuple else f"{_module_name(named)}.{named.__qualname__}"
    return [name, *map(_to_json, kind.types)]  # type: ignore[attr-defined]


def _from_json(kind: Any) -> Any:
    if isinstance(kind, list):
        name, *members = kind
        module, _, name = name.rpartition(".")
        named = getattr(importlib.import_module(module, COMPUTE), name) if name else None
        return _TYPES.BaseTuple.from_types(tuple(map(_from_json, members)), named)
    array = ARRAY.fullmatch(kind)
    if array is None:
        return numba.from_dtype(np.dtype(kind))
    readonly, scalar, dimensions, layout = array.groups()
    return _TYPES.Array(_from_json(scalar), int(dimensions), layout, readonly=bool(readonly))


def _module_name(thing: Any) -> str:
    """The module of a thing, relative to `compute`, which has another name in an extension."""
    module = str(thing.__module__)
    return module.removeprefix(COMPUTE) if module.startswith(f"{COMPUTE}.") else module


def _read(kernel: Kernel) -> bytes | None:
    """The compiled kernel from the cache; None if it is missing, damaged or for another processor."""
    content = kept(kernel.cache_name)
    if content is None:
        return None
    machine, held, made = pickle.loads(content)
    is_it = held == (kernel.function, kernel.types)
    if is_it and machine == _processor():
        return bytes(made)
    throw_away(kernel.cache_name, "made for another processor" if is_it else "another kernel")
    return None


def _processor() -> tuple[str, ...]:
    """The processor and features that numba compiles for."""
    return tuple(cpu_target.target_context.codegen().magic_tuple())
