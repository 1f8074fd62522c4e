"""The extension's zip: its contents, and that Blender installs it, carves with it, and removes it."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

import build_zip
import fetch_wheels
import voxel_carve
from voxel_carve.compute.runtime import cache_folder

ROOT = Path(__file__).resolve().parent.parent

# Installs the zip in the last argument, then does what a user does with it. Prints one JSON object at the end.
INSTALL_AND_CARVE = """
import json, sys
from pathlib import Path
import bpy, addon_utils  # in this order: addon_utils comes with bpy

bpy.ops.wm.read_factory_settings(use_empty=True)
found = {}
bpy.ops.extensions.package_install_files(filepath=sys.argv[-1], repo="user_default", enable_on_install=True)
name = "bl_ext.user_default.voxel_carve"
found["enabled"] = addon_utils.check(name)[1]

def carve():
    bpy.ops.mesh.primitive_cube_add(size=2)
    stock = bpy.context.object
    curve = bpy.data.curves.new("Path", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", 0.5
    spline = curve.splines.new("POLY")
    spline.points.add(1)
    spline.points[0].co, spline.points[1].co = (0, 0, -2, 1), (0, 0, 2, 1)
    path = bpy.data.objects.new("Path", curve)
    bpy.context.collection.objects.link(path)
    path.select_set(True)
    bpy.ops.object.voxel_carve(resolution=64, backend="CPU", adaptivity=0)  # presets merge faces, by compiled kernels
    return json.loads(bpy.data.objects[stock.name + " Carved"]["voxel_carve_report"])

found["report"] = carve()
preferences = bpy.context.preferences.addons[name].preferences
found["preferences"] = [preferences.backend, preferences.device, preferences.memory_limit, preferences.use_process]
(presets,) = bpy.utils.preset_paths("voxel_carve")
for file in sorted(Path(presets).glob("*.py")):
    bpy.ops.script.execute_preset(filepath=str(file), menu_idname="VOXEL_CARVE_MT_presets")
found["resolution"] = bpy.context.scene.voxel_carve.resolution
found["manual"] = bpy.types.WM_OT_doc_view_manual._lookup_rna_url("bpy.ops.object.voxel_carve", verbose=False)
wheels = Path(bpy.utils.user_resource("EXTENSIONS"), ".local").rglob("site-packages/*.dist-info/RECORD")
found["wheels"] = sorted(path.parent.name.partition("-")[0] for path in wheels)  # some are a single file
bpy.ops.preferences.addon_disable(module=name)
found["operator_when_disabled"] = "voxel_carve" in dir(bpy.ops.object)
bpy.ops.preferences.addon_enable(module=name)
found["report_again"] = carve()
print("FOUND" + json.dumps(found))
"""


def run(command: list[str], cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program outside the checkout, without this process's environment variables."""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VOXEL_CARVE_BACKEND")}
    return subprocess.run(command, cwd=cwd, env=environment | variables, capture_output=True, text=True, check=False)


RUNNING_PYTHON = f"cp{sys.version_info.major}{sys.version_info.minor}"


@pytest.fixture(scope="module")
def running_zip(tmp_path_factory):
    """The zip for the Blender that is here as a module."""
    return build_zip.build("cpu", build_zip.running_platform(), RUNNING_PYTHON, tmp_path_factory.mktemp("dist"))


def test_versions_agree():
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert manifest["version"] == project["project"]["version"] == voxel_carve.__version__
    assert f"\n## {manifest['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_lock_never_names_numpy_nor_a_host():
    assert {wheel.distribution for wheel in fetch_wheels.locked_wheels()} == build_zip.FLAVOURS["cuda"].packages
    assert "numpy" not in build_zip.FLAVOURS["cuda"].packages
    assert "://" not in fetch_wheels.LOCK.read_text(encoding="utf-8")


def test_wheels_are_those_of_the_environment_under_test():
    pins = (ROOT / "requirements" / "dev.lock").read_text(encoding="utf-8")
    for wheel in fetch_wheels.locked_wheels():
        release = f"\n{wheel.distribution.replace('_', '-')}=={wheel.tags[1]} "
        assert release in pins
        hashes = pins.partition(release)[2].partition("==")[0]
        assert f"sha256:{wheel.sha256}" in hashes


@pytest.mark.parametrize(("flavour", "platform", "python"), build_zip.every_zip())
def test_every_zip_has_one_wheel_of_each_package_and_no_other(flavour, platform, python):
    wheels = build_zip.wheels_for(flavour, platform, python)
    assert sorted(wheel.distribution for wheel in wheels) == sorted(build_zip.FLAVOURS[flavour].packages)
    assert {wheel.tags[2] for wheel in wheels} == {python, "py3"}


def test_every_wheel_is_in_a_zip():
    used = {wheel for one in build_zip.every_zip() for wheel in build_zip.wheels_for(*one)}
    assert used == set(fetch_wheels.locked_wheels())


def test_without_arguments_the_zip_is_for_the_newest_blender_of_this_platform(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert build_zip.main(["--output", str(tmp_path)]) == 0
    (file,) = tmp_path.glob("*.zip")
    assert str(file) in capsys.readouterr().out
    with zipfile.ZipFile(file) as archive:
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
    assert manifest["platforms"] == [build_zip.running_platform()]
    (newest,) = (pin for pin in pins("bpy") if pin[0] == max(version for version, _ in pins("bpy")))
    assert f"cp{newest[1].replace('.', '')}" in file.name
    assert "blender_version_max" not in manifest
    assert not [wheel for wheel in manifest["wheels"] if "cp311" in wheel or "cp314" in wheel]


def pins(package: str) -> list[tuple[str, str]]:
    """Release and Python of each pin of a package in the development requirements."""
    text = (ROOT / "requirements" / "dev.in").read_text(encoding="utf-8")
    return re.findall(rf'^{package}==(\S+) ; python_version == "(\S+)"$', text, flags=re.MULTILINE)


def test_a_zip_that_no_blender_needs_is_refused(capsys):
    with pytest.raises(SystemExit):
        build_zip.main(["--platform", "windows-x64", "--python", "cp314"])
    assert "no Blender for windows-x64" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        build_zip.main(["--platform", "macos-arm64", "--flavour", "cuda"])
    assert "no cuda for macos-arm64" in capsys.readouterr().err


def test_readme_says_which_file_is_for_whom():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `voxel_carve-VERSION-(\w+)-(\S+)-(cp\d+)\.zip`", text, flags=re.MULTILINE)
    named = {
        (flavour, one, python)
        for flavour, target, python in rows
        for one in (build_zip.PLATFORMS if target == "PLATFORM" else (target,))
    }
    assert {one for one in build_zip.every_zip() if one[0] == "cpu"} == named


def test_series_have_no_gaps_or_overlaps():
    earlier, later = build_zip.SERIES["cp311"], build_zip.SERIES["cp313"]
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert earlier.version_min == manifest["blender_version_min"]
    assert earlier.version_max == later.version_min
    assert later.version_max is None


def test_manifest_survives_writing_and_reading():
    manifest = build_zip.manifest_for("linux-x64", "cp311", build_zip.wheels_for("cuda", "linux-x64", "cp311"))
    assert tomllib.loads(build_zip.to_toml(manifest)) == manifest


def test_the_manifest_has_a_website_only_once_one_is_set(tmp_path, monkeypatch):
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    without = re.sub(r"^(Homepage|Issues) = .*\n", "", project, flags=re.MULTILINE)
    homepage = '[project.urls]\nHomepage = "https://example.org/carve"\n'
    shutil.copy(ROOT / "blender_manifest.toml", tmp_path)
    monkeypatch.setattr(build_zip, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").write_text(without, encoding="utf-8")
    assert "website" not in build_zip.manifest_for("linux-x64", "cp313", [])
    (tmp_path / "pyproject.toml").write_text(without.replace("[project.urls]\n", homepage), encoding="utf-8")
    assert build_zip.manifest_for("linux-x64", "cp313", [])["website"] == "https://example.org/carve"


def test_addresses_on_the_web_stand_in_one_place():
    """Only the table in pyproject.toml names a website or a page for issues. Until someone sets one, nothing does.

    The names of vocabularies in XML look like addresses, and are none.
    """
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (table,) = re.findall(r"^\[project\.urls\]\n((?:\w+ = .*\n)*)", project, flags=re.MULTILINE)
    texts = [project.replace(table, "") if table else project]
    files = [ROOT / "blender_manifest.toml", *(ROOT / "docs" / "manual").glob("*.md"), *build_zip.package_files()]
    texts += [path.read_text(encoding="utf-8") for path in files]
    assert [text for text in texts if re.search(r"\bhttps?://(?!schemas\.)", text)] == []


@pytest.mark.blender
def test_zip_is_valid_for_blender_and_lists_its_contents(running_zip):
    build_zip.validate(running_zip)
    with zipfile.ZipFile(running_zip) as archive:
        names = archive.namelist()
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
    assert names == sorted(names)
    assert {"__init__.py", "LICENSE", "voxel_carve/__init__.py", "voxel_carve/compute/job/carve.py"} <= set(names)
    assert "voxel_carve/presets/voxel_carve/Draft.py" in names
    assert not [name for name in names if re.match("voxel_carve/(frameworks|jax|torch)/", name)]
    sources = {path.relative_to(ROOT) for path in (ROOT / "docs" / "manual").rglob("*") if path.is_file()}
    pages = {path.with_suffix(".html") if path.suffix == ".md" else path for path in sources}
    assert {name for name in names if name.startswith("docs/")} == {page.as_posix() for page in pages}
    assert [f"./{name}" for name in names if name.endswith(".whl")] == manifest["wheels"]
    assert not [name for name in names if "__pycache__" in name or name.startswith(("tests", "scripts"))]


def test_validation_refuses_a_damaged_zip(running_zip, tmp_path):
    damaged = tmp_path / running_zip.name
    with zipfile.ZipFile(running_zip) as whole, zipfile.ZipFile(damaged, "w") as archive:
        for name in whole.namelist():
            if name != "__init__.py" and not name.endswith(".whl"):
                archive.writestr(name, whole.read(name))
    with pytest.raises(build_zip.ValidationError):
        build_zip.validate(damaged)


def test_same_sources_give_the_same_bytes(running_zip, tmp_path):
    again = build_zip.build("cpu", build_zip.running_platform(), RUNNING_PYTHON, tmp_path)
    assert again.read_bytes() == running_zip.read_bytes()


def test_wheel_with_another_hash_is_refused(tmp_path):
    trimesh = next(wheel for wheel in fetch_wheels.locked_wheels() if wheel.distribution == "trimesh")
    with pytest.raises(fetch_wheels.WheelError, match=trimesh.file):
        fetch_wheels.fetch([fetch_wheels.Wheel(trimesh.file, "0" * 64)], tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.blender
@pytest.mark.parametrize("compiles", [False, pytest.param(True, marks=[pytest.mark.compiled, pytest.mark.slow])])
def test_blender_as_a_module_installs_the_zip_and_carves_with_it(running_zip, tmp_path, compiles):
    """With the kernels that this checkout has compiled, or with none."""
    user = {"BLENDER_USER_RESOURCES": str(tmp_path / "user")}
    kernels = tmp_path / "user/extensions/.user/user_default/voxel_carve/kernels"
    if not compiles:
        shutil.copytree(cache_folder(), kernels)
    known = set(kernels.glob("numba-*"))
    answer = run([sys.executable, "-c", INSTALL_AND_CARVE, str(running_zip)], cwd=tmp_path, **user)
    assert answer.returncode == 0, answer.stderr
    found, _ = json.JSONDecoder().raw_decode(answer.stdout.rsplit("FOUND", 1)[1])
    assert found["enabled"]
    assert not found["operator_when_disabled"]
    assert found["preferences"] == ["AUTO", "AUTO", 0.0, False]
    assert found["resolution"] == 384  # of Fine, the last preset by name
    page = Path(url2pathname(urlsplit(found["manual"]).path))
    assert page.is_relative_to(tmp_path / "user") and page.parts[-3:] == ("docs", "manual", "carve.html")
    assert "<h1" in page.read_text(encoding="utf-8")
    assert found["wheels"] == sorted(build_zip.FLAVOURS["cpu"].packages)
    assert compiles or set(kernels.glob("numba-*")) == known
    for report in (found["report"], found["report_again"]):
        # a bar of radius 0.5 through a cube of side 2
        assert report["removed_volume"] == pytest.approx(2 * math.pi * 0.5**2, rel=0.02)
        assert report["closed"]
