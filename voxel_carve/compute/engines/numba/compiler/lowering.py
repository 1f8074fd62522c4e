"""Functions that numba lowers to LLVM's code, which is optimised once, when a kernel is whole: see `emitting`.

numba optimises each function with all that it calls, and again in each function that calls it. Where calls are ten
deep, that is ten times, and most of the time to compile.
"""

import functools
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import types
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.datamodel.manager import DataModelManager
from numba.core.datamodel.models import ArrayModel
from numba.core.datamodel.registry import default_manager
from numba.core.registry import CPUDispatcher, CPUTarget, cpu_target
from numba.np.numpy_support import as_dtype

_PASSED = "data", "shape"
_SIZE = ir.IntType(64)


class _Library(JITCodeLibrary):
    """The code of a function and of all that it calls, as numba lowers it: it cannot run."""

    def _optimize_final_module(self) -> None:
        """Leave it to `emitting`."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """None, for Python has no way to call it."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        return 0


class _Codegen(JITCPUCodegen):
    _library_class = _Library

    def set_env(self, env_name: str, env: Any) -> None:
        """Set nothing: only code that runs has an environment."""


class _ContiguousModel(ArrayModel):
    """An array in one piece, which calls pass as its address and its shape. See `calling`.

    numba passes what follows from these too: some 800 numbers in each call where a hundred arrays are handed on.
    """

    def get_argument_type(self) -> Any:
        """The types of the address and of the lengths."""
        elements = self.get_value_type().elements  # type: ignore[no-untyped-call]
        address, shape = (elements[self._fields.index(name)] for name in _PASSED)
        return address, (shape.element,) * shape.count

    def as_argument(self, builder: Any, value: Any) -> Any:
        """The address and the lengths of an array."""
        address, shape = (builder.extract_value(value, self._fields.index(name)) for name in _PASSED)
        return address, [builder.extract_value(shape, axis) for axis in range(shape.type.count)]

    def from_argument(self, builder: Any, value: Any) -> Any:
        """The array at an address with lengths."""
        address, lengths = value
        steps = [_SIZE(as_dtype(self.fe_type.dtype).itemsize)]
        for length in lengths[:0:-1]:
            steps.insert(0, builder.mul(length, steps[0]))
        count = functools.reduce(builder.mul, lengths)
        made: Any = ir.Constant(self.get_value_type(), None)  # type: ignore[no-untyped-call]  # nobody owns it
        for name, part in (("nitems", count), ("itemsize", steps[-1]), ("data", address)):
            made = builder.insert_value(made, part, self._fields.index(name))
        for name, parts in (("shape", lengths), ("strides", steps)):
            for axis, part in enumerate(parts):
                made = builder.insert_value(made, part, [self._fields.index(name), axis])
        return made


def _array_model(manager: Any, kind: Any) -> Any:
    model: Any = _ContiguousModel if kind.layout == "C" and kind.ndim else ArrayModel
    return model(manager, kind)


class _Target(CPUTarget):
    """numba's own, but for the code that it makes and the arrays that it passes."""

    typing_context = cpu_target.typing_context
    _codegen: Any = _Codegen("voxel_carve")  # type: ignore[no-untyped-call]
    _own: Any = DataModelManager({types.Array: _array_model})  # type: ignore[no-untyped-call]
    _models = _own.chain(default_manager)
    target_context = cpu_target.target_context.subtarget(_internal_codegen=_codegen, data_model_manager=_models)


class _Dispatcher(CPUDispatcher):
    targetdescr = _Target("cpu")  # type: ignore[no-untyped-call]

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """As numba's, for all integers with a sign alike: else it compiles anew for each width and each constant."""
        return super().get_call_template(tuple(map(_widened, args)), kws)  # type: ignore[no-untyped-call]


def _widened(kind: Any) -> Any:
    plain: Any = types.unliteral(kind)  # type: ignore[no-untyped-call]
    return types.int64 if plain in types.signed_domain else plain


def dispatcher_of(function: Callable[..., Any], **options: Any) -> Any:
    """A function as numba knows it."""
    return _Dispatcher(py_func=function, targetoptions={"nopython": True, "error_model": "numpy"} | options)


def lowered(made: Any) -> Any:
    """The code of a compiled function with all that it calls, as a module of LLVM."""
    return llvm.parse_bitcode(made.library.serialize_using_bitcode()[-1])
