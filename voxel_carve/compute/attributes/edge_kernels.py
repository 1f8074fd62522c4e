"""The kernels of `edges`, compiled by numba."""

import math

from ..engines.numba.compiler.decorators import kernel

NOT_MET, FLAT, SHARP = 2, 0, 1


@kernel
def count_upward(start, stop, size, faces, place):  # type: ignore[no-untyped-def]
    """Count the upward half-edges from each point, in the row of place (R, N) of this run of `size` faces. Return the
    number of all half-edges."""
    row, sides, count = place[start // size], faces.shape[1], 0
    for q in range(start, stop):
        for i in range(sides):
            here, there = faces[q, i], faces[q, i + 1 if i + 1 < sides else 0]
            row[here] += here < there
            count += here != there
    return count


@kernel
def start_edges(place, first):  # type: ignore[no-untyped-def]
    """Turn the counts in place (R, N) into the first edge of each run at each point, and set first (N + 1,) to that of
    all runs. Return the number of edges."""
    edge = 0
    for v in range(len(first) - 1):
        first[v] = edge
        for run in range(len(place)):
            count = place[run, v]
            place[run, v] = edge
            edge += count
    first[-1] = edge
    return edge


@kernel
def place_upward(start, stop, size, faces, place, vertices, face, of_corner, points, normals):  # type: ignore[no-untyped-def]
    """Make an edge of each upward half-edge, with its face. Also compute the normals of the faces, of length 1 or 0."""
    row, sides = place[start // size], faces.shape[1]
    for q in range(start, stop):
        for i in range(sides):
            here, there = faces[q, i], faces[q, i + 1 if i + 1 < sides else 0]
            if here < there:
                edge = row[here]
                row[here] = edge + 1
                vertices[edge, 0] = here
                vertices[edge, 1] = there
                face[edge] = q
                of_corner[q, i] = edge
        # A triangle repeats its first corner as the last: both diagonals are then sides.
        a, b, c, d = faces[q, 0], faces[q, 1], faces[q, 2], faces[q, 3 % sides]
        ux, uy, uz = points[a, 0] - points[c, 0], points[a, 1] - points[c, 1], points[a, 2] - points[c, 2]
        vx, vy, vz = points[b, 0] - points[d, 0], points[b, 1] - points[d, 1], points[b, 2] - points[d, 2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        length = math.sqrt(x * x + y * y + z * z)
        scale = 1 / length if length > 0 else 0.0
        normals[q, 0] = x * scale
        normals[q, 1] = y * scale
        normals[q, 2] = z * scale


@kernel
def meet_downward(start, stop, faces, first, vertices, face, of_corner, normals, cut, least, sharp):  # type: ignore[no-untyped-def]
    """Find the edge of each downward half-edge. Return how many have none. An edge is sharp if the cosine between its
    faces is less than `least`, or exactly one of them is cut."""
    missing, sides = 0, faces.shape[1]
    for q in range(start, stop):
        for i in range(sides):
            there, here = faces[q, i], faces[q, i + 1 if i + 1 < sides else 0]
            if here < there:
                edge, last = first[here], first[here + 1]
                while edge < last and vertices[edge, 1] != there:
                    edge += 1
                if edge == last:
                    missing += 1
                else:
                    of_corner[q, i] = edge
                    f = face[edge]
                    cosine = normals[q, 0] * normals[f, 0] + normals[q, 1] * normals[f, 1]
                    cosine += normals[q, 2] * normals[f, 2]
                    sharp[edge] = SHARP if cosine < least or cut[q] != cut[f] else FLAT
    return missing
