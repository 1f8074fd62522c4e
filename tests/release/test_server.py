"""The folder for a web server: a Blender installs from it, updates and removes, and keeps what its user made."""

import functools
import http.server
import json
import shutil
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest

import build_zip
import server_index
from tests.real_blender import Place, build_for, empty_place, python_of

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
NEXT = "0.2.0"
REPOSITORY = "server_under_test"

# What a user makes: preferences, a preset, and a file with a recipe. Both scripts print one JSON object.
MAKE = """
import json, sys
import bpy

name = "bl_ext.{repository}.voxel_carve"
preferences = bpy.context.preferences.addons[name].preferences
preferences.memory_limit, preferences.use_process = 7.5, True
bpy.ops.wm.save_userpref()
bpy.ops.wm.read_homefile(use_empty=True)
bpy.ops.mesh.primitive_cube_add(size=2)
stock = bpy.context.object
stock.name = "Block"
curve = bpy.data.curves.new("Path", "CURVE")
curve.dimensions, curve.bevel_depth = "3D", 0.5
spline = curve.splines.new("POLY")
spline.points.add(1)
spline.points[0].co, spline.points[1].co = (0, 0, -2, 1), (0, 0, 2, 1)
path = bpy.data.objects.new("Path", curve)
bpy.context.collection.objects.link(path)
path.select_set(True)
settings = bpy.context.scene.voxel_carve
settings.resolution = 37
bpy.ops.wm.voxel_carve_preset_add(name="Mine")
bpy.ops.object.voxel_carve(resolution=24, backend="CPU", adaptivity=0)
result = bpy.data.objects["Block Carved"]
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1])
print("FOUND" + json.dumps(json.loads(result["voxel_carve_report"])["removed_volume"]))
"""

# What is left of it.
LOOK = """
import json, sys
from pathlib import Path
import addon_utils, bpy

name = "bl_ext.{repository}.voxel_carve"
folder = Path(bpy.utils.user_resource("EXTENSIONS"), "{repository}", "voxel_carve")
found = {{"enabled": addon_utils.check(name)[1], "folder": folder.exists()}}
bpy.ops.wm.open_mainfile(filepath=sys.argv[-1])
result = bpy.data.objects["Block Carved"]
found["faces"] = len(result.data.polygons)
if found["enabled"]:
    found["version"] = next(line for line in (folder / "blender_manifest.toml").open() if line.startswith("version"))
    preferences = bpy.context.preferences.addons[name].preferences
    found["preferences"] = [preferences.memory_limit, preferences.use_process]
    presets = {{file.stem: file for path in bpy.utils.preset_paths("voxel_carve") for file in Path(path).glob("*.py")}}
    found["presets"] = sorted(presets)
    bpy.ops.script.execute_preset(filepath=str(presets["Mine"]), menu_idname="VOXEL_CARVE_MT_presets")
    found["of preset"] = bpy.context.scene.voxel_carve.resolution
    recipe = result.voxel_carve
    found["recipe"] = [recipe.stock.name, [path.path.name for path in recipe.paths], recipe.resolution]
    bpy.data.objects["Path"].data.bevel_depth = 0.25
    bpy.context.view_layer.objects.active = result
    bpy.ops.object.voxel_carve_update()
    found["removed"] = json.loads(result["voxel_carve_report"])["removed_volume"]
print("FOUND" + json.dumps(found))
"""


def python_script(place: Place, text: str, name: str) -> object:
    """Run a script in Blender, with the name of a file in the place; return what it printed."""
    (place.folder / "script.py").write_text(text.format(repository=REPOSITORY))
    done = place.blender("-b", "--python-exit-code", 9, "--python", place.inside("script.py"), "--", place.inside(name))
    assert done.status == 0, done.out + done.err
    return json.JSONDecoder().raw_decode(done.out.rpartition("FOUND")[2])[0]


def command(place: Place, *words: object) -> str:
    done = place.blender("--online-mode", "-c", "extension", *words)
    assert done.status == 0, done.out + done.err
    return done.out


class Silent(http.server.SimpleHTTPRequestHandler):
    """Serves a folder without a line for each request."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A web server on this machine alone; yields the address of the folder's index."""
    handler = functools.partial(Silent, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/index.json"
        server.shutdown()


def build_version(python: str, version: str, output: Path) -> Path:
    """The zip of another version with the same sources."""
    real = build_zip.manifest_for
    with mock.patch.object(build_zip, "manifest_for", lambda *given: real(*given) | {"version": version}):
        return build_for(python, output)


@pytest.fixture(scope="module")
def zips(tmp_path_factory):
    """Small zips, without wheels, for every platform and Python of a release; one of the wheels says which Python."""
    folder = tmp_path_factory.mktemp("dist")
    with mock.patch.object(build_zip, "fetch", lambda wheels: [stand_in(folder, wheel.file) for wheel in wheels]):
        for flavour, target, python in build_zip.every_zip():
            if flavour == server_index.FLAVOUR:
                build_zip.build(flavour, target, python, folder)
    return folder


def stand_in(folder: Path, name: str) -> Path:
    (folder / name).touch()
    return folder / name


@pytest.mark.blender
def test_the_index_has_every_zip_for_its_blender(zips, tmp_path, capsys):
    (tmp_path / "voxel_carve-0.0.9-cpu-linux-x64-cp313.zip").touch()
    assert server_index.main(["--zips", str(zips), "--output", str(tmp_path)]) == 0
    assert "not there" not in capsys.readouterr().err
    listed = json.loads((tmp_path / "index.json").read_text())["data"]
    assert {entry["version"] for entry in listed} == {MANIFEST["version"]}
    offered = [(entry["platforms"], entry["python_versions"], entry.get("blender_version_max")) for entry in listed]
    expected = [
        ([target], [f"3.{python.removeprefix('cp3')}"], build_zip.SERIES[python].version_max)
        for flavour, target, python in build_zip.every_zip()
        if flavour == server_index.FLAVOUR
    ]
    assert sorted(offered, key=str) == sorted(expected, key=str)
    assert {path.name for path in tmp_path.glob("*.zip")} == {entry["archive_url"][2:] for entry in listed}


@pytest.mark.blender
def test_what_is_missing_is_told(zips, tmp_path, capsys):
    assert server_index.main(["--zips", str(tmp_path), "--output", str(tmp_path / "server")]) == 1
    assert "build --all" in capsys.readouterr().err
    (one,) = zips.glob("*macos-arm64-cp313.zip")
    shutil.copy(one, tmp_path)
    assert server_index.main(["--zips", str(tmp_path), "--output", str(tmp_path / "server")]) == 0
    told = capsys.readouterr().err
    assert one.name not in told and "linux-x64-cp313.zip is not there" in told


@pytest.mark.blender
def test_a_damaged_zip_gets_no_index(zips, tmp_path, capsys):
    (one,) = zips.glob("*windows-x64-cp311.zip")
    (tmp_path / one.name).write_bytes(one.read_bytes()[:5000])
    assert server_index.main(["--zips", str(tmp_path), "--output", str(tmp_path / "server")]) == 1
    assert f"{one.name} is not valid" in capsys.readouterr().err
    assert not (tmp_path / "server" / "index.json").exists()


@pytest.mark.real_blender
@pytest.mark.slow
def test_a_blender_installs_updates_and_removes(real_blender, tmp_path):
    python = python_of(real_blender)
    first, following = build_for(python, tmp_path), build_version(python, NEXT, tmp_path)
    place = empty_place(real_blender)
    try:
        server = place.folder / "server"
        check_index_of_blender(place, server_index.make_index([first], server))
        with served(server) as address:
            command(place, "repo-add", "--clear-all", "--name", "Server", "--url", address, REPOSITORY)
            command(place, "install", "--sync", "--enable", "voxel_carve")
            full = 2 * 3.14159 * 0.5**2  # a bar of radius 0.5 through a cube of side 2
            assert python_script(place, MAKE, "work.blend") == pytest.approx(full, rel=0.1)

            server_index.make_index([following], server)
            command(place, "update", "--sync")
            after = python_script(place, LOOK, "work.blend")
            assert after["enabled"]
            assert after["version"] == f'version = "{NEXT}"\n'
            assert after["preferences"] == [7.5, True]
            assert after["presets"] == ["CNC_Finish", "Draft", "Fine", "Mine"]
            assert after["of preset"] == 37
            assert after["recipe"] == ["Block", ["Path"], 24]
            assert after["removed"] == pytest.approx(full / 4, rel=0.1)

            command(place, "remove", "voxel_carve")
            assert python_script(place, LOOK, "work.blend") == {
                "enabled": False,
                "folder": False,
                "faces": after["faces"],
            }
    finally:
        shutil.rmtree(place.folder)


def check_index_of_blender(place: Place, index: Path) -> None:
    """Blender itself finds every zip beside an index valid, and writes the same index."""
    ours = json.loads(index.read_text())
    for file in index.parent.glob("*.zip"):
        assert "Success" in command(place, "validate", place.inside(f"{index.parent.name}/{file.name}"))
    command(place, "server-generate", "--repo-dir", place.inside(index.parent.name))
    assert json.loads(index.read_text()) == ours
