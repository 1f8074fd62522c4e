"""A process that makes exact booleans by manifold3d. It needs numpy alone, and so starts in a fraction of a second.

manifold3d holds Python's lock while it computes, and cannot be stopped. In a process of its own it blocks no window,
and is stopped by ending the process.
"""

from typing import Any

import numpy as np

from ..runtime.memory import peak_bytes
from ..runtime.pipes import answer
from .cut import Body, Cut

# By operation: the operator of two bodies.
OPERATORS = {"subtract": "__sub__", "union": "__add__", "intersect": "__xor__"}


def serve() -> None:
    """The main function of the process, which is asked for booleans of a stock, a tool and an operation."""
    answer(lambda asked, _: _cut(*asked))


def _cut(stock: Body, tool: Body, operation: str) -> Cut | None:
    """The boolean of two bodies; None if one of them is no manifold."""
    import manifold3d

    identity = manifold3d.Manifold.reserve_ids(2)
    bodies = [_manifold(manifold3d, body, identity + number) for number, body in enumerate((stock, tool))]
    if any(body.status() != manifold3d.Error.NoError for body in bodies):
        return None
    mesh = getattr(bodies[0], OPERATORS[operation])(bodies[1]).to_mesh64()
    runs = np.asarray(mesh.run_index, dtype=np.int64) // 3
    of_stock = np.repeat(np.asarray(mesh.run_original_id[: len(runs) - 1]) == identity, np.diff(runs))
    return Cut(
        np.ascontiguousarray(np.asarray(mesh.vert_properties)[:, :3]),
        np.asarray(mesh.tri_verts).astype(np.int32),
        of_stock,
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
