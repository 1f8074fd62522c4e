"""The triangle: its plane, its sides, and the distance from it. All lengths are in voxels.

The foot of the perpendicular counts where it lies inside of all three sides; else the nearest side does.
"""

from .language import Primitives, Singles, real, single, where
from .vector import cross, dot, greatest, least, length

ZERO = 0.0
ONE = 1.0
TINY = 1e-300  # less than any square of a length
FAR = 1e6
NUMBERS = 34  # of `anchor_triangle`


def squared_distance_to_segment(px: float, py: float, pz: float, ex: float, ey: float, ez: float) -> float:
    """Square of the distance from the coordinate origin to the points p + t e, for t from 0 to 1."""
    t = min(max(-dot(px, py, pz, ex, ey, ez) / max(dot(ex, ey, ez, ex, ey, ez), TINY), ZERO), ONE)
    fx, fy, fz = px + t * ex, py + t * ey, pz + t * ez
    return dot(fx, fy, fz, fx, fy, fz)


def foot_and_height(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float, cx: float, cy: float, cz: float,
    nx: float, ny: float, nz: float, x: float, y: float, z: float,
) -> tuple[float, float]:  # fmt: skip
    """Where a point is over the triangle a, b, c, with a normal n of any length, or 0 where they lie on a line.

    Returns:
        A number that is not less than 0 where the foot of the perpendicular lies inside or on a side: the least of its
        barycentric coordinates, times the area. The distance from the plane, times the length of n.
    """
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    px, py, pz = x - ax, y - ay, z - az
    wx, wy, wz = cross(ux, uy, uz, vx, vy, vz)
    whole = dot(wx, wy, wz, nx, ny, nz)
    sx, sy, sz = cross(px, py, pz, vx, vy, vz)
    second = dot(sx, sy, sz, nx, ny, nz)
    tx, ty, tz = cross(ux, uy, uz, px, py, pz)
    third = dot(tx, ty, tz, nx, ny, nz)
    inner = where(whole > ZERO, least(second, third, whole - (second + third)), -ONE)
    return inner, dot(px, py, pz, nx, ny, nz)


def squared_distance_to_sides(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float, cx: float, cy: float, cz: float,
    x: float, y: float, z: float,
) -> float:  # fmt: skip
    """Square of the distance of a point from the nearest side of the triangle a, b, c."""
    return least(
        squared_distance_to_segment(ax - x, ay - y, az - z, bx - ax, by - ay, bz - az),
        squared_distance_to_segment(bx - x, by - y, bz - z, cx - bx, cy - by, cz - bz),
        squared_distance_to_segment(cx - x, cy - y, cz - z, ax - cx, ay - cy, az - cz),
    )


def squared_distance_to_corners(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float, cx: float, cy: float, cz: float,
    x: float, y: float, z: float,
) -> float:  # fmt: skip
    """Square of the distance of a point from the triangle a, b, c, whose normal is not at hand."""
    nx, ny, nz = cross(bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az)
    inner, height = foot_and_height(ax, ay, az, bx, by, bz, cx, cy, cz, nx, ny, nz, x, y, z)
    if inner >= ZERO:
        return height * height / dot(nx, ny, nz, nx, ny, nz)
    return squared_distance_to_sides(ax, ay, az, bx, by, bz, cx, cy, cz, x, y, z)


def squared_distance(mesh: Primitives, k: int, x: float, y: float, z: float) -> float:
    """Square of the distance of a point from triangle k."""
    a, b, c = mesh.triangles[k, 0], mesh.triangles[k, 1], mesh.triangles[k, 2]
    ax, ay, az = mesh.points[a, 0], mesh.points[a, 1], mesh.points[a, 2]
    bx, by, bz = mesh.points[b, 0], mesh.points[b, 1], mesh.points[b, 2]
    cx, cy, cz = mesh.points[c, 0], mesh.points[c, 1], mesh.points[c, 2]
    nx, ny, nz = mesh.normal[k, 0], mesh.normal[k, 1], mesh.normal[k, 2]
    inner, height = foot_and_height(ax, ay, az, bx, by, bz, cx, cy, cz, nx, ny, nz, x, y, z)
    nearest = squared_distance_to_sides(ax, ay, az, bx, by, bz, cx, cy, cz, x, y, z)
    return where(inner >= ZERO, height * height, nearest)


def plane_value(mesh: Primitives, k: int, x: float, y: float, z: float) -> float:
    """Signed distance of a point from the plane of triangle k, positive where its normal looks."""
    a = mesh.triangles[k, 0]
    return dot(
        mesh.normal[k, 0], mesh.normal[k, 1], mesh.normal[k, 2],
        x - mesh.points[a, 0], y - mesh.points[a, 1], z - mesh.points[a, 2],
    )  # fmt: skip


def reaches_box(mesh: Primitives, k: int, x: float, y: float, z: float, half: float, band: float) -> bool:
    """Whether the plane of triangle k comes within `band` of the cube of half extent `half` around a point."""
    across = (abs(mesh.normal[k, 0]) + abs(mesh.normal[k, 1])) + abs(mesh.normal[k, 2])
    return abs(plane_value(mesh, k, x, y, z)) <= half * across + band


def anchor_plane(nx: float, ny: float, nz: float, x: float, y: float, z: float, out: Singles, n: int) -> None:
    """Set the numbers of the plane through a point, counted from the brick's centre: see `anchor_triangle`."""
    out[0, n] = single(-dot(nx, ny, nz, x, y, z))
    out[1, n] = single(nx)
    out[2, n] = single(ny)
    out[3, n] = single(nz)


def anchor_side(
    side: int, ax: float, ay: float, az: float, bx: float, by: float, bz: float, nx: float, ny: float, nz: float,
    out: Singles, n: int,
) -> None:  # fmt: skip
    """Set the numbers of a side from a to b, counted from the brick's centre, of a triangle with normal n: see
    `anchor_triangle`."""
    tx, ty, tz = bx - ax, by - ay, bz - az
    whole = length(tx, ty, tz)
    tx, ty, tz = tx / whole, ty / whole, tz / whole
    along = dot(tx, ty, tz, ax, ay, az)
    place = min(max(-along, ZERO), whole)
    mx, my, mz = cross(tx, ty, tz, nx, ny, nz)
    first = 4 + 10 * side
    out[first, n] = single(-dot(mx, my, mz, ax, ay, az))
    out[first + 1, n] = single(mx)
    out[first + 2, n] = single(my)
    out[first + 3, n] = single(mz)
    out[first + 4, n] = single(-along - place)
    out[first + 5, n] = single(tx)
    out[first + 6, n] = single(ty)
    out[first + 7, n] = single(tz)
    out[first + 8, n] = single(-place)
    out[first + 9, n] = single(whole - place)


def across_line(x: float, y: float, z: float) -> tuple[float, float, float]:
    """A vector of length 1 across the direction (x, y, z), and across the axis that it runs along least."""
    nx, ny, nz = y, -x, ZERO
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        nx, ny, nz = ZERO, z, -y
    elif abs(y) <= abs(z):
        nx, ny, nz = -z, ZERO, x
    whole = length(nx, ny, nz)
    return nx / whole, ny / whole, nz / whole


def anchor_degenerate(
    ax: float,
    ay: float,
    az: float,
    bx: float,
    by: float,
    bz: float,
    cx: float,
    cy: float,
    cz: float,
    out: Singles,
    n: int,
) -> None:
    """`anchor_triangle` of a triangle whose corners lie on a line: only its longest side counts, as the first."""
    most = length(bx - ax, by - ay, bz - az)
    second, third = length(cx - bx, cy - by, cz - bz), length(ax - cx, ay - cy, az - cz)
    sx, sy, sz = real(ax), real(ay), real(az)
    ex, ey, ez = real(bx), real(by), real(bz)
    if second > most:
        most = second
        sx, sy, sz = bx, by, bz
        ex, ey, ez = cx, cy, cz
    if third > most:
        most = third
        sx, sy, sz = cx, cy, cz
        ex, ey, ez = ax, ay, az
    nx, ny, nz = across_line((ex - sx) / most, (ey - sy) / most, (ez - sz) / most)
    anchor_plane(nx, ny, nz, sx, sy, sz, out, n)
    anchor_side(0, sx, sy, sz, ex, ey, ez, nx, ny, nz, out, n)
    # The other two sides are far, and every point is on their lines: not inside, and no farther than the first side.
    for i in range(14, 34):
        out[i, n] = single(ZERO)
    out[18, n] = single(FAR)
    out[28, n] = single(FAR)


def anchor_triangle(mesh: Primitives, k: int, x: float, y: float, z: float, out: Singles, n: int) -> None:
    """Set column n of out (34, N) to the numbers of triangle k from which distances near a brick's centre are computed.

    They are those of its plane, four, then of each side, ten. The distance from the plane, or from the line of a side,
    positive outside of the triangle: its value at the centre, and its direction (x, y, z). The place along a side,
    likewise, from the place nearest to the centre: that keeps it about as small as the brick. The least and the
    greatest such place.
    """
    a, b, c = mesh.triangles[k, 0], mesh.triangles[k, 1], mesh.triangles[k, 2]
    ax, ay, az = mesh.points[a, 0] - x, mesh.points[a, 1] - y, mesh.points[a, 2] - z
    bx, by, bz = mesh.points[b, 0] - x, mesh.points[b, 1] - y, mesh.points[b, 2] - z
    cx, cy, cz = mesh.points[c, 0] - x, mesh.points[c, 1] - y, mesh.points[c, 2] - z
    nx, ny, nz = mesh.normal[k, 0], mesh.normal[k, 1], mesh.normal[k, 2]
    if nx == ZERO and ny == ZERO and nz == ZERO:
        anchor_degenerate(ax, ay, az, bx, by, bz, cx, cy, cz, out, n)
    else:
        anchor_plane(nx, ny, nz, ax, ay, az, out, n)
        anchor_side(0, ax, ay, az, bx, by, bz, nx, ny, nz, out, n)
        anchor_side(1, bx, by, bz, cx, cy, cz, nx, ny, nz, out, n)
        anchor_side(2, cx, cy, cz, ax, ay, az, nx, ny, nz, out, n)


def affine_in_row(frames: Singles, first: int, n: int, y: float, z: float) -> float:
    """What numbers `first` and the next three of column n give at x = 0 of the row of voxels at y and z."""
    return (frames[first, n] + frames[first + 2, n] * y) + frames[first + 3, n] * z


def affine_at_voxel(frames: Singles, first: int, n: int, x: float, y: float, z: float) -> float:
    """What numbers `first` and the next three of column n give at a voxel."""
    return affine_in_row(frames, first, n, y, z) + frames[first + 1, n] * x


def squared_distance_to_side(across: float, along: float, low: float, high: float) -> float:
    """Square of the distance in the plane of a triangle to a side that runs from `low` to `high`."""
    beyond = along - min(max(along, low), high)
    return across * across + beyond * beyond


def anchored_square(
    height: float, a: float, b: float, c: float, along_a: float, along_b: float, along_c: float,
    low_a: float, low_b: float, low_c: float, high_a: float, high_b: float, high_c: float,
) -> float:  # fmt: skip
    """Square of the distance of a voxel from a triangle: its height over the plane, its distance from the line of each
    side, its place along each, and the ends of those: see `anchor_triangle`."""
    to_a = squared_distance_to_side(a, along_a, low_a, high_a)
    to_b = squared_distance_to_side(b, along_b, low_b, high_b)
    to_c = squared_distance_to_side(c, along_c, low_c, high_c)
    square = height * height
    return where(greatest(a, b, c) < ZERO, square, least(to_a, to_b, to_c) + square)
