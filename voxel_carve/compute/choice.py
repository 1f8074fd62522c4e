"""Choosing a backend by its name."""

import logging
import os

from .backend import Backend
from .errors import BackendError, UnknownBackendError

logger = logging.getLogger(__name__)

ENVIRONMENT_VARIABLE = "VOXEL_CARVE_BACKEND"


def get_backend(name: str | None = None) -> Backend:
    """The backend of a name.

    Args:
        name: "auto": CUDA where it works, else numba where it is installed, else the CPU. "cuda": all CUDA devices.
            "cuda:1": that one. "numba": compiled kernels on the CPU. "cpu": numpy and scipy. None: the environment
            variable VOXEL_CARVE_BACKEND, else "auto".

    Raises:
        UnknownBackendError: no such name.
        BackendError: CUDA or numba was asked for and does not work here, or numba was told of threads that it cannot
            start.
    """
    if name is None or name == "":
        name = os.environ.get(ENVIRONMENT_VARIABLE) or "auto"
    if name == "cpu":
        return _scipy_backend()
    if name == "auto":
        try:
            return _cuda_backend("cuda")
        except BackendError as error:
            logger.info("backend auto: the CPU, because %s", error)
            return _best_cpu_backend()
    if name == "numba":
        return _numba_backend()
    if isinstance(name, str) and (name == "cuda" or (name.startswith("cuda:") and name[5:].isdecimal())):
        return _cuda_backend(name)
    raise UnknownBackendError(f"unknown backend '{name}': choose auto, cpu, numba, cuda or cuda:N (a device's number)")


def as_backend(backend: str | Backend | None) -> Backend:
    """A backend as it is, or that of a name: see `get_backend`."""
    # By one of its operations, so that what stands in for a backend may hand calls on.
    if backend is None or isinstance(backend, str) or not hasattr(backend, "evaluate"):
        return get_backend(backend)  # type: ignore[arg-type]
    return backend


def _best_cpu_backend() -> Backend:
    """numba where it is installed, else numpy and scipy."""
    from .numba_loading import is_installed

    return _numba_backend() if is_installed() else _scipy_backend()


def _scipy_backend() -> Backend:
    from .scipy_backend import ScipyBackend

    return ScipyBackend()


def _numba_backend() -> Backend:
    from .numba_backend import NumbaBackend

    return NumbaBackend()


def _cuda_backend(name: str) -> Backend:
    from .warp_backend import WarpBackend
    from .warp_device import cuda_devices

    return WarpBackend(*cuda_devices(name))
