"""How much memory there is and has been taken."""

import subprocess
import sys
from pathlib import Path

import numpy as np

from voxel_carve.compute.memory import available_bytes, peak_bytes

ROOT = Path(__file__).resolve().parent.parent


def test_peak_holds_what_was_taken_and_given_back():
    before = peak_bytes()
    taken = np.ones(before + 2**26, dtype=np.uint8)
    assert taken.any()
    del taken
    assert peak_bytes() >= before + 2**26


def test_peak_is_that_of_this_process_alone():
    """Not of the one that started it, which the operating system's own figure can hold too."""
    taken = np.ones(2**29, dtype=np.uint8)
    script = "from voxel_carve.compute.memory import peak_bytes; print(peak_bytes())"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert 2**22 < int(run.stdout) < taken.nbytes


def test_available_bytes():
    assert 2**20 < available_bytes() < 2**50
