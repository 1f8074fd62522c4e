"""Fresh environments of Python, and programs that run outside the checkout."""

import os
import subprocess
import sys
from pathlib import Path


def run(command: list[str | Path], folder: Path) -> str:
    """What a program says outside the checkout."""
    hidden = ("PYTHONPATH", "VOXEL_CARVE_BACKEND", "PYTEST_ADDOPTS")
    variables = {key: value for key, value in os.environ.items() if key not in hidden}
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def new_environment(folder: Path, base: str | Path = sys.executable) -> Path:
    """The Python of a new environment with nothing but pip."""
    run([base, "-m", "venv", folder], folder.parent)
    return python_in(folder)


def python_in(folder: Path) -> Path:
    """The Python of an environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
