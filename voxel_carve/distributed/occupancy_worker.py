"""What runs on a worker of Dask for an occupancy: some of its layers, from bytes to bytes."""

from pathlib import Path
from typing import Any

import numpy as np

from ..compute import CarveError, CarveSession, InputError, MissingLibraryError, Sweep
from ..compute.model import Grid
from ..compute.runtime import reporting_to
from ..formats import readable
from .packing import packed, unpacked
from .process import check, check_version, running


def opened(file: Path, writes: bool = False) -> Any:
    """An array on a disk: a folder of Zarr, or a .npy.

    Raises:
        InputError: there is none, or it cannot be read.
        MissingLibraryError: Zarr is not installed. It is an ImportError too.
    """
    try:
        if file.suffix.lower() == ".npy":
            return np.load(file, mmap_mode="r+" if writes else "r", allow_pickle=False)
        try:
            import zarr
        except ModuleNotFoundError as error:
            raise MissingLibraryError("zarr is not installed: install it with pip install zarr") from error
        return zarr.open_array(str(file), mode="r+" if writes else "r")
    except (OSError, ValueError) as error:
        if isinstance(error, CarveError):
            raise
        raise InputError(
            "{file} is no array of Zarr and no .npy that can be read ({fault})",
            file=readable(file),
            fault=str(error) or type(error).__name__,
        ) from error


def combine_layers(common: bytes, order: bytes) -> tuple[bytes, bytes]:
    """Combine sweeps with some layers.

    Args:
        common: the sweeps, the grid and the files, as the client packs them.    order: which layers.

    Returns:
        The counts of each sweep, or why there are none; and no bytes.
    """
    arrays, asked = unpacked(common)
    check_version(asked["version"])
    first, stop = unpacked(order)[1]["layers"]
    with running(asked["run"]):
        try:
            with reporting_to(lambda *_: check(asked["run"])):
                return packed({}, status="made", removed=_combined(arrays, asked, first, stop)), b""
        except KeyboardInterrupt:
            return packed({}, status="cancelled"), b""
        except CarveError as error:
            return packed({}, status="failed", error=str(error)), b""


def _combined(arrays: dict[str, Any], asked: dict[str, Any], first: int, stop: int) -> list[int]:
    grid = Grid(arrays["origin"], asked["voxel_size"], tuple(asked["shape"]))
    source, target = Path(asked["source"]), Path(asked["target"])
    layers = np.array(opened(source)[first:stop])
    session = CarveSession(layers, grid, asked["backend"], first_layer=first)
    with session:
        for number, operation in enumerate(asked["operations"]):
            names = ("start", "end", "start_radius", "end_radius")
            session.queue(operation, Sweep(*(arrays[f"{name}{number}"] for name in names)))
    opened(target, writes=True)[first:stop] = layers
    return session.removed
