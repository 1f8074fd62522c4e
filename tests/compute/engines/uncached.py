"""Kernels that are compiled for one test, and not kept."""

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from voxel_carve.compute.engines.numba.compiler.building import lower
from voxel_carve.compute.engines.numba.compiler.calling import Entry, Prepared, types_as_text
from voxel_carve.compute.engines.numba.compiler.decorators import Callee, kernel
from voxel_carve.compute.engines.numba.compiler.emitting import machine_code
from voxel_carve.compute.engines.numba.compiler.linking import link
from voxel_carve.compute.engines.numba.compiler.numba_start import start_numba
from voxel_carve.compute.engines.numba.compiler.signatures import Kernel
from voxel_carve.compute.engines.numba.compiler.store import types_of


@functools.cache
def _compiled(function: Callable[..., Any], types: str) -> Entry:
    start_numba()
    # LLVM knows functions of a process by their names.
    listed = Kernel(f"{function.__module__}.{function.__qualname__}.{id(function)}", types)
    name, result, code = lower(listed, kernel(function).dispatcher, types_of(listed))
    return Entry.at(name, link(name, machine_code(code)), result)


def call_compiled(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a function that is compiled as a kernel."""
    return Prepared(_compiled(function, types_as_text(arguments)), arguments)()


def call_for_rows(call: Callee, values: Any, out: Any, *mesh: Any) -> Any:
    """Array `out` after a compiled `call(*mesh, values, n, out)` for each row n of values."""
    code = (_each_row_with_mesh if mesh else _each_row).__code__
    call_compiled(FunctionType(code, {"__name__": __name__, "call": call}), *mesh, values, out)
    return out


def call(*arguments: Any) -> None:
    """What `call_for_rows` replaces."""


def _each_row(values: Any, out: Any) -> None:
    for n in range(len(values)):
        call(values, n, out)


def _each_row_with_mesh(mesh: Any, values: Any, out: Any) -> None:
    for n in range(len(values)):
        call(mesh, values, n, out)
