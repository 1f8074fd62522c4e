"""Kernels that the `cuda` zip brings along, as PTX: the text from which an NVIDIA driver makes code for its own card.

`scripts/kernels/compile_ptx.py` writes them, for the oldest card and the oldest driver that Warp takes; later ones read
them as well. A file's name has Warp's hash of the code and the options. So a file of another state is not found, and
the kernels are compiled here instead, as they are where there are no files at all.
"""

import logging
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from .messages import in_our_log

logger = logging.getLogger(__name__)

PACKAGE = __name__.rpartition(".device.")[0]
FOLDER = Path(__file__).parent / "ptx"
ARCHITECTURE = 75  # of the cards that the PTX is for, and of all later ones

# What stands in for the hash in a search: Warp names seven of its digits.
ANY_HASH = "[0-9a-f]" * 7


def shipped_name(module: str, file: str) -> str:
    """The name of a file in the zip, for a file that Warp has written or asks for.

    Warp's begins with the module's name, which in Blender depends on the repository of the extension.

    Args:
        module: the full name of a module of kernels.
        file: such as wp_voxel_carve.compute.engines.warp.nearest_0123abc.meta.
    """
    return module.removeprefix(f"{PACKAGE}.") + file.removeprefix(f"wp_{module}")


def load_shipped(module: ModuleType, device: Any) -> bool:
    """Load the kernels of a module from the zip, on a CUDA device. The driver compiles them, in its own cache.

    Args:
        module: of kernels, all bound: see `formulas`.
        device: Warp's object for it.

    Returns:
        False if there are none for this Warp and this state of the code, or if the driver refuses them. The log says
        which.
    """
    import warp

    name = module.__name__
    files = _files(name, warp.__version__)
    if not files:
        logger.debug("no kernels of %s were shipped for Warp %s", name, warp.__version__)
        return False
    try:
        with TemporaryDirectory(prefix="voxel_carve_") as folder:
            for file in files:
                shutil.copyfile(file, Path(folder, _name_in_warp(name, file.name)))
            with in_our_log():
                warp.load_aot_module(module, device=device, arch=ARCHITECTURE, use_ptx=False, module_dir=folder)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:  # not there, not readable, or damaged
        logger.info("the shipped kernels of %s do not fit, and are compiled here: %s", name, error)
        return False
    except Exception as error:
        # Warp raises this very class where the driver refuses a file, and RuntimeError where the card does not answer,
        # which compiling then tells in our words. Others are faults of the program.
        if type(error) not in (Exception, RuntimeError):
            raise
        logger.info("the driver refuses the shipped kernels of %s, and they are compiled here: %s", name, error)
        return False
    logger.info("the kernels of %s are those that were shipped", name)
    return True


def _files(module: str, version: str) -> list[Path]:
    """The files for a module and a release of Warp, which kernels must fit."""
    return sorted((FOLDER / version).glob(f"{shipped_name(module, '')}_{ANY_HASH}.*"))


def _name_in_warp(module: str, file: str) -> str:
    """The name under which Warp asks for a file of the zip.

    PTX gets the name of a compiled file: Warp hands that to the driver as it is, and the driver knows PTX by its text,
    compiles it, and keeps the result. Under its own name Warp compiles it for drivers older than its CUDA, in every
    process anew.
    """
    name = f"wp_{module}" + file.removeprefix(shipped_name(module, ""))
    return name.removesuffix(".ptx") + ".cubin" if name.endswith(".ptx") else name
