"""Warp's start, its devices, the loading of kernels, and all uploads, launches and downloads."""

import hashlib
import json
import logging
import shutil
import sys
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ....runtime.cache import cache_folder, compiling_in
from ....runtime.errors import BackendError
from ....runtime.memory import available_bytes
from ....runtime.pages import with_pages
from ....runtime.progress import progress_range
from ....runtime.sentences import SentenceByDoor
from .driver import usable_cards
from .formulas import kernels_of, warp_type
from .messages import in_our_log
from .packing import Packed, lay_out, numpy_type, shape_as
from .shipped import load_shipped

logger = logging.getLogger(__name__)

INSTALL_WARP = SentenceByDoor(
    "install it with pip install 'voxel-carve[cuda]'",
    command_line="install it with pip install 'voxel-carve[cuda]', or install the extension's cuda flavour instead of "
    "the cpu one",
    window="install it with pip install 'voxel-carve[cuda]', or install the extension's cuda flavour instead of the "
    "cpu one",
)

# What is counted in a job.
COUNTED = ("launches", "uploads", "downloads", "copies", "waits")

# The sources of kernels: the folder `compute`, and folders in it.
SOURCES = Path(__file__).parents[3]
SOURCE_FOLDERS = ("engines/warp", "formulas", "contouring")

MOST_ELEMENTS = 2**31 - 1  # along an axis of a Warp array, and in a launch

T = TypeVar("T")

_lock = threading.RLock()
_loaded: set[tuple[str, str]] = set()
_seconds = 0.0


class WarpDevice:
    """A device and the arrays on it.

    Args:
        wp: the Warp module, after its start.
        found: Warp's object for the device.
        counts: counter of launches, copies and waits; several devices may share it.

    All methods raise:
        BackendError: the device has too little memory, or an array is too large to be indexed.
    """

    def __init__(self, wp: ModuleType, found: Any, counts: Counter[str]) -> None:
        self.wp = wp
        self.found = found
        self.name: str = found.name
        self._counts = counts
        self._cached: dict[tuple[int, Any], Any] = {}

    def launch(self, kernel: Any, dim: int | tuple[int, ...], inputs: list[Any], outputs: list[Any]) -> None:
        """Queue a kernel, which is loaded first if need be. Kernels run in order, some time after this call.

        Raises:
            BackendError: it cannot be compiled or loaded.
        """
        self._counts["launches"] += 1
        module = sys.modules[kernel.function.__module__]
        load_kernels(module, self.found)
        block_dim = module.BLOCK_DIM
        self.wp.launch(kernel.bound, dim=dim, inputs=inputs, outputs=outputs, device=self.found, block_dim=block_dim)

    def scan(self, array: Any) -> Any:
        """The exclusive prefix sum of an integer device array (N,)."""
        self._counts["launches"] += 1
        out = self.empty(array.shape, array.dtype)
        self.wp.utils.array_scan(array, out, inclusive=False)
        return out

    def sort(self, array: Any, bits: int) -> None:
        """Sort an int64 device array (2 N,) of numbers below 2 ** bits. Its second half is scratch memory."""
        self._counts["launches"] += 1
        values = self.empty(array.shape, self.wp.int32)
        self.wp.utils.radix_sort_pairs(array, values, array.shape[0] // 2, end_bit=bits)

    def holds(self, array: Any) -> bool:
        """Whether an array is one of Warp in the memory of this device."""
        return isinstance(array, self.wp.array) and array.device == self.found

    def upload(self, array: npt.NDArray[Any], dtype: Any) -> Any:
        """A copy of an array on the device, of Warp's `dtype`."""
        self._counts["uploads"] += 1
        host = np.ascontiguousarray(array)
        return self._allocated(host.shape, lambda: self.wp.array(host, dtype=dtype, device=self.found))

    def upload_together(self, arrays: Mapping[str, tuple[npt.NDArray[Any], Any]]) -> dict[str, Any]:
        """Copies of arrays on the device, each of the Warp type beside it. One transfer brings them all."""
        if len(arrays) < 2:
            return {name: self.upload(*each) for name, each in arrays.items()}
        parts, shape = lay_out({name: (shape_as(*each), each[1]) for name, each in arrays.items()})
        host = np.empty(shape, dtype=np.uint8)
        for name, (array, _) in arrays.items():
            parts[name].on_host(host)[...] = array
        buffer = self.upload(host, self.wp.uint8)
        return {name: part.on_device(buffer) for name, part in parts.items()}

    def struct(self, plain: type, **fields: Any) -> Any:
        """The struct for a plain class. Arrays of the host are uploaded together, with the types that it has for
        them."""
        made = warp_type(plain)()
        kinds = made._cls.vars
        host = {
            name: (value, kinds[name].type.dtype) for name, value in fields.items() if isinstance(value, np.ndarray)
        }
        for name, value in (fields | self.upload_together(host)).items():
            setattr(made, name, value)
        return made

    def packed(self, **shapes: tuple[tuple[int, ...], Any]) -> Packed:
        """New device arrays, uninitialised, of these shapes and Warp types, that come down together."""
        parts, shape = lay_out(shapes)
        return Packed(self.empty(shape, self.wp.uint8), parts)

    def download(self, array: Any) -> npt.NDArray[Any]:
        """The values of a device array, after all earlier launches. On a CPU device, this is no copy."""
        self._counts["downloads"] += 1
        if not (self.found.is_cuda and array.size and array.is_contiguous):
            return array.numpy()
        # The pages come while the launches run. A driver that has to ask for them copies at a tenth of the speed.
        host = with_pages(array.shape, numpy_type(array.dtype))
        to = self.wp.array(host, dtype=array.dtype, device="cpu", copy=False)
        # This stream waits for the others, and the copy to such memory is complete on return.
        self.wp.copy(to, array, stream=self.found.null_stream)
        return host

    def download_together(self, packed: Packed, names: Sequence[str] = ()) -> dict[str, npt.NDArray[Any]]:
        """As `download`, for arrays of `packed` by one transfer: all, or the first ones, with these names.

        Each of them keeps all of these in memory.
        """
        parts = {name: packed.parts[name] for name in names or packed.parts}
        host = self.download(packed.buffer[: max(part.stop for part in parts.values())])
        return {name: part.on_host(host) for name, part in parts.items()}

    def gather(self, array: Any, out: Any) -> None:
        """Copy an array from any device to one on this device."""
        self._counts["copies"] += 1
        self.wp.copy(out, array)

    def wait(self) -> None:
        """Wait until all launches have run."""
        self._counts["waits"] += 1
        self.wp.synchronize_device(self.found)

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """A new device array, uninitialised."""
        return self._allocated(shape, lambda: self.wp.empty(shape, dtype=dtype, device=self.found))

    def filled(self, shape: int | tuple[int, ...], value: float, dtype: Any) -> Any:
        """A new device array, filled with one value."""
        return self._allocated(shape, lambda: self.wp.full(shape, value, dtype=dtype, device=self.found))

    def cached(self, host: Any, make: Callable[[], T]) -> T:
        """The device copy of a host object: made by `make` on first use, freed with the host object."""
        if (id(host), None) not in self._cached:
            self.keep(host, None, make())
        return self._cached[id(host), None]

    def keep(self, host: Any, name: Any, value: Any) -> None:
        """Keep something more of a host object on the device, until that is freed."""
        if (id(host), name) not in self._cached:
            weakref.finalize(host, self._cached.pop, (id(host), name), None).atexit = False
        self._cached[id(host), name] = value

    def kept(self, host: Any, name: Any) -> Any:
        """What `keep` was given under a name, None if nothing."""
        return self._cached.get((id(host), name))

    def free_bytes(self) -> int:
        """Free memory of the device."""
        return int(self.found.free_memory) if self.found.is_cuda else available_bytes()

    def _allocated(self, shape: int | tuple[int, ...], make: Callable[[], Any]) -> Any:
        if max(shape if isinstance(shape, tuple) else (shape,)) > MOST_ELEMENTS:
            raise BackendError("the job has more than 2^31 elements in one array of {name}: choose cpu", name=self.name)
        try:
            return make()
        except RuntimeError as error:
            raise BackendError(
                "{name} has no room left ({error}): use larger voxels, or cpu", name=self.name, error=error
            ) from error


def start_warp() -> ModuleType:
    """Start Warp, quietly and with its kernels in our folder, and return it.

    If something else in this process configured Warp first, its settings stay.

    Raises:
        BackendError: Warp is not installed, or does not start; the message says what to do.
    """
    try:
        import warp
    except ImportError as error:
        raise BackendError("Warp is not installed ({error}): {remedy}", error=error, remedy=INSTALL_WARP) from error
    with _lock:
        is_ours = warp.config.kernel_cache_dir is None
        if is_ours:
            warp.config.kernel_cache_dir = str(cache_folder())
            warp.config.log_level = warp.LOG_INFO  # its greeting goes to our log
        # A driver or a damaged installation can make Warp raise anything.
        try:
            with in_our_log() if is_ours else nullcontext():
                warp.init()  # type: ignore[no-untyped-call]
        except Exception as error:
            if is_ours:
                warp.config.kernel_cache_dir = None  # the next attempt begins as this one
            raise BackendError(
                "Warp does not start ({error}): update the graphics driver, or {remedy}",
                error=error,
                remedy=INSTALL_WARP,
            ) from error
        finally:
            if is_ours:
                warp.config.log_level = warp.LOG_WARNING
    return warp


def cuda_devices(name: str) -> tuple[str, ...]:
    """Make sure that CUDA devices work, and return their names in Warp.

    Args:
        name: "cuda" for all that Warp can use, or "cuda:1" and so on for one.

    Raises:
        BackendError: no Warp, no driver that it takes, no such device, or one that is too old; the message says what
            to do.
    """
    usable = usable_cards()
    count = start_warp().get_cuda_device_count()
    if count == 0:
        raise BackendError("Warp finds no CUDA device: update the driver of the NVIDIA graphics card, or choose cpu")
    number = name.partition(":")[2]
    if not number:
        return tuple(f"cuda:{index}" for index in usable)
    if int(number) >= count:
        last = "only cuda:0" if count == 1 else f"cuda:0 to cuda:{count - 1}"
        raise BackendError(
            "there is no CUDA device {number}: choose another, there is {last}", number=int(number), last=last
        )
    if int(number) not in usable:
        raise BackendError("CUDA device {number} is too old for Warp: choose another, or cpu", number=int(number))
    return (f"cuda:{int(number)}",)


def load_kernels(module: ModuleType, device: Any) -> None:
    """Load the kernels of a module on a device, once per process: from the cache, from the zip, or compiled.

    Compiling takes seconds: it is reported as the stage Compile, before it starts.

    Args:
        module: of kernels, see `formulas`. Its BLOCK_DIM is the number of threads per block.
        device: Warp's object for it.

    Raises:
        BackendError: they cannot be compiled or loaded.
    """
    global _seconds  # noqa: PLW0603 - a clock of the process
    name = module.__name__
    if (name, device.alias) in _loaded:
        return
    with _lock:
        start = time.perf_counter()
        kernels_of(module)
        marker = _marker(module, device)
        if _is_intact(marker):
            _load(module, device)
        else:
            with progress_range(0.0, 0.0, "Compile"), compiling_in(_kernel_folder()):
                if not (device.is_cuda and load_shipped(module, device)):
                    _compile(module, device, marker)
        _loaded.add((name, device.alias))
        took = time.perf_counter() - start
        _seconds += took
        logger.info("loaded the kernels of %s on %s in %.2f s", name, device, took)


def _load(module: ModuleType, device: Any) -> None:
    """Let Warp load the kernels of a module, and compile them if it must.

    Raises:
        BackendError: they cannot be compiled or loaded.
    """
    import warp

    # Compilers and drivers can raise anything.
    try:
        warp.load_module(module, device=device, block_dim=module.BLOCK_DIM)
    except Exception as error:
        raise BackendError(
            "the kernels cannot be compiled for {device} ({error}): choose cpu", device=device, error=error
        ) from error


def _compile(module: ModuleType, device: Any, marker: Path) -> None:
    """Compile the kernels of a module, unless another process has done so meanwhile, and load them.

    Raises:
        BackendError: as `_load`.
    """
    if not _is_intact(marker):
        _delete_kernels(marker, module.__name__)
    _load(module, device)
    files = [file for folder in _module_folders(module.__name__) for file in folder.iterdir()]
    marker.write_text(json.dumps({str(file): _checksum(file) for file in files}), encoding="utf-8")


def _kernel_folder() -> Path:
    """Where Warp keeps compiled kernels: our folder, unless something else started Warp in this process."""
    import warp

    return Path(warp.config.kernel_cache_dir or cache_folder())


def _marker(module: ModuleType, device: Any) -> Path:
    """The file that marks the current kernels of a module as compiled, for one kind of device."""
    import warp

    target = f"sm{device.arch}" if device.is_cuda else "cpu"
    digest = hashlib.sha256(f"{module.__name__} {warp.__version__} {target}".encode())
    for folder in SOURCE_FOLDERS:
        for file in sorted((SOURCES / folder).rglob("*.py")):
            digest.update(file.read_bytes())
    return _kernel_folder() / f"compiled-{digest.hexdigest()[:16]}"


def _is_intact(marker: Path) -> bool:
    """Whether the files of a marker are unchanged: loading a damaged kernel could end the process."""
    try:
        checksums = json.loads(marker.read_bytes())
        return all(_checksum(Path(file)) == checksum for file, checksum in checksums.items())
    except (OSError, ValueError):
        return False


def _checksum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _module_folders(module: str) -> list[Path]:
    """The folders of the compiled kernels of a module: one for each state of its code."""
    return list(_kernel_folder().glob(f"wp_{module}_*"))


def _delete_kernels(marker: Path, module: str) -> None:
    """Delete the damaged kernels of a module, if it has a marker, with a warning in the log."""
    if marker.exists():
        logger.warning("the kernels of %s are damaged: they are thrown away, and compiled anew", module)
        marker.unlink()
        for folder in _module_folders(module):
            shutil.rmtree(folder)


def compile_seconds() -> float:
    """Seconds that this process has spent in `load_kernels` so far."""
    return _seconds
