"""The package for plain Python, built from its own sources."""

import sys
import tarfile
from pathlib import Path

import pytest

from tests.command_line import ROOT
from tests.release.fresh import new_environment, python_in, run

BUILD = "import sys; from setuptools import build_meta; print(getattr(build_meta, sys.argv[1])(sys.argv[2]))"


@pytest.fixture(scope="session")
def sources(tmp_path_factory) -> Path:
    """The folder of the source distribution, unpacked; it was built from what git knows of this checkout."""
    folder = tmp_path_factory.mktemp("sources")
    listed = run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], ROOT).split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (folder / "checkout" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "checkout" / name).write_bytes((ROOT / name).read_bytes())
    python = new_environment(folder / "builder")
    run([python, "-m", "pip", "install", "--quiet", "setuptools>=77"], folder)
    run([python, "-c", BUILD, "build_sdist", folder], folder / "checkout")
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="session")
def wheel(sources) -> Path:
    """The wheel, built from the source distribution, with the kernels of this state of the code."""
    run([sys.executable, "scripts/kernels/lower.py", "build/lowered"], sources)
    run([python_in(sources.parent / "builder"), "-c", BUILD, "build_wheel", sources.parent], sources)
    (file,) = sources.parent.glob("*.whl")
    return file
