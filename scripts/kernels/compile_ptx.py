#!/usr/bin/env python3
"""Compile the Warp kernels to PTX, for the zip of the flavour `cuda`: see `device/shipped.py`. No card is needed.

usage: compile_ptx.py FOLDER [MODULE ...]    MODULE: such as field.dense_kernels; all of them by default
"""

import importlib
import pkgutil
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from voxel_carve.compute.engines import warp as engine
from voxel_carve.compute.engines.warp.device.formulas import Marked, kernels_of
from voxel_carve.compute.engines.warp.device.shipped import ARCHITECTURE, shipped_name

# The PTX of CUDA 13.0, which the oldest driver that Warp takes can read. Warp's compiler, of CUDA 13.4, writes 9.4, but
# nothing newer than that: an assembler gives the same code for both (docs/decisions.md).
PTX_VERSION = (9, 0)

VERSION_LINE = re.compile(rb"^\.version (\d+)\.(\d+)$", re.MULTILINE)


def main(arguments: Sequence[str]) -> int:
    """Compile what the command line asks for."""
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    folder = Path(arguments[0])
    names = arguments[1:]
    for module in kernel_modules():
        if not names or module.__name__.removeprefix(f"{engine.__name__}.") in names:
            compile_module(module, folder)
    return 0


def kernel_modules() -> list[ModuleType]:
    """All modules with kernels, sorted by name."""
    names = [found.name for found in pkgutil.walk_packages(engine.__path__, f"{engine.__name__}.")]
    modules = [importlib.import_module(name) for name in sorted(names)]
    return [module for module in modules if any(_is_own_kernel(module, value) for value in vars(module).values())]


def compile_module(module: ModuleType, folder: Path) -> None:
    """Write the PTX of a module, and what Warp notes beside it, to `folder/<release of Warp>`."""
    import warp

    target = folder / warp.__version__
    target.mkdir(parents=True, exist_ok=True)
    kernels_of(module)
    with tempfile.TemporaryDirectory() as scratch:
        warp.config.kernel_cache_dir = scratch
        warp.config.log_level = warp.LOG_WARNING
        warp.compile_aot_module(module, arch=ARCHITECTURE, use_ptx=True, module_dir=scratch)
        for file in sorted(Path(scratch).iterdir()):
            if file.suffix in (".ptx", ".meta"):
                content = file.read_bytes()
                content = for_the_oldest_driver(content) if file.suffix == ".ptx" else content
                (target / shipped_name(module.__name__, file.name)).write_bytes(content)


def for_the_oldest_driver(ptx: bytes) -> bytes:
    """The same PTX with a version that the oldest driver reads, and without the zero that the compiler ends it with.

    Raises:
        ValueError: the PTX names no version.
    """
    found = VERSION_LINE.search(ptx)
    if found is None:
        raise ValueError("the PTX has no line .version")
    version = min(PTX_VERSION, (int(found[1]), int(found[2])))
    line = b".version %d.%d" % version
    return (ptx[: found.start()] + line + ptx[found.end() :]).rstrip(b"\0")


def _is_own_kernel(module: ModuleType, value: object) -> bool:
    return isinstance(value, Marked) and value.is_kernel and value.function.__module__ == module.__name__


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
