"""Result: Volume, by the operator, in memory and as files, against closed forms and the mesh of the same carve."""

import json
import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.operators.test_operators import carve, contents, rod, volume
from tests.scene_objects import box, link, select
from tests.ui.test_panel import Layout, drawn

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve.compute import CarveCancelled, CarveError  # noqa: E402
from voxel_carve.operators.jobs.carve_reading import carve_options  # noqa: E402
from voxel_carve.operators.jobs.carving import read_carve_job  # noqa: E402
from voxel_carve.operators.jobs.running import RunningJob, call_directly  # noqa: E402
from voxel_carve.operators.selection.selected import selection  # noqa: E402
from voxel_carve.preferences import Limits  # noqa: E402
from voxel_carve.recipes.recipe import is_recipe  # noqa: E402
from voxel_carve.scene.reading.read import read_stock  # noqa: E402
from voxel_carve.scene.writing import volumes  # noqa: E402
from voxel_carve.settings import scene_settings  # noqa: E402
from voxel_carve.settings.layout import draw_options, draw_surface, draw_verify  # noqa: E402
from voxel_carve.ui.forecast import outlook  # noqa: E402

RADIUS, VOXEL = 0.5, 2 / 48
LEFT = 8 - math.pi * RADIUS**2 * 2


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch, openvdb):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    settings = scene_settings(bpy.context)
    settings.radius_mode, settings.radius, settings.resolution, settings.result = "VALUE", 0.1, 48, "VOLUME"


@pytest.fixture
def folder(tmp_path):
    """The folder of a saved file."""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    return tmp_path


def volumes_in(folder):
    """The names of all files but the .blend."""
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("scene.blend"))


def as_mesh(obj):
    """The mesh that Blender's modifier makes of a volume object."""
    reader = link("Reader", bpy.data.meshes.new("Reader"))
    modifier = reader.modifiers.new("Reader", "VOLUME_TO_MESH")
    modifier.object, modifier.grid_name, modifier.threshold = obj, "surface", 0.0
    return read_stock(reader, bpy.context.evaluated_depsgraph_get())


def read(obj):
    return read_stock(obj, bpy.context.evaluated_depsgraph_get())


def test_the_result_is_a_volume_object(folder):
    stock = box()
    obj = carve(stock, rod())
    assert (obj.name, obj.type, obj.data.filepath) == ("Box Carved", "VOLUME", "//Box_Carved.vdb")
    assert volumes_in(folder) == ["Box_Carved.vdb"]
    assert stock.hide_get() and not is_recipe(obj) and obj.display_type == "WIRE"
    assert obj.data.grids.load()
    assert [(grid.name, grid.data_type) for grid in obj.data.grids] == [("surface", "FLOAT")]
    assert json.loads(obj["voxel_carve_report"])["volume"] == pytest.approx(LEFT, rel=0.005)
    mesh = read(obj)
    distance = np.abs(mesh.points).max(axis=1) - 1, RADIUS - np.hypot(*mesh.points[:, 1:].T)
    assert np.maximum(*distance).max() < 0.75 * VOXEL  # edges are cut off
    assert np.median(np.abs(np.maximum(*distance))) < 0.05 * VOXEL


def test_blender_shows_the_volume_where_it_shows_the_mesh(folder):
    stock, path = box(), rod()
    stock.rotation_euler, path.rotation_euler = (0.3, 0.4, 0.5), (0.3, 0.4, 0.5)
    stock.location = path.location = (50, -30, 20)
    stock.scale = (1, -1.5, 0.7)
    shown = as_mesh(carve(stock, path))
    stock.hide_set(False)
    mesh = read(carve(stock, path, result="REMESH"))
    voxel = np.ptp(mesh.bounds(), axis=0).max() / 48
    assert np.abs(shown.bounds() - mesh.bounds()).max() < voxel
    assert shown.bounds().mean(axis=0) == pytest.approx(mesh.bounds().mean(axis=0), abs=0.1 * voxel)


def test_each_stock_has_a_file_and_no_file_is_replaced(folder):
    (folder / "Box_Carved_2.vdb").write_text("somebody's")
    first, second = box(), box("Box.001", centre=(0, 0, 3))
    carve(first, second, rod())
    written = (folder / "Box_Carved.vdb").read_bytes()
    assert volumes_in(folder) == ["Box_001_Carved.vdb", "Box_Carved.vdb", "Box_Carved_2.vdb"]
    first.hide_set(False)
    assert carve(first, bpy.data.objects["Path"], radius=0.05).data.filepath == "//Box_Carved_3.vdb"
    assert (folder / "Box_Carved.vdb").read_bytes() == written
    assert (folder / "Box_Carved_2.vdb").read_text() == "somebody's"


def test_a_long_name_is_shortened(folder):
    stock = box("球" * 85)  # as long as Blender 5.2 allows, and with the suffix too long for a file
    obj = carve(stock, rod())
    assert Path(bpy.path.abspath(obj.data.filepath)).is_file()
    stock.hide_set(False)
    assert carve(stock, bpy.data.objects["Path"]).data.filepath != obj.data.filepath


def test_another_folder(tmp_path):
    scene_settings(bpy.context).volume_folder = str(tmp_path)
    obj = carve(box(), rod())
    assert obj.data.filepath == str(tmp_path / "Box_Carved.vdb")
    assert volumes_in(tmp_path) == ["Box_Carved.vdb"]


def test_what_cannot_be_written_is_refused_beforehand(tmp_path, monkeypatch):
    settings, sentence = scene_settings(bpy.context), "A volume is a file beside the .blend: save that first"
    stock, path = box(), rod()
    select(stock, path)
    before = contents()
    assert outlook(bpy.context, selection(bpy.context), settings).refusals[0].startswith("a volume is a file")
    assert "A volume is a file" in " ".join(drawn().red)
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.object.voxel_carve()
    settings.volume_folder = str(tmp_path / "none")
    with pytest.raises(RuntimeError, match=r"there is no folder .*none: make it first"):
        bpy.ops.object.voxel_carve()
    settings.volume_folder = str(tmp_path)
    assert outlook(bpy.context, selection(bpy.context), settings).refusals == ()
    monkeypatch.setattr(volumes, "has_openvdb", lambda: False)
    assert "need the openvdb module" in outlook(bpy.context, selection(bpy.context), settings).refusals[0]
    with pytest.raises(RuntimeError, match="Volumes need the openvdb module, which this Python does not have"):
        bpy.ops.object.voxel_carve()
    assert contents() == before
    assert list(tmp_path.iterdir()) == []


def test_what_is_for_meshes_only_does_not_count(folder):
    stock, faces = box(), 6
    obj = carve(stock, rod(), replace=True, adaptivity=0.5, verify=True)
    assert obj.type == "VOLUME" and len(stock.data.polygons) == faces
    report = json.loads(obj["voxel_carve_report"])
    assert (report["tolerance"], report.get("accuracy")) == (0, None)
    grey = Layout()
    for draw in (draw_surface, draw_options, draw_verify):
        draw(grey, scene_settings(bpy.context))
    names = {"adaptivity", "tolerance", "shade_smooth", "transfer_attributes", "custom_normals", "cut_material"}
    assert set(grey.whole.grey) == names | {"wire_paths", "replace", "verify"}
    scene_settings(bpy.context).result = "REMESH"
    grey = Layout()
    draw_options(grey, scene_settings(bpy.context))
    assert grey.whole.grey == ["volume_folder"]


def test_a_mesh_has_no_recipe_for_a_volume():
    results = bpy.types.Object.bl_rna.properties["voxel_carve"].fixed_type.properties["result"].enum_items
    assert results.keys() == ["REMESH", "KEEP"]


def test_carving_the_volume_once_more_is_told(folder, capfd):
    obj, path = carve(box(), rod()), bpy.data.objects["Path"]
    select(obj, path)
    assert "'Box Carved' is itself the result of a carve" in " ".join(drawn().labels)
    assert carve(obj, rod(name="Other")).name == "Box Carved.001"
    assert "'Box Carved' is itself the result of a carve" in capfd.readouterr().out


def test_the_last_result_shows_what_a_volume_has(folder):
    carve(box(), rod())
    labels = drawn(bpy.types.VIEW3D_PT_voxel_carve_last_result).labels
    assert "Total Volume" in labels and "Faces" not in labels


def test_undo_leaves_the_file_and_redo_finds_it(folder):
    box(), rod()
    bpy.ops.ed.undo_push(message="Made")
    carve(bpy.data.objects["Box"], bpy.data.objects["Path"])
    bpy.ops.ed.undo_push(message="Carved")
    bpy.ops.ed.undo()
    assert not bpy.data.volumes
    bpy.ops.ed.redo()
    assert bpy.data.volumes["Box Carved"].grids.load()


def test_a_process_of_its_own_makes_the_same_file(folder):
    stock, path = box(), rod()
    one = carve(stock, path)
    stock.hide_set(False)
    select(stock, path)
    options = carve_options(scene_settings(bpy.context), bpy.context)
    options = replace(options, limits=Limits(backend=options.limits.backend, use_process=True))
    job = read_carve_job(bpy.context, selection(bpy.context), options)
    (outcome,) = job.write(bpy.context, job.compute(lambda *_: None, call_directly))
    job.close()
    assert np.array_equal(read(outcome.obj).points, read(one).points)


@pytest.mark.parametrize("stage", ["Surface", "Write", "written"])
def test_a_cancelled_carve_leaves_no_file(folder, stage, monkeypatch):
    """At a stage, or right after the file was written: on a thread, as from a button."""
    select(box(), rod())
    before = contents()
    job = read_carve_job(bpy.context, selection(bpy.context), carve_options(scene_settings(bpy.context), bpy.context))
    told = []
    if stage == "written":
        write = volumes.write_volume
        monkeypatch.setattr(volumes, "write_volume", lambda *a, **b: (write(*a, **b), running.cancel()))
    running = RunningJob(
        lambda progress, ask: job.compute(lambda at, done: (told.append(at), progress(at, done)), ask), job.close
    )
    deadline = time.monotonic() + 120
    while not running.is_done():
        if told and told[-1] == stage:
            running.cancel()
        assert time.monotonic() < deadline
        time.sleep(0.001)
    with pytest.raises(CarveCancelled):
        running.result()
    assert volumes_in(folder) == []
    assert contents() == before


def test_a_carve_that_cannot_be_shown_leaves_no_file(folder):
    stock = box()
    select(stock, rod())
    job = read_carve_job(bpy.context, selection(bpy.context), carve_options(scene_settings(bpy.context), bpy.context))
    results = job.compute(lambda *_: None, call_directly)
    assert volumes_in(folder) == ["Box_Carved.vdb"]
    bpy.data.objects.remove(stock)
    with pytest.raises(CarveError, match="'Box' was deleted meanwhile"):
        job.write(bpy.context, results)
    job.close()
    assert volumes_in(folder) == []


def test_a_volume_is_carved_again_as_a_stock(folder):
    first = carve(box(), rod())
    other = rod(name="Other")
    other.rotation_euler.z = math.pi / 2
    result = carve(first, other, result="REMESH")
    crossing = 16 / 3 * RADIUS**3
    assert volume(result) == pytest.approx(8 - 2 * (8 - LEFT) + crossing, rel=0.01)
    assert Path(bpy.path.abspath(first.data.filepath)).exists()
