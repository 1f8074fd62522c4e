"""The Warp kernels that the cuda zip brings along, as PTX."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import warp

import build_zip
from kernels import compile_ptx

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "voxel_carve" / "compute" / "engines" / "warp"

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(sys.platform == "darwin", reason="Warp has no CUDA compiler there"),
]


def compiled(folder, *modules):
    """The files that the script writes, by name."""
    subprocess.run([sys.executable, ROOT / "scripts" / "kernels" / "compile_ptx.py", folder, *modules], check=True)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_sources_give_the_same_files(tmp_path):
    """For the oldest card and the oldest driver, as text without zeros."""
    found = compiled(tmp_path / "one", "nearest", "field.column_kernels")
    assert compiled(tmp_path / "two", "nearest", "field.column_kernels") == found
    names = sorted(re.sub("_[0-9a-f]{7}[.]", "_HASH.", name) for name in found)
    modules = ("field.column_kernels", "nearest")
    assert names == [f"{warp.__version__}/{each}_HASH.{kind}" for each in modules for kind in ("meta", "sm75.ptx")]
    for name, content in found.items():
        if name.endswith(".ptx"):
            assert re.findall(rb"^\.(?:version|target) .*", content, flags=re.MULTILINE) == [
                b".version 9.0",
                b".target sm_75",
            ]
            assert b"\0" not in content


def test_an_older_version_stays():
    assert compile_ptx.for_the_oldest_driver(b"//\n.version 8.7\n.target sm_75\n\0").startswith(b"//\n.version 8.7\n.t")
    with pytest.raises(ValueError, match=r"no line \.version"):
        compile_ptx.for_the_oldest_driver(b"//\n")


@pytest.mark.slow
def test_the_zip_has_all_kernels_and_an_assembler_takes_them(tmp_path):
    """For the oldest card, and for later ones."""
    files = build_zip.ptx_files()
    sources = {path for path in KERNELS.rglob("*.py") if re.search(r"^@kernel\(", path.read_text(), re.MULTILINE)}
    modules = sorted(".".join(path.relative_to(KERNELS).with_suffix("").parts) for path in sources)
    prefix = f"{build_zip.PTX_FOLDER}/{warp.__version__}/"
    ptx = {name.removeprefix(prefix): content for name, content in files.items() if name.endswith(".sm75.ptx")}
    assert sorted(name.rpartition("_")[0] for name in ptx) == modules
    assert len(files) == 2 * len(modules)
    assembler = shutil.which("ptxas")
    if assembler is None:
        pytest.skip("no ptxas, so the PTX is not assembled")
    for name, content in ptx.items():
        (tmp_path / name).write_bytes(content)
        for card in (75, 86, 90, 120):
            command = [assembler, f"-arch=sm_{card}", tmp_path / name, "-o", tmp_path / "code"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (name, card, done.stdout + done.stderr)
