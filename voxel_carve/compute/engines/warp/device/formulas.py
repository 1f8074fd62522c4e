"""What Warp reads: formulas (see `compute.formulas`), and kernels that are written in the same way.

A module of kernels is plain Python. `structs.wp` stands for Warp in it, and its annotations are only text (`from
__future__ import annotations`). Its functions are marked as `kernel` or as `function`, in float64 (`double`) or in
float32 (`single`). They use formulas, named constants, each other, and structs, which are plain classes. All of this is
bound to Warp when it is first needed, so Warp is imported no earlier.
"""

import ast
import copy
import functools
import inspect
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

from ....formulas import language
from ....formulas.binding import Binder
from . import structs

PACKAGE = __name__.partition(".engines.")[0]
MODULE_OPTIONS = {"enable_backward": False, "fuse_fp": False, "fast_math": False, "max_unroll": 1}

# The types that a formula may write to.
SCRATCH = (language.Point, language.Values)


@dataclass(frozen=True, eq=False)
class Marked:
    """A function of a module of kernels.

    Attributes:
        function: as it is written.    binder: `double` or `single`.    is_kernel: whether it can be launched.
    """

    function: FunctionType
    binder: Callable[[], Binder]
    is_kernel: bool

    @functools.cached_property
    def bound(self) -> Any:
        """Warp's kernel or function."""
        return self.binder()(self.function, _as_kernel if self.is_kernel else None)


def kernel(binder: Callable[[], Binder]) -> Callable[[Any], Any]:
    """Mark a function that is launched, with numbers of one type."""
    return lambda function: Marked(function, binder, True)


def function(binder: Callable[[], Binder]) -> Callable[[Any], Any]:
    """Mark a function that kernels call, with numbers of one type."""
    return lambda function: Marked(function, binder, False)


def kernels_of(module: ModuleType) -> list[Any]:
    """Warp's kernels of a module, all bound, with the options that keep every rounding."""
    import warp as wp

    # With the size of blocks, which belongs to what Warp compiles and names in advance.
    wp.set_module_options(MODULE_OPTIONS | {"block_dim": module.BLOCK_DIM}, module)
    return [value.bound for value in vars(module).values() if isinstance(value, Marked) and value.is_kernel]


@functools.cache
def warp_type(plain: Any) -> Any:
    """Warp's type for a type of `language`, and the struct with the fields of a plain class. Other types stay."""
    import warp as wp

    # Warp has no arrays for a single thread, but vectors and matrices of fixed length.
    known = {
        language.Point: wp.vec3d,
        language.Values: wp.types.matrix((3, 4), dtype=wp.float64),
        language.Listed: wp.array(dtype=wp.int32),
    }
    if plain in known:
        return known[plain]
    if not (isinstance(plain, type) and plain.__module__.startswith(PACKAGE)):
        return plain
    if plain.__module__ == language.__name__:
        return warp_type(getattr(structs, plain.__name__))
    fields = {name: warp_type(kind) for name, kind in _annotations(plain).items()}
    return wp.struct(type(plain.__name__, (), {"__annotations__": fields, "__module__": plain.__module__}))


@functools.cache
def double() -> Binder:
    """Formulas in float64."""
    import warp as wp

    return binder_of(wp.float64, "double")


@functools.cache
def single() -> Binder:
    """Formulas in float32."""
    import warp as wp

    return binder_of(wp.float32, "single")


def binder_of(
    real: Any,
    name: str,
    written: Mapping[Any, Any] = MappingProxyType({}),
    read: Mapping[Any, Any] = MappingProxyType({}),
) -> Binder:
    """What binds formulas to Warp.

    Args:
        real: Warp's type for numbers.
        name: tells the functions of several binders apart.
        written, read: Warp's types for types of `language`, or for plain classes, in place of the usual ones. Arguments
            of types `written` are references.
    """
    import warp as wp

    numbers = {
        float: real,
        int: wp.int32,
        bool: wp.bool,
        language.Rows: wp.array2d[real],
        language.Singles: wp.array2d[wp.float32],
        **read,
    }
    references = {kind: warp_type(kind) for kind in SCRATCH} | dict(written)

    def argument(kind: Any) -> Any:
        if kind in numbers:
            return numbers[kind]
        return wp.ref[references[kind]] if kind in references else warp_type(kind)  # type: ignore[misc]

    def constant(value: Any) -> Any:
        if isinstance(value, Marked):
            return value.bound
        return warp_type(value) if isinstance(value, type) else real(value) if isinstance(value, float) else value

    def compiled(function: FunctionType) -> Any:
        kinds = {name: kind for name, kind in _annotations(function).items() if name != "return"}
        function.__annotations__ = _arguments(function, argument)
        # Warp would take functions of one name and module for overloads of one function.
        function.__qualname__ = f"{function.__name__}_{name}"
        function.__globals__[_ElementsOf.READER] = element
        made: Any = wp.func(function)
        elements = _ElementsOf({name for name, kind in kinds.items() if kind in references}, _rows_of_vectors(made))
        made.adj.tree = elements.visit(copy.deepcopy(made.adj.tree))
        return made

    for given in (wp.int32, wp.float32, wp.float64):
        # `wp.float64` would turn the constant itself into a variable.
        @wp.func(name=f"real_{name}")
        def convert(value: given):  # type: ignore[no-untyped-def,valid-type]
            return real(value)

        @wp.func(name=f"element_{name}")
        def element(value: wp.ref[given]):  # type: ignore[no-untyped-def,valid-type,type-arg]
            return value

    own = {"atan2": wp.atan2, "ceil": wp.ceil, "floor": wp.floor, "sqrt": wp.sqrt, "where": wp.where, "wp": wp}
    return Binder(
        own | {"real": convert, "single": wp.float32, "some": wp.bool}, constant, compiled, more=(Marked, type)
    )


class _ElementsOf(ast.NodeTransformer):
    """Lets a function read single elements of vectors and matrices that it gets by reference.

    For `matrix[i, j]`, Warp copies the whole matrix into the thread's own memory, and reads the copy. As the argument
    of a function that takes an element by reference, the same words name the element itself.

    Args:
        references: the arguments that are, or hold, such vectors and matrices.
        vectors: the arguments, and the fields of arguments, that are arrays of vectors: to formulas, they have rows and
            columns.
    """

    READER = "element"

    def __init__(self, references: Collection[str], vectors: Collection[str]) -> None:
        self._references = references
        self._vectors = vectors

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Hand the element to the reader, unless it is written."""
        self.generic_visit(node)
        is_element = self._name_of(node).partition(".")[0] in self._references
        if isinstance(node.slice, ast.Tuple) and self._name_of(node) in self._vectors:
            row, column = node.slice.elts
            vector = ast.copy_location(ast.Subscript(node.value, row, ast.Load()), node)
            node = ast.copy_location(ast.Subscript(vector, column, node.ctx), node)
            is_element = True
        if is_element and isinstance(node.ctx, ast.Load):
            reader = ast.Name(self.READER, ast.Load())
            return ast.fix_missing_locations(ast.copy_location(ast.Call(reader, [node], []), node))
        return ast.fix_missing_locations(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        """Write the sum out for an element of an array: one thread alone writes it, and Warp would make it atomic."""
        if isinstance(node.target, ast.Subscript) and self._name_of(node.target) in self._vectors:
            before = copy.deepcopy(node.target)
            before.ctx = ast.Load()
            whole = ast.Assign([node.target], ast.BinOp(before, node.op, node.value))
            return self.generic_visit(ast.fix_missing_locations(ast.copy_location(whole, node)))  # type: ignore[return-value]
        return self.generic_visit(node)  # type: ignore[return-value]

    @staticmethod
    def _name_of(node: ast.Subscript) -> str:
        """The argument, or the field of an argument, that a subscript belongs to; "" for anything else."""
        owner = node.value.value if isinstance(node.value, ast.Attribute) else node.value
        return ast.unparse(node.value) if isinstance(owner, ast.Name) else ""


def _rows_of_vectors(function: Any) -> set[str]:
    """The arguments of a Warp function, and the fields of these, that are arrays of vectors."""
    import warp as wp

    def is_one(kind: Any) -> bool:
        return wp.types.is_array(kind) and kind.ndim == 1 and hasattr(kind.dtype, "_shape_")

    found = set()
    for name, kind in function.input_types.items():
        fields = getattr(kind, "vars", {})
        found |= {name} if is_one(kind) else {f"{name}.{each}" for each, var in fields.items() if is_one(var.type)}
    return found


def _as_kernel(function: FunctionType) -> Any:
    import warp as wp

    function.__annotations__ = _arguments(function, warp_type)
    return wp.kernel(function)


def _arguments(function: FunctionType, convert: Callable[[Any], Any]) -> dict[str, Any]:
    """The converted types of the arguments of a function."""
    return {name: convert(kind) for name, kind in _annotations(function).items() if name != "return"}


def _annotations(owner: Any) -> dict[str, Any]:
    """The types that the annotations of a function or a class name."""
    import warp as wp

    return inspect.get_annotations(owner, globals=vars(sys.modules[owner.__module__]) | {"wp": wp}, eval_str=True)
