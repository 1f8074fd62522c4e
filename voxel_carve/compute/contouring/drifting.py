"""Where an edge of the grid enters or leaves an open stock: there the winding number also changes between triangles.

It *drifts* along the edge. So of an edge with one end inside, a cap may be the surface, and not the triangle that it
crosses too. Between two events, the number is taken as linear, and after the last one too, up to the end, where it is
known. A narrow gap between two events that a straight line shows or hides is not looked for: edges whose ends are alike
are left as they are.
"""

from ..formulas.language import Edge, real
from ..model.bricks import NO_PRIMITIVE

INSIDE = 0.5  # a winding number whose absolute value is greater is inside
LEAST_DRIFT = 1e-6  # less is rounding
LOST = 0.25  # a drift that differs from 1 by less is a triangle that rounding has lost
MOST_DRIFTING = 4  # events: with more triangles, where they cross the edge has to do

ZERO = 0.0
ONE = 1.0


def drift_of(edge: Edge, count: int, first: float, last: float) -> float:
    """What the winding number, which is `first` and `last` at the ends of an edge, changes between `count` events of
    triangles."""
    drift = real(last) - first
    for n in range(count):
        drift += real(edge.change[n])
    return drift


def do_drift(drift: float, count: int) -> bool:
    """Whether a cap may cross an edge with so many events of triangles."""
    size = abs(drift)
    return size > LEAST_DRIFT and abs(size - ONE) > LOST and count <= MOST_DRIFTING


def crosses_alone(first: float, last: float, place: float, change: int) -> bool:
    """Whether an edge whose ends are on different sides is crossed by its one event of a triangle, and by no cap: what
    `settle_drifting` would find."""
    drift = last - first + change
    before = first + drift * place
    stays = (abs(before) > INSIDE) == (abs(first) > INSIDE) and (abs(before - change) > INSIDE) == (abs(last) > INSIDE)
    return stays or not do_drift(drift, 1)


def place_of_cap(first: float, last: float) -> float:
    """Where the winding number is a half on an edge without events, whose ends are on different sides, likewise."""
    level = INSIDE if (last if abs(last) > INSIDE else first) > ZERO else -INSIDE
    return (level - first) / (last - first)


def settle_drifting(edge: Edge, count: int, first: float, last: float, drift: float) -> int:
    """As `edges.settle_stock`, where the winding number drifts. A cap's event has NO_PRIMITIVE as its code."""
    for k in range(count):  # what is kept may be one more than what was read
        n = count - 1 - k
        edge.place[n + count + 1] = edge.place[n]
        edge.code[n + count + 1] = edge.code[n]
        edge.change[n + count + 1] = edge.change[n]
    kept = int(0)
    w, begin = real(first), real(ZERO)
    inside = abs(w) > INSIDE
    for n in range(count + 1):
        end, after = real(ONE), real(last)
        if n < count:
            end = real(edge.place[n + count + 1])
            after = w + drift * (end - begin)
        now = abs(after) > INSIDE
        if now != inside:
            level = INSIDE if (after if now else w) > ZERO else -INSIDE
            share = (level - w) / (after - w)
            edge.place[kept] = begin + share * (end - begin)
            edge.code[kept] = NO_PRIMITIVE
            edge.change[kept] = 0
            kept += 1
            inside = now
        if n < count:
            code = edge.code[n + count + 1]
            w = after - real(edge.change[n + count + 1])
            now = abs(w) > INSIDE
            if now != inside:
                edge.place[kept] = end
                edge.code[kept] = code
                edge.change[kept] = 0
                kept += 1
                inside = now
            begin = end
    return kept
