"""A small package that brings backends, installed as pip does: modules, and metadata with entry points beside them."""

import textwrap
from pathlib import Path

SOURCE = """
    from voxel_carve.compute import BackendError
    from voxel_carve.compute.engines.numba.backend import NumbaBackend

    class Abacus(NumbaBackend):
        name = "abacus"

        def __init__(self, device):
            if device == "broken":
                raise BackendError("a bead is missing: buy another abacus")
            self.device = device or "wood"

    def rusty(device):
        raise OSError("the frame is rusty")

    """
ENTRY_POINTS = """\
[voxel_carve.backends]
abacus = abacus_backend:Abacus
lost = abacus_backend:Missing
odd = builtins:str
rusty = abacus_backend:rusty
cuda = builtins:str
numba = builtins:str
Two Words = builtins:str
"""


def install(folder: Path) -> None:
    """Install the package into a folder of modules. It has a backend that works, three that do not, and three whose
    names are taken or are none."""
    (folder / "abacus_backend.py").write_text(textwrap.dedent(SOURCE), encoding="utf-8")
    metadata = folder / "abacus_backend-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: abacus-backend\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
