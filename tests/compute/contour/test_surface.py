"""Surface extraction: a closed, oriented 2-manifold from every field of signs."""

import numpy as np
import pytest
from manifold3d import Error, Manifold, Mesh

from tests.shapes import sphere
from voxel_carve.compute import Grid, Path, Sweep, get_backend
from voxel_carve.compute.contour.cells import EDGES, FACES, cell_tables
from voxel_carve.compute.field.fields import Field
from voxel_carve.compute.model import State
from voxel_carve.compute.model.bricks import BRICK_SIZE, BRICK_VOXELS, NO_PRIMITIVE, BrickTable
from voxel_carve.compute.primitives.segments import Segments
from voxel_carve.compute.primitives.triangles import Triangles

GRID = Grid(np.zeros(3), 1.0, (24, 24, 24))


TRIANGLES = Triangles.on_grid(sphere(7.0, (12.0, 12.0, 12.0), subdivisions=2), GRID)
SEGMENTS = Segments.on_grid(
    Sweep.from_paths([Path(np.random.default_rng(2).uniform(5, 19, (30, 3)), np.linspace(0.3, 3, 30))]), GRID
)


def extract_surface(field, grid):
    return get_backend("cpu").extract_surface(field, grid)


def field_of(values, grid=GRID, rng=None):
    """A field with all bricks NEAR, from dense distances (Z, Y, X). Primitives are random, or none."""
    table = BrickTable.over(grid)
    z, y, x = table.shape
    bricks = values.reshape(z, 8, y, 8, x, 8).transpose(0, 2, 4, 1, 3, 5).reshape(-1, BRICK_VOXELS)
    states = np.full(table.shape, State.NEAR, dtype=np.uint8)
    nearest = np.full(bricks.shape, NO_PRIMITIVE, dtype=np.int32)
    if rng is not None:
        nearest = rng.integers(-len(SEGMENTS), len(TRIANGLES), bricks.shape).astype(np.int32)
    distance = np.ascontiguousarray(bricks, dtype=np.float32)
    return Field(table, states, np.arange(len(table)), distance, nearest, SEGMENTS, TRIANGLES, "subtract")


def assert_closed_manifold(surface):
    """Each directed edge occurs once, and so does its opposite. The faces around each vertex form one fan."""
    quads = surface.faces.astype(np.int64)
    here, there = quads.ravel(), np.roll(quads, -1, axis=1).ravel()
    stride = quads.max() + 1
    forward = here * stride + there
    assert len(np.unique(forward)) == len(forward)
    assert np.array_equal(np.sort(forward), np.sort(there * stride + here))
    # Walk from face to face around each vertex. The walk must return after as many steps as the vertex has faces.
    corner_after = {(quad[i], quad[(i + 1) % 4]): quad[i - 1] for quad in quads.tolist() for i in range(4)}
    degree = np.bincount(quads.ravel())
    for vertex, start in dict(corner_after.keys()).items():
        step, count = corner_after[vertex, start], 1
        while step != start:
            step, count = corner_after[vertex, step], count + 1
        assert count == degree[vertex]


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 12))])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7])
@pytest.mark.parametrize("named", [False, True])
def test_random_signs_give_a_closed_manifold(seed, share, named):
    """For any signs and any primitives: the connectivity does not depend on where vertices lie."""
    rng = np.random.default_rng(seed)
    values = np.full(GRID.shape, 1.0, dtype=np.float32)
    inner = rng.uniform(0.05, 1.0, (14, 14, 14))
    values[5:19, 5:19, 5:19] = np.where(rng.uniform(size=inner.shape) < share, -inner, inner)
    surface, _ = extract_surface(field_of(values, rng=rng if named else None), GRID)
    assert_closed_manifold(surface)
    assert surface.is_closed()
    solid = Manifold(Mesh(surface.points.astype(np.float32), surface.triangles().astype(np.uint32)))
    assert solid.status() == Error.NoError


def test_the_repair_is_needed_and_used():
    """Without joining ambiguous faces, the same fields have edges with four faces."""
    rng = np.random.default_rng(1)
    values = np.full(GRID.shape, 1.0, dtype=np.float32)
    values[5:19, 5:19, 5:19] = rng.choice([-1.0, 1.0], (14, 14, 14))
    tables = cell_tables()
    with pytest.MonkeyPatch.context() as patch:
        unrepaired = tables._replace(repair_face=np.full(256, -1, dtype=np.int8))
        patch.setattr("voxel_carve.compute.engines.numba.contour.extraction.cell_tables", lambda: unrepaired)
        with pytest.raises(AssertionError):
            assert_closed_manifold(extract_surface(field_of(values), GRID)[0])
    assert_closed_manifold(extract_surface(field_of(values), GRID)[0])


def test_tables_agree_on_shared_faces():
    """The cells on both sides of a face draw the same lines. Only the corners of the face decide."""
    tables = cell_tables()
    assert (tables.repair_face >= 0).sum() == 36
    for configuration in range(256):
        crossed = np.array([(configuration >> a & 1) != (configuration >> b & 1) for a, b in EDGES])
        for joined in (0, 1):
            if joined and tables.repair_face[configuration] < 0:
                continue
            patch = tables.patch[joined, configuration]
            assert np.array_equal(patch >= 0, crossed)
            assert tables.patches[joined, configuration] == len(set(patch[crossed]))
        if (face := tables.repair_face[configuration]) >= 0:
            on_face = [e for e in range(12) if set(EDGES[e]) <= set(FACES[face])]
            assert len(set(tables.patch[0, configuration, on_face])) == 1
            assert len(set(tables.patch[1, configuration, on_face])) == 2


def test_vertices_stay_in_their_cells_and_quads_look_outward():
    z, y, x = np.indices(GRID.shape) + 0.5
    distance = np.sqrt((x - 12) ** 2 + (y - 12.3) ** 2 + (z - 11.6) ** 2) - 7.3
    surface = extract_surface(field_of(np.clip(distance, -1.05, 1.05)), GRID)[0]
    off = np.linalg.norm(surface.points - [12, 12.3, 11.6], axis=1) - 7.3
    assert np.abs(off).max() < 0.06
    assert surface.volume() == pytest.approx(4 / 3 * np.pi * 7.3**3, rel=0.03)
    corner = surface.points[surface.faces]
    normal = np.cross(corner[:, 2] - corner[:, 0], corner[:, 3] - corner[:, 1])
    assert (np.einsum("ij,ij->i", normal, corner.mean(axis=1) - [12, 12.3, 11.6]) > 0).all()


def test_surface_does_not_depend_on_where_the_bricks_lie():
    """A ball moved by each number of voxels within a brick gives the same vertices."""
    z, y, x = np.indices(GRID.shape) + 0.5
    seen = []
    for shift in range(BRICK_SIZE):
        centre = np.array([8.2, 8.4, 8.7]) + shift
        distance = np.sqrt((x - centre[0]) ** 2 + (y - centre[1]) ** 2 + (z - centre[2]) ** 2) - 5.1
        surface = extract_surface(field_of(np.clip(distance, -1.05, 1.05)), GRID)[0]
        places = np.ascontiguousarray((surface.points - shift).round(3))
        seen.append(np.sort(places.view([("", float)] * 3).ravel()))
    assert all(len(points) == len(seen[0]) for points in seen)
    assert all(np.abs(points["f0"] - seen[0]["f0"]).max() < 2e-3 for points in seen)
