"""The exact boolean: manifold3d, in a process of its own."""

import queue
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from types import TracebackType
from typing import IO, cast

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from ..model.combining import Operation
from ..runtime.child_process import NO_WINDOW, light_command
from ..runtime.errors import CarveError, InputError
from ..runtime.pipes import LOOK_EVERY, listen, send
from ..runtime.progress import checkpoint
from . import manifold_process
from .cut import Cut
from .manifold_process import Body, Combined
from .nearby_parts import NearbyParts, Part, find_nearby_parts
from .tiles import used_points

Points = npt.NDArray[np.float64]
Triangles = npt.NDArray[np.int32]
Indices = npt.NDArray[np.integer]


class ManifoldBoolean:
    """Booleans by manifold3d, which keeps float64 coordinates and every triangle that nothing touches.

    A context manager. Its process starts at once, so that it is ready when it is needed, and is killed at the end.

    Raises:
        InputError: manifold3d is not installed.
    """

    def __init__(self) -> None:
        _require_manifold3d()
        command = light_command(manifold_process.__name__, manifold_process.serve.__name__)
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, creationflags=NO_WINDOW
            )
        except OSError as error:
            raise CarveError(f"no process could be started for the boolean ({error})") from error
        self._answers = listen(cast(IO[bytes], self._process.stdout))

    def __enter__(self) -> "ManifoldBoolean":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            cast(IO[bytes], pipe).close()

    def __call__(self, stock: Part, tool: Part, operation: Operation) -> Cut | None:
        """Subtract the tool from the stock, unite or intersect them.

        Args:
            stock, tool: whole. The tool may have no triangles.

        Returns:
            The result; None if manifold3d takes one of them for no manifold.

        Raises:
            CarveError: the process ended, as for want of memory.
        """
        whole, nearby = NearbyParts.of_all(stock, tool), find_nearby_parts(stock, tool)
        checkpoint()
        cut = self._cut(whole, nearby, operation)
        if nearby.is_whole() or (cut is not None and cut.is_closed()):
            return cut
        return self._cut(whole, whole, operation)

    def _cut(self, whole: NearbyParts, nearby: NearbyParts, operation: Operation) -> Cut | None:
        """The boolean of the nearby parts, joined with the rest of the meshes."""
        combined = self._combined(nearby, operation)
        if combined is None:
            return None
        made = _Made.of(combined, nearby)
        checkpoint()
        made = made.with_rest(whole, nearby, operation)
        checkpoint()
        return Cut(made.points, made.triangles, made.ours, made.number, combined.peak)

    def _combined(self, nearby: NearbyParts, operation: Operation) -> Combined | None:
        """What the process answers, which this waits for. The job can be stopped meanwhile."""
        bodies = [Body(part.points, part.triangles) for part in (nearby.stock, nearby.tool)]
        try:
            send(cast(IO[bytes], self._process.stdin), (*bodies, operation))
            while True:
                try:
                    kind, *rest = self._answers.get(timeout=LOOK_EVERY)
                    break
                except queue.Empty:
                    checkpoint()
        except EOFError:
            kind, rest = "ended", []
        if kind == "ended":
            raise CarveError(
                f"the process of the boolean ended with status {self._process.wait()}, perhaps for want of memory: use "
                "larger voxels, or choose Remesh"
            )
        if kind == "failed":
            raise rest[0]
        return cast(Combined | None, rest[0])


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

    @classmethod
    def of(cls, combined: Combined, nearby: NearbyParts) -> "_Made":
        """A boolean of two parts, without their caps."""
        face, ours = combined.number, combined.of_first
        kept = face < np.where(ours, len(nearby.stock.kept), len(nearby.tool.kept))
        face, ours = face[kept], ours[kept]
        number = np.empty(len(face), dtype=np.int64)
        number[ours], number[~ours] = nearby.stock.kept[face[ours]], nearby.tool.kept[face[~ours]]
        points, triangles = used_points(combined.points, combined.triangles[kept])
        return cls(points, triangles.astype(np.int32), ours, number)

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


def _require_manifold3d() -> None:
    try:
        found = find_spec("manifold3d")
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise InputError(
            "to keep the stock takes manifold3d, which the extension brings along: install its zip again; in plain "
            "Python run pip install 'voxel-carve[keep]'; or choose Remesh (--result remesh)"
        )
