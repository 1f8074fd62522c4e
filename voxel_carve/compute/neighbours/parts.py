"""Parts of a surface that stand apart from the rest, such as chips that a carve has cut off."""

import numpy as np

from ..field.protocol import DenseBackend
from ..model.mesh import MeshLike, Surface
from ..primitives.half_edges import connected
from ..runtime.progress import Progress
from .search import Indices, neighbours


def isolated_parts(
    surface: Surface | MeshLike,
    gap: float = 0.0,
    backend: str | DenseBackend | None = None,
    progress: Progress | None = None,
) -> Indices:
    """(M,) the number of the part that each face belongs to: 0 for the one with the largest area, and so on.

    Faces that share a vertex are of one part, and so are those with vertices within `gap` of each other. Gaps are
    measured between vertices, which lie about a voxel apart on a remeshed result.

    Args:
        surface: of a result, or any mesh.
        gap: 0 or more, in the unit of the points.
        backend, progress: as for `neighbours`.

    Raises:
        InputError: a bad mesh, or as `neighbours`; BackendError: as `neighbours`.
    """
    whole = Surface.of(surface)
    mesh, corner = whole.to_tri_mesh(), whole.faces[:, 0]
    count, (a, b, c) = len(mesh.points), mesh.triangles.T
    used = np.unique(mesh.triangles)
    part = connected(np.concatenate([a, b]), np.concatenate([b, c]), count)
    # Of two parts that meet, one at least is not that with the most vertices.
    asked = used[part[used] != np.bincount(part[used], minlength=1).argmax()]
    near = neighbours(mesh.points[used], mesh.points[asked], gap, backend, progress)
    joined = connected(part[asked[near.query()]], part[used[near.index]], count)[part]
    sides = mesh.corners()
    doubled = np.linalg.norm(np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0]), axis=1)
    names, number = np.unique(joined[corner], return_inverse=True)
    area = np.bincount(joined[a], weights=doubled, minlength=count)[names]
    rank = np.empty(len(names), dtype=np.int64)
    rank[np.argsort(-area, kind="stable")] = np.arange(len(names))
    return rank[number]
