"""The parts of two meshes that stand for them in a boolean: it gives the same triangles, to the bit."""

import numpy as np
import pytest

from tests import shapes
from voxel_carve.compute import Path, Surface, Sweep, TriMesh, carve
from voxel_carve.compute.boolean import manifold_boolean, nearby_parts
from voxel_carve.compute.boolean.cut import Body
from voxel_carve.compute.boolean.manifold_boolean import ManifoldBoolean
from voxel_carve.compute.boolean.nearby_parts import Part, find_nearby_parts
from voxel_carve.compute.boolean.tiles import Tiles
from voxel_carve.compute.primitives.half_edges import border, face_sides, unpaired_edges
from voxel_carve.compute.repair.orientation import flipped, inward_triangles

pytest.importorskip("manifold3d")


@pytest.fixture(autouse=True)
def small_meshes_have_parts(monkeypatch):
    monkeypatch.setattr(nearby_parts, "FEWEST_TRIANGLES", 0)


def tool_of(points, radius, around=2.5, voxel_size=0.04) -> Surface:
    """The sweep of one path, within a cube."""
    sweep = Sweep.from_paths([Path(np.array(points), np.array([radius]))])
    cube = TriMesh.box(np.full(3, -around), np.full(3, around))
    return carve(cube, sweep, voxel_size, operation="intersect", backend="cpu").surface


def body_of(mesh: TriMesh | Surface) -> Body:
    return Body(mesh.points, mesh.triangles() if isinstance(mesh, Surface) else mesh.triangles)


def whole(mesh: TriMesh | Surface) -> Part:
    return Part.whole(body_of(mesh))


def outward(mesh: TriMesh) -> TriMesh:
    return TriMesh(mesh.points, flipped(mesh.triangles, inward_triangles(mesh.points, mesh.triangles)))


def triangles_of(cut) -> set[bytes]:
    """The triangles of a result by their corners, from the least one on, and by where they come from."""
    corners = cut.points[cut.triangles] + 0.0  # -0 becomes 0
    found = set()
    for three, ours, number in zip(corners.tolist(), cut.of_stock, cut.number, strict=True):
        least = three.index(min(three))
        found.add(np.array(three[least:] + three[:least]).tobytes() + bytes([bool(ours)]) + number.tobytes())
    return found


def inverted(mesh: TriMesh) -> TriMesh:
    return TriMesh(mesh.points, mesh.triangles[:, ::-1], "inverted")


def fine_sphere(radius=1.0, centre=(0, 0, 0)) -> TriMesh:
    return shapes.sphere(radius, centre, subdivisions=5)


POKE = [(0.2, 0.1, 0.0), (0.7, 0.3, 0.2), (1.4, 0.3, 0.2)]
SCENES = {
    "a rod that comes out": (fine_sphere(), POKE, 0.1),
    "a rod through": (fine_sphere(), [(-2, 0.1, 0), (2, 0.1, 0)], 0.1),
    "a rod that grazes": (fine_sphere(), [(-1, 0, 1.02), (1, 0, 1.02)], 0.1),
    "a rod as thick as the stock": (fine_sphere(), [(0, 0, 0.2), (0, 0, 3)], 0.8),
    "a coarse stock": (shapes.box(), [(-0.7, 0.1, 0.2), (0.6, 0.1, 0.3), (0.5, 0.5, 0.4), (1.3, 0.5, 0.4)], 0.1),
    "a hollow stock": (shapes.joined(fine_sphere(), inverted(fine_sphere(0.6))), POKE, 0.1),
    "a hollow stock, cut within": (
        shapes.joined(fine_sphere(1.5), inverted(fine_sphere(0.6))),
        [(0, 0, 0), (0.4, 0, 0), (0.9, 0.2, 0)],
        0.1,
    ),
    "two stocks, one cut": (
        shapes.joined(fine_sphere(0.8, (-1, 0, 0)), fine_sphere(0.8, (1, 0, 0))),
        [(1, 0, 0), (1, 0, 1.4)],
        0.1,
    ),
    "two stocks, one swallowed": (
        shapes.joined(fine_sphere(), fine_sphere(0.1, (0, 0, 1.5))),
        [(0, 0, 0.9), (0, 0, 1.6)],
        0.3,
    ),
    "overlapping stocks": (shapes.joined(fine_sphere(), fine_sphere(1.0, (0.4, 0, 0))), POKE, 0.1),
    "an inverted stock": (inverted(fine_sphere()), POKE, 0.1),
}


@pytest.mark.parametrize("operation", ["subtract", "intersect", "union"])
@pytest.mark.parametrize("scene", SCENES)
def test_a_boolean_of_the_parts_is_that_of_the_meshes(scene, operation, monkeypatch):
    stock, path, radius = SCENES[scene]
    meshes = body_of(outward(stock)), body_of(tool_of(path, radius))
    with ManifoldBoolean() as boolean:
        of_parts = boolean(*meshes, operation)
        monkeypatch.setattr(manifold_boolean, "find_nearby_parts", nearby_parts.NearbyParts.of_all)
        of_meshes = boolean(*meshes, operation)
    for cut in (of_parts, of_meshes):
        assert len(unpaired_edges(*face_sides(cut.triangles))) == 0
    assert len(of_parts.points) == len(of_meshes.points)
    assert triangles_of(of_parts) == triangles_of(of_meshes)


@pytest.mark.parametrize("scene", ["a rod that comes out", "a hollow stock", "two stocks, one cut"])
def test_the_parts_are_small_and_closed(scene):
    stock, path, radius = SCENES[scene]
    tool = tool_of(path, radius, voxel_size=0.02)
    found = find_nearby_parts(whole(stock), whole(tool))
    for part, mesh in ((found.stock, stock.triangles), (found.tool, tool.triangles())):
        assert len(part.kept) < 0.4 * len(mesh)
        assert sorted([*part.kept, *part.rest]) == list(range(len(mesh)))
        assert len(unpaired_edges(*face_sides(part.triangles))) == 0
    centres = tool.points[tool.triangles()[found.tool.rest]].mean(axis=1)
    if scene == "a rod that comes out":
        assert (found.inside == (np.linalg.norm(centres, axis=1) < 1)).all()
        assert found.inside.any() and not found.inside.all()


@pytest.mark.parametrize("scene", ["a rod as thick as the stock", "an inverted stock"])
def test_what_cannot_be_shown_is_not_tried(scene):
    stock, path, radius = SCENES[scene]
    tool = tool_of(path, radius)
    found = find_nearby_parts(whole(stock), whole(tool))
    assert len(found.stock.rest) == len(found.tool.rest) == len(found.inside) == 0
    assert len(found.tool.triangles) == tool.triangle_count()


def test_small_meshes_stand_for_themselves(monkeypatch):
    monkeypatch.setattr(nearby_parts, "FEWEST_TRIANGLES", 10**6)
    stock, tool = whole(fine_sphere()), whole(fine_sphere(0.3, (1, 0, 0)))
    found = find_nearby_parts(stock, tool)
    assert found.stock is stock and found.tool is tool


def test_a_tool_of_no_faces_takes_nothing_away():
    stock = fine_sphere()
    with ManifoldBoolean() as boolean:
        assert len(boolean(body_of(stock), body_of(Surface.empty()), "subtract").triangles) == len(stock.triangles)


def test_a_border_runs_as_its_triangles_do():
    tail, head = border(np.array([[0, 1, 2], [2, 1, 3]]))
    assert set(zip(tail.tolist(), head.tolist(), strict=True)) == {(0, 1), (1, 3), (3, 2), (2, 0)}
    assert len(border(shapes.sphere().triangles)[0]) == 0


def test_long_triangles_pass_all_their_tiles():
    corners = np.array([(0, 0, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1)])  # of a cube: sides run across all of it
    sides = TriMesh(corners, np.array([(0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)]))
    mesh = shapes.joined(sides, shapes.box((0, 0, 0), (1, 1, 1)))
    tiles = Tiles.around([mesh.points], 20)
    passed = tiles.marked(tiles.tiled(mesh.points, mesh.triangles))
    random = np.random.default_rng(1)
    weights = random.dirichlet(np.ones(3), (len(mesh.triangles), 5000))
    points = np.einsum("tnc,tcx->tnx", weights, mesh.corners()).reshape(-1, 3)
    place = np.floor((points - tiles.origin) / tiles.size).astype(int)
    assert passed[tuple(place.T)].all()
    alone = tiles.marked(tiles.tiled(sides.points, sides.triangles))
    assert alone.sum() < 20**3 / 2  # and not whole boxes around triangles


def test_winding_counts_shells_and_what_is_out_of_the_grid():
    near, far = fine_sphere(0.5), fine_sphere(3.0)
    tiles = Tiles.around([near.points], 16)
    point = np.array([0.011, 0.012, 0.013])
    shells = shapes.joined(near, far, inverted(far), far)
    assert tiles.winding(tiles.tiled(shells.points, shells.triangles), point) == 2
    assert tiles.winding(tiles.tiled(near.points, near.triangles), np.array([0.48, 0.47, 0.0])) == 0
