"""The parts of two closed meshes that are near each other. A boolean needs only these parts.

A boolean changes only triangles near tiles of space that both meshes pass. Caps close these parts. The tool's cap is a
cone over each loop of the border. The stock's cap is a copy lifted off the part, with walls in between, and a box
around everything. The rest of each mesh is kept as it is, or removed as a whole.

Nothing is assumed about the shapes. A mesh and its part differ by a closed surface: the mesh's rest and the part's cap.
If that surface passes no tile of the other mesh's part, and does not wind around it, a boolean gives the same result
there. This is verified for each pair. If it fails, the whole meshes are used.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..model.mesh import TriMesh, used_points
from ..primitives.half_edges import border, connected
from .cut import Body
from .tiles import Indices, Mask, Points, Tiled, Tiles, UncertainError, spread

Corners = npt.NDArray[np.int32]

FEWEST_TRIANGLES = 100_000  # of both meshes: with fewer, finding the parts takes as long as they save
MOST_NEAR = 0.4  # if a larger fraction of its triangles is near the other mesh, a whole mesh is used
TILES = 64  # along the longest side of both meshes
# In tiles: the reach from the stock to the tool's part, the reach from there to the stock's part, and the height of the
# lifted copy. The copy clears the tool's part, unless the stock is concave there.
TOOL_REACH, STOCK_REACH, LIFT = 1, 3, 7
MOST_GROWTH = 16


@dataclass(frozen=True)
class Part:
    """A closed mesh made from a part of another mesh and a cap.

    Attributes:
        points: (N, 3) float64.
        triangles: (M, 3) int32: triangles of the other mesh, then those of the cap.
        kept: (K,) indices in the other mesh of the first K triangles.
        rest: (R,) indices of its other triangles.
    """

    points: Points
    triangles: Corners
    kept: Indices
    rest: Indices

    @classmethod
    def whole(cls, body: Body) -> "Part":
        """A whole mesh, without a cap."""
        return cls(body.points, body.triangles, np.arange(len(body.triangles)), np.empty(0, dtype=np.int64))

    def cap(self) -> Corners:
        """(M - K, 3) the triangles of the cap."""
        return self.triangles[len(self.kept) :]


@dataclass(frozen=True)
class NearbyParts:
    """The parts of a stock and a tool that are near each other.

    Attributes:
        stock, tool: the parts. The rest of the stock is outside the tool.
        inside: (R,) which triangles of the tool's rest are inside the stock.
    """

    stock: Part
    tool: Part
    inside: Mask

    @classmethod
    def of_all(cls, stock: Part, tool: Part) -> "NearbyParts":
        """Two whole meshes."""
        return cls(stock, tool, np.empty(0, dtype=bool))

    def is_whole(self) -> bool:
        """Whether the parts are the whole meshes."""
        return len(self.stock.rest) == len(self.tool.rest) == 0


def find_nearby_parts(stock: Part, tool: Part) -> NearbyParts:
    """The parts that can replace a stock and a tool in every boolean; the whole meshes if that cannot be shown.

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
    """As `find_nearby_parts`, but raises UncertainError if it cannot be shown."""
    tiles = Tiles.around([stock.points, tool.points], TILES)
    of_stock, of_tool = (tiles.tiled(mesh.points, mesh.triangles) for mesh in (stock, tool))
    passed = tiles.marked(of_stock)
    near = _near(of_tool, spread(passed, TOOL_REACH))
    tool_part, tool_rest = _coned(tool, near), of_tool.of(~near)
    tool_cap = tiles.tiled(tool_part.points, tool_part.cap())
    of_part = [of_tool.of(near), tool_cap]
    near = _near(of_stock, spread(tiles.marked(*of_part), STOCK_REACH))
    stock_part, stock_rest = _lifted(stock, near, tiles), of_stock.of(~near)
    stock_cap = tiles.tiled(stock_part.points, stock_part.cap())

    _show_equal(tiles, stock_rest, stock_cap, of_part)
    _show_equal(tiles, tool_rest, tool_cap, [of_stock.of(near)])
    if _windings(tiles, of_tool, tiles.marked(of_tool), stock_rest).any():
        raise UncertainError
    times = _windings(tiles, of_stock, passed, tool_rest)
    if not np.isin(times, (0, 1)).all():
        raise UncertainError
    inside = np.zeros(len(tool.triangles), dtype=bool)
    inside[tool_rest.triangle] = times == 1
    return NearbyParts(stock_part, tool_part, inside[tool_part.rest])


def _near(mesh: Tiled, tiles: Mask) -> Mask:
    """(M,) the triangles in some tiles and their neighbours. They grow until no vertex is on two loops of their border.
    All triangles, if these are many."""
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
    """The near triangles (M,), with a cone from each loop of their border to its middle as the cap."""
    if near.all():
        return mesh
    points, triangles = used_points(mesh.points, mesh.triangles[near])
    tail, head = border(triangles)
    loop = np.unique(connected(tail, head, len(points))[tail], return_inverse=True)[1].reshape(-1)
    size = np.bincount(loop)
    tips = np.stack([np.bincount(loop, weights=column[tail]) / size for column in points.T], axis=1)
    cones = np.stack([head, tail, len(points) + loop], axis=1)
    return _closed(np.concatenate([points, tips]), [triangles, cones], near)


def _lifted(mesh: Part, near: Mask, tiles: Tiles) -> Part:
    """The near triangles (M,) with a cap: a lifted copy of them, walls in between, and a box around everything.

    The copy and the walls turn the space over the triangles inside out. The box compensates for that.
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
    cap = [triangles[:, ::-1] + count, *walls, around.triangles + 2 * count]
    return _closed(np.concatenate([points, lifted, around.points]), [triangles, *cap], near)


def _closed(points: Points, triangles: list[Indices], near: Mask) -> Part:
    return Part(points, np.concatenate(triangles).astype(np.int32), np.flatnonzero(near), np.flatnonzero(~near))


def _show_equal(tiles: Tiles, rest: Tiled, cap: Tiled, other: list[Tiled]) -> None:
    """Raise UncertainError unless the cap of a part winds around the other part as often as its mesh's rest does."""
    if len(rest.triangle) == 0:
        return
    _, points = tiles.regions(tiles.marked(rest, cap), np.concatenate([each.tile for each in other]))
    if any(tiles.winding(rest, point) != tiles.winding(cap, point) for point in points):
        raise UncertainError


def _windings(tiles: Tiles, mesh: Tiled, marked: Mask, rest: Tiled) -> Indices:
    """(P,) the winding number of a mesh, which passes the marked tiles, at each pair of another mesh's rest."""
    if len(rest.triangle) == 0:
        return np.empty(0, dtype=np.int64)
    region, points = tiles.regions(marked, rest.tile)
    return np.array([tiles.winding(mesh, point) for point in points])[region]
