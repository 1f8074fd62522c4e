"""The parts of two closed meshes that can meet: a boolean need not be handed what it would give back as it was.

The triangles near tiles of space that both meshes pass are all that a boolean changes. They are closed by others: those
of the tool by a cone over each loop of their border, those of the stock by a copy lifted off them, with walls between,
and a box around all to be inside of. The rest is kept as it is, or goes away as a whole.

Nothing is assumed of the shapes. A mesh and the part that stands for it differ by a closed surface: the mesh's rest,
and what closes the part instead. Where that passes no tile of the other mesh's part, and does not wind round it, a
boolean cannot tell them apart there. This is shown of each pair, or the meshes stand for themselves.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..model.mesh import TriMesh
from ..repair.pairing import border
from .tiles import Indices, Mask, Points, Tiled, Tiles, UncertainError, spread, used_points

Corners = npt.NDArray[np.int32]

FEWEST_TRIANGLES = 100_000  # of both meshes: with fewer, it takes as long to find the parts as they save
MOST_NEAR = 0.4  # with more of its triangles near the other, a mesh stands for itself
TILES = 64  # along the longest side of both meshes
# In tiles: how far the tool's triangles may be from the stock's, and the stock's from those; then how high the copy is
# lifted. That clears the tool's part, unless the stock is bent inward.
TOOL_REACH, STOCK_REACH, LIFT = 1, 3, 7
MOST_GROWTH = 16


@dataclass(frozen=True)
class Part:
    """A closed mesh that stands for another.

    Attributes:
        points: (N, 3) float64.
        triangles: (M, 3) int32: those of the other mesh, then those that close them.
        kept: (K,) which triangles of the other mesh the first K are.
        rest: (R,) which ones it has besides.
    """

    points: Points
    triangles: Corners
    kept: Indices
    rest: Indices

    @classmethod
    def whole(cls, points: Points, triangles: Corners) -> "Part":
        """A mesh that stands for itself."""
        return cls(points, triangles, np.arange(len(triangles)), np.empty(0, dtype=np.int64))

    def closing(self) -> Corners:
        """(M - K, 3) the triangles that are not of the other mesh."""
        return self.triangles[len(self.kept) :]


@dataclass(frozen=True)
class NearbyParts:
    """The parts of a stock and a tool.

    Attributes:
        stock, tool: the parts. The rest of the stock is outside of the tool.
        inside: (R,) which triangles of the tool's rest are inside the stock.
    """

    stock: Part
    tool: Part
    inside: Mask

    @classmethod
    def of_all(cls, stock: Part, tool: Part) -> "NearbyParts":
        """That of meshes that stand for themselves."""
        return cls(stock, tool, np.empty(0, dtype=bool))


def find_nearby_parts(stock: Part, tool: Part) -> NearbyParts:
    """The parts of a stock and a tool that stand for them in every boolean, else these themselves.

    Args:
        stock, tool: whole, and closed.
    """
    if len(tool.triangles) and len(stock.triangles) + len(tool.triangles) >= FEWEST_TRIANGLES:
        try:
            return _nearby_parts(stock, tool)
        except UncertainError:
            pass
    return NearbyParts.of_all(stock, tool)


def _nearby_parts(stock: Part, tool: Part) -> NearbyParts:
    """As `find_nearby_parts`; raises UncertainError where it cannot be shown."""
    tiles = Tiles.around([stock.points, tool.points], TILES)
    of_stock, of_tool = (tiles.tiled(mesh.points, mesh.triangles) for mesh in (stock, tool))
    passed = tiles.marked(of_stock)
    near = _near(of_tool, spread(passed, TOOL_REACH))
    tool_part, tool_rest = _coned(tool, near), of_tool.of(~near)
    tool_closing = tiles.tiled(tool_part.points, tool_part.closing())
    of_part = [of_tool.of(near), tool_closing]
    near = _near(of_stock, spread(tiles.marked(*of_part), STOCK_REACH))
    stock_part, stock_rest = _lifted(stock, near, tiles), of_stock.of(~near)
    stock_closing = tiles.tiled(stock_part.points, stock_part.closing())

    _show_equal(tiles, stock_rest, stock_closing, of_part)
    _show_equal(tiles, tool_rest, tool_closing, [of_stock.of(near)])
    if _windings(tiles, of_tool, tiles.marked(of_tool), stock_rest).any():
        raise UncertainError
    times = _windings(tiles, of_stock, passed, tool_rest)
    if not np.isin(times, (0, 1)).all():
        raise UncertainError
    inside = np.zeros(len(tool.triangles), dtype=bool)
    inside[tool_rest.triangle] = times == 1
    return NearbyParts(stock_part, tool_part, inside[tool_part.rest])


def _near(mesh: Tiled, tiles: Mask) -> Mask:
    """(M,) the triangles in some tiles and those around them, and as many more that no vertex is on two loops of their
    border; all, where these are many."""
    near = np.zeros(len(mesh.triangles), dtype=bool)
    near[mesh.triangle[tiles.reshape(-1)[mesh.tile]]] = True
    if not near.any():
        raise UncertainError
    growing = np.zeros(len(mesh.points), dtype=bool)
    growing[mesh.triangles[near]] = True
    for _ in range(MOST_GROWTH):
        near = near | growing[mesh.triangles].any(axis=1)
        if near.mean() > MOST_NEAR:
            break
        growing = np.bincount(border(mesh.triangles[near])[0], minlength=len(mesh.points)) > 1
        if not growing.any():
            return near
    return np.ones(len(near), dtype=bool)


def _coned(mesh: Part, near: Mask) -> Part:
    """The near triangles (M,), each loop of their border closed by a cone to the middle of it."""
    if near.all():
        return mesh
    points, triangles = used_points(mesh.points, mesh.triangles[near])
    tail, head = border(triangles)
    edges = coo_array((np.ones(len(tail), dtype=bool), (tail, head)), shape=(len(points), len(points)))
    loop = connected_components(edges, directed=False)[1][tail]
    loop = np.unique(loop, return_inverse=True)[1].reshape(-1)
    size = np.bincount(loop)
    tips = np.stack([np.bincount(loop, weights=column[tail]) / size for column in points.T], axis=1)
    cones = np.stack([head, tail, len(points) + loop], axis=1)
    return _closed(np.concatenate([points, tips]), [triangles, cones], near)


def _lifted(mesh: Part, near: Mask, tiles: Tiles) -> Part:
    """The near triangles (M,) with a copy of them that is lifted off, walls in between, and a box around all.

    The copy and the walls turn the space over the triangles inside out, which the box makes good.
    """
    if near.all():
        return mesh
    points, triangles = used_points(mesh.points, mesh.triangles[near])
    a, b, c = (points.take(corner, axis=0) for corner in triangles.T)
    normal, count = np.cross(b - a, c - a), len(points)
    up = np.stack([np.bincount(triangles.ravel(), np.repeat(column, 3), count) for column in normal.T], axis=1)
    length = np.linalg.norm(up, axis=1, keepdims=True)
    lifted = points + LIFT * tiles.size * up / np.where(length > 0, length, 1.0)
    tail, head = border(triangles)
    walls = [np.stack([head, tail, tail + count], axis=1), np.stack([head, tail + count, head + count], axis=1)]
    low, high = tiles.bounds()
    around = TriMesh.box(low - (LIFT + 1) * tiles.size, high + (LIFT + 1) * tiles.size)
    closing = [triangles[:, ::-1] + count, *walls, around.triangles + 2 * count]
    return _closed(np.concatenate([points, lifted, around.points]), [triangles, *closing], near)


def _closed(points: Points, triangles: list[Indices], near: Mask) -> Part:
    return Part(points, np.concatenate(triangles).astype(np.int32), np.flatnonzero(near), np.flatnonzero(~near))


def _show_equal(tiles: Tiles, rest: Tiled, closing: Tiled, other: list[Tiled]) -> None:
    """Raise UncertainError unless what closes a part winds round the other one as often as its mesh's rest does."""
    if len(rest.triangle) == 0:
        return
    _, points = tiles.regions(tiles.marked(rest, closing), np.concatenate([each.tile for each in other]))
    if any(tiles.winding(rest, point) != tiles.winding(closing, point) for point in points):
        raise UncertainError


def _windings(tiles: Tiles, mesh: Tiled, marked: Mask, rest: Tiled) -> Indices:
    """How often a mesh, which passes the marked tiles, winds round each pair (P,) of another's rest, in other tiles."""
    if len(rest.triangle) == 0:
        return np.empty(0, dtype=np.int64)
    region, points = tiles.regions(marked, rest.tile)
    return np.array([tiles.winding(mesh, point) for point in points])[region]
