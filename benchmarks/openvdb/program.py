"""Building the C++ peer, and running it on a case."""

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Case

SOURCE = Path(__file__).with_name("carve.cpp")
# Options of the compiler, then libraries. Those in the variables CXXFLAGS and LDFLAGS come after the options.
OPTIONS = ("-std=c++17", "-O3", "-DNDEBUG")
LIBRARIES = ("-lopenvdb", "-ltbb")


class ProgramError(Exception):
    """The program cannot be built here, or it failed; the message says why."""


def build(folder: Path) -> Path:
    """The program, compiled into a folder unless it is there already.

    Raises:
        ProgramError: there is no compiler, or it cannot build the program, as without OpenVDB's headers.
    """
    named = shlex.split(os.environ.get("CXX", "")) or ["c++"]
    if shutil.which(named[0]) is None:
        raise ProgramError(f"there is no C++ compiler '{named[0]}'; the variable CXX names another")
    flags = [flag for name in ("CXXFLAGS", "LDFLAGS") for flag in shlex.split(os.environ.get(name, ""))]
    command = [*named, *OPTIONS, str(SOURCE), *flags, *LIBRARIES]
    digest = hashlib.sha256(SOURCE.read_bytes() + "\0".join(command).encode()).hexdigest()
    program = folder / f"openvdb-{digest[:16]}"
    if program.is_file():
        return program
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="openvdb-", dir=folder) as made:
        beside = Path(made) / "carve"
        done = subprocess.run([*command, "-o", str(beside)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ProgramError(_first_error(done.stderr))
        beside.replace(program)
    return program


def run(program: Path, case: Case, voxel_size: float) -> dict[str, Any]:
    """What the program prints of a case.

    Raises:
        ProgramError: it fails, as where OpenVDB's library has gone since it was built.
    """
    with tempfile.TemporaryDirectory(prefix="openvdb-") as folder:
        file = Path(folder) / "case"
        write(case, voxel_size, file)
        done = subprocess.run([str(program), str(file)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ProgramError(done.stderr.strip() or f"exit status {done.returncode}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def write(case: Case, voxel_size: float, file: Path) -> None:
    """A case as the program reads it: three counts, the voxel size, points, triangles, the path's points and radii."""
    stock, path = case.stock, case.path
    counts = np.array([len(stock.points), len(stock.triangles), len(path.points)], dtype=np.uint64)
    arrays = [counts, np.array([voxel_size]), stock.points.astype(np.float32), stock.triangles.astype(np.uint32)]
    arrays += [path.points.astype(np.float32), path.radii.astype(np.float32)]
    file.write_bytes(b"".join(array.tobytes() for array in arrays))


def _first_error(text: str) -> str:
    """The first error in what a compiler or a linker says."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line or "cannot find" in line]
    return (errors or lines or ["the compiler said nothing"])[0]
