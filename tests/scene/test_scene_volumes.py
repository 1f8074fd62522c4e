"""Volume objects as stocks, against closed forms."""

from typing import Any

import numpy as np
import pytest

from tests.formats import volumes
from tests.scene_objects import VOLUME_SHIFT, link, poly_curve, select, volume_object

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve.compute import InputError  # noqa: E402
from voxel_carve.compute.model import signed_volume  # noqa: E402
from voxel_carve.scene.reading.read import is_path, is_stock, read_stock  # noqa: E402

VOXEL = 0.05
SHIFT = VOLUME_SHIFT * VOXEL
RADIUS, DRILL = 0.8, 0.3
VOLUME = 4 / 3 * np.pi * RADIUS**3
DRILLED = 4 / 3 * np.pi * (RADIUS**2 - DRILL**2) ** 1.5


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch, openvdb):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)


def ball(radius=RADIUS, name="surface"):
    return volumes.level_set(volumes.ball_distance(radius), 1.0, VOXEL, name)


def read(obj):
    return read_stock(obj, bpy.context.evaluated_depsgraph_get())


def as_blender_reads(obj, grid, threshold):
    """The mesh that the modifier Volume to Mesh makes of a volume."""
    reader = link("Reader", bpy.data.meshes.new("Reader"))
    modifier = reader.modifiers.new("Reader", "VOLUME_TO_MESH")
    modifier.object, modifier.grid_name, modifier.threshold = obj, grid, threshold
    return read(reader)


def volume(mesh):
    return signed_volume(mesh.points, mesh.triangles)


def carve(*objs, **settings):
    select(*objs)
    bpy.context.view_layer.update()
    assert bpy.ops.object.voxel_carve(radius=DRILL, resolution=64, **settings) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


@pytest.fixture
def stock(tmp_path):
    return volume_object(volumes.write(tmp_path / "ball.vdb", ball()))


@pytest.fixture
def drill():
    drill = poly_curve([(-2, 0, 0), (2, 0, 0)], name="Drill")
    drill.location = (SHIFT,) * 3
    return drill


def test_a_volume_is_a_stock(stock):
    assert is_stock(stock)
    assert not is_path(stock)
    assert np.linalg.norm(read(stock).points - SHIFT, axis=1) == pytest.approx(RADIUS, abs=0.05 * VOXEL)


@pytest.mark.parametrize("scale", [(2, 1, 0.5), (-1, 1, 1)], ids=["uneven", "mirrored"])
def test_a_volume_is_read_where_it_is(stock, scale):
    stock.location, stock.scale = (10, 0, -3), scale
    mesh = read(stock)
    assert volume(mesh) == pytest.approx(VOLUME, rel=5e-3)
    assert mesh.bounds().mean(axis=0) == pytest.approx([10, 0, -3] + SHIFT * np.array(scale), abs=1e-3)
    assert np.ptp(mesh.bounds(), axis=0) == pytest.approx(2 * RADIUS * np.abs(scale), rel=0.01)


def test_a_level_set_is_where_blender_shows_it(stock):
    stock.location = (10, 0, -3)
    if not SHIFT:  # Blender 4.5 does not turn it with the object
        stock.rotation_euler = (0.3, 0.4, 0.5)
    bpy.context.view_layer.update()
    assert read(stock).bounds() == pytest.approx(as_blender_reads(stock, "surface", 0.0).bounds(), abs=2e-6)


def test_the_active_grid_is_read(tmp_path):
    obj = volume_object(volumes.write(tmp_path / "two.vdb", ball(0.4, "a"), ball(0.8, "b")))
    assert obj.data.grids.load()
    assert volume(read(obj)) == pytest.approx(VOLUME / 8, rel=0.02)
    obj.data.grids.active_index = obj.data.grids.find("b")
    bpy.context.view_layer.update()
    assert volume(read(obj)) == pytest.approx(VOLUME, rel=5e-3)


def test_a_sequence_is_read_at_the_current_frame(tmp_path):
    for frame, radius in ((1, 0.4), (2, 0.8)):
        volumes.write(tmp_path / f"ball_{frame:03}.vdb", ball(radius))
    obj = volume_object(tmp_path / "ball_001.vdb")
    obj.data.is_sequence, obj.data.frame_start, obj.data.frame_duration = True, 1, 2
    for frame, radius in ((1, 0.4), (2, 0.8)):
        bpy.context.scene.frame_set(frame)
        assert volume(read(obj)) == pytest.approx(4 / 3 * np.pi * radius**3, rel=0.02)


def test_what_geometry_nodes_make_of_a_volume_is_read(stock):
    """A fog of a cube, by Mesh to Volume, instead of the file's ball: as the modifier Volume to Mesh reads it."""
    tree = bpy.data.node_groups.new("Fog", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    cube, fog = tree.nodes.new("GeometryNodeMeshCube"), tree.nodes.new("GeometryNodeMeshToVolume")
    fog.inputs["Voxel Amount"].default_value = 64
    out = tree.nodes.new("NodeGroupOutput")
    tree.links.new(cube.outputs["Mesh"], fog.inputs["Mesh"])
    tree.links.new(fog.outputs["Volume"], out.inputs["Geometry"])
    stock.modifiers.new("Fog", "NODES").node_group = tree
    mesh = read(stock)
    blenders = as_blender_reads(stock, "density", 0.1)
    assert len(mesh.points) == len(blenders.points)
    assert volume(mesh) == pytest.approx(volume(blenders), rel=1e-5)
    assert mesh.bounds() == pytest.approx(blenders.bounds(), abs=1e-6)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"the file of volume 'Volume' cannot be loaded: .*none\.vdb"):
        read(volume_object(tmp_path / "none.vdb"))


def test_a_volume_without_grids_is_named():
    with pytest.raises(InputError, match="volume 'Volume' has no grid of numbers"):
        read(link("Volume", bpy.data.volumes.new("Volume")))


def test_a_volume_is_carved(stock, drill):
    stock.location, drill.location = (3, 2, 1), np.array((3, 2, 1)) + SHIFT
    result = carve(stock, drill)
    assert (result.name, result.type) == ("Volume Carved", "MESH")
    assert stock.hide_get()
    assert volume(read(result)) == pytest.approx(DRILLED, rel=0.01)
    assert tuple(result.location) == (3, 2, 1)


@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1, 1)], ids=["as it is", "mirrored"])
def test_the_surface_of_a_volume_is_kept(stock, drill, scale):
    stock.location, stock.scale, drill.location = (3, 2, 1), scale, np.array((3, 2, 1)) + SHIFT * np.array(scale)
    surface = read(stock)
    result = carve(stock, drill, result="KEEP")
    mesh = read(result)
    assert volume(mesh) == pytest.approx(DRILLED, rel=0.01)
    off = np.hypot(*(mesh.points - drill.location)[:, 1:].T) > DRILL + 0.1
    known = {tuple(point) for point in surface.points.round(4).tolist()}
    assert {tuple(point) for point in mesh.points[off].round(4).tolist()} <= known


def test_replace_stock_is_refused(stock, drill):
    with pytest.raises(RuntimeError, match="'Volume' is a volume, which no mesh can replace: switch Replace Stock off"):
        carve(stock, drill, replace=True)


def test_update_follows_the_volume(stock, drill, tmp_path):
    result = carve(stock, drill)
    stock.data.filepath = str(volumes.write(tmp_path / "larger.vdb", ball(0.9)))
    drill.hide_set(True)
    select(result)
    assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
    assert volume(read(result)) == pytest.approx(4 / 3 * np.pi * (0.9**2 - DRILL**2) ** 1.5, rel=0.01)


def test_update_where_the_stock_cannot_be_seen(stock, drill):
    result = carve(stock, drill)
    stock.hide_viewport = True
    select(result)
    assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
    assert volume(read(result)) == pytest.approx(DRILLED, rel=0.01)
