"""Probes: formulas that call other formulas with row n of an array, and write their results."""

from voxel_carve.compute.formulas.combining import is_from_sweep, sweep_operand
from voxel_carve.compute.formulas.end_balls import area_ratio, by_ends, fraction
from voxel_carve.compute.formulas.language import Primitives, Rows, Singles, where
from voxel_carve.compute.formulas.round_cone import anchor, distance, nearest_ball, offset_distance, radius_at, value
from voxel_carve.compute.formulas.triangle import (
    anchor_triangle,
    anchored_square,
    plane_value,
    squared_distance,
    squared_distance_to_corners,
)

ZERO = 0.0
ONE = 1.0


def from_bodies(mesh: Primitives, at: Rows, n: int, out: Rows) -> None:
    """Formulas of body n % K at place n: (N, 22) results."""
    cones = mesh.segments
    j = n % cones.shape[0]
    x, y, z = at[n, 0], at[n, 1], at[n, 2]
    place, ox, oy, oz = nearest_ball(cones, j, x, y, z)
    out[n, 0] = place
    out[n, 1] = ox
    out[n, 2] = oy
    out[n, 3] = oz
    out[n, 4] = distance(cones, j, x, y, z)
    signed, gx, gy, gz = value(cones, j, x, y, z)
    out[n, 5] = signed
    out[n, 6] = gx
    out[n, 7] = gy
    out[n, 8] = gz
    out[n, 9] = squared_distance(mesh, j, x, y, z)
    out[n, 10] = plane_value(mesh, j, x, y, z)
    a, b, c = mesh.triangles[j, 0], mesh.triangles[j, 1], mesh.triangles[j, 2]
    out[n, 11] = squared_distance_to_corners(
        mesh.points[a, 0], mesh.points[a, 1], mesh.points[a, 2],
        mesh.points[b, 0], mesh.points[b, 1], mesh.points[b, 2],
        mesh.points[c, 0], mesh.points[c, 1], mesh.points[c, 2], x, y, z,
    )  # fmt: skip
    last_radius = radius_at(cones, j, cones[j, 6])
    t = fraction(place, cones[j, 6], cones[j, 3] > ZERO, cones[j, 7], last_radius)
    sx, sy, sz, start_radius, ex, ey, ez, end_radius = by_ends(t, gx, gy, gz)
    out[n, 12] = t
    out[n, 13] = sx
    out[n, 14] = sy
    out[n, 15] = sz
    out[n, 16] = start_radius
    out[n, 17] = ex
    out[n, 18] = ey
    out[n, 19] = ez
    out[n, 20] = end_radius
    radius = radius_at(cones, j, place) + ONE
    out[n, 21] = area_ratio(t, radius, radius + signed)


def from_brick(mesh: Primitives, at: Rows, n: int, out: Singles) -> None:
    """Anchor body n % K to a brick with its centre at place n: columns n and N + n of (34, 2 N)."""
    j = n % mesh.segments.shape[0]
    anchor(mesh.segments, j, at[n, 0], at[n, 1], at[n, 2], out, n)
    anchor_triangle(mesh, j, at[n, 0], at[n, 1], at[n, 2], out, at.shape[0] + n)


def from_numbers(v: Rows, n: int, out: Rows) -> None:
    """Formulas that take plain numbers: (N, 6) results."""
    signed, place, to_centre = offset_distance(
        v[n, 0], v[n, 1], v[n, 2], v[n, 3], v[n, 4], v[n, 5], v[n, 6], v[n, 7], v[n, 8], v[n, 9], v[n, 10]
    )
    out[n, 0] = signed
    out[n, 1] = place
    out[n, 2] = to_centre
    out[n, 3] = anchored_square(
        v[n, 0], v[n, 1], v[n, 2], v[n, 3], v[n, 4], v[n, 5], v[n, 6], v[n, 7], v[n, 8], v[n, 9], v[n, 10], v[n, 11],
        v[n, 12],
    )  # fmt: skip
    out[n, 4] = sweep_operand(v[n, 0], where(v[n, 1] < ZERO, -ONE, ONE))
    out[n, 5] = where(is_from_sweep(v[n, 2], v[n, 3], v[n, 4] > ZERO), ONE, ZERO)
