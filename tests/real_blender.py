"""A full Blender as a process: where it runs, which files it sees, and the extension installed in it.

VOXEL_CARVE_BLENDER is the command that starts it (else `blender` on PATH). If it runs in another root directory, as in
`chroot /some/where blender`, VOXEL_CARVE_BLENDER_ROOT is that directory.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from build_zip import SERIES, build, running_platform
from fetch_wheels import WheelError
from tests.command_line import LOOK, Run, environment

BLENDER_ROOT = Path(os.environ.get("VOXEL_CARVE_BLENDER_ROOT", "/"))


class Place:
    """A folder that Blender and we can see, with a user folder for Blender in it."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self.command = command
        self.folder = folder

    def inside(self, name: str = "") -> str:
        """The path of a file in the folder as Blender sees it."""
        return str(Path("/") / (self.folder / name).relative_to(BLENDER_ROOT))

    def beside(self, *words: object) -> list[str]:
        """The command of another program that runs where Blender does."""
        there = self.command[:-1] if BLENDER_ROOT != Path("/") else []
        return [*there, *map(str, words)]

    def environment(self) -> dict[str, str]:
        return {**environment(), "BLENDER_USER_RESOURCES": self.inside("user")}

    def blender(self, *arguments: object, **variables: str) -> Run:
        done = subprocess.run(
            [*self.command, *map(str, arguments)],
            cwd=self.folder,
            env=self.environment() | variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        return Run(done.returncode, done.stdout, done.stderr)

    def script(self, *arguments: object, before: tuple[object, ...] = ()) -> Run:
        return self.blender("-b", *before, "--python", self.inside("scripts/carve.py"), "--", *arguments)

    def install(self, file: Path) -> None:
        """Install the extension from its zip, and enable it."""
        shutil.copy(file, self.folder / "extension.zip")
        done = self.blender(
            "-c", "extension", "install-file", "-r", "user_default", "--enable", self.inside("extension.zip")
        )
        assert done.status == 0, done.out + done.err

    def report(self, name: str) -> dict:
        return json.loads((self.folder / name).read_text())

    def look(self, name: str) -> dict:
        """The contents of a .blend, see LOOK."""
        (self.folder / "look.py").write_text(LOOK)
        done = self.blender("-b", "--python-exit-code", 9, "--python", self.inside("look.py"), "--", self.inside(name))
        assert done.status == 0, done.err
        return json.loads(next(line for line in done.out.splitlines() if line.startswith("{")))


def empty_place(command: list[str]) -> Place:
    """A new folder in Blender's root, which the caller removes."""
    temporary = BLENDER_ROOT / "tmp" if BLENDER_ROOT != Path("/") else Path(tempfile.gettempdir())
    return Place(command, Path(tempfile.mkdtemp(prefix="voxel_carve_", dir=temporary)).resolve())


def python_of(command: list[str]) -> str:
    """The wheel tag of Blender's Python, such as cp313."""
    expression = "import sys; print('python cp%d%d' % sys.version_info[:2])"
    command = [*command, "-b", "--factory-startup", "--python-expr", expression]
    out = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    return re.search(r"^python (cp\d+)$", out, re.MULTILINE)[1]


def build_for(python: str, output: Path) -> Path:
    """The extension's zip for a Blender with this Python; skips the test if none is built for it."""
    target = running_platform()
    if python not in SERIES or target not in SERIES[python].platforms:
        pytest.skip(f"no zip is built for a Blender with {python}")
    try:
        return build("cpu", target, python, output)
    except WheelError as error:
        pytest.skip(str(error))
