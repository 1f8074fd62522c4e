"""numba's compiled kernels as bytes in our cache, in place of the files in which numba itself would keep them.

numba keeps two files for each kernel, reads them by their paths, and does not look whether they are whole: what is
damaged there ends the process, in LLVM too. Here a kernel is one piece of bytes, which is checked before any of it is
looked at, and says which kernel it is, and for which processor.
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
from .signatures import COMPUTE, Kernel, as_text

logger = logging.getLogger(__name__)

ARRAY = re.compile(r"(readonly )?array\((\w+), (\d)d, (\w)\)")

# numba's types do not say what a cache needs of them.
_RESULT: Any = CompileResult
_DUMPS: Callable[[object], bytes] = dumps
_IS_KERNEL: Any = is_jitted
_TYPES: Any = types

_at_hand: dict[Kernel, bytes] = {}
_asked: list[Kernel] = []
_compiled = 0
_not_kept: UnusableFolderError | None = None


class _Store(NullCache):  # type: ignore[misc]
    """What numba asks for a kernel before it compiles it, and hands it to afterwards."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = name_of(function)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for these types; None has numba compile it."""
        checkpoint()
        kernel = Kernel(self._function, told(sig))
        _asked.append(kernel)
        content = _at_hand.pop(kernel, None) or _read(kernel)
        if content is None:
            return None
        target_context.refresh()
        # What numba raises of a whole one is not to be foreseen, and must not stop each job from now on.
        try:
            return _RESULT._rebuild(target_context, *pickle.loads(content))
        except Exception:
            logger.warning("a kernel cannot be loaded, and is compiled anew: %s", self._function, exc_info=True)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a kernel that was compiled, but for one that knows addresses of this process."""
        if data.library.has_dynamic_globals:
            return
        global _compiled, _not_kept  # noqa: PLW0603 - of the process
        kernel = Kernel(self._function, told(sig))
        _compiled += 1
        try:
            keep(kernel.kept_name, _DUMPS((_machine(), (kernel.function, kernel.types), _DUMPS(data._reduce()))))
        except UnusableFolderError as error:
            _not_kept = error


def stored(kernel: Any) -> Any:
    """A kernel that numba is to compile once for all processes."""
    if _IS_KERNEL(kernel):  # not, where numba is told not to compile
        kernel._cache = _Store(kernel.py_func)
    return kernel


def read(kernels: Iterable[Kernel]) -> bool:
    """Have kernels at hand for `load`; whether all were in the cache, and whole."""
    for kernel in kernels:
        content = _read(kernel)
        if content is None:
            return False
        _at_hand[kernel] = content
    return True


def load(kernel: Kernel) -> None:
    """Have numba load a kernel, or compile and keep it where the cache does not hold it."""
    module, _, name = kernel.function.rpartition(".")
    try:
        function: Any = getattr(importlib.import_module(module, COMPUTE), name)
        function.compile(types_of(kernel))
    except (AttributeError, ImportError, numba.errors.NumbaError):
        # While a kernel is being changed. What it is called with is compiled then.
        logger.exception("%s is listed wrongly: run dev.py kernels", kernel.function)


def asked() -> tuple[Kernel, ...]:
    """The kernels that were loaded or compiled in this process, in this order."""
    return tuple(_asked)


def compiled() -> int:
    """How many kernels were compiled in this process."""
    return _compiled


def why_not_kept() -> UnusableFolderError | None:
    """What kept a kernel that was compiled in this process from being kept; None where all were."""
    return _not_kept


def name_of(function: Callable[..., Any]) -> str:
    """What `Kernel` calls a function."""
    return f"{_module_name(function)}.{function.__qualname__}"


def told(signature: Iterable[Any]) -> str:
    """numba's types as `Kernel` has them."""
    return as_text([_told(kind) for kind in signature])


def types_of(kernel: Kernel) -> tuple[Any, ...]:
    """The types of a kernel's arguments, as numba has them."""
    return tuple(_type(kind) for kind in json.loads(kernel.types))


def _told(kind: Any) -> Any:
    """A list of the class and the members for a tuple, where a plain one has no class; else what numba says."""
    if not isinstance(kind, types.BaseTuple):
        return str(kind)
    named = getattr(kind, "instance_class", tuple)
    name = "" if named is tuple else f"{_module_name(named)}.{named.__qualname__}"
    return [name, *map(_told, kind.types)]  # type: ignore[attr-defined]


def _type(kind: Any) -> Any:
    if isinstance(kind, list):
        name, *members = kind
        module, _, name = name.rpartition(".")
        named = getattr(importlib.import_module(module, COMPUTE), name) if name else None
        return _TYPES.BaseTuple.from_types(tuple(map(_type, members)), named)
    array = ARRAY.fullmatch(kind)
    if array is None:
        return numba.from_dtype(np.dtype(kind))
    readonly, scalar, dimensions, layout = array.groups()
    return _TYPES.Array(_type(scalar), int(dimensions), layout, readonly=bool(readonly))


def _module_name(thing: Any) -> str:
    """Of a module below `compute`, from the dot on: in an extension, `compute` has another name."""
    module = str(thing.__module__)
    return module.removeprefix(COMPUTE) if module.startswith(f"{COMPUTE}.") else module


def _read(kernel: Kernel) -> bytes | None:
    """What numba made of a kernel; None where the cache does not hold it whole, and for this processor."""
    content = kept(kernel.kept_name)
    if content is None:
        return None
    machine, held, made = pickle.loads(content)
    is_it = held == (kernel.function, kernel.types)
    if is_it and machine == _machine():
        return bytes(made)
    throw_away(kernel.kept_name, "made for another processor" if is_it else "another kernel")
    return None


def _machine() -> tuple[str, ...]:
    """Processor and features for which numba compiles."""
    return tuple(cpu_target.target_context.codegen().magic_tuple())
