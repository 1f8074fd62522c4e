"""From a field to its surface. See `contour.surface`."""

import numpy as np

from ....contour.surface import LEFT_BRICKS, PlacementCounts
from ....field.fields import Field, places_of
from ....model.bricks import LOWEST
from ....model.combining import Rule
from ....model.grid import Grid
from ....model.mesh import DualMesh, Source, Surface
from ....primitives.primitives import Primitives
from ....runtime.errors import CarveError
from ....runtime.progress import progress_range
from ....runtime.threads import over_rows
from ..compiler.decorators import NONE, kernel
from ..contour.extraction import connect, place_vertices
from ..contour.fairing import fair_ragged, find_parts, find_ragged
from ..contour.occlusion import NearestLookup
from ..contour.sharp_edges import complete_edges
from .rims import cut_rims

STOCK, PATH, CLOSURE = int(Source.STOCK), int(Source.PATH), int(Source.CLOSURE)

ROWS_PER_RUN = 1 << 15


@kernel
def name_primitives(start, stop, codes, triangle_order, segment_order, source, primitive):  # type: ignore[no-untyped-def]
    """Set source and primitive (Q,) as in `Surface`, from codes (Q,) as in `Field.nearest`."""
    for q in range(start, stop):
        code = codes[q]
        if code == NONE or code == LOWEST:  # noqa: SIM109 - kernels know `in` for tuples of one type only
            source[q], primitive[q] = CLOSURE, -1
        elif code >= 0:
            source[q], primitive[q] = STOCK, triangle_order[code]
        else:
            source[q], primitive[q] = PATH, segment_order[-1 - code]


@kernel
def to_world(start, stop, points, origin, voxel_size):  # type: ignore[no-untyped-def]
    """Transform points (V, 3) from voxels to the world."""
    for v in range(start, stop):
        for i in range(3):
            points[v, i] = points[v, i] * voxel_size + origin[i]


def extract_surface(field: Field, grid: Grid) -> tuple[Surface, PlacementCounts]:
    """See `Backend.extract_surface`."""
    places = places_of(field)
    with progress_range(0.0, 0.56):
        vertices = place_vertices(field, places)
    field = field.without_distances()
    with progress_range(0.56, 0.7):
        mesh = connect(vertices, places)
        del vertices
        if mesh.quads.min(initial=0) < 0:
            raise CarveError(LEFT_BRICKS)
    with progress_range(0.7, 1.0):
        return finish_surface(field, grid, NearestLookup(places, field.nearest), mesh)


def finish_surface(field: Field, grid: Grid, lookup: NearestLookup, mesh: DualMesh) -> tuple[Surface, PlacementCounts]:
    """Complete the edges of a mesh, fair it, transform it to the world, and name its primitives as callers do.

    Args:
        field: the field of the surface.
        grid: where the voxels lie.
        lookup: the nearest primitives around a point.
        mesh: a vertex in each cell. Its points are changed, and become those of the surface.
    """
    primitives, rule = Primitives.of(field.segments, field.triangles), Rule.of(field.operation)
    with progress_range(0.0, 0.6):
        complete_edges(primitives, rule, lookup, mesh)
    with progress_range(0.6, 0.9):
        parts, ragged = find_ragged(primitives, rule, mesh)
        mesh, ragged, is_cut = cut_rims(field, mesh, parts, ragged)
    with progress_range(0.9, 1.0):
        mesh = fair_ragged(primitives, rule, lookup, mesh, find_parts(mesh), ragged, is_cut)
    vertices, quads = len(mesh.points), len(mesh.quads)
    source, primitive = np.empty(quads, dtype=np.uint8), np.empty(quads, dtype=np.int32)
    orders = field.triangles.order, field.segments.order
    over_rows(name_primitives, quads, ROWS_PER_RUN, mesh.codes, *orders, source, primitive)
    over_rows(to_world, vertices, ROWS_PER_RUN, mesh.points, grid.origin, grid.voxel_size)
    return Surface(mesh.points, mesh.quads, source, primitive), PlacementCounts.of(mesh.kinds)
