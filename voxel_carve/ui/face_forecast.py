"""A forecast of the number of faces of a carve, drawn beside memory and time.

Dual contouring makes a face for each edge of the grid that the surface crosses. Those along x are as many as the area
that the surface shows along x has squares of a voxel, and so for y and z.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import bpy
import numpy as np
import numpy.typing as npt

from ..compute.sheets import Openings, can_tell_openings
from ..scene.reading.surfaces import SurfaceShape, surface_shape

Floats = npt.NDArray[np.float64]

# The mean of |x| + |y| + |z| over all directions: how many faces a round surface has for each voxel's square of area.
FACES_PER_SQUARE = 1.5
# Keep Stock is worth a word where it gives at most this part of the faces, which is twice what it gives as a rule.
FEW = 0.2
# Corners of faces that are read at most while a panel is drawn, which takes some milliseconds.
MOST_CORNERS = 500_000

# The share of the sides of its box that a stock shows, with what else is known of its surface. Moving a vertex changes
# that little, so a stock is read once for each number of elements.
_known: dict[tuple[int, ...], SurfaceShape] = {}
MOST_KNOWN = 64


@dataclass(frozen=True)
class FaceForecast:
    """The approximate number of faces of all results.

    Attributes:
        remeshed: with Remesh.
        kept: at most, with Keep Stock; None if a stock is open or if the length of a path is not known.
        openings: what is open in each stock, by its name, as far as that is known yet.
    """

    remeshed: int
    kept: int | None
    openings: dict[str, Openings]

    @property
    def suggests_keeping(self) -> bool:
        """Whether Keep Stock would give so few faces that it is worth a word."""
        return self.kept is not None and self.kept <= FEW * self.remeshed


def face_forecast(
    stocks: Sequence[bpy.types.Object],
    boxes: Floats,
    paths: Sequence[bpy.types.Object],
    path_boxes: Floats,
    radii: Sequence[Floats],
    sizes: Sequence[float],
) -> FaceForecast | None:
    """The faces of carving stocks along paths; None if one of the stocks cannot be read while a panel is drawn.

    Args:
        stocks, boxes: (N, 2, 3) the boxes of the N stocks.
        paths, path_boxes: (M, 2, 3) the boxes of the M paths.
        radii: (M,) the radius of each path, for each stock.
        sizes: the voxel size of each stock.
    """
    remeshed, kept, openings = 0.0, 0.0, dict[str, Openings]()
    lengths = [path_length(path) for path in paths]
    is_known = bool(lengths) and None not in lengths
    for stock, box, own, size in zip(stocks, boxes, radii, sizes, strict=False):
        shape = _shape(stock, box)
        if shape is None or not size > 0:
            return None
        if shape.openings is not None:
            openings[stock.name] = shape.openings
        sides = np.ptp(box, axis=0)
        remeshed += float(shape.facing @ (sides[[1, 0, 0]] * sides[[2, 2, 1]])) / size**2
        is_known = is_known and shape.is_closed
        if is_known:
            inside = _shares_inside(path_boxes, box)
            area = 2 * math.pi * float(np.sum(np.array(lengths, dtype=np.float64) * inside * own))
            kept += shape.polygons + FACES_PER_SQUARE * area / size**2
    return FaceForecast(round(remeshed), round(kept) if is_known else None, openings)


def path_length(path: bpy.types.Object) -> float | None:
    """The approximate length of a curve in world space; None for other paths."""
    if not isinstance(path.data, bpy.types.Curve) or isinstance(path.data, bpy.types.TextCurve):
        return None
    scale = abs(np.linalg.det(np.array(path.matrix_world, dtype=np.float64)[:3, :3])) ** (1 / 3)
    return float(scale * sum(spline.calc_length() for spline in path.data.splines))


def _shares_inside(paths: Floats, stock: Floats) -> Floats:
    """(M,) about which part of each path lies in the box of a stock, by the diagonals of their boxes."""
    common = np.minimum(paths[:, 1], stock[1]) - np.maximum(paths[:, 0], stock[0])
    inside = np.linalg.norm(common, axis=1) * (common >= 0).all(axis=1)
    whole = np.linalg.norm(np.ptp(paths, axis=1), axis=1)
    shares: Floats = np.divide(inside, whole, out=np.zeros(len(paths)), where=whole > 0)
    return shares


def rounded(count: int) -> int:
    """A number with two digits that say something."""
    return int(float(f"{count:.2g}"))


def evaluated_mesh(stock: bpy.types.Object) -> bpy.types.Object | None:
    """A stock as it is carved, if it can be read while a panel is drawn: see `stock_key`."""
    if stock.mode != "OBJECT" or not isinstance(stock.data, bpy.types.Mesh):
        return None
    evaluated = stock.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.data
    can_be_read = isinstance(mesh, bpy.types.Mesh) and 0 < len(mesh.loops) <= MOST_CORNERS
    return evaluated if evaluated.is_evaluated and can_be_read else None


def stock_key(stock: bpy.types.Object, evaluated: bpy.types.Object) -> tuple[int, ...]:
    """What changes with the elements of a stock. Moving a vertex is not seen, so a stock is seldom read."""
    mesh = cast(bpy.types.Mesh, evaluated.data)
    return stock.session_uid, len(mesh.vertices), len(mesh.edges), len(mesh.polygons)


def _shape(stock: bpy.types.Object, box: Floats) -> SurfaceShape | None:
    """The surface of a stock, its areas as parts of the sides of its box."""
    evaluated = evaluated_mesh(stock)
    if evaluated is None:
        return None
    key = stock_key(stock, evaluated)
    if key not in _known or (_known[key].openings is None and can_tell_openings()):
        shape, sides = surface_shape(evaluated), np.ptp(box, axis=0)
        areas = sides[[1, 0, 0]] * sides[[2, 2, 1]]
        shares = np.divide(shape.facing, areas, out=np.zeros(3), where=areas > 0)
        while len(_known) >= MOST_KNOWN:
            del _known[next(iter(_known))]
        shape = SurfaceShape(shares, shape.polygons, shape.is_closed, shape.openings)
        _known[key] = shape
    return _known[key]
