"""The triangle: its plane, its sides, and the distance from it. All lengths are in voxels.

The foot of the perpendicular is the nearest point if it lies inside all three sides. If not, the nearest side counts.
"""

from .language import Point, Primitives, Singles, real, single, some, where
from .vector import cross, dot, greatest, least, length

ZERO = 0.0
ONE = 1.0
TINY = 1e-300  # less than any squared length
FAR = 1e6
NUMBERS = 34  # of `anchor_triangle`


def squared_distance_to_segment(px: float, py: float, pz: float, ex: float, ey: float, ez: float) -> float:
    """Squared distance from the coordinate origin to the points p + t e, for t from 0 to 1."""
    t = min(max(-dot(px, py, pz, ex, ey, ez) / max(dot(ex, ey, ez, ex, ey, ez), TINY), ZERO), ONE)
    fx, fy, fz = px + t * ex, py + t * ey, pz + t * ez
    return dot(fx, fy, fz, fx, fy, fz)


def foot_and_height(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float, cx: float, cy: float, cz: float,
    nx: float, ny: float, nz: float, x: float, y: float, z: float,
) -> tuple[float, float]:  # fmt: skip
    """The foot of the perpendicular from a point to the triangle a, b, c, and the point's height above the plane.

    The normal n may have any length. It is 0 if the corners are collinear.

    Returns:
        The least barycentric coordinate of the foot, scaled: 0 or more inside the triangle and on its sides, less than
        0 outside. The signed distance from the plane, times the length of n.
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
    """Squared distance of a point from the nearest side of the triangle a, b, c."""
    return least(
        squared_distance_to_segment(ax - x, ay - y, az - z, bx - ax, by - ay, bz - az),
        squared_distance_to_segment(bx - x, by - y, bz - z, cx - bx, cy - by, cz - bz),
        squared_distance_to_segment(cx - x, cy - y, cz - z, ax - cx, ay - cy, az - cz),
    )


def squared_distance_to_corners(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float, cx: float, cy: float, cz: float,
    x: float, y: float, z: float,
) -> float:  # fmt: skip
    """Squared distance of a point from the triangle a, b, c, without a stored normal."""
    nx, ny, nz = cross(bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az)
    inner, height = foot_and_height(ax, ay, az, bx, by, bz, cx, cy, cz, nx, ny, nz, x, y, z)
    if inner >= ZERO:
        return height * height / dot(nx, ny, nz, nx, ny, nz)
    return squared_distance_to_sides(ax, ay, az, bx, by, bz, cx, cy, cz, x, y, z)


def squared_distance(mesh: Primitives, k: int, x: float, y: float, z: float) -> float:
    """Squared distance of a point from triangle k."""
    a, b, c = mesh.triangles[k, 0], mesh.triangles[k, 1], mesh.triangles[k, 2]
    ax, ay, az = mesh.points[a, 0], mesh.points[a, 1], mesh.points[a, 2]
    bx, by, bz = mesh.points[b, 0], mesh.points[b, 1], mesh.points[b, 2]
    cx, cy, cz = mesh.points[c, 0], mesh.points[c, 1], mesh.points[c, 2]
    nx, ny, nz = mesh.normal[k, 0], mesh.normal[k, 1], mesh.normal[k, 2]
    inner, height = foot_and_height(ax, ay, az, bx, by, bz, cx, cy, cz, nx, ny, nz, x, y, z)
    square = height * height
    if some(inner < ZERO):
        square = where(inner < ZERO, squared_distance_to_sides(ax, ay, az, bx, by, bz, cx, cy, cz, x, y, z), square)
    return square


def plane_value(mesh: Primitives, k: int, x: float, y: float, z: float) -> float:
    """Signed distance of a point from the plane of triangle k, positive on the side of its normal."""
    a = mesh.triangles[k, 0]
    return dot(
        mesh.normal[k, 0], mesh.normal[k, 1], mesh.normal[k, 2],
        x - mesh.points[a, 0], y - mesh.points[a, 1], z - mesh.points[a, 2],
    )  # fmt: skip


def reaches_box(mesh: Primitives, k: int, x: float, y: float, z: float, half: float, band: float) -> bool:
    """Whether the plane of triangle k comes within `band` of the cube around a point with half extent `half`."""
    across = (abs(mesh.normal[k, 0]) + abs(mesh.normal[k, 1])) + abs(mesh.normal[k, 2])
    return abs(plane_value(mesh, k, x, y, z)) <= half * across + band


def box_meets(mesh: Primitives, k: int, low: Point, flat: int, band: float) -> bool:
    """Whether the box of triangle k comes within `band` of a unit cube with the least corner low (3,), or of that face
    of it which has no extent along the axis `flat`; -1 for the cube."""
    for i in range(3):
        a, b, c = mesh.triangles[k, 0], mesh.triangles[k, 1], mesh.triangles[k, 2]
        least = min(mesh.points[a, i], min(mesh.points[b, i], mesh.points[c, i]))
        most = max(mesh.points[a, i], max(mesh.points[b, i], mesh.points[c, i]))
        high = low[i] if i == flat else low[i] + ONE
        if least > high + band or most < low[i] - band:
            return False
    return True


def anchor_plane(nx: float, ny: float, nz: float, x: float, y: float, z: float, out: Singles, n: int) -> None:
    """Set the numbers of the plane through a point, relative to the brick's centre: see `anchor_triangle`."""
    out[0, n] = single(-dot(nx, ny, nz, x, y, z))
    out[1, n] = single(nx)
    out[2, n] = single(ny)
    out[3, n] = single(nz)


def anchor_side(
    side: int, ax: float, ay: float, az: float, bx: float, by: float, bz: float, nx: float, ny: float, nz: float,
    out: Singles, n: int,
) -> None:  # fmt: skip
    """Set the numbers of a side from a to b, relative to the brick's centre, of a triangle with normal n: see
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
    """A unit vector perpendicular to (x, y, z), and to the axis along which that vector extends least."""
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
    """`anchor_triangle` for collinear corners: the longest side becomes the first, and only it counts."""
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
    # The other two sides are far away, and every point lies on their lines. So the first side is nearest.
    for i in range(14, 34):
        out[i, n] = single(ZERO)
    out[18, n] = single(FAR)
    out[28, n] = single(FAR)


def anchor_triangle(mesh: Primitives, k: int, x: float, y: float, z: float, out: Singles, n: int) -> None:
    """Set column n of out (34, N) to the numbers of triangle k that give distances near a brick's centre (x, y, z).

    The plane has four numbers, then each side has ten. They hold affine functions, as value at the centre and gradient
    (x, y, z): the distance from the plane; for each side, the distance from its line, positive outside the triangle,
    and the place along it. Last come the least and the greatest place of the side. Places count from the one nearest
    to the centre, which keeps them about as small as the brick.
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


def affine_in_row(anchors: Singles, first: int, n: int, y: float, z: float) -> float:
    """The affine function in numbers `first` to `first` + 3 of column n, at (0, y, z): see `anchor_triangle`."""
    return (anchors[first, n] + anchors[first + 2, n] * y) + anchors[first + 3, n] * z


def affine_at_voxel(anchors: Singles, first: int, n: int, x: float, y: float, z: float) -> float:
    """The affine function in numbers `first` to `first` + 3 of column n, at a voxel."""
    return affine_in_row(anchors, first, n, y, z) + anchors[first + 1, n] * x


def squared_distance_to_side(across: float, along: float, low: float, high: float) -> float:
    """Squared distance in the plane of a triangle to a side that runs from `low` to `high`."""
    beyond = along - min(max(along, low), high)
    return across * across + beyond * beyond


def anchored_square(
    height: float, a: float, b: float, c: float, along_a: float, along_b: float, along_c: float,
    low_a: float, low_b: float, low_c: float, high_a: float, high_b: float, high_c: float,
) -> float:  # fmt: skip
    """Squared distance of a voxel from a triangle: see `anchor_triangle`.

    Args:
        height: distance from the plane.
        a, b, c: distances from the lines of the sides.
        along_a, low_a, high_a: place along side a, and the ends of that side; likewise b and c.
    """
    to_a = squared_distance_to_side(a, along_a, low_a, high_a)
    to_b = squared_distance_to_side(b, along_b, low_b, high_b)
    to_c = squared_distance_to_side(c, along_c, low_c, high_c)
    square = height * height
    return where(greatest(a, b, c) < ZERO, square, least(to_a, to_b, to_c) + square)
