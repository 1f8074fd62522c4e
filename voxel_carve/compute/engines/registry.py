"""The choice of a backend by name."""

import logging
import os

from ..field.protocol import Backend, DenseBackend
from ..runtime.errors import BackendError, UnknownBackendError

logger = logging.getLogger(__name__)

ENVIRONMENT_VARIABLE = "VOXEL_CARVE_BACKEND"

# Names from earlier versions.
FORMER_NAMES = {"numba": "cpu"}


def get_backend(name: str | None = None) -> Backend:
    """The backend with a given name.

    Args:
        name: "auto": CUDA if it works, else the CPU. "cuda": all CUDA devices. "cuda:1": that one. "cpu": kernels
            compiled by numba; "numba" means the same. None: the environment variable VOXEL_CARVE_BACKEND, else "auto".

    Raises:
        UnknownBackendError: no such name.
        BackendError: CUDA was requested and does not work here; or numba or its kernels are not available.
    """
    name = _known_name(name)
    if name == "auto":
        try:
            return _cuda_backend("cuda")
        except BackendError as error:
            logger.info("backend auto: the CPU, because %s", error)
            return _cpu_backend()
    return _cpu_backend() if name == "cpu" else _cuda_backend(name)


def get_dense_backend(name: str | None = None) -> DenseBackend:
    """As `get_backend`, for the dense operations alone: without numba, numpy and scipy do them.

    Raises:
        UnknownBackendError, BackendError: as `get_backend`.
    """
    from .numba.compiler.loading import is_installed

    if is_installed() or _known_name(name).startswith("cuda"):
        return get_backend(name)
    from .scipy.backend import ScipyBackend

    return ScipyBackend()


def as_backend(backend: str | Backend | None) -> Backend:
    """The backend itself, or the one with that name: see `get_backend`."""
    # Checking for an operation, not for a type, admits proxies.
    return backend if hasattr(backend, "evaluate") else get_backend(backend)  # type: ignore[return-value,arg-type]


def as_dense_backend(backend: str | DenseBackend | None) -> DenseBackend:
    """The backend itself, or the one with that name: see `get_dense_backend`."""
    if hasattr(backend, "subtract_segments"):
        return backend  # type: ignore[return-value]
    return get_dense_backend(backend)  # type: ignore[arg-type]


def _known_name(name: str | None) -> str:
    """The name, with defaults resolved: see `get_backend`.

    Raises:
        UnknownBackendError: no such name.
    """
    name = name if name is not None and name != "" else os.environ.get(ENVIRONMENT_VARIABLE) or "auto"
    if isinstance(name, str):
        name = FORMER_NAMES.get(name, name)
        if name in ("auto", "cpu", "cuda") or (name.startswith("cuda:") and name[5:].isdecimal()):
            return name
    raise UnknownBackendError(f"unknown backend '{name}': choose auto, cpu, cuda or cuda:N (a device's number)")


def _cpu_backend() -> Backend:
    from .numba.backend import NumbaBackend

    return NumbaBackend()


def _cuda_backend(name: str) -> Backend:
    from .warp.backend import WarpBackend
    from .warp.device.device import cuda_devices

    return WarpBackend(*cuda_devices(name))
