"""The exact boolean: manifold3d, in a process of its own."""

from dataclasses import replace
from importlib.util import find_spec
from typing import cast

import numpy as np
import numpy.typing as npt
import scipy

from ..model.combining import Operation
from ..model.mesh import are_closed, used_points
from ..runtime.child_process import Child, light_command
from ..runtime.errors import InputError
from ..runtime.progress import checkpoint
from ..runtime.sentences import SentenceByDoor
from . import manifold_process
from .cut import Body, Cut
from .nearby_parts import NearbyParts, Part, find_nearby_parts

Indices = npt.NDArray[np.integer]

ENDED = SentenceByDoor(
    "the process of the boolean ended with status {status}, perhaps for want of memory: use larger voxels, or carve "
    "without keeping the stock",
    window="the process of the boolean ended with status {status}, perhaps for want of memory: use larger voxels, or "
    "choose Remesh",
)
NO_MANIFOLD = SentenceByDoor(
    "to keep the stock takes manifold3d: run pip install 'voxel-carve[keep]', or carve without keeping it",
    command_line="to keep the stock takes manifold3d, which the extension's zip brings along: install that again; in "
    "plain Python run pip install 'voxel-carve[keep]'; or leave --result keep out",
    window="to keep the stock takes manifold3d, which the extension brings along: install its zip again, or choose "
    "Remesh",
)


class ManifoldBoolean(Child):
    """Booleans by manifold3d, which keeps float64 coordinates and every triangle that nothing touches.

    A context manager. Its process starts at once, so that it is ready when it is needed, and is killed at the end.

    Raises:
        InputError: manifold3d is not installed.
        CarveError: the process cannot be started.
    """

    def __init__(self) -> None:
        _require_manifold3d()
        command = light_command(manifold_process.__name__, manifold_process.serve.__name__)
        super().__init__(command, "boolean", ENDED)

    def __call__(self, stock: Body, tool: Body, operation: Operation) -> Cut | None:
        """Subtract the tool from the stock, unite or intersect them. The tool may have no triangles.

        Returns:
            The result; None if manifold3d takes one of them for no manifold.

        Raises:
            CarveError: the process ended, as for want of memory.
        """
        whole = NearbyParts.of_all(Part.whole(stock), Part.whole(tool))
        nearby = find_nearby_parts(whole.stock, whole.tool)
        checkpoint()
        cut = self._cut(whole, nearby, operation)
        if nearby.is_whole() or (cut is not None and are_closed(cut.triangles)):
            return cut
        return self._cut(whole, whole, operation)

    def _cut(self, whole: NearbyParts, nearby: NearbyParts, operation: Operation) -> Cut | None:
        """The boolean of the nearby parts, joined with the rest of the meshes."""
        bodies = [Body(part.points, part.triangles) for part in (nearby.stock, nearby.tool)]
        cut = cast(Cut | None, self.ask((*bodies, operation), lambda *_: checkpoint()))
        if cut is None:
            return None
        cut = _without_caps(cut, nearby)
        checkpoint()
        cut = _with_rest(cut, whole, nearby, operation)
        checkpoint()
        return cut


def _without_caps(cut: Cut, nearby: NearbyParts) -> Cut:
    """A boolean of two parts without their caps, by the numbers of the whole meshes."""
    kept = cut.number < np.where(cut.of_stock, len(nearby.stock.kept), len(nearby.tool.kept))
    ours, face = cut.of_stock[kept], cut.number[kept]
    number = np.empty(len(face), dtype=np.int64)
    number[ours], number[~ours] = nearby.stock.kept[face[ours]], nearby.tool.kept[face[~ours]]
    return Cut(*used_points(cut.points, cut.triangles[kept]), ours, number, cut.peak)


def _with_rest(cut: Cut, whole: NearbyParts, nearby: NearbyParts, operation: Operation) -> Cut:
    """A boolean of two parts with the triangles outside them that the operation keeps."""
    of_stock = nearby.stock.rest[: 0 if operation == "intersect" else None]
    of_tool = nearby.tool.rest[~nearby.inside if operation == "union" else nearby.inside]
    points, added = cut.points, [cut.triangles]
    for mesh, part, rest in ((whole.stock, nearby.stock, of_stock), (whole.tool, nearby.tool, of_tool)):
        more, triangles = _joined(cut, mesh, part.kept, rest, len(points))
        points, added = np.concatenate([points, more]), [*added, triangles]
    if operation == "subtract":
        added[-1] = added[-1][:, ::-1]
    ours = np.concatenate([cut.of_stock, np.arange(len(of_stock) + len(of_tool)) < len(of_stock)])
    number = np.concatenate([cut.number, of_stock, of_tool])
    return replace(cut, points=points, triangles=np.concatenate(added), of_stock=ours, number=number)


def _joined(
    cut: Cut, mesh: Part, kept: Indices, rest: Indices, first: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Join the rest (R,) of a mesh's triangles to a cut, at the vertices shared with the kept triangles (K,).

    Returns:
        The additional points, with indices from `first`, and (R, 3) triangles.
    """
    if len(rest) == 0:
        return cut.points[:0], cut.triangles[:0]
    triangles, used, shared = mesh.triangles[rest], *np.zeros((2, len(mesh.points)), dtype=bool)
    used[triangles] = True
    shared[mesh.triangles[kept]] = True
    shared = np.flatnonzero(shared & used)
    distance, place = scipy.spatial.cKDTree(cut.points).query(mesh.points[shared])
    there = distance == 0
    used[shared[there]] = False
    number = first - 1 + np.cumsum(used, dtype=np.int32)
    number[shared[there]] = place[there]
    return mesh.points[used], number.take(triangles)


def _require_manifold3d() -> None:
    try:
        found = find_spec("manifold3d")
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise InputError(NO_MANIFOLD)
