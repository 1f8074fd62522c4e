"""Compiled code in this process: LLVM puts it where it can be called. Nothing here imports numba."""

import ctypes
import sys
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from .emitting import C_FUNCTIONS


def link(name: str, code: bytes) -> int:
    """The address of a function in compiled code, which stays as long as the process.

    The code has to be whole, and to call no more than `C_FUNCTIONS`: LLVM does not check that.

    Raises:
        RuntimeError: the code has no such function.
    """
    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = engine.get_function_address(name)
    if not address:
        raise RuntimeError(f"the code has no {name}")
    return int(address)


@cache
def _engine() -> Any:
    if sys.platform == "win32":
        # A process has several C libraries there. This is Python's.
        library = ctypes.CDLL("ucrtbase")
        for name in C_FUNCTIONS:
            llvm.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True, codemodel="jitdefault")
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    # From here on, LLVM knows the functions of this process.
    if missing := [name for name in C_FUNCTIONS if not llvm.address_of_symbol(name)]:
        raise RuntimeError(f"this process has no {', '.join(missing)}")
    return engine
