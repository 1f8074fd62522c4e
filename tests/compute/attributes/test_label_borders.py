"""Where materials of a stock meet, its result has an edge, also across flat and round faces."""

import numpy as np
import pytest

from tests.fuzz.judge import cross, overlapping_pairs
from tests.shapes import box, sphere
from voxel_carve.compute import Labels, Path, Source, Sweep, TriMesh, carve
from voxel_carve.compute.primitives.half_edges import face_sides, paired_sides

VOXEL = 2 / 48
GROOVE = Sweep.from_paths([Path(np.array([[-1.5, 0.3, 1.0], [1.5, 0.1, 0.9]]), np.array(0.2))])
NORMAL = np.array([1.0, 0.45, 0.2]) / np.linalg.norm([1.0, 0.45, 0.2])


def split(mesh, offset=0.1):
    """A mesh whose triangles are cut by a slanted plane, and the side of each."""
    points, triangles = list(map(tuple, mesh.points)), []
    height = mesh.points @ NORMAL - offset
    index = {point: number for number, point in enumerate(points)}
    assert (np.abs(height) > 1e-6).all()

    def crossing(a, b):
        a, b = sorted((a, b))
        share = height[a] / (height[a] - height[b])
        point = tuple(mesh.points[a] + share * (mesh.points[b] - mesh.points[a]))
        if point not in index:
            index[point] = len(points)
            points.append(point)
        return index[point]

    for corners in mesh.triangles.tolist():
        above = [height[corner] > 0 for corner in corners]
        if sum(above) in (0, 3):
            triangles.append(corners)
            continue
        lone = above.index(sum(above) == 1)
        a, b, c = corners[lone:] + corners[:lone]
        p, q = crossing(a, b), crossing(a, c)
        triangles += [[a, p, q], [p, b, c], [p, c, q]]
    done = TriMesh(np.array(points), np.array(triangles), mesh.name)
    return done, (done.points[done.triangles].mean(axis=1) @ NORMAL > offset).astype(np.int32)


def border(surface, labels):
    """(E, 2, 3) the edges of a result between faces from triangles of different labels."""
    tail, head = face_sides(surface.triangles())
    face = surface.face_of_triangle()
    one, other = paired_sides(tail, head)
    label = np.where(surface.source == Source.STOCK, labels[surface.primitive], -1)[face]
    a, b = label[one // 3], label[other // 3]
    between = one[(a != b) & (a >= 0) & (b >= 0)]
    return surface.points[np.stack([tail[between], head[between]], axis=1)]


def assert_sound(surface):
    tail, head = face_sides(surface.triangles())
    assert 2 * len(paired_sides(tail, head)[0]) == len(tail)
    pairs = overlapping_pairs(surface.points / VOXEL, surface.triangles())
    assert not cross(surface.points / VOXEL, surface.triangles(), pairs).any()


SHAPES = {"box": box(), "ball": sphere(0.99, subdivisions=4)}


@pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
@pytest.mark.parametrize("shape", SHAPES)
def test_faces_of_two_materials_meet_where_those_of_the_stock_do(shape, operation):
    stock, labels = split(SHAPES[shape])
    kinds = Labels(labels, np.full(1, 5, dtype=np.int32))
    plain = carve(stock, GROOVE, VOXEL, operation=operation, backend="cpu")
    result = carve(stock, GROOVE, VOXEL, operation=operation, labels=kinds, backend="cpu")
    before, after = (
        np.abs(border(each.surface, labels).mean(axis=1) @ NORMAL - 0.1) / VOXEL for each in (plain, result)
    )
    assert before.mean() > 0.05 and len(after) > 8
    assert after.mean() < 0.01 and (after > 0.05).mean() < 0.02
    assert_sound(result.surface)
    assert result.report.volume == pytest.approx(plain.report.volume, rel=1e-3)
    assert result.report.removed_volume + result.report.volume == pytest.approx(
        plain.report.removed_volume + plain.report.volume, abs=1e-9
    )
    # No vertex leaves the stock: those that were moved lie on the box, or within the chords of the ball.
    off = np.abs(np.linalg.norm(result.surface.points, axis=1) - 0.99) if shape == "ball" else None
    of_stock = np.unique(result.surface.faces[result.surface.source == Source.STOCK])
    if off is None:
        assert np.abs(np.abs(result.surface.points[of_stock]).max(axis=1) - 1).max() < 1e-5
    else:
        assert off[of_stock].max() < 0.01


def test_borders_of_several_steps_are_edges_too_and_merged_faces_keep_them():
    stock, labels = split(box())
    kinds = Labels(labels, np.full(1, 5, dtype=np.int32))
    both = [Path(np.array([[-1.5, 0.3, 1.0], [1.5, 0.1, 0.9]]), np.array(0.2))]
    both += [Path(np.array([[-0.2, -0.9, 1.0], [0.3, 0.9, 1.0]]), np.array(0.1))]
    for tolerance in (0.0, 0.02 * VOXEL):
        result = carve(
            stock, both, VOXEL, operation=["subtract", "union"], tolerance=tolerance, labels=kinds, backend="cpu"
        )
        off = np.abs(border(result.surface, labels).mean(axis=1) @ NORMAL - 0.1) / VOXEL
        assert len(off) and np.mean(off) < 0.02 and (off > 0.1).mean() < 0.03
        assert_sound(result.surface)


def test_one_material_and_a_path_that_misses_change_nothing():
    stock, labels = split(box())
    plain = carve(stock, GROOVE, VOXEL, backend="cpu").surface
    same = carve(stock, GROOVE, VOXEL, labels=Labels(np.zeros_like(labels), np.full(1, 5, np.int32)), backend="cpu")
    np.testing.assert_array_equal(same.surface.points, plain.points)
    away = Sweep.from_paths([Path(np.array([[9.0, 9, 9]]), np.array(0.3))])
    missed = carve(stock, away, VOXEL, labels=Labels(labels, np.full(1, 5, np.int32)), backend="cpu")
    assert missed.report.removed_volume == 0


def test_materials_that_meet_in_sharp_edges_alone_move_nothing():
    labels = np.repeat(np.arange(6, dtype=np.int32), 2)  # each face of the box has its own
    plain = carve(box(), GROOVE, VOXEL, backend="cpu").surface
    result = carve(box(), GROOVE, VOXEL, labels=Labels(labels, np.full(1, 9, np.int32)), backend="cpu").surface
    np.testing.assert_allclose(result.points, plain.points, atol=0.01 * VOXEL)
    assert_sound(result)
