"""The development environments: `.venv/3.11` with Blender 4.5 LTS as a module, `.venv/3.13` with Blender 5.2 LTS.

Runs before anything is installed, on any Python from 3.8 on: only the standard library, and no newer syntax.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    fcntl = None
else:
    import fcntl

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements"
PYTHONS = ("3.13", "3.11")  # preferred first
STUBS = ("4.5", "5.2")

# Libraries that the bpy wheels need and a minimal Debian or Ubuntu lacks, with their packages.
SYSTEM_LIBRARIES = {
    "libX11.so.6": "libx11-6",
    "libXrender.so.1": "libxrender1",
    "libXfixes.so.3": "libxfixes3",
    "libXi.so.6": "libxi6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libSM.so.6": "libsm6",
    "libGL.so.1": "libgl1",
}


class SetupError(Exception):
    """Something is missing on this machine; the message says what to install."""


def interpreter(wanted: str | None = None) -> Path:
    """The Python of a finished environment; creates the environment, or recreates it if the pins have changed.

    Args:
        wanted: "3.11" or "3.13". None takes the running Python's version if it is one of these, else any that is found.

    Raises:
        SetupError: there is no such Python, or it cannot create an environment.
    """
    version, base = find_python(wanted)
    folder = ROOT / ".venv" / version
    pins = REQUIREMENTS / "dev.lock"
    with _alone_with(folder):
        if not _is_current(folder, pins):
            _check_machine(version, base)
            _say(f"making {folder.relative_to(ROOT)}: Blender as a module and the tools, 2 GB; it takes minutes, once")
            _make_venv(base, folder)
            _pip(_executable(folder), "install", "--require-hashes", "-r", str(pins))
            _check_import(_executable(folder))
            _mark_current(folder, pins)
    return _executable(folder)


def small_interpreter(python: Path, name: str) -> Path:
    """The Python of a small environment: the packages of `requirements/<name>.lock`, and those of `python`.

    It is for what cannot be in one environment, as the stubs of two Blenders, and for what a single command needs.
    """
    environment = python.parent.parent
    folder = environment / name
    pins = REQUIREMENTS / f"{name}.lock"
    with _alone_with(folder):
        if not _is_current(folder, pins):
            _make_venv(python, folder, "--without-pip")
            site_packages = _site_packages(_executable(folder))
            _pip(python, "install", "--require-hashes", "--target", str(site_packages), "-r", str(pins))
            (site_packages / "environment.pth").write_text(f"{_site_packages(python)}\n", encoding="utf-8")
            _mark_current(folder, pins)
    return _executable(folder)


def find_python(wanted: str | None = None) -> tuple[str, Path]:
    """Version and path of a Python that can create the environment.

    Tries the running one, then PATH, then pyenv.

    Raises:
        SetupError: there is none; the message says in one line what to install.
    """
    running = f"{sys.version_info[0]}.{sys.version_info[1]}"
    versions = [wanted] if wanted else sorted(PYTHONS, key=lambda version: version != running)
    for version in versions:
        for candidate in _candidates(version):
            if _is_python(candidate, version):
                return version, candidate
    missing = " or ".join(f"Python {version}" for version in versions)
    raise SetupError(
        f"no {missing} found: install one with python{versions[0]}-venv from your distribution, "
        f"or with 'pyenv install {versions[0]}'"
    )


def missing_system_packages() -> list[str]:
    """The sorted Debian and Ubuntu packages whose libraries bpy needs and this machine lacks. Empty except on Linux."""
    if not sys.platform.startswith("linux"):
        return []
    return sorted(package for library, package in SYSTEM_LIBRARIES.items() if not _can_load(library))


def _candidates(version: str) -> list[Path]:
    running = f"{sys.version_info[0]}.{sys.version_info[1]}"
    found = [Path(sys.executable)] if running == version else []
    on_path = (shutil.which(name) for name in (f"python{version}", "python3", "python"))
    found += [Path(name) for name in on_path if name]
    pyenv = Path(os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv"))) / "versions"
    found += sorted(pyenv.glob(f"{version}.*/bin/python3"), key=_patch_release, reverse=True)
    return found


def _patch_release(python: Path) -> tuple[int, ...]:
    name = python.parent.parent.name
    return tuple(int(part) if part.isdigit() else -1 for part in name.split("."))


def _is_python(candidate: Path, version: str) -> bool:
    """Whether it runs and has that version: a pyenv shim on PATH may belong to a version that is not active."""
    try:
        answer = _ask(candidate, "import sys; print('%d.%d' % sys.version_info[:2])")
    except OSError:
        return False
    return answer.returncode == 0 and answer.stdout.strip() == version


def _can_load(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _check_machine(version: str, base: Path) -> None:
    """Report everything that is missing at once, before any large download."""
    packages = missing_system_packages()
    if _ask(base, "import ensurepip, venv").returncode != 0:
        packages.insert(0, f"python{version}-venv")
    if packages:
        raise SetupError(
            "this machine lacks what Blender as a module and its environment need. On Debian or Ubuntu:\n"
            f"    apt install {' '.join(packages)}"
        )


@contextlib.contextmanager
def _alone_with(folder: Path) -> Iterator[None]:
    """Wait until no other process creates this environment: two at once would delete each other's files."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make_venv(base: Path, folder: Path, *options: str) -> None:
    _run([str(base), "-I", "-m", "venv", "--clear", *options, str(folder)])


def _pip(python: Path, *arguments: str) -> None:
    # Let pip fail outside a virtual environment: with a damaged one, it would change the Python that created it.
    _run([str(python), "-I", "-m", "pip", "--require-virtualenv", "--disable-pip-version-check", "-qq", *arguments])


def _ask(python: Path, code: str) -> subprocess.CompletedProcess[str]:
    # Isolated, so that no module is imported from the current folder.
    return subprocess.run([str(python), "-I", "-c", code], check=False, capture_output=True, text=True)


def _run(command: list[str]) -> None:
    if subprocess.run(command, check=False).returncode != 0:
        raise SetupError(f"this command failed, see above: {' '.join(command)}")


def _check_import(python: Path) -> None:
    """Check that bpy can be imported before the environment counts as finished."""
    answer = _ask(python, "import bpy")
    if answer.returncode != 0:
        reason = (answer.stderr.strip().splitlines() or [f"exit status {answer.returncode}"])[-1]
        raise SetupError(f"'import bpy' fails in {python}: {reason}")


def _executable(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _site_packages(python: Path) -> Path:
    return Path(_ask(python, "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())


def _is_current(folder: Path, pins: Path) -> bool:
    stamp = folder / "installed"
    return _executable(folder).exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == _digest(pins)


def _mark_current(folder: Path, pins: Path) -> None:
    (folder / "installed").write_text(_digest(pins), encoding="utf-8")


def _digest(pins: Path) -> str:
    return hashlib.sha256(pins.read_bytes()).hexdigest()


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def main(arguments: list[str]) -> int:
    """For shells: without arguments, print the missing system packages. `--has 3.11` tells by its exit status whether
    there is such a Python, and `--make 3.11` creates its environment.
    """
    if not arguments:
        print(" ".join(missing_system_packages()))
        return 0
    option, version = arguments
    try:
        if option == "--make":
            interpreter(version)
        else:
            find_python(version)
    except SetupError as error:
        if option == "--make":
            _say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
