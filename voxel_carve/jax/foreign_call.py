"""Calls of Python by XLA, through its C interface for foreign functions, on arrays where they lie.

`jax.pure_callback` would do, but for waiting: what it gives are arrays of JAX, which other threads may still have to
copy. Where as many callbacks run as there are threads, all of them wait for ever.

The structures are those of `xla/ffi/api/c_api.h` (OpenXLA, version 0.1), as far as they are read here.
"""

import ctypes
import json
import math
import traceback
from collections.abc import Callable
from functools import cache, partial
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compute import CarveError
from ..frameworks import host
from . import card
from .card import Memory, Place

TARGET = str(__package__)
FUNCTIONS = ("swept", "distances", "distance_derivatives")  # of `host`
API_VERSION = (0, 1)
METADATA_EXTENSION, EXECUTE = 1, 3
INVALID_ARGUMENT, INTERNAL = 3, 13
# The types of arrays that are passed, by XLA's number for them.
TYPES = {1: np.bool_, 4: np.int32, 11: np.float32, 12: np.float64}

Size, Pointer, Integer, Long = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64


# How most structures begin.
HEAD = (("struct_size", Size), ("extension_start", Pointer))


class Version(ctypes.Structure):
    """Of the interface."""

    _fields_ = (*HEAD, ("major", Integer), ("minor", Integer))


class Metadata(ctypes.Structure):
    """What a function says of itself."""

    _fields_ = (("struct_size", Size), ("version", Version), ("traits", ctypes.c_uint32))


class MetadataExtension(ctypes.Structure):
    """Asks a function for its metadata."""

    _fields_ = (("struct_size", Size), ("kind", Integer), ("next", Pointer), ("metadata", ctypes.POINTER(Metadata)))


class Buffer(ctypes.Structure):
    """An array."""

    _fields_ = (*HEAD, ("kind", Integer), ("data", Pointer), ("rank", Long), ("sides", ctypes.POINTER(Long)))


class Buffers(ctypes.Structure):
    """Arguments, or results."""

    _fields_ = (*HEAD, ("size", Long), ("kinds", Pointer), ("items", ctypes.POINTER(ctypes.POINTER(Buffer))))


class Text(ctypes.Structure):
    """A text without an end."""

    _fields_ = (("start", Pointer), ("length", Size))


class Attributes(ctypes.Structure):
    """Named values that are known when a program is compiled: here a single text."""

    _fields_ = (
        *HEAD,
        ("size", Long),
        ("kinds", Pointer),
        ("names", Pointer),
        ("values", ctypes.POINTER(ctypes.POINTER(Text))),
    )


class ErrorArguments(ctypes.Structure):
    """What an error is made of."""

    _fields_ = (*HEAD, ("message", ctypes.c_char_p), ("code", Integer))


class StreamArguments(ctypes.Structure):
    """What is asked for a stream, and answers."""

    _fields_ = (*HEAD, ("context", Pointer), ("stream", Pointer))


class OrdinalArguments(ctypes.Structure):
    """What is asked for the number of a device, and answers."""

    _fields_ = (*HEAD, ("context", Pointer), ("ordinal", ctypes.c_int32))


class Api(ctypes.Structure):
    """The functions of XLA, as far as the number of a device."""

    _fields_ = (
        *HEAD,
        ("version", Version),
        ("internal", Pointer),
        ("create_error", ctypes.CFUNCTYPE(Pointer, ctypes.POINTER(ErrorArguments))),
        ("of_errors_and_handlers", Pointer * 3),
        ("get_stream", ctypes.CFUNCTYPE(Pointer, ctypes.POINTER(StreamArguments))),
        ("of_types_memory_and_threads", Pointer * 12),
        ("get_ordinal", ctypes.CFUNCTYPE(Pointer, ctypes.POINTER(OrdinalArguments))),
    )


class CallFrame(ctypes.Structure):
    """A call."""

    _fields_ = (
        *HEAD,
        ("api", ctypes.POINTER(Api)),
        ("context", Pointer),
        ("stage", Integer),
        ("arguments", Buffers),
        ("results", Buffers),
        ("attributes", Attributes),
    )


Answer = ctypes.CFUNCTYPE(Pointer, ctypes.POINTER(CallFrame))


def foreign_call(jax: ModuleType, function: str, results: Any, *arrays: Any, **options: Any) -> Any:
    """What a function of `frameworks.host` gives for arrays of bool, int32, float32 and float64.

    Under `vmap` it gets the arrays of a whole batch. On a card, `card` does its work.

    Args:
        function: its name.
        results: the shapes and types of what it gives, as `jax.ShapeDtypeStruct` or arrays.
        options: its named arguments, as JSON knows them.
    """
    _register(jax, TARGET)
    call = jax.ffi.ffi_call(TARGET, results, vmap_method="expand_dims")
    return call(*arrays, call=json.dumps({"function": function, "options": options}))


@cache
def _register(jax: ModuleType, target: str) -> None:
    """Let XLA know under a name what answers on each platform, once."""
    for platform, work in PLATFORMS.items():
        answer = Answer(partial(_answer, work))
        _kept.append(answer)
        address = ctypes.cast(answer, Pointer).value
        jax.ffi.register_ffi_target(target, jax.ffi.pycapsule(address), platform=platform)


def _answer(work: Callable[[CallFrame], None], asked: Any) -> int | None:
    """Do what XLA asks for, where that is work. Return None, or an error of XLA's."""
    frame = asked.contents
    if frame.extension_start:
        _tell_version(frame.extension_start)
        return None
    if frame.stage != EXECUTE:
        return None
    try:
        work(frame)
    except CarveError as error:
        return _error(frame, INVALID_ARGUMENT, str(error))
    except BaseException:  # none can pass through XLA
        return _error(frame, INTERNAL, traceback.format_exc())
    return None


def _tell_version(address: int) -> None:
    """Answer the question for the interface that we speak."""
    extension = MetadataExtension.from_address(address)
    if extension.kind == METADATA_EXTENSION:
        version = extension.metadata.contents.version
        version.major, version.minor = API_VERSION


def _work(frame: CallFrame) -> None:
    """Call the function that the frame names, and write what it gives into the results."""
    function, options = _call(frame)
    found = getattr(host, function)(*map(_array, _memories(frame.arguments)), **options)
    results = map(_array, _memories(frame.results))
    for result, value in zip(results, found if isinstance(found, tuple) else (found,), strict=True):
        np.copyto(result, value, casting="no")


def _work_on_card(frame: CallFrame) -> None:
    """As `_work`, where the arrays lie on a card."""
    function, options = _call(frame)
    card.work(_place(frame), function, _memories(frame.arguments), _memories(frame.results), options)


def _call(frame: CallFrame) -> tuple[str, dict[str, Any]]:
    """The function of `host` that the frame names, and its named arguments."""
    text = frame.attributes.values[0].contents
    call = json.loads(ctypes.string_at(text.start, text.length))
    if call["function"] not in FUNCTIONS:
        raise KeyError(call["function"])
    return call["function"], call["options"]


def _place(frame: CallFrame) -> Place:
    """The card, and the stream on it, that a call belongs to."""
    api = frame.api.contents
    stream, ordinal = (kind(ctypes.sizeof(kind), None, frame.context) for kind in (StreamArguments, OrdinalArguments))
    if api.get_stream(stream) or api.get_ordinal(ordinal):
        raise RuntimeError("XLA does not tell the card and the stream of a call")
    return Place(f"cuda:{ordinal.ordinal}", stream.stream or 0)


PLATFORMS = {"cpu": _work, "CUDA": _work_on_card}
_kept: list[Any] = []  # what XLA may call


def _memories(buffers: Buffers) -> list[Memory]:
    """Arguments, or results."""
    given = (buffers.items[number].contents for number in range(buffers.size))
    return [Memory(each.data, tuple(each.sides[: each.rank]), np.dtype(TYPES[each.kind])) for each in given]


def _array(memory: Memory) -> npt.NDArray[Any]:
    """An array of the host, where it lies."""
    size = math.prod(memory.shape) * memory.kind.itemsize
    if size == 0:
        return np.empty(memory.shape, memory.kind)
    held: Any = (ctypes.c_char * size).from_address(memory.address or 0)
    return np.frombuffer(held, memory.kind).reshape(memory.shape)


def _error(frame: CallFrame, code: int, message: str) -> int:
    """The address of an error of XLA's, which frees it."""
    given = ErrorArguments(ctypes.sizeof(ErrorArguments), None, message.encode(), code)
    created: int = frame.api.contents.create_error(given)
    return created
