"""The kernels of `normals`, compiled by numba."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..engines.numba.compiler.decorators import inlined, kernel, subroutine
from ..engines.numba.compiler.formulas import DOUBLE
from ..formulas import swept_body, vector
from ..model.mesh import Source
from .walk_kernels import reach

cross = DOUBLE(vector.cross)
dot = DOUBLE(vector.dot)
norm = DOUBLE(vector.length)
segment_distance = DOUBLE(swept_body.distance)
segment_value = DOUBLE(swept_body.value)

STOCK, PATH = int(Source.STOCK), int(Source.PATH)
# Faces that bridge a gap or a thin rim lie askew, and would be dark. So a normal is drawn back where it leans far from
# its face: farther than the first angle on cut faces; on those of the stock, farther than from the triangle by the
# second.
LEAST_COSINE = math.cos(math.radians(45))
MORE_COSINE, MORE_SINE = math.cos(math.radians(30)), math.sin(math.radians(30))
# Sides of a cut that differ by less look smooth, along a path and across it.
SMOOTH_COSINE = math.cos(math.radians(30))
# How a face takes part in `soft_edges`: not at all; its edges count, but its normals stay and no others follow them; or
# wholly.
ASIDE, ASKEW, BLENDED = 0, 1, 2
# A vertex is at most so many segments of its path away from the segment of its face.
MOST_SEGMENTS = 256
TINY = 1e-300


class StockArrays(NamedTuple):
    """What `shade` reads of a stock.

    Attributes:
        corners, joined: see `transfer.Walker`.
        smooth: (T,) bool, which triangles have normals.
        sign: (T,) float64, -1 for triangles that look into the solid, else 1.
        values, rows: normals, and those at the corners of triangles: see `transfer.CornerData`.
    """

    corners: npt.NDArray[np.float64]
    joined: npt.NDArray[np.int32]
    smooth: npt.NDArray[np.bool_]
    sign: npt.NDArray[np.float64]
    values: npt.NDArray[np.float32]
    rows: npt.NDArray[np.int32]


class CutArrays(NamedTuple):
    """What `shade` reads of a sweep.

    Attributes:
        cones: (K, 10) float64 rows: see `formulas.round_cone`.
        joined: (K, 4) int32, the segments before and after each one on its path, -1 for none; and for both, 1 if they
            run the same way as it, else -1.
        joints: (K, 2, 5) float64, what `find_joints` finds at both ends.
        sign: (K,) float64, 1 if a segment's faces look out of the sweep, -1 if into it, 0 if they are flat.
    """

    cones: npt.NDArray[np.float64]
    joined: npt.NDArray[np.int32]
    joints: npt.NDArray[np.float64]
    sign: npt.NDArray[np.float64]


@subroutine
def unit(x, y, z):  # type: ignore[no-untyped-def]
    """The vector with length 1; 0 stays."""
    length = math.sqrt(dot(x, y, z, x, y, z))
    scale = 1.0 / length if length > 0.0 else 0.0
    return x * scale, y * scale, z * scale


@subroutine
def face_area(points, faces, q):  # type: ignore[no-untyped-def]
    """A vector along the normal of a face, of twice its area in length."""
    # From the diagonals of a quad. A triangle repeats its first corner as the last: both are then sides.
    a, b, c, d = faces[q, 0], faces[q, 1], faces[q, 2], faces[q, 3 % faces.shape[1]]
    ux, uy, uz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    vx, vy, vz = points[d, 0] - points[b, 0], points[d, 1] - points[b, 1], points[d, 2] - points[b, 2]
    return cross(ux, uy, uz, vx, vy, vz)


@subroutine
def triangle_area(corner):  # type: ignore[no-untyped-def]
    """The same for a triangle given by its corners (3, 3)."""
    ux, uy, uz = corner[1, 0] - corner[0, 0], corner[1, 1] - corner[0, 1], corner[1, 2] - corner[0, 2]
    vx, vy, vz = corner[2, 0] - corner[0, 0], corner[2, 1] - corner[0, 1], corner[2, 2] - corner[0, 2]
    return cross(ux, uy, uz, vx, vy, vz)


@kernel
def agree(start, stop, points, faces, source, primitive, corners, areas):  # type: ignore[no-untyped-def]
    """Add to areas (T,) how much of the faces from each triangle looks as the triangle does, less what looks back."""
    for q in range(start, stop):
        p = primitive[q]
        if source[q] == STOCK and p >= 0:
            x, y, z = triangle_area(corners[p])
            x, y, z = unit(x, y, z)
            fx, fy, fz = face_area(points, faces, q)
            areas[p] += dot(x, y, z, fx, fy, fz)


@subroutine
def reach_segment(start, point, cones, joined):  # type: ignore[no-untyped-def]
    """Walk along a path from segment `start`, both ways, to the one nearest to a point. Return it, its way (1 if
    it runs as the first one does, -1 if the other way), and its distance."""
    nearest, nearest_way = start, 1
    least = segment_distance(cones, start, point[0], point[1], point[2])
    for first in range(2):
        side, way = first, 1
        before, beyond, steps = start, joined[start, side], 0
        while beyond >= 0 and steps < MOST_SEGMENTS:
            distance = segment_distance(cones, beyond, point[0], point[1], point[2])
            if distance >= least:
                break
            if joined[before, 2 + side] < 0:
                side, way = 1 - side, -way
            nearest, nearest_way, least = beyond, way, distance
            before, beyond = beyond, joined[beyond, side]
            steps += 1
    return nearest, nearest_way, least


@subroutine
def goes_on(j, other, way, cones):  # type: ignore[no-untyped-def]
    """Whether the sides of two segments of a path, which run the same way or not (way 1 or -1), differ too little in
    direction for an edge between them."""
    slope, beyond = cones[j, 8], way * cones[other, 8]
    steps = slope * beyond + math.sqrt(max((1.0 - slope**2) * (1.0 - beyond**2), 0.0))
    bend = way * dot(cones[j, 3], cones[j, 4], cones[j, 5], cones[other, 3], cones[other, 4], cones[other, 5])
    return min(bend, steps) > SMOOTH_COSINE and min(cones[j, 6], cones[other, 6]) > 0.0


@kernel
def find_joints(start, stop, cones, joined, joints):  # type: ignore[no-untyped-def]
    """Set joints (K, 2, 5) to the direction of a path at the start and the end of each segment, its slope there, and
    how far the segment is bent toward that; not at all (0) where the path ends, or bends too much to look smooth."""
    for j in range(start, stop):
        for side in range(2):
            ax, ay, az, slope = cones[j, 3], cones[j, 4], cones[j, 5], cones[j, 8]
            other, way, reach = joined[j, side], joined[j, 2 + side], 0.0
            if other >= 0 and goes_on(j, other, way, cones):
                ax, ay, az = unit(ax + way * cones[other, 3], ay + way * cones[other, 4], az + way * cones[other, 5])
                slope = (slope + way * cones[other, 8]) / 2.0
                # A long straight piece stays straight.
                reach = min(cones[j, 6] / 2.0, cones[other, 6] / 2.0, cones[j, 7] - side * cones[j, 6] * cones[j, 8])
            joint = joints[j, side]
            joint[0], joint[1], joint[2], joint[3], joint[4] = ax, ay, az, slope, reach


@subroutine
def side_normal(j, point, cones, joints):  # type: ignore[no-untyped-def]
    """The gradient of the distance of a point from segment j, if its path were a smooth curve: near its ends, the axis
    turns to the direction that the path has there on both sides."""
    x, y, z = point[0], point[1], point[2]
    first, last = joints[j, 0], joints[j, 1]
    sx, sy, sz, slope_start, reach_start = first[0], first[1], first[2], first[3], first[4]
    ex, ey, ez, slope_end, reach_end = last[0], last[1], last[2], last[3], last[4]
    ax, ay, az, span = cones[j, 3], cones[j, 4], cones[j, 5], cones[j, 6]
    # Between the planes through both ends, across these directions: there the neighbours go on with the same values. A
    # point on the side of a cone lies before its ball, by so much.
    ox, oy, oz = x - cones[j, 0], y - cones[j, 1], z - cones[j, 2]
    along = dot(ox, oy, oz, ax, ay, az)
    back = cones[j, 9] * norm(ox - along * ax, oy - along * ay, oz - along * az)
    ox, oy, oz = ox - back * ax, oy - back * ay, oz - back * az
    before = dot(ox, oy, oz, sx, sy, sz)
    after = dot(span * ax - ox, span * ay - oy, span * az - oz, ex, ey, ez)
    place = span * min(max(before / max(before + after, TINY), 0.0), 1.0)
    slope, share = cones[j, 8], 0.0
    if place < reach_start:
        share = 1.0 - place / reach_start
        ex, ey, ez, slope_end = sx, sy, sz, slope_start
    elif span - place < reach_end:
        share = 1.0 - (span - place) / reach_end
    _, nx, ny, nz = segment_value(cones, j, x, y, z)
    if share > 0.0:
        tx, ty, tz = unit(ax + share * (ex - ax), ay + share * (ey - ay), az + share * (ez - az))
        slope += share * (slope_end - slope)
        along = dot(nx, ny, nz, tx, ty, tz)
        rx, ry, rz = unit(nx - along * tx, ny - along * ty, nz - along * tz)
        if rx != 0.0 or ry != 0.0 or rz != 0.0:
            across = math.sqrt(max(1.0 - slope * slope, 0.0))
            nx, ny, nz = across * rx + slope * tx, across * ry + slope * ty, across * rz + slope * tz
    return nx, ny, nz


@inlined
def settle(x, y, z, fx, fy, fz, least):  # type: ignore[no-untyped-def]
    """A unit normal (x, y, z), or one nearer to that of the face where their cosine is below `least`: the angle is then
    as much less than the one allowed as it was more, so that no step shows."""
    cosine = dot(x, y, z, fx, fy, fz)
    if cosine < least:
        angle = max(2.0 * math.acos(least) - math.acos(max(cosine, -1.0)), 0.0)
        ex, ey, ez = unit(x - cosine * fx, y - cosine * fy, z - cosine * fz)
        along, across = math.cos(angle), math.sin(angle)
        x, y, z = unit(along * fx + across * ex, along * fy + across * ey, along * fz + across * ez)
    return x, y, z


@kernel
def shade(start, stop, points, faces, source, primitive, stock, cut, out, part, scratch):  # type: ignore[no-untyped-def]
    """Set out (M, K, 3) to the normals at the corners of faces, each with those of its own primitive, and part (M,) to
    how the faces take part in `soft_edges`: see `normals.corner_normals`."""
    last, tx, ty, tz = -1, 0.0, 0.0, 0.0
    for q in range(start, stop):
        p = primitive[q]
        fx, fy, fz = face_area(points, faces, q)
        fx, fy, fz = unit(fx, fy, fz)
        of_stock = source[q] == STOCK and p >= 0 and stock.smooth[p]
        outward = cut.sign[p] if source[q] == PATH and p >= 0 else 0.0
        part[q] = BLENDED if outward != 0.0 else ASIDE
        for k in range(faces.shape[1]):
            x, y, z, point = fx, fy, fz, points[faces[q, k]]
            if of_stock:
                t = reach(p, point, stock.corners, stock.joined, scratch)
                x, y, z = 0.0, 0.0, 0.0
                for i in range(3):
                    weight, row = stock.sign[p] * scratch[3, i], stock.rows[t, i]
                    x += weight * stock.values[row, 0]
                    y += weight * stock.values[row, 1]
                    z += weight * stock.values[row, 2]
                if x == 0.0 and y == 0.0 and z == 0.0:  # a triangle without area has none
                    x, y, z = fx, fy, fz
                x, y, z = unit(x, y, z)
                if t != last:
                    last = t
                    tx, ty, tz = triangle_area(stock.corners[t])
                    tx, ty, tz = unit(tx, ty, tz)
                own = stock.sign[p] * dot(x, y, z, tx, ty, tz)
                least = own * MORE_COSINE - math.sqrt(max(1.0 - own * own, 0.0)) * MORE_SINE
                x, y, z = settle(x, y, z, fx, fy, fz, least if own > -MORE_COSINE else -1.0)
            elif outward != 0.0:
                x, y, z = side_normal(p, point, cut.cones, cut.joints)
                other, way, _ = reach_segment(p, point, cut.cones, cut.joined)
                if other != p:
                    ox, oy, oz = side_normal(other, point, cut.cones, cut.joints)
                    # At an edge where the path bends, the face's own side looks more like the face.
                    better = dot(ox, oy, oz, fx, fy, fz) - dot(x, y, z, fx, fy, fz)
                    if outward * better > 0.0 or goes_on(p, other, way, cut.cones):
                        x, y, z = ox, oy, oz
                x, y, z = outward * x, outward * y, outward * z
                if dot(x, y, z, fx, fy, fz) < LEAST_COSINE:
                    part[q] = ASKEW
                x, y, z = settle(x, y, z, fx, fy, fz, LEAST_COSINE)
            out[q, k, 0] = x
            out[q, k, 1] = y
            out[q, k, 2] = z
