"""Marks for kernels and for what they call, and constants that kernels share.

A kernel is compiled by numba once on a machine. Its code is kept (see `store`), and called without numba, which is not
imported then.
"""

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from ....model.bricks import NO_PRIMITIVE, REACH
from .calling import Entry, Prepared, key_of, types_as_text
from .store import load_for

ONE = np.float32(1.0)
CLAMP = np.float32(REACH)
NONE = np.int32(NO_PRIMITIVE)


class Callee(ABC):
    """Something that kernels call."""

    @property
    @abstractmethod
    def dispatcher(self) -> Any:
        """It, as numba knows it."""


@dataclass(frozen=True, eq=False)
class Marked(Callee):
    """A function that numba compiles with a kernel that needs it.

    Attributes:
        function: as it is written. It may name other things of this kind.
        options: numba's.
    """

    function: Callable[..., Any]
    options: Mapping[str, Any]

    @functools.cached_property
    def dispatcher(self) -> Any:
        """See `Callee`."""
        from .lowering import dispatcher_of

        written: Any = self.function
        known = {name: written.__globals__.get(name) for name in written.__code__.co_names}
        called = {name: value.dispatcher for name, value in known.items() if isinstance(value, Callee)}
        bound = FunctionType(written.__code__, written.__globals__ | called, written.__name__, written.__defaults__)
        functools.update_wrapper(bound, written)
        del bound.__dict__["__wrapped__"]
        return dispatcher_of(bound, **self.options)


@dataclass(frozen=True, eq=False)
class MarkedKernel(Marked):
    """A kernel. Python calls it, or prepares it for many calls.

    Attributes:
        entries: the code for the types of arguments that are known so far: see `calling.types_as_text`.
        known: the same, by `calling.key_of`.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    known: dict[Any, Entry] = field(default_factory=dict)

    def prepared(self, *arguments: Any) -> Prepared:
        """The kernel with its arguments, which are read once.

        Raises:
            BackendError: there is no kernel for their types yet, and it cannot be compiled.
        """
        key = key_of(arguments)
        entry = self.known.get(key)
        if entry is None:
            entry = self.known[key] = load_for(self, types_as_text(arguments))
        return Prepared(entry, arguments)

    def __call__(self, *arguments: Any) -> Any:
        """The result of one call."""
        return self.prepared(*arguments)()


def kernel(function: Callable[..., Any]) -> MarkedKernel:
    """Mark a function that Python calls for the rows `start` to `stop`, and keep its code for all processes.

    Several threads call it at once. It writes into its arguments, and neither it nor what it calls makes arrays. So
    references to arrays need not be counted. Counting takes more than a third of the time if a function is called for
    each vertex, and more than a third of the time to compile.
    """
    return MarkedKernel(function, _CALLED)


def subroutine(function: Callable[..., Any]) -> Any:
    """Mark a function that kernels call. It is kept only as part of a kernel.

    It is called from what LLVM inlines too: numba would hand the wish to be inlined down.
    """
    return Marked(function, _CALLED)


def inlined(function: Callable[..., Any]) -> Any:
    """Mark a function that LLVM inlines, once a kernel is whole."""
    return Marked(function, _CALLED | {"forceinline": True})


_CALLED = {"_nrt": False, "forceinline": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
