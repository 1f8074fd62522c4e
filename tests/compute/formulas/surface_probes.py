"""Probes for formulas of the surface: see `formula_probes`."""

from voxel_carve.compute.formulas.hermite import cross_edge
from voxel_carve.compute.formulas.language import Cell, Point, Primitives, Ring, Rows, Rule, real
from voxel_carve.compute.formulas.quad_splitting import choose_split
from voxel_carve.compute.formulas.vertex_placement import join_crossing, place_patch
from voxel_carve.compute.formulas.z_columns import column_crossing

ZERO = 0.0


def from_patch(mesh: Primitives, rule: Rule, cell: Cell, ring: Ring, p: Point, at: Rows, n: int, out: Rows) -> None:
    """A vertex and its kind, (N, 4), from a corner, 8 codes and four edges: corner, axis, place, code, side."""
    for i in range(3):
        cell.corner[i] = at[n, i]
        p[i] = ZERO
    for k in range(8):
        cell.around[k] = int(at[n, 3 + k])
    members = int(0)
    for e in range(4):
        first, axis, code = int(at[n, 11 + 5 * e]), int(at[n, 12 + 5 * e]), int(at[n, 14 + 5 * e])
        inside = at[n, 15 + 5 * e] > ZERO
        members = join_crossing(mesh, rule, cell, e, members, first, axis, at[n, 13 + 5 * e], code, inside, p)
    out[n, 3] = real(place_patch(mesh, rule, int(4), members, cell, p))
    for i in range(3):
        out[n, i] = p[i]


def from_edge(mesh: Primitives, rule: Rule, cell: Cell, ring: Ring, p: Point, at: Rows, n: int, out: Rows) -> None:
    """The crossing of an edge and its primitive, (N, 2), from distances, codes, first end and axis."""
    first, last, axis = int(at[n, 2]), int(at[n, 3]), int(at[n, 7])
    place, code = cross_edge(mesh, rule, at[n, 0], at[n, 1], first, last, at[n, 4], at[n, 5], at[n, 6], axis)
    out[n, 0] = place
    out[n, 1] = real(code)


def from_ring(mesh: Primitives, rule: Rule, cell: Cell, ring: Ring, p: Point, at: Rows, n: int, out: Rows) -> None:
    """Where the diagonal starts, (N, 1), from the corners of a quad, the axis of its edge and the crossing."""
    for k in range(4):
        for i in range(3):
            ring[k, i] = at[n, 3 * k + i]
    axis = int(at[n, 12])
    out[n, 0] = real(choose_split(ring, (axis + 1) % 3, (axis + 2) % 3, axis, at[n, 13]))


def from_column(mesh: Primitives, rule: Rule, cell: Cell, ring: Ring, p: Point, at: Rows, n: int, out: Rows) -> None:
    """The sign and the height of a crossing, (N, 2), from the corners of a triangle and a column."""
    a, b, c = int(at[n, 0]), int(at[n, 1]), int(at[n, 2])
    sign, above = column_crossing(mesh.points, a, b, c, at[n, 3], at[n, 4])
    out[n, 0] = real(sign)
    out[n, 1] = above
