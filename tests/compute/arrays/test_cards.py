"""What arrays on graphics cards, and streams, say of themselves: by stand-ins, which speak as the libraries do."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tests.compute.arrays.stand_ins import OnDevice, WithDlpack
from voxel_carve.compute import InputError
from voxel_carve.compute.arrays import CURRENT_CARD, card_of, check_lendable, current_stream, stream_handle

VOXELS = np.ones((2, 3, 4), dtype=bool)


def with_interface(stream=None, read_only=False):
    """What Numba's arrays on a card speak."""
    interface = {"shape": VOXELS.shape, "typestr": "|b1", "data": (4096, read_only), "strides": None, "version": 3}
    return SimpleNamespace(__cuda_array_interface__=interface | ({} if stream is None else {"stream": stream}))


def of_library(name, **values):
    """An array whose type comes from a library of this name."""
    return type("Array", (), {"__module__": f"{name}.inner"} | values)()


def placed(kind, number):
    return SimpleNamespace(__dlpack_device__=lambda: (kind, number))


def empty():
    raise RuntimeError("a tensor without data")


@pytest.mark.parametrize(
    ("array", "card"),
    [
        (VOXELS, None),
        (WithDlpack(VOXELS), None),
        ([[[1]]], None),
        (OnDevice(VOXELS), 0),
        (placed(2, 3), 3),
        (placed(13, 3), None),  # managed memory, which the host reads too
        (placed(1, None), None),
        (SimpleNamespace(__dlpack_device__=empty), None),
        (with_interface(), CURRENT_CARD),
    ],
)
def test_the_card_of_an_array(array, card):
    assert card_of(array) == card


class CudaStream:
    """Speaks cuda.core's protocol."""

    def __cuda_stream__(self):
        return 0, 71


class NumbaStream:
    """Numba's streams are numbers."""

    def __int__(self):
        return 72


@pytest.mark.parametrize(
    ("stream", "handle"),
    [
        (0, 0),
        (70, 70),
        (np.int64(70), 70),
        (CudaStream(), 71),
        (SimpleNamespace(__cuda_stream__=(0, 71)), 71),
        (NumbaStream(), 72),
        (SimpleNamespace(cuda_stream=73), 73),  # PyTorch and Warp
        (SimpleNamespace(cuda_stream=None), 0),  # Warp's name of the default stream
        (SimpleNamespace(ptr=74), 74),  # CuPy
    ],
)
def test_the_handle_of_a_stream(stream, handle):
    assert stream_handle(stream) == handle


@pytest.mark.parametrize("stream", [-1, "fast", object(), VOXELS])
def test_what_is_no_stream_is_refused(stream):
    with pytest.raises(InputError, match=f"a {type(stream).__name__} is no CUDA stream: pass its handle"):
        stream_handle(stream)


def test_the_stream_that_a_library_uses_now(monkeypatch):
    torch = SimpleNamespace(cuda=SimpleNamespace(current_stream=lambda place: SimpleNamespace(cuda_stream=place)))
    cupy = SimpleNamespace(cuda=SimpleNamespace(get_current_stream=lambda: SimpleNamespace(ptr=82)))
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    assert current_stream(of_library("torch", device=81)) == 81
    assert current_stream(of_library("cupy")) == 82
    assert current_stream(with_interface(stream=1)) == 1
    assert current_stream(with_interface()) is None
    assert current_stream(of_library("jaxlib")) is None


def test_what_must_not_be_written_to_is_refused():
    check_lendable(with_interface(read_only=True), writes=False)
    check_lendable(of_library("jaxlib"), writes=False)
    check_lendable(with_interface(), writes=True)
    for array in (with_interface(read_only=True), of_library("jaxlib")):
        with pytest.raises(InputError, match="read-only: take a function that gives a new array"):
            check_lendable(array, writes=True)
    with pytest.raises(InputError, match=r"needs its gradient: pass array\.detach\(\)"):
        check_lendable(of_library("torch", requires_grad=True), writes=False)
