"""A stock as it should have been: what is wrong with its faces and has one remedy is put right before the job.

All of it happens in `repaired_triangles`, and each remedy is a function of its own that says what it did. The numbers
of triangles stay those of the mesh as it was given.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..model.grid import Grid
from ..model.mesh import TriMesh, mix
from ..primitives.boundary import directed_excess
from ..primitives.triangles import Triangles, weld
from .orientation import flipped, turned_triangles

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Repaired:
    """A mesh after a remedy.

    Attributes:
        mesh: with the same points; the very mesh that was given where nothing was wrong.
        kept: (M,) int32, which triangle of the mesh that was given each of its triangles is.
        notes: sentences for the user on what was done.
    """

    mesh: TriMesh
    kept: npt.NDArray[np.int32]
    notes: tuple[str, ...] = ()

    @classmethod
    def nothing(cls, mesh: TriMesh) -> "Repaired":
        """A mesh that is right."""
        return cls(mesh, np.arange(len(mesh.triangles), dtype=np.int32))


def repaired_triangles(mesh: TriMesh, grid: Grid) -> tuple[Triangles, tuple[str, ...]]:
    """The triangles of a stock on a grid after all remedies, and sentences on what these did."""
    single = without_doubles(mesh)
    triangles = Triangles.on_grid(single.mesh, grid)
    if single.mesh is not mesh:
        triangles = replace(triangles, order=single.kept[triangles.order])
    if not triangles.boundary.has_doubled_edges():
        return triangles, single.notes
    triangles, turned = looking_one_way(triangles)
    return triangles, single.notes + turned_note(mesh, turned)


def without_doubles(mesh: TriMesh) -> Repaired:
    """Let triangles between the same three places count once, and those that face each other cancel out.

    A winding number counts each of them: a face listed a hundred times would be a hundred sheets, and its border a
    hundred open edges. Two that face opposite ways add nothing to it. But bodies that share a face may list it twice
    with good reason: where more edges are open without the doubles than with them, they stay. Where all faces cancel
    out, the mesh has two sides for the sake of its looks, and the one that is listed first is kept.
    """
    corner = _mixed(mesh.points)
    key = corner[mesh.triangles[:, 0]]
    for i in (1, 2):
        key += corner[mesh.triangles[:, i]]
    key.sort()
    if not (key[1:] == key[:-1]).any():
        return Repaired.nothing(mesh)
    _, triangles, order = weld(mesh.points, mesh.triangles)
    if len(triangles) == 0:
        return Repaired.nothing(mesh)
    a, b, c = np.sort(triangles, axis=1).T
    by_place = np.lexsort((c, b, a))
    triangles, order = triangles[by_place], order[by_place]
    places = np.sort(triangles, axis=1)
    start = np.flatnonzero(np.append(True, (places[1:] != places[:-1]).any(axis=1)))
    group = np.repeat(np.arange(len(start)), np.diff(start, append=len(places)))
    i, j, k = triangles.T
    side = np.where((i > j) ^ (j > k) ^ (i > k), -1, 1)

    net = np.add.reduceat(side, start)
    looks = not net.any()
    wanted = side[start] if looks else net
    all_copies = _first_of_each(side, group, start, wanted)
    one_copy = _first_of_each(side, group, start, np.sign(wanted))
    stay = all_copies if _open_edges(triangles[all_copies]) < _open_edges(triangles[one_copy]) else one_copy

    doubled = int(all_copies.sum() - stay.sum())
    cancelled = len(triangles) - int(all_copies.sum())
    notes = []
    if doubled:
        notes.append(f"'{mesh.name}' lists {doubled} faces that are there already: each counts once")
    if looks:
        notes.append(f"'{mesh.name}' has each face twice, facing both ways: one side was taken")
    elif cancelled:
        notes.append(f"'{mesh.name}' has {cancelled} faces that lie back to back: they cancel out")
    if not notes:
        return Repaired.nothing(mesh)
    kept = np.sort(order[stay])
    return Repaired(replace(mesh, triangles=mesh.triangles[kept]), kept, tuple(notes))


def looking_one_way(triangles: Triangles) -> tuple[Triangles, int]:
    """Turn triangles round so that every part of their mesh looks one way, and say how many; see `orientation`."""
    turned = turned_triangles(triangles.points, triangles.triangles)
    corners = flipped(triangles.triangles, turned)
    normal = np.where(turned[:, None], -triangles.normal, triangles.normal)
    return replace(triangles, triangles=corners, normal=normal), int(turned.sum())


def turned_note(mesh: TriMesh, turned: int) -> tuple[str, ...]:
    """What is to be said where so many of the triangles of a mesh were turned round: nothing where none was."""
    if not turned:
        return ()
    name, count = mesh.name, len(mesh.triangles)
    return (f"'{name}' has {turned:,} of {count:,} triangles that look the other way: they were turned round",)


def _mixed(points: npt.NDArray[np.float64]) -> npt.NDArray[np.uint64]:
    """(N,) numbers that are equal for points (N, 3) in one place, and hardly ever for others."""
    bits = np.ascontiguousarray(points + 0.0).view(np.uint64)  # -0.0 becomes 0.0
    x, y, z = bits.T
    return mix(mix(mix(x) ^ y) ^ z)


def _first_of_each(
    side: npt.NDArray[np.signedinteger], group: Indices, start: Indices, wanted: npt.NDArray[np.signedinteger]
) -> npt.NDArray[np.bool_]:
    """(M,) the first so many triangles of each group as `wanted` says, of the side that is its sign."""
    fits = side == np.sign(wanted)[group]
    before = np.cumsum(fits) - fits
    return fits & (before - before[start][group] < np.abs(wanted)[group])


def _open_edges(triangles: Indices) -> int:
    return int(np.abs(directed_excess(triangles)[2]).sum())
