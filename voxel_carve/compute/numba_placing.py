"""Moving a point onto the surfaces of the primitives in a cell, compiled by numba: the steps of `vertices`."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .bricks import BRICK_SIZE
from .hermite import ON_SURFACE, ROUNDING
from .numba_hermite import plane_value, segment_value, square_to_triangle
from .numba_kernels import inlined, merged, part
from .vertices import (
    CORNER,
    FALLBACK,
    INSIDE_CELL,
    MOST_HIDDEN,
    NOT_PARALLEL,
    ON_PLANE,
    PARTLY,
    SAME_SURFACE,
    SHARP,
    SMOOTH,
    STEPS,
    TRIES,
)

SIDE = BRICK_SIZE + 1  # of a brick with the first voxels of the bricks after it
MEMBERS = 12 + MOST_HIDDEN  # surfaces in a cell


class Work(NamedTuple):
    """What is known, and written, while the vertices of a brick are placed.

    Attributes:
        block, names: (729,) float32 and int32, distances and nearest primitives of its voxels and the next ones.
        inside: (9, 9) int64, a bit for each voxel of a row, whether it is inside.
        place, code: (3, 729) float64 and int32, where the edge from a voxel along each axis is crossed, from 0 to 1,
            and whose surface it is there; only where it is crossed.
        corner: (3,) of the cell at hand.    crossings: (12, 3), of its edges by a patch.    mean: (3,), of these.
        codes, turns: (MEMBERS,) int32 and float64, the primitives there, and their orientation.
        group: (MEMBERS,) int64, of each.    normals: (MEMBERS, 3), outward.
        values: (3, 4), distance and normal of each group's surface.
    """

    block: npt.NDArray[np.float32]
    names: npt.NDArray[np.int32]
    inside: npt.NDArray[np.int64]
    place: npt.NDArray[np.float64]
    code: npt.NDArray[np.int32]
    corner: npt.NDArray[np.float64]
    crossings: npt.NDArray[np.float64]
    mean: npt.NDArray[np.float64]
    codes: npt.NDArray[np.int32]
    turns: npt.NDArray[np.float64]
    group: npt.NDArray[np.int64]
    normals: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]

    @classmethod
    def of(cls) -> "Work":
        """It is the same for every brick."""
        return cls(
            np.empty(SIDE**3, np.float32), np.empty(SIDE**3, np.int32), np.empty((SIDE, SIDE), np.int64),
            np.empty((3, SIDE**3)), np.empty((3, SIDE**3), np.int32), np.empty(3), np.empty((12, 3)), np.empty(3),
            np.empty(MEMBERS, np.int32), np.empty(MEMBERS), np.empty(MEMBERS, np.int64), np.empty((MEMBERS, 3)),
            np.empty((3, 4)),
        )  # fmt: skip


@part
def group_value(primitives, rule, codes, turns, group, which, count, x, y, z, out):  # type: ignore[no-untyped-def]
    """Set out (4,) to the value of the surface that the members of group `which` make, positive outside, and its
    gradient; of all members where `which` is -1. See `vertices.group_values`.

    Returns:
        The member whose surface it is.
    """
    least, decider = np.inf, -1
    nearest, closest = -1, np.inf
    alone = 0
    for m in range(count):
        if (which < 0 or group[m] == which) and codes[m] >= 0:
            alone += 1
            nearest = m
    for m in range(count):
        if which >= 0 and group[m] != which:
            continue
        if codes[m] < 0:
            value, nx, ny, nz = segment_value(primitives, -1 - codes[m], x, y, z)
            if value < least:
                least, decider = value, m
                out[0], out[1], out[2], out[3] = turns[m] * value, turns[m] * nx, turns[m] * ny, turns[m] * nz
        elif alone > 1:
            square = square_to_triangle(primitives, codes[m], x, y, z)
            if square < closest - ROUNDING:
                closest, nearest = square, m
    if nearest >= 0:
        k, turn = codes[nearest], turns[nearest]
        value = turn * plane_value(primitives, k, x, y, z)
        if decider < 0 or (value > out[0] if rule.greatest else value < out[0]):
            out[0] = value
            out[1], out[2] = turn * primitives.normal[k, 0], turn * primitives.normal[k, 1]
            out[3] = turn * primitives.normal[k, 2]
            decider = nearest
    return decider


@inlined
def dot(a, b):  # type: ignore[no-untyped-def]
    """Scalar product of two vectors (3,)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def triple(a, b, c):  # type: ignore[no-untyped-def]
    """Determinant of three vectors (3,)."""
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])


@part
def find_groups(normals, count, most_groups, group):  # type: ignore[no-untyped-def]
    """Set group (count,) to the surface, 0 to 2, that each member belongs to, by normals (count, 3): how many are.

    See `vertices.find_groups`.
    """
    a, b, c = 0, 0, 0
    for m in range(1, count):
        if dot(normals[0], normals[m]) < dot(normals[0], normals[b]) - ROUNDING:
            b = m
    for m in range(1, count):
        if dot(normals[b], normals[m]) < dot(normals[b], normals[a]) - ROUNDING:
            a = m
    cosine = dot(normals[a], normals[b])
    if cosine > SAME_SURFACE or cosine < -NOT_PARALLEL:
        return 1
    most = 0.0
    for m in range(count):
        volume = abs(triple(normals[a], normals[b], normals[m]))
        if volume > most + ROUNDING:
            most, c = volume, m
    groups = 3 if most > CORNER and most_groups > 2 else 2
    for m in range(count):
        group[m] = 0
        best = dot(normals[a], normals[m])
        if dot(normals[b], normals[m]) > best + ROUNDING:
            group[m], best = 1, dot(normals[b], normals[m])
        if groups == 3 and dot(normals[c], normals[m]) > best + ROUNDING:
            group[m] = 2
    return groups


@part
def step_onto(values, groups, p):  # type: ignore[no-untyped-def]
    """Move p (3,) by the least step onto the planes of one to three groups, values (3, 4) their distances and normals.

    Returns:
        The greatest of the distances.
    """
    a, b, c = values[0, 1:], values[1, 1:], values[2, 1:]
    most = abs(values[0, 0])
    if groups == 1:
        for i in range(3):
            p[i] -= values[0, 0] * a[i]
        return most
    most = max(most, abs(values[1, 0]))
    if groups == 2:
        cosine = dot(a, b)
        scale = 1.0 / max(1.0 - cosine * cosine, ROUNDING)
        u, v = (values[0, 0] - cosine * values[1, 0]) * scale, (values[1, 0] - cosine * values[0, 0]) * scale
        for i in range(3):
            p[i] -= u * a[i] + v * b[i]
        return most
    most = max(most, abs(values[2, 0]))
    volume = triple(a, b, c)
    scale = 1.0 / volume if abs(volume) > ROUNDING else 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        bc, ca, ab = b[j] * c[k] - b[k] * c[j], c[j] * a[k] - c[k] * a[j], a[j] * b[k] - a[k] * b[j]
        p[i] -= (values[0, 0] * bc + values[1, 0] * ca + values[2, 0] * ab) * scale
    return most


@part
def settle(primitives, rule, codes, turns, group, groups, count, values, p):  # type: ignore[no-untyped-def]
    """Move p (3,) by steps onto the surfaces of all groups; how far the last of them was before its last step."""
    most = np.inf
    for _ in range(STEPS):
        for g in range(groups):
            which = g if groups > 1 else -1
            group_value(primitives, rule, codes, turns, group, which, count, p[0], p[1], p[2], values[g])
        most = step_onto(values, groups, p)
        if most < ON_SURFACE:
            break
    return most


@part
def clamp_to_cell(corner, p):  # type: ignore[no-untyped-def]
    """Move p (3,) into the cell at `corner` (3,); how far it was out of it along some axis."""
    out = 0.0
    for i in range(3):
        inner = min(max(p[i], corner[i]), corner[i] + 1.0)
        out = max(out, abs(inner - p[i]))
        p[i] = inner
    return out


@part
def meet(primitives, rule, groups, count, work, p):  # type: ignore[no-untyped-def]
    """Move p (3,) to where the surfaces of all groups meet in the cell: whether they do."""
    for _ in range(TRIES):
        far = settle(primitives, rule, work.codes, work.turns, work.group, groups, count, work.values, p)
        if clamp_to_cell(work.corner, p) <= INSIDE_CELL:
            return far < ON_SURFACE
    return False


@part
def find_normals(primitives, codes, turns, count, p, normals):  # type: ignore[no-untyped-def]
    """Set normals (count, 3) to those of primitives at p (3,); the greatest distance of p from any of them."""
    most = 0.0
    for m in range(count):
        if codes[m] >= 0:
            value, k = plane_value(primitives, codes[m], p[0], p[1], p[2]), codes[m]
            nx, ny, nz = primitives.normal[k, 0], primitives.normal[k, 1], primitives.normal[k, 2]
        else:
            value, nx, ny, nz = segment_value(primitives, -1 - codes[m], p[0], p[1], p[2])
        normals[m, 0], normals[m, 1], normals[m, 2] = turns[m] * nx, turns[m] * ny, turns[m] * nz
        most = max(most, abs(value))
    return most


@merged
def land_on_segment(primitives, j, corner, p):  # type: ignore[no-untyped-def]
    """Move p (3,) onto the surface of segment j within the cell at `corner` (3,): whether it comes to lie there.

    What `place_vertex` does with segment j alone, but where that takes a crossing for want of a better point.
    """
    value, nx, ny, nz = segment_value(primitives, j, p[0], p[1], p[2])
    if abs(value) < ON_PLANE:
        return True
    is_known = True
    for _ in range(TRIES):
        for _ in range(STEPS):
            if not is_known:
                value, nx, ny, nz = segment_value(primitives, j, p[0], p[1], p[2])
            is_known = False
            p[0], p[1], p[2] = p[0] - value * nx, p[1] - value * ny, p[2] - value * nz
            if abs(value) < ON_SURFACE:
                break
        if clamp_to_cell(corner, p) <= INSIDE_CELL and abs(value) < ON_SURFACE:
            return True
    return False


@part
def land(primitives, rule, count, crossed, work, p):  # type: ignore[no-untyped-def]
    """Move p (3,) to a point on the surface within the cell: by steps, else to the nearest of the
    crossings, `crossed` in number, to their mean."""
    groups = np.int64(1)
    for _ in range(TRIES):
        far = settle(primitives, rule, work.codes, work.turns, work.group, groups, count, work.values, p)
        if clamp_to_cell(work.corner, p) <= INSIDE_CELL and far < ON_SURFACE:
            return
    nearest, least = 0, np.inf
    for n in range(crossed):
        square = 0.0
        for i in range(3):
            square += (work.crossings[n, i] - work.mean[i]) ** 2
        if square < least - ROUNDING:
            nearest, least = n, square
    for i in range(3):
        p[i] = work.crossings[nearest, i]


@part
def place_vertex(primitives, rule, count, crossed, work, p):  # type: ignore[no-untyped-def]
    """Set p (3,) to the vertex of a patch: see `vertices.place`.

    Args:
        count, crossed: how many primitives the surface has there, and how many edges it crosses.
        work: what is known of them: see `Work`.

    Returns:
        SMOOTH, SHARP, PARTLY or FALLBACK.
    """
    for i in range(3):
        p[i] = work.mean[i]
    off = find_normals(primitives, work.codes, work.turns, count, p, work.normals)
    groups = np.int64(3)
    groups = find_groups(work.normals, count, groups, work.group) if count > 1 else np.int64(1)
    if groups == 1 and off < ON_PLANE:
        return SMOOTH
    surfaces = groups
    while groups > 1:
        if meet(primitives, rule, groups, count, work, p):
            return SHARP if groups == surfaces else PARTLY
        for i in range(3):
            p[i] = work.mean[i]
        groups -= 1
        if groups == 2:
            find_groups(work.normals, count, groups, work.group)
    land(primitives, rule, count, crossed, work, p)
    return FALLBACK if surfaces > 1 else SMOOTH
