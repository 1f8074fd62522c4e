"""The exact boolean of plain Python: manifold3d, the optional extra "keep"."""

from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from .combining import Operation
from .errors import InputError
from .keep import Cut
from .mesh import Source, Surface, TriMesh
from .pairing import paired_triangles, triangle_sides, unpaired_edges

Points = npt.NDArray[np.float64]
Triangles = npt.NDArray[np.int32]


class ManifoldBoolean:
    """Booleans of a stock by manifold3d, which keeps float64 coordinates and each triangle that nothing touches.

    Corners with equal coordinates are made one, as in files that know no shared corners, where the stock is no manifold
    without that.

    Raises:
        InputError: manifold3d is not installed.
    """

    def __init__(self, stock: TriMesh) -> None:
        self._manifold3d = _manifold3d()
        self._points, self._triangles = paired_triangles(stock.points, stock.triangles)
        self._wrong = unpaired_edges(*triangle_sides(self._triangles))

    def wrong_edges(self) -> Points:
        """(E, 3) middles of the edges that have other than two triangles in opposite directions."""
        return np.asarray(self._points[self._wrong].mean(axis=1))

    def __call__(self, tool: Surface, operation: Operation) -> Cut:
        """Subtract the tool from the stock, unite or intersect them."""
        name = {"subtract": "__sub__", "union": "__add__", "intersect": "__xor__"}[operation]
        first = self._manifold3d.Manifold.reserve_ids(2)
        of_tool = np.arange(len(tool.triangles()))
        bodies = [
            self._body(self._points, self._triangles, first),
            self._body(tool.points, tool.triangles(), first + 1),
        ]
        mesh = getattr(bodies[0], name)(bodies[1]).to_mesh64()
        triangles = np.asarray(mesh.tri_verts).astype(np.int32)
        if len(triangles) == 0:
            return Cut(None, 0, 0)
        face = np.asarray(mesh.face_id).astype(np.int64)
        runs = np.diff(np.asarray(mesh.run_index, dtype=np.int64)) // 3
        ours = np.repeat(np.asarray(mesh.run_original_id[: len(runs)]) == first, runs)
        # A quad's two triangles are in a row.
        per_face = len(of_tool) // max(1, len(tool.faces))
        source = np.full(len(triangles), Source.STOCK, dtype=np.uint8)
        primitive = face.astype(np.int32)
        if not ours.all():
            source[~ours] = tool.source[face[~ours] // per_face]
            primitive[~ours] = tool.primitive[face[~ours] // per_face]
        surface = Surface(np.asarray(mesh.vert_properties)[:, :3], triangles, source, primitive)
        return Cut(surface, len(triangles), len(unpaired_edges(*triangle_sides(triangles))))

    def _body(self, points: Points, triangles: Triangles, identity: int) -> Any:
        """A body whose triangles are told apart, so that none are joined with their neighbours."""
        return self._manifold3d.Manifold(
            self._manifold3d.Mesh64(
                vert_properties=np.ascontiguousarray(points, dtype=np.float64),
                tri_verts=np.ascontiguousarray(triangles, dtype=np.uint64),
                run_index=np.array([0, triangles.size], dtype=np.uint64),
                run_original_id=np.array([identity], dtype=np.uint32),
                face_id=np.arange(len(triangles), dtype=np.uint64),
            )
        )


def _manifold3d() -> ModuleType:
    try:
        import manifold3d
    except ModuleNotFoundError as error:
        raise InputError(
            "to keep the stock outside of Blender takes manifold3d: run pip install 'voxel-carve[keep]', "
            "or leave out --result keep"
        ) from error
    return manifold3d  # type: ignore[no-any-return]
