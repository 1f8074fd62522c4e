"""The day of someone who uses the library, in fresh environments: see library_day.py."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from environment import REQUIREMENTS, SetupError, find_python
from tests.release.fresh import new_environment, run

pytestmark = pytest.mark.packaging

DAY = Path(__file__).with_name("library_day.py")
# PyTorch's builds for a CPU alone are not on PyPI, and the others bring gigabytes.
PACKAGES = {"warp": "warp-lang", "torch": "torch==2.13.0+cpu"}


@dataclass(frozen=True)
class Environment:
    """A Python, a release of numpy, and libraries beside the package."""

    python: str
    numpy: str
    libraries: tuple[str, ...]


ENVIRONMENTS = (
    Environment("3.11", "1.26.4", ("trimesh",)),
    Environment("3.11", "1.26.4", ("torch",)),
    Environment("3.12", "2.5.5", ("zarr",)),
    Environment("3.13", "2.3.4", ("trimesh", "zarr", "warp", "jax")),
)


@pytest.fixture(scope="module")
def pins(tmp_path_factory) -> Path:
    """The releases that all other tests run with, but for numpy, as constraints for pip.

    They have no hashes, because pip would then ask for one of the package.
    """
    texts = [(REQUIREMENTS / f"{name}.lock").read_text(encoding="utf-8") for name in ("dev", "arrays")]
    found = re.findall(r"^(?!numpy)[\w.-]+==[^\\\n]*", "\n".join(texts), re.MULTILINE)
    file: Path = tmp_path_factory.mktemp("pins") / "pins.txt"
    file.write_text("\n".join(sorted(set(found))), encoding="utf-8")
    return file


@pytest.mark.parametrize("asked", ENVIRONMENTS, ids=lambda each: "-".join((each.python, *each.libraries)))
def test_a_day(asked, wheel, pins, tmp_path):
    try:
        _, base = find_python(asked.python)
    except SetupError as error:
        pytest.skip(str(error))
    python = new_environment(tmp_path / "environment", base)
    packages = [PACKAGES.get(name, name) for name in asked.libraries]
    pip = [python, "-m", "pip", "install", "--quiet", "--constraint", pins, f"numpy=={asked.numpy}", *packages]
    if "torch" in asked.libraries and subprocess.run([*pip, "--dry-run"], check=False).returncode:
        pytest.skip(f"pip finds no {PACKAGES['torch']}")
    run([*pip, f"{wheel}[keep]"], tmp_path)

    folder = tmp_path / "day"
    folder.mkdir()
    told = run([python, DAY, folder, *asked.libraries], folder)
    assert told.split() == ["numpy", asked.numpy, *asked.libraries]
    saved = (folder / "thread.ply").read_bytes()  # by a thread that went on after the end of the script
    assert saved.startswith(b"ply") and len(saved) > 100_000
