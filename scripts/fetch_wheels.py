"""The wheels in the extension's zips: listed in wheels/wheels.lock, downloaded as published."""

import hashlib
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from environment import ROOT

FOLDER = ROOT / "wheels"
LOCK = FOLDER / "wheels.lock"

PLATFORM_TAGS = {  # Blender's name of a platform: start and end of a wheel's tag
    "linux-x64": ("manylinux", "x86_64"),
    "macos-arm64": ("macosx", "arm64"),
    "windows-x64": ("win", "amd64"),
}


class WheelError(Exception):
    """A wheel cannot be downloaded as the lock file states."""


@dataclass(frozen=True)
class Wheel:
    """One line of the lock file: the standard file name of a wheel, and its hash."""

    file: str
    sha256: str

    @property
    def tags(self) -> list[str]:
        """The five parts of the name: distribution, version, Python, ABI, platforms."""
        return self.file.removesuffix(".whl").split("-")

    @property
    def distribution(self) -> str:
        """Name of the package, as spelled in a wheel's name: warp_lang."""
        return self.tags[0]

    def serves(self, python: str, platform: str) -> bool:
        """Whether it supports a Python ("cp313") and one of Blender's platforms ("linux-x64")."""
        begin, end = PLATFORM_TAGS[platform]
        tag = self.tags[4]
        return self.tags[2] in (python, "py3") and (tag == "any" or (tag.startswith(begin) and tag.endswith(end)))


def locked_wheels() -> list[Wheel]:
    """All wheels of the lock file, sorted by name."""
    entries = tomllib.loads(LOCK.read_text(encoding="utf-8"))["wheel"]
    return sorted((Wheel(**entry) for entry in entries), key=lambda wheel: wheel.file)


def fetch(wheels: Sequence[Wheel], folder: Path = FOLDER) -> list[Path]:
    """Download the wheels that are missing.

    Returns:
        The files, in the order of `wheels`, each with the hash in the lock file.

    Raises:
        WheelError: pip could not find a wheel, or its hash differs.
    """
    for wheel in wheels:
        if not _is_intact(folder / wheel.file, wheel):
            _download(wheel, folder)
    return [folder / wheel.file for wheel in wheels]


def _download(wheel: Wheel, folder: Path) -> None:
    distribution, version, python, abi, platforms = wheel.tags
    command = [sys.executable, "-I", "-m", "pip", "--disable-pip-version-check", "download", "-qq", "--no-deps"]
    command += ["--require-hashes", "--only-binary=:all:", "--implementation", python[:2], "--abi", abi]
    for platform in platforms.split("."):
        command += ["--platform", platform]
    if python != "py3":
        command += ["--python-version", python.removeprefix("cp")]
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        request = Path(scratch) / "wheel.txt"
        request.write_text(f"{distribution}=={version} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
        status = subprocess.run([*command, "--dest", scratch, "--requirement", str(request)], check=False).returncode
        if status != 0 or not _is_intact(Path(scratch) / wheel.file, wheel):
            raise WheelError(f"pip could not download {wheel.file} with the hash that {LOCK.name} states")
        (Path(scratch) / wheel.file).replace(folder / wheel.file)


def _is_intact(path: Path, wheel: Wheel) -> bool:
    if not path.exists():
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == wheel.sha256
