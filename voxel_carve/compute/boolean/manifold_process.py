"""A process that makes exact booleans by manifold3d. It needs numpy alone, and so starts in a fraction of a second.

manifold3d holds Python's lock while it computes, and cannot be stopped. In a process of its own it blocks no window,
and is stopped by ending the process.
"""

import pickle
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..runtime.memory import peak_bytes
from ..runtime.pipes import send

# By operation: the operator of two bodies.
OPERATORS = {"subtract": "__sub__", "union": "__add__", "intersect": "__xor__"}


@dataclass(frozen=True)
class Body:
    """A closed body: points (N, 3) float64, and triangles (M, 3)."""

    points: npt.NDArray[np.float64]
    triangles: npt.NDArray[np.int32]


@dataclass(frozen=True)
class Combined:
    """A boolean of two bodies.

    Attributes:
        points: (N, 3) float64.
        triangles: (M, 3) int32.
        of_first: (M,) whether each triangle is from the first body.
        number: (M,) int64, the triangle of its body that each is, or is a part of.
        peak: the greatest memory that the process has taken, in bytes.
    """

    points: npt.NDArray[np.float64]
    triangles: npt.NDArray[np.int32]
    of_first: npt.NDArray[np.bool_]
    number: npt.NDArray[np.int64]
    peak: int


def serve() -> None:
    """The main function of the process: read bodies and an operation from standard input, and answer on standard
    output, until the input ends."""
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    while True:
        try:
            asked = pickle.load(questions)
        except EOFError:
            return
        try:
            answer: tuple[object, ...] = ("combined", _combined(*asked))
        except Exception as error:
            answer = ("failed", error)
        try:
            send(answers, answer)
        except EOFError:
            return


def _combined(first: Body, second: Body, operation: str) -> Combined | None:
    """The boolean of two bodies; None if one of them is no manifold."""
    import manifold3d

    identity = manifold3d.Manifold.reserve_ids(2)
    bodies = [_manifold(manifold3d, body, identity + number) for number, body in enumerate((first, second))]
    if any(body.status() != manifold3d.Error.NoError for body in bodies):
        return None
    mesh = getattr(bodies[0], OPERATORS[operation])(bodies[1]).to_mesh64()
    runs = np.asarray(mesh.run_index, dtype=np.int64) // 3
    of_first = np.repeat(np.asarray(mesh.run_original_id[: len(runs) - 1]) == identity, np.diff(runs))
    return Combined(
        np.ascontiguousarray(np.asarray(mesh.vert_properties)[:, :3]),
        np.asarray(mesh.tri_verts).astype(np.int32),
        of_first,
        np.asarray(mesh.face_id).astype(np.int64),
        peak_bytes(),
    )


def _manifold(manifold3d: Any, body: Body, identity: int) -> Any:
    """A body with a separate id for each triangle, so that manifold3d merges none of them."""
    return manifold3d.Manifold(
        manifold3d.Mesh64(
            vert_properties=np.ascontiguousarray(body.points, dtype=np.float64),
            tri_verts=body.triangles.astype(np.uint64),
            run_index=np.array([0, body.triangles.size], dtype=np.uint64),
            run_original_id=np.array([identity], dtype=np.uint32),
            face_id=np.arange(len(body.triangles), dtype=np.uint64),
        )
    )
