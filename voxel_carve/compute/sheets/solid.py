"""The solid behind a sheet, as deep as the paths go.

A skirt goes down from the border of each sheet, and its floor is a copy of it. Down is along one axis, where all faces
look up along one, as those of a terrain do. The floor lies below all that the tool reaches. After the carve both are
taken away again, so the result is as open as the stock.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..adaptivity.simplify import Labels
from ..model.grid import Grid
from ..model.mesh import Source, Surface, TriMesh, are_closed, used_points
from ..model.sweep import Sweep
from ..primitives.half_edges import border, connected, directed_excess, face_sides
from ..primitives.triangles import Triangles
from ..repair.repair import Repaired, repaired_triangles
from ..runtime.errors import InputError
from ..runtime.sentences import Sentence
from .recognition import OPEN_STOCKS, OpenStock, hidden_shares, sheet_triangles

Array = npt.NDArray[np.float64]

AXES = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])  # z first: most terrains lie in x and y
FACING = 0.99  # of a sheet's area that must look along an axis, for its skirt to go along that
STEEPEST = 0.17  # the least component of its normals along the axis: 80 degrees
LEAST_AREA = 1e-3  # of a sheet, as seen from where most of it is seen
MOST_HIDDEN = 0.1  # of a sheet, by the solid behind others, or behind itself
MOST_HIDDEN_OF_BODIES = 0.5  # likewise of another part, such as a house that stands in a terrain
LEAST_DEPTH = 8  # voxels between a sheet and its floor
MARGIN = 4  # voxels between the floor and what the tool reaches

ONE_SIDED = Sentence(
    "'{name}' is a sheet whose sides cannot be told apart, like a Möbius strip: cut it, or fill its holes"
)


# Of skirts and floors: no material, and not that of faces of neither stock nor path, -1.
NO_LABEL = -2


@dataclass(frozen=True)
class SheetSolid:
    """A stock whose sheets are closed by skirts and floors.

    Attributes:
        mesh: the closed stock; the triangles of skirts and floors come last.
        order: (K,) int32, the triangle of the stock that each of the others is.
        notes: sentences for the user on what was repaired in the stock.
    """

    mesh: TriMesh
    order: npt.NDArray[np.int32]
    notes: tuple[str, ...]

    def labels(self, labels: Labels | None) -> Labels:
        """Labels of the stock's triangles, for those of the mesh: skirts and floors have one of their own."""
        known = Labels(np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int32)) if labels is None else labels
        own = np.broadcast_to(known.stock, int(self.order.max()) + 1) if known.stock.size == 1 else known.stock
        added = np.full(len(self.mesh.triangles) - len(self.order), NO_LABEL, dtype=np.int32)
        return replace(known, stock=np.concatenate([own[self.order], added]).astype(np.int32))

    def named(self, surface: Surface) -> Surface:
        """A surface that was carved from the mesh, with the triangles of the stock as its primitives. Skirts and floors
        are closures."""
        of_stock = (surface.source == Source.STOCK) & (surface.primitive >= 0)
        added = of_stock & (surface.primitive >= len(self.order))
        primitive = surface.primitive.copy()
        own = of_stock & ~added
        primitive[own] = self.order[primitive[own]]
        primitive[added] = -1
        return replace(surface, source=np.where(added, np.uint8(Source.CLOSURE), surface.source), primitive=primitive)


def opened(surface: Surface) -> Surface:
    """A surface without its closures."""
    stays = surface.source != Source.CLOSURE
    points, faces = used_points(surface.points, surface.faces[stays])
    return Surface(points, faces, surface.source[stays], surface.primitive[stays])


def solid_behind(
    mesh: TriMesh, repaired: Repaired, sweep: Sweep, grid: Grid, open_stock: OpenStock = "automatic"
) -> SheetSolid | None:
    """The solid behind the sheets of a stock; None if it has none.

    Args:
        mesh: the stock, in world space.
        repaired: its triangles on the grid: see `repaired_triangles`.
        sweep: what goes into it, in world space.
        open_stock: whether every open part is a sheet, none, or those that are told to be.

    Raises:
        InputError: an unknown choice, or a sheet that has one side alone, or with faces behind it.
    """
    _check_choice(open_stock)
    if open_stock == "fill":
        return None
    triangles, notes = repaired
    is_sheet = sheet_triangles(triangles, every_open_part=open_stock == "sheet")
    if not is_sheet.any():
        return None
    if (np.abs(directed_excess(triangles.triangles[is_sheet])[2]) > 1).any():
        raise InputError(ONE_SIDED, name=mesh.name)
    solid = _closed(mesh, triangles, is_sheet, sweep, grid, notes)
    chosen = np.append(is_sheet, np.ones(len(solid.mesh.triangles) - len(is_sheet), dtype=bool))
    points = grid.to_voxels(solid.mesh.points)
    of_sheets, of_others = hidden_shares(triangles, is_sheet, points, solid.mesh.triangles[chosen])
    if of_sheets > MOST_HIDDEN or of_others > MOST_HIDDEN_OF_BODIES:
        raise InputError(
            "'{name}' has faces behind its sheets, where all is solid: carve its parts one by one, or fill its holes",
            name=mesh.name,
        )
    return solid


def solid_of(mesh: TriMesh, sweep: Sweep, voxel_size: float, open_stock: OpenStock) -> SheetSolid | None:
    """As `solid_behind`, of a mesh alone."""
    _check_choice(open_stock)
    if are_closed(mesh.triangles):
        return None
    grid = Grid(mesh.bounds().mean(axis=0), voxel_size, (1, 1, 1))
    return solid_behind(mesh, repaired_triangles(mesh, grid), sweep, grid, open_stock)


def _check_choice(open_stock: str) -> None:
    if open_stock not in OPEN_STOCKS:
        raise InputError(
            "unknown open_stock '{open_stock}': choose {choices}",
            open_stock=open_stock,
            choices=", ".join(OPEN_STOCKS),
        )


def _closed(
    mesh: TriMesh,
    triangles: Triangles,
    is_sheet: npt.NDArray[np.bool_],
    sweep: Sweep,
    grid: Grid,
    notes: tuple[str, ...],
) -> SheetSolid:
    """The solid, from the welded triangles of a stock on a grid, and which of them are of sheets."""
    own = triangles.triangles
    points = _points_of(mesh, triangles, grid)
    sheet = own[is_sheet]
    part = connected(*face_sides(sheet), len(points))
    used, place = np.unique(part[sheet[:, 0]], return_inverse=True)
    down = np.empty((len(used), 3))
    for number in range(len(used)):
        corners = points[sheet[place == number]]
        up = _up(corners, mesh.name)
        down[number] = -up * _depth(corners.reshape(-1, 3), sweep, up, grid.voxel_size)
    vertices = np.unique(sheet)
    below = np.full(len(points), -1)
    below[vertices] = len(points) + np.arange(len(vertices))
    lower = points[vertices] + down[np.searchsorted(used, part[vertices])]
    tail, head = border(sheet)
    skirt = np.concatenate(
        [np.stack([head, tail, below[tail]], axis=1), np.stack([head, below[tail], below[head]], axis=1)]
    )
    closed = np.concatenate([own, skirt, below[sheet[:, ::-1]]]).astype(np.int32)
    return SheetSolid(TriMesh(np.concatenate([points, lower]), closed, mesh.name), triangles.order, notes)


def _points_of(mesh: TriMesh, triangles: Triangles, grid: Grid) -> Array:
    """The welded points (N, 3) of triangles on a grid in world space, as they are in the mesh."""
    given = mesh.triangles[triangles.order]
    # Those that repairs have flipped have their corners in the opposite order.
    is_turned = (grid.to_voxels(mesh.points[given[:, 0]]) + 0.0 != triangles.points[triangles.triangles[:, 0]]).any(
        axis=1
    )
    points = np.zeros_like(triangles.points)  # some may be of no triangle
    points[triangles.triangles] = mesh.points[np.where(is_turned[:, None], given[:, ::-1], given)]
    return points


def _up(corners: Array, name: str) -> Array:
    """Where a sheet of triangles (M, 3, 3) looks: along an axis, if nearly all of it looks along that."""
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    whole = area.sum(axis=0)
    size = np.linalg.norm(area, axis=1)
    for axis in AXES:
        up = axis * np.sign(whole @ axis)
        if size[area @ up > STEEPEST * size].sum() >= FACING * size.sum():
            return up
    length = float(np.linalg.norm(whole))
    if length <= LEAST_AREA * size.sum():
        raise InputError(ONE_SIDED, name=name)
    return np.asarray(whole / length)


def _depth(points: Array, sweep: Sweep, up: Array, voxel_size: float) -> float:
    """How far below a sheet with points (N, 3) its floor is. Segments that pass beside the sheet do not count."""
    aside = np.linalg.svd(up[None])[2][1:].T  # two directions across it
    low, high = (points @ aside).min(axis=0), (points @ aside).max(axis=0)
    ends = np.stack([sweep.start, sweep.end])
    radius = np.maximum(sweep.start_radius, sweep.end_radius)[:, None]
    place = ends @ aside
    is_over = (place.max(axis=0) + radius >= low).all(axis=1) & (place.min(axis=0) - radius <= high).all(axis=1)
    height = points @ up
    # Below all of it: beside a cliff the floor would be no farther than its depth.
    least = float(np.ptp(height)) + LEAST_DEPTH * voxel_size
    if not is_over.any():
        return least
    lowest = float((ends @ up - np.stack([sweep.start_radius, sweep.end_radius]))[:, is_over].min())
    return max(float(height.max()) - lowest + MARGIN * voxel_size, least)
