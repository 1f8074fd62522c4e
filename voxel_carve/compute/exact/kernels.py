"""The kernels of `nearest` and `inside`, compiled by numba. They go through the trees of the primitives' boxes."""

import math

from ..engines.numba.compiler.decorators import inlined, kernel
from ..engines.numba.compiler.formulas import DOUBLE
from ..formulas import swept_body, triangle, vector, winding, z_columns

segment_distance, segment_value = DOUBLE(swept_body.distance), DOUBLE(swept_body.value)
triangle_square, column_height = DOUBLE(triangle.squared_distance), DOUBLE(z_columns.column_height)
boundary_sum, cross, dot, length = (
    DOUBLE(formula) for formula in (winding.boundary_sum, vector.cross, vector.dot, vector.length)
)

ROUNDING = 1e-9


@inlined
def least_distance(boxes, node, x, y, z):  # type: ignore[no-untyped-def]
    """A lower bound for the signed distances of a point from all primitives below a node."""
    dx = max(boxes[node, 0] - x, boxes[node, 3] + x)
    dy = max(boxes[node, 1] - y, boxes[node, 4] + y)
    dz = max(boxes[node, 2] - z, boxes[node, 5] + z)
    inner = max(dx, dy, dz)
    # A ball of the primitive around an inner point lies in the box.
    return inner if inner <= 0.0 else length(max(dx, 0.0), max(dy, 0.0), max(dz, 0.0))


@inlined
def next_leaf(tree, x, y, z, reach, stack, depth):  # type: ignore[no-untyped-def]
    """The next leaf with a box within reach of a point, or -1; and the new depth of the stack of nodes."""
    inner = len(tree.first) - 2
    reach += ROUNDING * (1.0 + abs(reach))
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if least_distance(tree.boxes, node, x, y, z) > reach:
            continue
        if node >= inner:
            return node - inner, depth
        left = 2 * node + 1
        first = least_distance(tree.boxes, left, x, y, z) <= least_distance(tree.boxes, left + 1, x, y, z)
        stack[depth], stack[depth + 1] = (left + 1, left) if first else (left, left + 1)
        depth += 2
    return -1, 0


@kernel
def find_nearest(start, stop, points, reach, mesh, tree, distance, which, stack):  # type: ignore[no-untyped-def]
    """Do `nearest.nearest` for points (N, 3). `mesh` holds either segments or triangles."""
    for n in range(start, stop):
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        least, found, stack[0] = reach, -1, 0
        leaf, depth = next_leaf(tree, x, y, z, least, stack, 1)
        while leaf >= 0:
            for k in range(tree.first[leaf], tree.first[leaf + 1]):
                i = tree.listed[k]
                if len(mesh.segments) > 0:
                    own = segment_distance(mesh.segments, i, x, y, z)
                else:
                    own = math.sqrt(triangle_square(mesh, i, x, y, z))
                if own < least or (own == least and (found < 0 or i < found)):
                    least, found = own, i
            leaf, depth = next_leaf(tree, x, y, z, least, stack, depth)
        distance[n], which[n] = least if found >= 0 else math.inf, found


@kernel
def find_covered(start, stop, points, depth, segments, tree, covered, stack):  # type: ignore[no-untyped-def]
    """Do `nearest.covered` for points (N, 3). The first segment that is deep enough ends the search for a point."""
    for n in range(start, stop):
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        stack[0] = 0
        leaf, height = next_leaf(tree, x, y, z, -depth, stack, 1)
        while leaf >= 0 and not covered[n]:
            for k in range(tree.first[leaf], tree.first[leaf + 1]):
                if segment_distance(segments, tree.listed[k], x, y, z) < -depth:
                    covered[n] = True
                    break
            leaf, height = next_leaf(tree, x, y, z, -depth, stack, height)


@kernel
def find_partners(start, stop, points, own, reach, low, high, segments, tree, which, stack):  # type: ignore[no-untyped-def]
    """Do `nearest.partners` for points (N, 3). Angles are in radians."""
    for n in range(start, stop):
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        _, nx, ny, nz = segment_value(segments, own[n], x, y, z)
        least, found, stack[0] = reach, -1, 0
        leaf, depth = next_leaf(tree, x, y, z, least, stack, 1)
        while leaf >= 0:
            for k in range(tree.first[leaf], tree.first[leaf + 1]):
                i = tree.listed[k]
                distance, mx, my, mz = segment_value(segments, i, x, y, z)
                if i != own[n] and (distance < least or (distance == least and (found < 0 or i < found))):
                    cx, cy, cz = cross(nx, ny, nz, mx, my, mz)
                    angle = math.atan2(length(cx, cy, cz), dot(nx, ny, nz, mx, my, mz))
                    if low <= angle and angle <= high:
                        least, found = distance, i
            leaf, depth = next_leaf(tree, x, y, z, least, stack, depth)
        which[n] = found


@kernel
def find_winding(start, stop, points, mesh, tree, edges, listed, out, stack):  # type: ignore[no-untyped-def]
    """Set out (N,) to the winding number of a mesh at points (N, 3): see `primitives.boundary`."""
    inner, boxes = len(tree.first) - 2, tree.boxes
    for n in range(start, stop):
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        number, stack[0], depth = boundary_sum(edges, listed, 0, len(listed), x, y, z), 0, 1
        while depth > 0:
            depth -= 1
            node = stack[depth]
            below = boxes[node, 5] + z >= 0.0 or boxes[node, 0] > x or boxes[node, 1] > y
            if below or boxes[node, 3] + x > 0.0 or boxes[node, 4] + y > 0.0:
                continue
            if node < inner:
                stack[depth], stack[depth + 1] = 2 * node + 1, 2 * node + 2
                depth += 2
                continue
            for k in range(tree.first[node - inner], tree.first[node - inner + 1]):
                i = tree.listed[k]
                a, b, c = mesh.triangles[i, 0], mesh.triangles[i, 1], mesh.triangles[i, 2]
                sign, height = column_height(mesh.points, a, b, c, x, y)
                if height > z:
                    number += sign
        out[n] = number
