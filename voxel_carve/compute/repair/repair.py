"""Repairs of a stock before the job: defects of its faces that have exactly one remedy.

`repaired_triangles` applies them all. Each remedy is a function that reports what it did. Triangles keep the indices
that they have in the input mesh.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..model.grid import Grid
from ..model.mesh import TriMesh, mix
from ..primitives.half_edges import directed_excess
from ..primitives.triangles import Triangles, weld
from ..runtime.sentences import Sentence
from .orientation import flipped, turned_triangles

Indices = npt.NDArray[np.int64]
Repaired = tuple[Triangles, tuple[str, ...]]


def repaired_triangles(mesh: TriMesh, grid: Grid) -> Repaired:
    """The triangles of a stock on a grid after all remedies, and sentences on what they did."""
    kept, notes = without_doubles(mesh)
    if kept is None:
        triangles = Triangles.on_grid(mesh, grid)
    else:
        triangles = Triangles.on_grid(replace(mesh, triangles=mesh.triangles[kept]), grid)
        triangles = replace(triangles, order=kept[triangles.order])
    if not triangles.boundary.has_doubled_edges():
        return triangles, notes
    triangles, turned = looking_one_way(triangles)
    return triangles, notes + turned_note(mesh, turned)


def without_doubles(mesh: TriMesh) -> tuple[npt.NDArray[np.int32] | None, tuple[str, ...]]:
    """Count triangles between the same three points once, and let opposite ones cancel out.

    A winding number counts every duplicate: a face listed a hundred times would be a hundred layers, with a hundred
    open edges along its border. Two opposite faces add nothing. But bodies that share a face may rightly list it twice:
    if removing the duplicates leaves more open edges, they stay. If all faces cancel out, the mesh is two-sided for
    display, and the side that is listed first is kept.

    Returns:
        (M,) indices of the triangles to keep, None if nothing was wrong; and sentences for the user on what was done.
    """
    corner = _mixed(mesh.points)
    key = corner[mesh.triangles[:, 0]]
    for i in (1, 2):
        key += corner[mesh.triangles[:, i]]
    key.sort()
    if not (key[1:] == key[:-1]).any():
        return None, ()
    _, triangles, order = weld(mesh.points, mesh.triangles)
    if len(triangles) == 0:
        return None, ()
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
    notes, name = list[str](), mesh.name
    if doubled == 1:
        notes.append(Sentence("'{name}' lists a face that is there already: it counts once", name=name))
    elif doubled:
        notes.append(
            Sentence("'{name}' lists {count} faces that are there already: each counts once", name=name, count=doubled)
        )
    if looks:
        notes.append(Sentence("'{name}' has each face twice, facing both ways: one side was taken", name=name))
    elif cancelled:
        notes.append(
            Sentence("'{name}' has {count} faces that lie back to back: they cancel out", name=name, count=cancelled)
        )
    if not notes:
        return None, ()
    return np.sort(order[stay]), tuple(notes)


def looking_one_way(triangles: Triangles) -> tuple[Triangles, int]:
    """Flip triangles so that every part of their mesh is consistent, and count them; see `orientation`."""
    turned = turned_triangles(triangles.points, triangles.triangles)
    corners = flipped(triangles.triangles, turned)
    normal = np.where(turned[:, None], -triangles.normal, triangles.normal)
    return replace(triangles, triangles=corners, normal=normal), int(turned.sum())


def turned_note(mesh: TriMesh, turned: int) -> tuple[str, ...]:
    """The note on `turned` triangles of a mesh that were flipped; none for 0."""
    if not turned:
        return ()
    return (
        Sentence(
            "'{name}' has {turned:,} of {count:,} triangles that look the other way: they were turned round",
            name=mesh.name,
            turned=turned,
            count=len(mesh.triangles),
        ),
    )


def open_note(name: str, open_edges: int) -> Sentence:
    """The note on the holes of a mesh."""
    sentence = Sentence("'{name}' has holes ({count} open edges): they were filled")
    return Sentence(sentence, name=name, count=open_edges)


def inverted_note(name: str) -> Sentence:
    """The note on a mesh that is inside out."""
    return Sentence("'{name}' has its normals inverted: it was taken as solid all the same", name=name)


def _mixed(points: npt.NDArray[np.float64]) -> npt.NDArray[np.uint64]:
    """(N,) hashes of points (N, 3)."""
    bits = np.ascontiguousarray(points + 0.0).view(np.uint64)  # -0.0 becomes 0.0
    x, y, z = bits.T
    return mix(mix(mix(x) ^ y) ^ z)


def _first_of_each(
    side: npt.NDArray[np.signedinteger], group: Indices, start: Indices, wanted: npt.NDArray[np.signedinteger]
) -> npt.NDArray[np.bool_]:
    """(M,) the first |wanted| triangles of each group, of the side that the sign of `wanted` gives."""
    fits = side == np.sign(wanted)[group]
    before = np.cumsum(fits) - fits
    return fits & (before - before[start][group] < np.abs(wanted)[group])


def _open_edges(triangles: Indices) -> int:
    return int(np.abs(directed_excess(triangles)[2]).sum())
