"""Normals at the corners of a surface: against spheres and tubes, whose normals are known. See `attributes.normals`."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from tests.shapes import box, joined, sphere
from voxel_carve.compute import Path, Source, Surface, Sweep, TriMesh, carve, sweep_distance
from voxel_carve.compute.attributes import CornerData, CutShading, StockShading, corner_normals

pytestmark = pytest.mark.compiled

BALL = Path(np.array([[0, 0, 1.1]]), np.array([0.4]))


def shading(mesh, normals, smooth=True):
    """A stock with a normal at each corner, (T, 3, 3)."""
    index = np.arange(3 * len(mesh.triangles), dtype=np.int32).reshape(-1, 3)
    data = CornerData(normals.reshape(-1, 3).astype(np.float32), index)
    return StockShading(mesh, data, np.full(len(mesh.triangles), smooth))


def degrees(one, other):
    length = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    return np.degrees(np.arccos(np.clip((one * other).sum(axis=-1) / length, -1, 1)))


def carved_ball(mesh, **given):
    return carve(mesh, [BALL], 0.08, backend="cpu", **given).surface


def of(surface, source):
    """The faces of a source, and the points (F, K, 3) of their corners."""
    faces = np.flatnonzero(surface.source == source)
    assert len(faces) > 100
    return faces, surface.points[surface.faces[faces]]


@pytest.mark.parametrize("turned", ["none", "all", "upper half", "one part"])
def test_normals_look_outward_whichever_way_the_triangles_do(turned):
    """Normals lie on the side that their triangle faces, as Blender's do."""
    mesh = joined(sphere(), sphere(centre=(3, 0, 0)))
    middle = mesh.corners().mean(axis=1)
    back = {
        "none": middle[:, 0] > 9,
        "all": middle[:, 0] < 9,
        "upper half": middle[:, 2] > 0,
        "one part": middle[:, 0] > 2,
    }
    back = back[turned]
    mesh = TriMesh(mesh.points, np.where(back[:, None], mesh.triangles[:, ::-1], mesh.triangles))
    centre = np.round(mesh.corners().mean(axis=1)[:, :1] / 3) * (3, 0, 0)
    normals = (mesh.corners() - centre[:, None]) * np.where(back, -1, 1)[:, None, None]
    surface = carved_ball(mesh)
    sweep = Sweep.from_paths([BALL])
    found = corner_normals(surface, shading(mesh, normals), CutShading(sweep, "subtract", smooth=True))
    faces, at = of(surface, Source.STOCK)
    outward = at - np.round(at[:, :, :1] / 3) * (3, 0, 0)
    # A few faces lie askew along the rim.
    assert np.percentile(degrees(found[faces], outward), 99) < 0.1 and degrees(found[faces], outward).max() < 25
    faces, at = of(surface, Source.PATH)
    inward = BALL.points[0] - at
    assert np.percentile(degrees(found[faces], inward), 97) < 0.1 and degrees(found[faces], inward).max() < 25
    np.testing.assert_allclose(np.linalg.norm(found, axis=2), 1, atol=1e-6)


def test_a_flat_stock_needs_no_normals():
    mesh, sweep = sphere(subdivisions=2), Sweep.from_paths([BALL])
    surface = carved_ball(mesh)
    flat = surface.face_normals()
    for stock in (None, shading(mesh, mesh.corners(), smooth=False)):
        found = corner_normals(surface, stock, CutShading(sweep, "subtract", smooth=False))
        np.testing.assert_allclose(found, np.repeat(flat[:, None], 4, axis=1), atol=1e-6)


@pytest.mark.parametrize("cyclic", [False, True])
def test_a_long_face_has_the_gradient_of_the_segment_at_each_corner(cyclic):
    """Faces along a ring, each with the first segment as its own, as merging may leave them."""
    angle = 2 * np.pi * np.arange(0 if cyclic else 1, 200) / 200
    ring = np.column_stack([5 * np.cos(angle), 5 * np.sin(angle), np.zeros(len(angle))])
    sweep = Sweep.from_paths([Path(ring, np.array([0.5]), cyclic=cyclic)])
    step = 3 if cyclic else 1
    start, stop = np.radians(-20) if cyclic else np.radians(2), np.radians(20)
    quads = []
    for a, b in ((start, start + 0.02), (stop - 0.02, stop)):
        for tube in np.arange(0, 2 * np.pi, 0.3)[::step]:
            around = [(a, tube), (b, tube), (b, tube + 0.3), (a, tube + 0.3)]
            quads.append(
                [
                    (np.cos(u) * (5 + 0.5 * np.cos(v)), np.sin(u) * (5 + 0.5 * np.cos(v)), 0.5 * np.sin(v))
                    for u, v in around
                ]
            )
    quads = np.array(quads)
    points = quads.reshape(-1, 3)
    faces = np.arange(len(points), dtype=np.int32).reshape(-1, 4)
    nothing = np.zeros(len(faces), dtype=np.int32)
    surface = Surface(points, faces, np.full(len(faces), Source.PATH, dtype=np.uint8), nothing)
    found = corner_normals(surface, None, CutShading(sweep, "union", smooth=True))
    across = points * (1, 1, 0)
    middle = 5 * across / np.linalg.norm(across, axis=1, keepdims=True)
    assert degrees(found.reshape(-1, 3), points - middle).max() < 1.5


def test_each_side_of_an_edge_keeps_its_own_normals():
    """Two capsules that meet at a right angle, with an edge between them on the inner side."""
    path = Path(np.array([[-3.0, 0, 0], [0, 0, 0], [0, -3, 0]]), np.array([0.5]))
    sweep = Sweep.from_paths([path])
    # Both faces end at the edge x = y, at x = -0.5.
    one = np.array([(-0.5, -0.5, 0), (-1.5, -0.5, 0), (-1.5, -0.35, -0.357), (-0.5, -0.35, -0.357)])
    points = np.concatenate([one, one[::-1][:, [1, 0, 2]]])
    faces = np.arange(8, dtype=np.int32).reshape(2, 4)
    surface = Surface(points, faces, np.full(2, Source.PATH, dtype=np.uint8), np.arange(2, dtype=np.int32))
    found = corner_normals(surface, None, CutShading(sweep, "union", smooth=True))
    np.testing.assert_allclose(found[0, 0], (0, -1, 0), atol=1e-6)
    np.testing.assert_allclose(found[1, 3], (-1, 0, 0), atol=1e-6)


@pytest.mark.parametrize("lean", [10, 40, 60, 110, 180])
def test_a_normal_that_leans_far_goes_with_its_face(lean):
    """A face of the stock that lies askew on its triangle, which is in the plane z = 0."""
    mesh = TriMesh([[-9, -9, 0], [9, -9, 0], [0, 9, 0]], [[0, 1, 2]])
    c, s = np.cos(np.radians(lean)), np.sin(np.radians(lean))
    ring = (
        0.1 * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]) @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    )
    faces = np.arange(4, dtype=np.int32)[None]
    nothing = np.zeros(1, dtype=np.int32)
    # Larger, level faces of the same triangle say which way it looks.
    level = np.array([(-5, -5, 0), (5, -5, 0), (5, -4, 0), (-5, -4, 0.0)])
    surface = Surface(
        np.concatenate([ring, level]),
        np.concatenate([faces, faces + 4]),
        np.zeros(2, dtype=np.uint8),
        np.repeat(nothing, 2),
    )
    normals = np.broadcast_to([0.0, 0, 1], (1, 3, 3))
    cut = CutShading(Sweep.from_paths([BALL]), "subtract", smooth=True)
    found = corner_normals(surface, shading(mesh, normals), cut)[0]
    expected = lean if lean <= 30 else max(60 - lean, 0)
    np.testing.assert_allclose(degrees(found, surface.face_normals()[0]), expected, atol=0.1)


def test_a_triangle_without_normals_leaves_the_face_its_own():
    """Blender gives none at the corners of a triangle without area, and opposite ones cancel out between corners."""
    mesh = TriMesh([[-9, -9, 0], [9, -9, 0], [0, 9, 0]], [[0, 1, 2]])
    ring = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0.0)])
    faces = np.arange(4, dtype=np.int32)[None]
    surface = Surface(ring, faces, np.zeros(1, dtype=np.uint8), np.zeros(1, dtype=np.int32))
    cut = CutShading(Sweep.from_paths([BALL]), "subtract", smooth=True)
    found = corner_normals(surface, shading(mesh, np.zeros((1, 3, 3))), cut)
    np.testing.assert_allclose(found[0], np.broadcast_to([0, 0, 1], (4, 3)), atol=1e-6)


def carved_along(points, radii, side):
    """A box of this side, carved along a path: the corners of the cut faces, their normals, and the vertices."""
    path = Path(np.asarray(points, dtype=float), np.asarray(radii, dtype=float))
    half = np.full(3, side / 2)
    surface = carve(box(-half, half), [path], resolution=128, backend="cpu").surface
    found = corner_normals(surface, None, CutShading(Sweep.from_paths([path]), "subtract", smooth=True))
    faces, at = of(surface, Source.PATH)
    return at.reshape(-1, 3), found[faces].reshape(-1, 3), surface.faces[faces].ravel()


def steps_at_vertices(normals, vertices):
    """The greatest angle between the normals that faces have at one vertex, for each vertex."""
    order = np.argsort(vertices, kind="stable")
    starts = np.flatnonzero(np.diff(vertices[order], prepend=-1))
    first = np.repeat(normals[order][starts], np.diff(np.append(starts, len(order))), axis=0)
    return degrees(normals[order], first)


@pytest.mark.parametrize("taper", [0.0, 0.3])
def test_a_smooth_path_leaves_smooth_normals_however_long_its_segments_are(taper):
    """A helix of 48 segments a turn: each bends by 7.5 degrees, which would show as bands."""

    def helix(count):
        angle = np.linspace(0, 4 * np.pi, 2 * count + 1)
        return np.column_stack([3 * np.cos(angle), 3 * np.sin(angle), angle / 4 - np.pi / 2]), 0.4 + taper * angle / 13

    at, normals, vertices = carved_along(*helix(48), side=8.0)
    fine, radii = helix(48 * 40)
    place = cKDTree(fine).query(at)[1]
    within = (place > 200) & (place < len(fine) - 200)
    along = np.gradient(fine, axis=0)
    length = np.linalg.norm(along, axis=1)
    tangent, slope = (along / length[:, None])[place], (-np.gradient(radii) / length)[place, None]
    across = at - fine[place]
    across -= (across * tangent).sum(axis=1, keepdims=True) * tangent
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    off = degrees(-normals, np.sqrt(1 - slope**2) * across + slope * tangent)[within]
    assert len(off) > 10_000 and np.sqrt((off**2).mean()) < 0.6 and off.max() < 1.5
    assert np.percentile(steps_at_vertices(normals, vertices), 99) < 0.5


def test_a_path_that_bends_far_keeps_its_edge():
    """Two straight pieces at 40 degrees, with an edge on the inner side of the bend."""
    turn = np.radians(40)
    ends = [(-3, 0, 0), (0, 0, 0), (3 * np.cos(turn), 3 * np.sin(turn), 0)]
    at, normals, _ = carved_along(ends, [0.5] * 3, side=4.0)
    for axis, beside in (((1, 0, 0), at[:, 0] < -0.3), ((np.cos(turn), np.sin(turn), 0), at @ (1, 1, 0) > 0.8)):
        assert beside.sum() > 1000
        assert np.abs(normals[beside] @ axis).max() < 0.02
    inner = (at[:, 1] > 0.2) & (np.abs(at[:, 0]) < 0.3)
    leans = normals[inner] @ (1, 0, 0)
    assert (np.abs(leans) < 0.05).any() and (np.abs(leans) > 0.3).any()


@pytest.mark.parametrize("count", [3, 80, 400])
def test_a_steep_taper_has_the_normals_of_its_cones(count):
    """Like the end of a pen stroke. Where the slope changes, normals are blended, over less than 30 degrees."""
    along = np.linspace(-0.8, 0.8, count)
    radii = 0.2 * np.clip(np.linspace(0, 1, count) * 7, 0.1, 1) if count > 3 else np.array([0.115, 0.143, 0.166])
    along = along if count > 3 else np.array([0.0, 0.03, 0.06])
    path = Path(np.column_stack([along, np.zeros(count), np.full(count, 0.5)]), radii)
    surface = carve(box((-1, -1, -0.5), (1, 1, 0.5)), [path], resolution=96, backend="cpu").surface
    sweep = Sweep.from_paths([path])
    found = corner_normals(surface, None, CutShading(sweep, "subtract", smooth=True))
    faces, at = of(surface, Source.PATH)
    exact = -sweep_distance(at.reshape(-1, 3), sweep).d_query
    # Each side of the edge at the ramp's end has its own.
    assert np.mean(degrees(found[faces].reshape(-1, 3), exact) > 15) < 0.005
