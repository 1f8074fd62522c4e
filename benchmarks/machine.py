"""The machine and the versions that figures were measured on."""

import datetime
import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path

PACKAGES = ("numpy", "scipy", "numba", "bpy")
CPU_INFO, MEMORY_INFO = Path("/proc/cpuinfo"), Path("/proc/meminfo")


def facts(root: Path, blender: str | None, load: str, openvdb: str | None = None) -> dict[str, str]:
    """Processor, system, versions, commit, date and load, as readable text.

    Args:
        root: the checkout.
        blender: version of the Blender that the peer ran in, if it ran.
        load: the result of `load` before the first run.
        openvdb: version of the OpenVDB of the second peer, if it ran.
    """
    versions = [f"Python {platform.python_version()}"]
    versions += [f"{name} {version}" for name in PACKAGES if (version := _version(name))]
    known = {
        "processor": f"{_processor()}, {_usable_cores()} cores",
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release().partition('-')[0]} {platform.machine()}",
        "versions": ", ".join(versions),
        "peer": f"Blender {blender}" if blender else "",
        "second peer": f"OpenVDB {openvdb} in C++" if openvdb else "",
        "commit": _commit(root),
        "load before": load,
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
    }
    return {name: fact for name, fact in known.items() if fact}


def load() -> str:
    """The load average of the last minute; empty if the system has none."""
    return f"{os.getloadavg()[0]:.1f} processes" if hasattr(os, "getloadavg") else ""


def _processor() -> str:
    if CPU_INFO.is_file():
        for line in CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def _usable_cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory() -> str:
    """Size of the machine's memory; empty if the system has no file with it."""
    if not MEMORY_INFO.is_file():
        return ""
    lines = MEMORY_INFO.read_text(encoding="ascii").splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith("MemTotal"))
    return f"{int(kilobytes) / 2**20:.1f} GiB"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _commit(root: Path) -> str:
    """The commit of the checkout, and whether files were changed; empty if git or the history is missing."""
    try:
        name = _git(root, "rev-parse", "--short", "HEAD")
        return f"{name} and changes" if _git(root, "status", "--porcelain", "--untracked-files=no") else name
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()
