#!/usr/bin/env python3
"""Lower the kernels of the CPU to LLVM's code, for the zip and the package: see `compiler/shipped.py`.

Those that a folder has already stay. Those of another state of the code go.

usage: lower.py FOLDER [KERNEL ...]    KERNEL: such as make_cells; all of them by default
"""

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from voxel_carve.compute.engines.numba.compiler.shipped import write_lowered
from voxel_carve.compute.engines.numba.compiler.signatures import SETS, kernels_of
from voxel_carve.compute.engines.numba.compiler.store import lower


def main(arguments: Sequence[str]) -> int:
    """Lower what the command line asks for."""
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    folder, names = Path(arguments[0]), arguments[1:]
    listed = [kernel for name in SETS for kernel in kernels_of(name)]
    wanted = [kernel for kernel in listed if not names or kernel.function.rpartition(".")[2] in names]
    folder.mkdir(parents=True, exist_ok=True)
    there = {path.name for path in folder.iterdir()}
    for old in there - {kernel.lowered_name for kernel in wanted}:
        (folder / old).unlink(missing_ok=True)
    for kernel in wanted:
        if kernel.lowered_name not in there:
            write_lowered(folder, kernel, lower(kernel))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
