"""What the extension leaves behind: files in the user folder, files that were asked for, and no process."""

import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import MAKE_SCENE
from tests.real_blender import Place, build_for, empty_place, python_of

pytestmark = [pytest.mark.real_blender, pytest.mark.slow]

# Every folder that a program may be told of, beside BLENDER_USER_RESOURCES.
FOLDERS = {
    "HOME": "home",
    "XDG_CACHE_HOME": "home/cache",
    "XDG_CONFIG_HOME": "home/config",
    "XDG_DATA_HOME": "home/data",
    "XDG_STATE_HOME": "home/state",
    "XDG_RUNTIME_DIR": "run",
    "TMPDIR": "temporary",
    "TEMP": "temporary",
    "TMP": "temporary",
}
SECONDS_TO_END = 20

# Begins to compile, as Blender with a window does by itself, and quits while two processes do so.
COMPILE_AND_QUIT = """
import importlib, time
import bpy

compiling = importlib.import_module("bl_ext.user_default.voxel_carve.voxel_carve.operators.jobs.compiling")
compiling._begin()
time.sleep(3)
assert 0 <= compiling.compiling_part() < 1
"""

# Carves in each way in which other processes take part, and saves the file, without Blender's own picture of it.
CARVE = """
import sys
import bpy

bpy.ops.wm.open_mainfile(filepath=sys.argv[-1])
bpy.context.preferences.filepaths.file_preview_type = "NONE"
preferences = bpy.context.preferences.addons["bl_ext.user_default.voxel_carve"].preferences


def carve(**settings):
    for obj in bpy.context.scene.objects:
        obj.hide_set(False)
        obj.select_set(obj.name in ("Box", "Tool"))
    bpy.context.view_layer.objects.active = bpy.data.objects["Box"]
    assert bpy.ops.object.voxel_carve(resolution=32, **settings) == {"FINISHED"}


carve(verify=True, adaptivity=0.5)
carve(result="KEEP")
preferences.use_process = True
carve()
assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
bpy.ops.wm.voxel_carve_preset_add(name="Mine")
bpy.ops.wm.save_mainfile()
"""


class WatchedPlace(Place):
    """A place whose Blender is told of its folders alone."""

    def environment(self) -> dict[str, str]:
        return super().environment() | {name: self.inside(folder) for name, folder in FOLDERS.items()}

    def files(self) -> dict[str, tuple[int, int]]:
        """Size and time of each file outside the user folder, and of each folder its time alone."""
        outside = [path for path in self.folder.rglob("*") if path.relative_to(self.folder).parts[0] != "user"]
        return {
            path.relative_to(self.folder).as_posix(): (0 if path.is_dir() else path.lstat().st_size, self.time(path))
            for path in outside
        }

    @staticmethod
    def time(path: Path) -> int:
        return 0 if path.is_dir() else path.lstat().st_mtime_ns

    def processes(self) -> list[str]:
        """The command lines of the processes that were told of this place."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if self.inside("user").encode() in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:  # ended meanwhile, or someone else's
                continue
        return found

    def run(self, script: str, *arguments: object) -> None:
        (self.folder / "user" / "script.py").write_text(script)
        done = self.blender("-b", "--python-exit-code", 9, "--python", self.inside("user/script.py"), "--", *arguments)
        assert done.status == 0, done.out + done.err
        self.expect_no_process()

    def expect_no_process(self) -> None:
        deadline = time.monotonic() + SECONDS_TO_END
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.5)
        assert left == []


@pytest.fixture
def place(real_blender, tmp_path) -> Iterator[WatchedPlace]:
    """A Blender that has been started before, so that what itself makes is there: caches of fonts and shaders."""
    extension = build_for(python_of(real_blender), tmp_path)
    place = WatchedPlace(real_blender, empty_place(real_blender).folder)
    for folder in ("user", *FOLDERS.values()):
        (place.folder / folder).mkdir(parents=True, exist_ok=True)
    (place.folder / "run").chmod(0o700)
    place.run(MAKE_SCENE, place.inside("scene.blend"))
    (place.folder / "user" / "zip").mkdir()
    shutil.copy(extension, place.folder / "user" / "zip")
    yield place
    shutil.rmtree(place.folder)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
def test_nothing_is_left_outside_the_user_folder(place):
    before = place.files()
    extension = next((place.folder / "user" / "zip").iterdir())
    done = place.blender(
        "-c", "extension", "install-file", "-r", "user_default", "--enable", place.inside(f"user/zip/{extension.name}")
    )
    assert done.status == 0, done.out + done.err
    assert place.files() == before

    place.run(COMPILE_AND_QUIT)
    assert place.files() == before

    place.run(CARVE, place.inside("scene.blend"))
    after = place.files()
    assert {name for name in after if after[name] != before.get(name)} == {"scene.blend", "scene.blend1"}
    assert before.keys() <= after.keys()

    options = ["--stock", "Box", "--path", "Tool", "--resolution", 32, "--blend", place.inside("scene.blend")]
    done = place.blender("-c", "voxel_carve", *options, "--output", place.inside("out.ply"))
    assert done.status == 0, done.err
    place.expect_no_process()
    assert place.files().keys() - after.keys() == {"out.ply"}

    done = place.blender("-c", "extension", "remove", "voxel_carve")
    assert done.status == 0, done.out + done.err
    assert place.files().keys() - after.keys() == {"out.ply"}
    assert not (place.folder / "user/extensions/.user/user_default/voxel_carve").exists()
