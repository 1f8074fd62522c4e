"""How much memory there is and has been taken."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from voxel_carve.compute.runtime.memory import available_bytes, cgroup_available_bytes

ROOT = Path(__file__).resolve().parents[3]


def peak_after(work: str) -> list[int]:
    """The peaks before and after some work in a process of its own, whose peak is low."""
    script = f"""
import numpy as np
from voxel_carve.compute.runtime.memory import peak_bytes
before = peak_bytes()
{work}
print(before, peak_bytes())
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return [int(word) for word in run.stdout.split()]


def test_peak_holds_what_was_taken_and_given_back():
    before, after = peak_after("taken = np.ones(before + 2**26, dtype=np.uint8)\ndel taken")
    assert after >= before + 2**26


def test_peak_is_that_of_this_process_alone():
    """Not of the one that started it, which the operating system's own figure can hold too."""
    taken = np.ones(2**29, dtype=np.uint8)
    (_, peak) = peak_after("")
    assert 2**22 < peak < taken.nbytes


def test_available_bytes():
    assert 2**20 < available_bytes() < 2**50


def write_group(folder, **files):
    """A control group's files: `memory_max=5` writes 5 to memory.max; a name's later underscores stay."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(f"{text}\n")


class TestControlGroups:
    def test_version_2(self, tmp_path):
        write_group(tmp_path, memory_max=4 * 2**30, memory_current=2**30)
        assert cgroup_available_bytes(tmp_path, "0::/\n") == 3 * 2**30

    def test_version_1_beside_other_hierarchies(self, tmp_path):
        write_group(tmp_path / "memory", memory_limit_in_bytes=2**30, memory_usage_in_bytes=2**28)
        write_group(tmp_path / "unified")
        membership = "9:name=systemd:/\n5:cpu,cpuacct:/\n4:hugetlb,memory:/\n0::/\n"
        assert cgroup_available_bytes(tmp_path, membership) == 3 * 2**28

    def test_cached_files_count_as_free(self, tmp_path):
        write_group(tmp_path, memory_max=1000, memory_current=900, memory_stat="anon 200\ninactive_file 300")
        assert cgroup_available_bytes(tmp_path, "0::/\n") == 400
        statistics = "inactive_file 1\ntotal_inactive_file 300"
        write_group(tmp_path / "memory", memory_limit_in_bytes=1000, memory_usage_in_bytes=950, memory_stat=statistics)
        assert cgroup_available_bytes(tmp_path, "4:memory:/\n") == 350

    @pytest.mark.parametrize(("outer", "inner", "expected"), [(500, 900, 400), ("max", 900, 890), (900, "max", 800)])
    def test_tightest_of_nested_groups(self, tmp_path, outer, inner, expected):
        write_group(tmp_path / "a.slice", memory_max=outer, memory_current=100)
        write_group(tmp_path / "a.slice" / "b:c.scope", memory_max=inner, memory_current=10)
        write_group(tmp_path / "other", memory_max=1, memory_current=1)
        assert cgroup_available_bytes(tmp_path, "0::/a.slice/b:c.scope\n") == expected

    @pytest.mark.parametrize("path", ["/docker/0123", "/../0123"])
    def test_path_that_is_outside_of_the_container(self, tmp_path, path):
        root = tmp_path / "cgroup"
        write_group(root, memory_max=700, memory_current=100)
        write_group(tmp_path / "0123", memory_max=1, memory_current=1)
        assert cgroup_available_bytes(root, f"0::{path}\n") == 600

    def test_over_the_limit(self, tmp_path):
        write_group(tmp_path, memory_max=100, memory_current=101)
        assert cgroup_available_bytes(tmp_path, "0::/\n") == 0

    @pytest.mark.parametrize("membership", ["", "0::/\n", "4:memory:/\n", "4:cpu:/\n"])
    def test_no_limit(self, tmp_path, membership):
        write_group(tmp_path, memory_max="max", memory_current=100)
        assert cgroup_available_bytes(tmp_path, membership) is None

    @pytest.mark.skipif(sys.platform != "linux", reason="control groups are Linux's")
    def test_available_bytes_stays_under_the_limit(self, tmp_path, monkeypatch):
        for name in ("", "memory", "unified"):
            write_group(tmp_path / name, memory_max=5000, memory_current=1000)
        write_group(tmp_path / "memory", memory_limit_in_bytes=5000, memory_usage_in_bytes=1000)
        monkeypatch.setattr("voxel_carve.compute.runtime.memory.CGROUP_ROOT", tmp_path)
        assert available_bytes() == 4000
