"""What is connected, beside dictionaries and sets."""

from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest

from tests.shapes import sphere
from voxel_carve.compute.engines.numba.compiler.loading import load_kernels
from voxel_carve.compute.engines.numba.contour.connecting import has_any, linked_parts, merged, touching, twin_sides
from voxel_carve.compute.engines.numba.surface.sheets import place_in
from voxel_carve.compute.primitives.half_edges import face_sides


@pytest.fixture(autouse=True, scope="module")
def kernels():
    load_kernels()


def twins_by_dictionary(faces):
    along = defaultdict(list)
    for side, (tail, head) in enumerate(zip(*face_sides(faces), strict=True)):
        if tail != head:
            along[frozenset((tail, head))].append(side)
    twins = np.full(faces.size, -1)
    for sides in along.values():
        if len(sides) == 2:
            twins[sides] = sides[::-1]
    return twins


@pytest.mark.parametrize("vertices", [7, 40, 2000, 2**31 - 1])
@pytest.mark.parametrize("corners", [3, 4])
def test_twins_of_random_faces(vertices, corners):
    """With few vertices, most edges have many faces, and some faces name a corner twice."""
    faces = np.random.default_rng(vertices).integers(0, vertices, (600, corners)).astype(np.int32)
    expected = twins_by_dictionary(faces)
    assert np.array_equal(twin_sides(faces), expected)
    assert vertices != 40 or (expected >= 0).any()


def test_each_side_of_a_closed_mesh_has_the_opposite_one_as_its_twin():
    triangles = sphere(subdivisions=3).triangles
    faces = triangles[:, [0, 1, 2, 2]]
    twins = twin_sides(np.ascontiguousarray(faces, dtype=np.int32))
    tail, head = face_sides(faces)
    real = tail != head
    assert (twins[~real] == -1).all() and (twins[real] >= 0).all()
    assert np.array_equal(tail[twins[real]], head[real])
    assert np.array_equal(twins[twins[real]], np.flatnonzero(real))


def test_no_faces_have_no_twins():
    assert twin_sides(np.empty((0, 4), dtype=np.int32)).shape == (0,)


def test_quads_with_a_chosen_corner():
    rng = np.random.default_rng(5)
    quads, chosen = rng.integers(0, 9000, (20000, 4)).astype(np.int32), rng.random(9000) < 0.1
    expected = [quad for quad, corners in enumerate(quads.tolist()) if any(chosen[corners])]
    assert touching(quads, chosen).tolist() == expected
    assert np.flatnonzero(has_any(quads, chosen)).tolist() == expected


@pytest.mark.parametrize(("corners", "kind"), [(4, np.int32), (3, np.int64)])
def test_minus_one_is_no_corner(corners, kind):
    rng = np.random.default_rng(7)
    faces, chosen = rng.integers(-1, 30, (5000, corners)).astype(kind), rng.random(30) < 0.1
    chosen[-1] = True
    expected = [any(chosen[v] for v in face if v >= 0) for face in faces.tolist()]
    assert has_any(faces, chosen).tolist() == expected


@pytest.mark.parametrize("count", [0, 1, 300, 40_000])
def test_ascending_numbers_are_merged(count):
    one, other = (np.sort(np.random.default_rng(count + each).integers(0, 50_000, count)) for each in range(2))
    assert np.array_equal(merged(one, other), np.union1d(one, other))


@pytest.mark.parametrize("known", [0, 1, 2, 5000])
@pytest.mark.parametrize("ascending", [True, False])
def test_places_among_known_keys(known, ascending):
    rng = np.random.default_rng(known)
    known, keys = np.unique(rng.integers(0, 2**40, known)), rng.integers(0, 2**40, 30_000)
    keys[::2] = rng.choice(known, 15_000) if len(known) else 0
    keys = np.sort(keys) if ascending else keys
    place_of = {key: place for place, key in enumerate(known.tolist())}
    assert place_in(known, keys).tolist() == [place_of.get(key, -1) for key in keys.tolist()]


def test_parts_of_random_links():
    links = np.random.default_rng(6).integers(-60, 300, (120, 3))
    sets = [{number} for number in range(300)]
    for group in links.tolist():
        for first, other in combinations([number for number in group if number >= 0], 2):
            if sets[first] is not sets[other]:
                joined = sets[first] | sets[other]
                for member in joined:
                    sets[member] = joined
    least = [min(of) for of in sets]
    expected = [sorted(set(least)).index(number) for number in least]
    assert linked_parts(links, 300).tolist() == expected
