"""What becomes of the quads when their corners are placed.

They are split into triangles along the diagonal that folds less, then the one with the better triangles. Two quads of
one edge, as those of a thin wall, are split alike. So they do not pass through each other. Some are *emptied*: all
their corners become one. Quads are rows of vertices, those of the crossings first. Quads `first_quad` + 2 n and the
next one belong to border point n, on the side of the crossing that leaves, and on the other.
"""

from ..formulas.language import IntegerRows, Marks, Points, sqrt

# Marks of a quad: its edge enters the result; its diagonal must not start at an even corner, or at an odd one; it is
# the first, or the second, of two on one edge. An engine may remember in two more that its diagonal starts at the first
# corner, or at the second, until a vertex moves.
ENTERS, NOT_EVEN, NOT_ODD, FIRST, SECOND, AT_FIRST, AT_SECOND = 1, 2, 4, 8, 16, 32, 64
# Added to the source of a quad that is to become two triangles: see `must_split`.
SPLIT = 64

ZERO = 0.0
TINY = 1e-12
SQUARED_DOUBT = 1e-6  # of the cosine of a fold


def area_vector(points: Points, a: int, b: int, c: int) -> tuple[float, float, float]:
    """The normal of a triangle of points (V, 3), twice its area long."""
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


def squared_side(points: Points, a: int, b: int) -> float:
    """The squared distance of two points."""
    x, y, z = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    return x * x + y * y + z * z


def split_quality(points: Points, a: int, b: int, c: int, d: int) -> tuple[float, float]:
    """The cosine of the fold of a quad that is split from a to c; and twice the area of the worse triangle over the sum
    of its squared sides."""
    x, y, z = area_vector(points, a, b, c)
    u, v, w = area_vector(points, a, c, d)
    first, second = sqrt(x * x + y * y + z * z), sqrt(u * u + v * v + w * w)
    cosine = (x * u + y * v + z * w) / max(first * second, TINY)
    ab, bc, cd, da, ac = (
        squared_side(points, a, b),
        squared_side(points, b, c),
        squared_side(points, c, d),
        squared_side(points, d, a),
        squared_side(points, a, c),
    )
    return cosine, min(first / max(ab + bc + ac, TINY), second / max(cd + da + ac, TINY))


def is_second_better(fold: float, shape: float, other_fold: float, other_shape: float) -> bool:
    """Whether the diagonal from the second corner is better, by fold and shape of both: see `split_quality`."""
    if (fold < ZERO) != (other_fold < ZERO):
        return fold < other_fold
    return other_shape > shape + TINY


def split_at_second(points: Points, a: int, b: int, c: int, d: int) -> bool:
    """Whether the diagonal of a quad runs from b to d, and not from a to c."""
    fold, shape = split_quality(points, a, b, c, d)
    other_fold, other_shape = split_quality(points, b, c, d, a)
    return is_second_better(fold, shape, other_fold, other_shape)


def is_emptied(a: int, b: int, c: int, d: int) -> bool:
    """Whether a quad with these corners has less than three."""
    return a == c or b == d or (a == b and c == d) or (b == c and d == a)


def split_both_at_second(points: Points, a: int, b: int, c: int, d: int, e: int, f: int, g: int, h: int) -> bool:
    """As `split_at_second`, for two quads of one edge; their corners follow each other alike."""
    fold, shape = split_quality(points, a, b, c, d)
    other_fold, other_shape = split_quality(points, b, c, d, a)
    second_fold, second_shape = split_quality(points, e, f, g, h)
    second_other_fold, second_other_shape = split_quality(points, f, g, h, e)
    return is_second_better(
        min(fold, second_fold),
        min(shape, second_shape),
        min(other_fold, second_other_fold),
        min(other_shape, second_other_shape),
    )


def is_split_at_second(points: Points, quads: IntegerRows, marks: Marks, q: int) -> bool:
    """Whether the diagonal of quad q runs from its second corner to its fourth."""
    a, b, c, d = int(quads[q, 0]), int(quads[q, 1]), int(quads[q, 2]), int(quads[q, 3])
    mark = int(marks[q])
    at_second = (mark & NOT_EVEN) != 0
    if a != b and b != c and c != d and d != a:
        if (mark & (FIRST | SECOND)) != 0:
            twin = q + 1 if (mark & FIRST) != 0 else q - 1
            at_second = split_both_at_second(
                points, a, b, c, d, int(quads[twin, 0]), int(quads[twin, 1]), int(quads[twin, 2]), int(quads[twin, 3])
            )
        elif (mark & (NOT_EVEN | NOT_ODD)) == 0:
            at_second = split_at_second(points, a, b, c, d)
    return at_second


def turned_corners(quads: IntegerRows, q: int, enters: bool, at_second: bool) -> tuple[int, int, int, int]:
    """The corners of quad q, counter-clockwise seen from outside. Its diagonal runs from the first to the third; the
    last two of a triangle are the same. If it has less than three corners, so are two of the first three.

    Args:
        enters: whether its edge enters the result.    at_second: see `is_split_at_second`.
    """
    a, b, c, d = int(quads[q, 0]), int(quads[q, 1]), int(quads[q, 2]), int(quads[q, 3])
    if enters:
        b, d = d, b
    if a == c or b == d:
        return a, a, a, a
    if a == b:
        return b, c, d, d
    if b == c:
        return a, c, d, d
    if c == d:
        return a, b, d, d
    if d == a:
        return a, b, c, c
    if at_second:
        return b, c, d, a
    return a, b, c, d


def turned_quad(points: Points, quads: IntegerRows, marks: Marks, q: int) -> tuple[int, int, int, int]:
    """See `turned_corners`."""
    at_second = is_split_at_second(points, quads, marks, q)
    return turned_corners(quads, q, (int(marks[q]) & ENTERS) != 0, at_second)


def is_folded(points: Points, a: int, b: int, c: int, d: int) -> bool:
    """Whether a quad that is split from a to c is folded by a right angle or more."""
    x, y, z = area_vector(points, a, b, c)
    u, v, w = area_vector(points, a, c, d)
    product = x * u + y * v + z * w
    squares = (x * x + y * y + z * z) * (u * u + v * v + w * w)
    return product * abs(product) <= SQUARED_DOUBT * squares


def must_split(points: Points, mark: int, a: int, b: int, c: int, d: int) -> bool:
    """Whether a quad with these marks is to become two triangles, from a to c. What draws or saves it, such as Blender,
    might split it along the other diagonal. That of a folded quad may cross others; marked quads share theirs."""
    return c != d and ((mark & (NOT_EVEN | NOT_ODD)) != 0 or is_folded(points, a, b, c, d))


def mark_twins(quads: IntegerRows, marks: Marks, q: int) -> None:
    """Mark quad q and the next one, the two of one edge: how they may not be split. If they have the same corners,
    there is no volume between them, and they are emptied."""
    even = quads[q, 0] == quads[q + 1, 0] and quads[q, 2] == quads[q + 1, 2]
    odd = quads[q, 1] == quads[q + 1, 1] and quads[q, 3] == quads[q + 1, 3]
    if even and odd:
        for k in range(1, 4):
            quads[q, k] = quads[q, 0]
            quads[q + 1, k] = quads[q + 1, 0]
    elif even:
        marks[q] = marks[q] | NOT_EVEN
        marks[q + 1] = marks[q + 1] | NOT_EVEN
    elif odd:
        marks[q] = marks[q] | NOT_ODD
        marks[q + 1] = marks[q + 1] | NOT_ODD
    else:
        marks[q] = marks[q] | FIRST
        marks[q + 1] = marks[q + 1] | SECOND


def mark_lens(quads: IntegerRows, marks: Marks, q: int) -> None:
    """Mark or empty the quads between two border points of a pair, q + 1 and q + 2: see `mark_halves`. Emptied, they
    were a segment that shows for less than two cells; then q and q + 3 lie beside each other."""
    if mark_halves(quads, marks, q + 1, q + 2):
        mark_halves(quads, marks, q, q + 3)


def mark_halves(quads: IntegerRows, marks: Marks, q: int, r: int) -> bool:
    """Mark quads q and r, between which a side passes the face: how they may not be split, if the sides across have an
    end in common. If they have both, the quads lie on each other, and are emptied. Return whether they are."""
    one = quads[q, 0] == quads[r, 1]
    other = quads[q, 3] == quads[r, 2]
    if one and other:
        for k in range(1, 4):
            quads[q, k] = quads[q, 0]
            quads[r, k] = quads[r, 0]
    elif one:
        marks[q] = marks[q] | NOT_EVEN
        marks[r] = marks[r] | NOT_ODD
    elif other:
        marks[q] = marks[q] | NOT_ODD
        marks[r] = marks[r] | NOT_EVEN
    return one and other
