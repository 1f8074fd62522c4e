"""The folder of a case: created, damaged, and inspected."""

import hashlib
import os
import pwd
import shutil
import socket
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.attack.case import Case, Place

DECOYS = {"work/keep.txt": b"mine", "work/keep.ply": b"ply, but not really", "beside/keep.json": b"[1, 2]"}
FOLDERS = ("work", "beside", "home", "cache", "temporary")
NOBODY = pwd.getpwnam("nobody").pw_uid


@dataclass(frozen=True)
class Entry:
    """An entry of the folder: its kind and mode, a digest of its content, and its modification time in nanoseconds."""

    mode: int
    content: str
    changed: int


Folder = Mapping[str, Entry]


def lay_out(case: Case, folder: Path, kernels: Path | None = None) -> None:
    """Create the case's files, and decoys."""
    for name in FOLDERS:
        (folder / name).mkdir()
    if kernels is not None:
        shutil.copytree(kernels / "voxel_carve", folder / "cache" / "voxel_carve")
        damage(folder / "cache" / "voxel_carve", *case.damage)
    for name, content in DECOYS.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o640)
    for name, what in case.files.items():
        place(folder / "work" / name, what)
    if case.unprivileged and os.getuid() == 0:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def damage(folder: Path, how: str, count: int, seed: int) -> None:
    """Damage some files of a folder."""
    rng = np.random.default_rng(seed)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in rng.permutation(np.array(files, dtype=object))[:count]:
        raw = path.read_bytes()
        at = int(rng.integers(len(raw) + 1))
        if how == "cut short":
            path.write_bytes(raw[:at])
        elif how == "damaged":
            path.write_bytes(raw[:at] + rng.integers(0, 256, 64, dtype=np.uint8).tobytes() + raw[at + 64 :])
        elif how == "empty":
            path.write_bytes(b"")
        elif how == "foreign":
            path.write_bytes(files[int(rng.integers(len(files)))].read_bytes())
        elif how == "shut":
            path.chmod(0)
        else:
            path.unlink()


def place(path: Path, what: bytes | Place) -> None:
    """Create a directory entry."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(what, bytes):
        path.write_bytes(what)
    elif what.kind == "file":
        path.write_bytes(what.content)
        path.chmod(what.mode)
    elif what.kind == "folder":
        path.mkdir(exist_ok=True)
        path.chmod(what.mode if what.mode != 0o644 else 0o755)
    elif what.kind == "link":
        path.symlink_to(what.target)
    elif what.kind == "pipe":
        os.mkfifo(path)
    elif what.kind == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            here = os.getcwd()
            os.chdir(path.parent)  # the path of a socket must be short
            bound.bind(path.name)
            os.chdir(here)
    else:
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        except PermissionError:
            path.symlink_to(os.devnull)


def look(folder: Path) -> Folder:
    """All entries of a folder, by their relative names."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = ""
        if stat.S_ISREG(status.st_mode):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        elif stat.S_ISLNK(status.st_mode):
            content = os.readlink(path)
        changed = 0 if stat.S_ISDIR(status.st_mode) else status.st_mtime_ns
        found[os.fsdecode(path.relative_to(folder))] = Entry(status.st_mode, content, changed)
    return found
