"""numba's compiled kernels as bytes, in place of the files in which numba itself would keep them.

numba keeps two files for each kernel, reads them by their paths, and does not look whether they are whole: what is
damaged there ends the process, in LLVM too. Here a whole set of kernels is one piece of bytes, which is checked before
any of it is looked at.
"""

import logging
import pickle
from collections.abc import Callable
from typing import Any

from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.extending import is_jitted

from .progress import checkpoint

logger = logging.getLogger(__name__)

# numba's types do not say what a cache needs of them.
_RESULT: Any = CompileResult
_DUMPS: Callable[[object], bytes] = dumps
_IS_KERNEL: Any = is_jitted

# (Module, name and line of a function, types of its arguments) -> the kernel, pickled.
_kernels: dict[tuple[Any, ...], bytes] = {}
_compiled = 0


class _Store(NullCache):  # type: ignore[misc]
    """What numba asks for a kernel before it compiles it, and hands it to afterwards."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = function.__module__, function.__qualname__, function.__code__.co_firstlineno

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for these types; None has numba compile it."""
        checkpoint()
        kernel = _kernels.get((*self._name, sig))
        if kernel is None:
            return None
        target_context.refresh()
        # What numba raises of a whole one is not to be foreseen, and must not stop each job from now on.
        try:
            return _RESULT._rebuild(target_context, *pickle.loads(kernel))
        except Exception:
            logger.warning("a kernel cannot be loaded, and is compiled anew: %s", self._name, exc_info=True)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Hold on to a kernel that was compiled, but for one that knows addresses of this process."""
        if data.library.has_dynamic_globals:
            return
        global _compiled  # noqa: PLW0603 - a count of the process
        _compiled += 1
        _kernels[*self._name, sig] = _DUMPS(data._reduce())


def stored(kernel: Any) -> Any:
    """A kernel that numba is to compile once for all processes."""
    if _IS_KERNEL(kernel):  # not, where numba is told not to compile
        kernel._cache = _Store(kernel.py_func)
    return kernel


def unpack(content: bytes) -> bool:
    """Have the kernels that `pack` packed at hand; False, and nothing, where they are for another processor."""
    machine, kernels = pickle.loads(content)
    if machine != _machine():
        return False
    _kernels.update(kernels)
    return True


def pack() -> bytes:
    """All kernels that were compiled in this process, or are at hand."""
    return _DUMPS((_machine(), _kernels))


def forget() -> None:
    """Have none at hand any more: numba has loaded them."""
    _kernels.clear()


def compiled() -> int:
    """How many kernels were compiled in this process."""
    return _compiled


def _machine() -> tuple[str, ...]:
    """Processor and features for which numba compiles."""
    return tuple(cpu_target.target_context.codegen().magic_tuple())
