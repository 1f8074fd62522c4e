"""The steps of a job: paths may have operations of their own, and are carved in their order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from ..runtime.errors import InputError
from .combining import Operation, OperationName, operation_of
from .sweep import Sweep

# One for all paths, or one for each path of the sweep.
Operations = OperationName | Sequence[OperationName]


@dataclass(frozen=True)
class Step:
    """Consecutive paths with the same operation, which are carved together.

    Attributes:
        sweep: their K segments.
        operation: how they are combined with what the step before has left.
        segments: (K,) int32, the index of each in the sweep of all paths.
    """

    sweep: Sweep
    operation: Operation
    segments: npt.NDArray[np.int32]


def operations_of(given: Operations) -> Operation | tuple[Operation, ...]:
    """The operation for all paths, or those for each, by their own names.

    Raises:
        InputError: an unknown operation.
    """
    if isinstance(given, str) or not isinstance(given, Iterable):
        return operation_of(given)
    return tuple(operation_of(each) for each in given)


def operation_of_nothing(operations: Iterable[Operation]) -> Operation:
    """The operation of paths with these if nothing is swept: nothing is shared then, or nothing changes."""
    return "intersect" if "intersect" in operations else "subtract"


def steps_of(sweep: Sweep, operations: Operations) -> tuple[Step, ...]:
    """The steps of a sweep. With one operation there is one, of the sweep itself.

    Raises:
        InputError: an unknown operation, or not as many as the sweep has paths.
    """
    operations = operations_of(operations)
    given = (operations,) if isinstance(operations, str) else operations
    paths = sweep.path_count
    if not isinstance(operations, str) and len(given) != paths:
        raise InputError(
            "operations and paths differ in number, {count} and {paths}: give one for each, or one for all",
            count=len(given),
            paths=paths,
        )
    if len(set(given)) == 1:
        return (Step(sweep, given[0], np.arange(len(sweep), dtype=np.int32)),)
    steps, first = [], 0
    for operation, run in groupby(given):
        last = first + len(list(run))
        segments = np.flatnonzero((sweep.path >= first) & (sweep.path < last)).astype(np.int32)
        if len(segments):
            steps.append(Step(sweep.part(segments), operation, segments))
        first = last
    return tuple(steps)
