"""Machine code of kernels: what numba has lowered, optimised and compiled by LLVM. Nothing here imports numba."""

import os
from functools import cache
from typing import Any

import llvmlite.binding as llvm

# All that kernels may call, of the C library.
C_FUNCTIONS = ("acos", "atan2", "ceil", "cos", "floor", "fmod", "memcpy", "memmove", "memset", "sin", "sqrt")


def machine_code(lowered: bytes) -> bytes:
    """The code of a kernel for this processor.

    Args:
        lowered: LLVM's code, as bitcode: the kernel with all of ours that it calls. It is the same for all processors,
            because each has addresses of 64 bits.

    Raises:
        RuntimeError: LLVM cannot read it.
        TypeError: it calls more than `C_FUNCTIONS`.
    """
    code, machine = llvm.parse_bitcode(lowered), _machine()
    code.triple, code.data_layout = machine.triple, str(machine.target_data)
    _optimise(code, machine)
    declared = (each.name for each in (*code.functions, *code.global_variables) if each.is_declaration)
    if others := {each for each in declared if not each.startswith("llvm.")} - {*C_FUNCTIONS}:
        raise TypeError(f"a kernel needs {sorted(others)}, and may call no more than C")
    return bytes(machine.emit_object(code))


@cache
def processor() -> tuple[str, str, str]:
    """The system, processor and features that code is compiled for; numba's environment variables may say others."""
    features = llvm.get_host_cpu_features()
    if os.environ.get("NUMBA_ENABLE_AVX") == "0":
        features |= {name: False for name in features if name.startswith("avx")}
    name = os.environ.get("NUMBA_CPU_NAME") or llvm.get_host_cpu_name()
    return llvm.get_process_triple(), name, os.environ.get("NUMBA_CPU_FEATURES") or features.flatten()


def _optimise(code: Any, machine: Any) -> None:
    """Optimise a module as numba does: loops are brought into the form that vectorising expects, and then all is."""
    builder = _pass_builder(machine, 0)
    first = builder.getModulePassManager()
    first.add_loop_rotate_pass()
    first.add_instruction_combine_pass()
    first.add_jump_threading_pass()
    first.run(code, builder)
    builder = _pass_builder(machine, 3)
    builder.getModulePassManager().run(code, builder)


def _pass_builder(machine: Any, level: int) -> Any:
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = level > 0
    options.slp_vectorization = False
    return llvm.create_pass_builder(machine, options)


@cache
def _machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    triple, name, features = processor()
    target = llvm.Target.from_triple(triple)
    # Code that is linked in place need not be movable on this processor, and LLVM expects that it is not.
    place = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(
        cpu=name, features=features, opt=3, reloc=place, codemodel="jitdefault", jit=True
    )
