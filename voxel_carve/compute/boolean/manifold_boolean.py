"""The exact boolean of plain Python: manifold3d, the optional extra "keep"."""

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from ..model.combining import Operation
from ..model.mesh import Source, Surface, TriMesh
from ..primitives.half_edges import triangle_sides, unpaired_edges
from ..repair.orientation import flipped, inward_triangles, paired_triangles
from ..runtime.errors import InputError
from ..runtime.progress import checkpoint, with_progress
from .keep import Cut
from .nearby_parts import NearbyParts, Part, find_nearby_parts
from .tiles import used_points

Points = npt.NDArray[np.float64]
Triangles = npt.NDArray[np.int32]
Indices = npt.NDArray[np.integer]


class ManifoldBoolean:
    """Booleans of a stock by manifold3d, which keeps float64 coordinates and every triangle that nothing touches.

    If the stock is not a manifold, corners with equal coordinates are merged: some file formats do not share corners.
    Faces with the wrong orientation are flipped, because they all go into the result.

    Raises:
        InputError: manifold3d is not installed.
    """

    def __init__(self, stock: TriMesh) -> None:
        self._manifold3d = _manifold3d()
        self._points, triangles, _ = paired_triangles(stock.points, stock.triangles)
        self._triangles = flipped(triangles, inward_triangles(self._points, triangles))
        self._wrong = unpaired_edges(*triangle_sides(self._triangles))

    def wrong_edges(self) -> Points:
        """(E, 3) midpoints of the edges without exactly two opposite half-edges."""
        return np.asarray(self._points[self._wrong].mean(axis=1))

    def __call__(self, tool: Surface, operation: Operation) -> Cut:
        """Subtract the tool from the stock, unite or intersect them."""
        whole = NearbyParts.of_all(Part.whole(self._points, self._triangles), Part.whole(tool.points, tool.triangles()))
        nearby = whole if len(self._wrong) else find_nearby_parts(whole.stock, whole.tool)
        checkpoint()
        cut = self._cut(whole, nearby, tool, operation)
        return self._cut(whole, whole, tool, operation) if cut.wrong_edges and nearby is not whole else cut

    def _cut(self, whole: NearbyParts, nearby: NearbyParts, tool: Surface, operation: Operation) -> Cut:
        """The boolean of the nearby parts, joined with the rest of the meshes."""
        made = self._made(nearby, operation)
        checkpoint()
        made = made.with_rest(whole, nearby, operation)
        checkpoint()
        if len(made.triangles) == 0:
            return Cut(None, 0, 0)
        # The two triangles of a quad are consecutive.
        per_face, face = tool.triangle_count() // max(1, len(tool.faces)), made.number
        source, primitive = np.full(len(face), Source.STOCK, dtype=np.uint8), face.astype(np.int32)
        source[~made.ours] = tool.source[face[~made.ours] // per_face]
        primitive[~made.ours] = tool.primitive[face[~made.ours] // per_face]
        surface = Surface(made.points, made.triangles, source, primitive)
        return Cut(surface, len(face), len(unpaired_edges(*triangle_sides(made.triangles))))

    def _made(self, nearby: NearbyParts, operation: Operation) -> "_Made":
        """The boolean of two parts, without their caps."""
        name = {"subtract": "__sub__", "union": "__add__", "intersect": "__xor__"}[operation]
        first = self._manifold3d.Manifold.reserve_ids(2)
        bodies = [
            self._body(part, first + number) for number, part in enumerate(with_progress((nearby.stock, nearby.tool)))
        ]
        mesh = getattr(bodies[0], name)(bodies[1]).to_mesh64()
        face, runs = np.asarray(mesh.face_id).astype(np.int64), np.asarray(mesh.run_index, dtype=np.int64) // 3
        ours = np.repeat(np.asarray(mesh.run_original_id[: len(runs) - 1]) == first, np.diff(runs))
        kept = face < np.where(ours, len(nearby.stock.kept), len(nearby.tool.kept))
        face, ours = face[kept], ours[kept]
        number = np.empty(len(face), dtype=np.int64)
        number[ours], number[~ours] = nearby.stock.kept[face[ours]], nearby.tool.kept[face[~ours]]
        points, triangles = used_points(np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts)[kept])
        return _Made(points, triangles.astype(np.int32), ours, number)

    def _body(self, part: Part, identity: int) -> Any:
        """A body with a separate id for each triangle, so that manifold3d merges none of them."""
        return self._manifold3d.Manifold(
            self._manifold3d.Mesh64(
                vert_properties=np.ascontiguousarray(part.points, dtype=np.float64),
                tri_verts=part.triangles.astype(np.uint64),
                run_index=np.array([0, part.triangles.size], dtype=np.uint64),
                run_original_id=np.array([identity], dtype=np.uint32),
                face_id=np.arange(len(part.triangles), dtype=np.uint64),
            )
        )


@dataclass(frozen=True)
class _Made:
    """Triangles of a stock and a tool, whole or cut.

    Attributes:
        points: (N, 3) float64.
        triangles: (M, 3) int32.
        ours: (M,) whether each is from the stock.
        number: (M,) the index of its triangle in the stock or the tool.
    """

    points: Points
    triangles: Triangles
    ours: npt.NDArray[np.bool_]
    number: npt.NDArray[np.int64]

    def with_rest(self, whole: NearbyParts, nearby: NearbyParts, operation: Operation) -> "_Made":
        """These triangles, and those outside the parts that the operation keeps."""
        of_stock = nearby.stock.rest[: 0 if operation == "intersect" else None]
        of_tool = nearby.tool.rest[~nearby.inside if operation == "union" else nearby.inside]
        points, added = self.points, [self.triangles]
        for mesh, part, rest in ((whole.stock, nearby.stock, of_stock), (whole.tool, nearby.tool, of_tool)):
            more, triangles = self._joined(mesh, part.kept, rest, len(points))
            points, added = np.concatenate([points, more]), [*added, triangles]
        if operation == "subtract":
            added[-1] = added[-1][:, ::-1]
        ours = np.concatenate([self.ours, np.arange(len(of_stock) + len(of_tool)) < len(of_stock)])
        return _Made(points, np.concatenate(added), ours, np.concatenate([self.number, of_stock, of_tool]))

    def _joined(self, mesh: Part, kept: Indices, rest: Indices, first: int) -> tuple[Points, Triangles]:
        """Join the rest (R,) of a mesh's triangles to these, at the vertices shared with the kept triangles (K,).

        Returns:
            The additional points, with indices from `first`, and (R, 3) triangles.
        """
        if len(rest) == 0:
            return self.points[:0], self.triangles[:0]
        triangles, used, shared = mesh.triangles[rest], *np.zeros((2, len(mesh.points)), dtype=bool)
        used[triangles] = True
        shared[mesh.triangles[kept]] = True
        shared = np.flatnonzero(shared & used)
        distance, place = cKDTree(self.points).query(mesh.points[shared])
        there = distance == 0
        used[shared[there]] = False
        number = first - 1 + np.cumsum(used, dtype=np.int32)
        number[shared[there]] = place[there]
        return mesh.points[used], number.take(triangles)


def _manifold3d() -> ModuleType:
    try:
        import manifold3d
    except ModuleNotFoundError as error:
        raise InputError(
            "to keep the stock outside of Blender takes manifold3d: run pip install 'voxel-carve[keep]', "
            "or leave out --result keep"
        ) from error
    return manifold3d  # type: ignore[no-any-return]
