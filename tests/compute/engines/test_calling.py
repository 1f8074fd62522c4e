"""Arrays that kernels pass on to what they call, against numpy."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from tests.compute.engines.uncached import call_compiled
from voxel_carve.compute.engines.numba.compiler.decorators import inlined, subroutine


class Record(NamedTuple):
    """Arrays of several types and numbers of axes."""

    line: npt.NDArray[np.float64]
    block: npt.NDArray[np.int32]
    mask: npt.NDArray[np.bool_]


@subroutine
def total(values):  # type: ignore[no-untyped-def]
    found = 0.0
    for place in range(len(values)):
        found += values[place]
    return found


@subroutine
def describe(record, k, out):  # type: ignore[no-untyped-def]
    out[0], out[1], out[2] = record.block[k, 1, 2], record.block.size, record.block.shape[2]
    out[3], out[4] = record.block[-1, -1, -1], record.line.nbytes
    out[5], out[6] = total(record.block[k, 1]), total(record.block[:, 1, k])
    out[7], out[8] = total(record.line[1:3]), record.mask[k]
    record.line[k] = -1.0


@inlined
def describe_all(start, stop, record, out):  # type: ignore[no-untyped-def]
    for k in range(start, stop):
        describe(record, k, out[k])


def described(start, stop, record, out):  # type: ignore[no-untyped-def]
    describe_all(start, stop, record, out)


def searched(start, stop, values, out):  # type: ignore[no-untyped-def]
    for k in range(start, stop):
        out[k] = np.searchsorted(values, k)


def added(first, second, number, out):  # type: ignore[no-untyped-def]
    for k in range(3):
        for i in range(2):
            out[k, i] = first[k, i] + second[k, i] + number[()]


def test_arrays_are_passed_on_with_their_shapes() -> None:
    block = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    record, out = Record(np.arange(5.0), block, np.array([True, False])), np.zeros((2, 9))
    call_compiled(described, 0, 2, record, out)
    for k, row in enumerate(out):
        line = np.where(np.arange(5) < k, -1.0, np.arange(5.0))
        expected = [block[k, 1, 2], 24, 4, 23, 40, block[k, 1].sum(), block[:, 1, k].sum(), line[1:3].sum(), k == 0]
        assert row.tolist() == expected
    assert record.line.tolist() == [-1, -1, 2, 3, 4]


def test_functions_of_numba_that_take_arrays_are_refused() -> None:
    with pytest.raises(TypeError, match=r"searched.* calls .*searchsorted.*, which numba compiles with"):
        call_compiled(searched, 0, 4, np.arange(20.0), np.zeros(4))


def test_arrays_in_several_pieces_are_passed_too() -> None:
    """Each as numba has it: a transposed one, one with steps of 0, and one without axes."""
    values = (np.arange(6.0).reshape(2, 3).T, np.broadcast_to(np.arange(2.0), (3, 2)), np.array(5.0))
    out = np.zeros((3, 2))
    call_compiled(added, *values, out)
    np.testing.assert_array_equal(out, values[0] + values[1] + 5)
