"""Build the extension's zips: one per flavour, platform and Blender's Python. Run by `dev.py build`."""

import argparse
import functools
import importlib.util
import json
import platform
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from environment import ROOT, SetupError, small_interpreter
from fetch_wheels import PLATFORM_TAGS, Wheel, WheelError, fetch, locked_wheels

PLATFORMS = tuple(PLATFORM_TAGS)
CPU_PACKAGES = {"llvmlite", "manifold3d", "numba", "scipy", "trimesh"}


@dataclass(frozen=True)
class Flavour:
    """What the zips of a flavour carry, and their platforms."""

    packages: set[str]
    platforms: tuple[str, ...] = PLATFORMS
    has_ptx: bool = False  # Warp's kernels, compiled in advance


FLAVOURS = {
    "cpu": Flavour(CPU_PACKAGES),
    "cuda": Flavour(CPU_PACKAGES | {"warp_lang"}, ("linux-x64", "windows-x64"), True),  # no Mac has an NVIDIA card
}


@dataclass(frozen=True)
class Series:
    """The Blenders with one Python: from version_min to version_max, exclusive, on these platforms."""

    version_min: str
    version_max: str | None
    platforms: tuple[str, ...] = PLATFORMS


# Blender's own builds have the Python of their series; Linux distributions build it with their own, newer Python.
SERIES = {
    "cp311": Series("4.5.0", "5.1.0"),
    "cp313": Series("5.1.0", None),
    "cp314": Series("5.1.0", None, ("linux-x64",)),
}
NEWEST = "cp313"  # of Blender's own builds

# Where each engine's `shipped.py` looks.
PTX_FOLDER = "voxel_carve/compute/engines/warp/device/ptx"
LOWERED_FOLDER = "voxel_carve/compute/engines/numba/compiler/lowered"

# Only programs in plain Python enter by these.
PYTHON_DOORS = ("frameworks", "jax", "torch")

EARLIEST = (1980, 1, 1, 0, 0, 0)  # the earliest date in a zip, so that builds are reproducible


def main(arguments: Sequence[str] | None = None) -> int:
    """Build what the command line asks for, and print the zips. Return 1 if one could not be built or is invalid."""
    parser = _parser()
    choice = parser.parse_args(arguments)
    if choice.platform not in SERIES[choice.python].platforms:
        parser.error(f"no Blender for {choice.platform} has the Python of {choice.python}")
    if choice.platform not in FLAVOURS[choice.flavour].platforms:
        parser.error(f"there is no {choice.flavour} for {choice.platform}")
    chosen = every_zip() if choice.all else [(choice.flavour, choice.platform, choice.python)]
    try:
        for flavour, target, python in chosen:
            path = build(flavour, target, python, choice.output)
            validate(path)
            print(f"{path}  {path.stat().st_size / 1e6:.1f} MB", flush=True)
    except (SetupError, ValidationError, WheelError) as error:
        print(f"build: {error}", file=sys.stderr)
        return 1
    return 0


def every_zip() -> list[tuple[str, str, str]]:
    """Flavour, platform and Python of every zip of a release."""
    return [
        (name, target, python)
        for name, flavour in FLAVOURS.items()
        for python, series in SERIES.items()
        for target in series.platforms
        if target in flavour.platforms
    ]


class ValidationError(Exception):
    """Blender's own validation rejects a zip."""


def build(flavour: str, target: str, python: str, output: Path) -> Path:
    """Write one zip, with the wheels that it needs.

    Args:
        flavour: "cpu" or "cuda".
        target: Blender's name of a platform, such as "linux-x64".
        python: one of SERIES, such as "cp313".
        output: folder for the zip; created if needed.

    Raises:
        WheelError: a wheel in the lock file cannot be downloaded.
    """
    wheels = wheels_for(flavour, target, python)
    manifest = manifest_for(target, python, wheels)
    content = {"blender_manifest.toml": to_toml(manifest).encode()}
    content |= {name: (ROOT / name).read_bytes() for name in ("__init__.py", "LICENSE")}
    content |= {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in package_files()}
    content |= manual_files()
    content |= lowered_files()
    if FLAVOURS[flavour].has_ptx:
        content |= ptx_files()
    content |= {f"wheels/{path.name}": path.read_bytes() for path in fetch(wheels)}
    output.mkdir(parents=True, exist_ok=True)
    path = output / zip_name(manifest, flavour, target, python)
    unfinished = path.with_suffix(".part")
    with zipfile.ZipFile(unfinished, "w") as archive:
        for name in sorted(content):
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(".whl") else zipfile.ZIP_DEFLATED
            archive.writestr(entry, content[name])
    return unfinished.replace(path)


def zip_name(manifest: dict[str, Any], flavour: str, target: str, python: str) -> str:
    """The name of a zip's file."""
    return f"{manifest['id']}-{manifest['version']}-{flavour}-{target}-{python}.zip"


def wheels_for(flavour: str, target: str, python: str) -> list[Wheel]:
    """The locked wheels of one zip."""
    packages = FLAVOURS[flavour].packages
    return [wheel for wheel in locked_wheels() if wheel.distribution in packages and wheel.serves(python, target)]


def manifest_for(target: str, python: str, wheels: Sequence[Wheel]) -> dict[str, Any]:
    """The manifest of one zip: the checkout's, restricted to the Blender versions that its wheels support."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    series = SERIES[python]
    manifest["platforms"] = [target]
    manifest["blender_version_min"] = series.version_min
    if series.version_max:
        manifest["blender_version_max"] = series.version_max
    addresses = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    if "Homepage" in addresses:
        manifest["website"] = addresses["Homepage"]
    manifest["wheels"] = [f"./wheels/{wheel.file}" for wheel in wheels]
    return manifest


def package_files() -> list[Path]:
    """The sources that go into a zip."""
    package = ROOT / "voxel_carve"
    return sorted(
        path
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.relative_to(package).parts[0] not in PYTHON_DOORS
    )


def manual_files() -> dict[str, bytes]:
    """The manual as HTML pages, with pictures and stylesheet: content by name in the zip.

    Raises:
        SetupError: the environment that makes the pages could not be made.
    """
    python = small_interpreter(Path(sys.executable), "manual")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "manual"
        subprocess.run([str(python), str(ROOT / "scripts" / "html_manual.py"), str(folder)], check=True)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return {f"docs/manual/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in files}


@functools.cache
def ptx_files() -> dict[str, bytes]:
    """The Warp kernels as PTX: content by name in the zip.

    Raises:
        SetupError: they cannot be compiled.
    """
    with tempfile.TemporaryDirectory() as scratch:
        return kernel_files("kernels/compile_ptx.py", Path(scratch), PTX_FOLDER)


def lowered_files() -> dict[str, bytes]:
    """The kernels of the CPU as LLVM's code: content by name in the zip. What an earlier build made is used again.

    Raises:
        SetupError: they cannot be lowered.
    """
    return kernel_files("kernels/lower.py", ROOT / "build" / "lowered", LOWERED_FOLDER)


def kernel_files(script: str, folder: Path, name: str) -> dict[str, bytes]:
    """What a script, in a process of its own, writes to a folder: content by name in the zip's folder `name`.

    Raises:
        SetupError: the script fails.
    """
    command = [sys.executable, str(ROOT / "scripts" / script), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SetupError(f"{script} could not compile the kernels:\n{done.stderr}")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {f"{name}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in files}


def to_toml(table: dict[str, Any]) -> str:
    """A manifest as TOML: strings, lists of strings, and tables of these."""
    plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in plain.items()]
    for name, inner in table.items():
        if isinstance(inner, dict):
            lines += ["", f"[{name}]", to_toml(inner).rstrip()]
    return "\n".join(lines) + "\n"


def validate(path: Path) -> None:
    """Validate a zip with Blender's own tool.

    Raises:
        ValidationError: with the output of the tool.
    """
    tags = blender_scripts() / "modules/_bpy_internal/extensions/tags.py"
    answer = blender_tool("validate", str(path), "--valid-tags", str(tags))
    if answer.returncode != 0:
        raise ValidationError(f"{path.name} is not valid:\n{answer.stdout}{answer.stderr}")


def blender_tool(*words: str) -> subprocess.CompletedProcess[str]:
    """Run what `blender --command extension` runs, without Blender."""
    tool = blender_scripts() / "addons_core/bl_pkg/cli/blender_ext.py"
    return subprocess.run([sys.executable, str(tool), *words], capture_output=True, text=True, check=False)


def blender_scripts() -> Path:
    """The folder of Blender's own Python sources, in the installed bpy module."""
    spec = importlib.util.find_spec("bpy")
    if spec is None or spec.origin is None:
        raise ValidationError("no bpy module here: run this by scripts/dev.py build")
    return next(Path(spec.origin).parent.glob("*/scripts"))


def running_platform() -> str:
    """Blender's name of this platform."""
    return {"Windows": "windows-x64", "Darwin": "macos-arm64"}.get(platform.system(), "linux-x64")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev.py build",
        description="Build the extension's zip; without arguments the one for the newest Blender of this platform.",
    )
    parser.add_argument("--all", action="store_true", help="build every zip of a release, whatever else is chosen")
    parser.add_argument("--flavour", default="cpu", choices=FLAVOURS, help="cuda adds Warp (default: cpu)")
    parser.add_argument("--platform", default=running_platform(), choices=PLATFORMS)
    parser.add_argument(
        "--python",
        default=NEWEST,
        choices=SERIES,
        help="cp311 serves Blender 4.5 and 5.0, cp313 serves 5.1 and later, cp314 serves 5.1 and later as Linux "
        f"distributions with Python 3.14 build it (default: {NEWEST})",
    )
    parser.add_argument("--output", type=Path, default=ROOT / "dist", metavar="FOLDER")
    return parser


if __name__ == "__main__":
    sys.exit(main())
