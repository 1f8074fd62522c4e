"""Kernels that numba lowers to code that needs neither numba nor Python: see `calling` for how it is called."""

from collections.abc import Iterable
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba.core import types

from .calling import OK, RESULTS, module_name
from .lowering import lowered
from .shipped import Lowered
from .signatures import Kernel, json_text

# numba does not annotate these.
NumbaError: type[Exception] = numba.errors.NumbaError  # type: ignore[attr-defined]
_TYPES: Any = types
_SLOT, _STATUS = ir.IntType(64), ir.IntType(32)
RESULT_TYPES = {"none", "int64", "uint64", "float64"}


def lower(kernel: Kernel, dispatcher: Any, arguments: Iterable[Any]) -> Lowered:
    """Lower a kernel for types of arguments to LLVM's code.

    Raises:
        TypeError: it holds addresses of this process, calls numba's own functions with arrays, or returns what slots do
            not hold.
        NumbaError: numba cannot compile it, as with another number of arguments.
    """
    try:
        dispatcher.compile(tuple(arguments))
    except TypeError as error:
        raise NumbaError(str(error)) from error
    made = dispatcher.overloads[tuple(arguments)]
    if made.library.has_dynamic_globals:
        raise TypeError(f"{kernel.function} needs what only this process has")
    result = type_as_json(made.signature.return_type)
    parts = result[1:] if isinstance(result, list) else [result]
    if len(parts) > RESULTS or not {*parts} <= RESULT_TYPES:
        raise TypeError(f"{kernel.function} returns {result}")
    name = f"voxel_carve_{kernel.cache_name.rpartition('-')[2]}"
    code = lowered(made)
    if foreign := _called_with_arrays(code):
        raise TypeError(f"{kernel.function} calls {foreign}, which numba compiles with arrays of another form")
    codegen = made.target_context.codegen()
    code.link_in(llvm.parse_assembly(str(_entry(codegen.create_library(name), name, made))))
    # What two kernels both call is in the code of both.
    for defined in (*code.functions, *code.global_variables):
        if not defined.is_declaration and defined.name != name:
            defined.linkage = llvm.Linkage.internal
    return name, json_text(result), code.as_bitcode()


def _called_with_arrays(code: Any) -> list[str]:
    """The functions of numba itself that take arrays. Ours take them as `lowering` says.

    Each function takes two pointers: to its result, and to its error.
    """
    numbas = (each for each in code.functions if not each.is_declaration and each.name.startswith("_ZN5numba"))
    return [each.name for each in numbas if sum(a.type.is_pointer for a in each.arguments) > 2]


def type_as_json(kind: Any) -> Any:
    """A tuple as a list of its class, empty for a plain tuple, and its members; other types as numba prints them."""
    if not isinstance(kind, types.BaseTuple):
        return str(kind)
    named = getattr(kind, "instance_class", tuple)
    name = "" if named is tuple else f"{module_name(named)}.{named.__qualname__}"
    return [name, *map(type_as_json, kind.types)]  # type: ignore[attr-defined]


def array_type(scalar: str, dimensions: str, layout: str, is_readonly: bool) -> Any:
    """numba's type of an array."""
    return _TYPES.Array(scalar_type(scalar), int(dimensions), layout, readonly=is_readonly)


def scalar_type(name: str) -> Any:
    """numba's type of a number."""
    return numba.from_dtype(np.dtype(name))


def tuple_type(members: Iterable[Any], named: type | None) -> Any:
    """numba's type of a tuple, which has a class or none."""
    return _TYPES.BaseTuple.from_types(tuple(members), named)


def _entry(library: Any, name: str, made: Any) -> Any:
    """A function that reads the arguments of a compiled kernel from slots, and calls it: once, or for runs of rows that
    it takes. See `calling`."""
    module = library.create_ir_module(name)
    kind = made.target_context.call_conv.get_function_type(made.fndesc.restype, made.fndesc.argtypes)
    called = ir.Function(module, kind, made.fndesc.llvm_func_name)
    pointer = _SLOT.as_pointer()
    entry = ir.Function(module, ir.FunctionType(_STATUS, [pointer, pointer, _SLOT]), name)
    slots, rows, most = entry.args
    begin, once, take, run, end = (entry.append_basic_block(each) for each in ("begin", "once", "take", "run", "end"))
    builder = ir.IRBuilder(begin)

    def slot(place: int, pointer: Any) -> Any:
        return builder.bitcast(builder.gep(slots, [_SLOT(place)]), pointer)

    result, error, *arguments = kind.args
    loaded = [builder.load(slot(place, each.as_pointer())) for place, each in enumerate(arguments)]
    fixed = slot(len(arguments), result), builder.alloca(error.pointee)
    has_rows = made.signature.args[:2] == (types.int64, types.int64)
    wanted = builder.icmp_unsigned("!=", rows, pointer(None)) if has_rows else ir.IntType(1)(0)
    builder.cbranch(wanted, take, once)
    builder.position_at_end(once)
    builder.ret(builder.call(called, [*fixed, *loaded]))

    builder.position_at_end(take)
    left = builder.phi(_SLOT)
    length, size = (builder.load(builder.gep(rows, [_SLOT(place)])) for place in (1, 2))
    start = builder.atomic_rmw("add", rows, size, "monotonic")
    builder.cbranch(builder.icmp_signed("<", start, length), run, end)
    builder.position_at_end(run)
    after = builder.add(start, size)
    stop = builder.select(builder.icmp_signed("<", after, length), after, length)
    status = builder.call(called, [*fixed, start, stop, *loaded[2:]] if has_rows else [*fixed, *loaded])
    fine = [builder.icmp_signed("==", status, _STATUS(each)) for each in OK]
    others = builder.sub(left, _SLOT(1))
    goes_on = builder.and_(builder.or_(*fine), builder.icmp_signed(">", others, _SLOT(0)))
    builder.cbranch(goes_on, take, end)
    left.add_incoming(most, begin)
    left.add_incoming(others, run)
    builder.position_at_end(end)
    ended = builder.phi(_STATUS)
    ended.add_incoming(_STATUS(OK[0]), take)
    ended.add_incoming(status, run)
    builder.ret(ended)
    return module
