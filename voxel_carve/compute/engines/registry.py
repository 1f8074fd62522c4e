"""The choice of a backend by name."""

import logging
import os

from ..field.protocol import Backend, DenseBackend
from ..runtime.errors import BackendError, UnknownBackendError

logger = logging.getLogger(__name__)

ENVIRONMENT_VARIABLE = "VOXEL_CARVE_BACKEND"

# Names from earlier versions.
FORMER_NAMES = {"numba": "cpu"}


def get_backend(backend: str | Backend | None = None) -> Backend:
    """The backend with a given name. A backend stays as it is.

    Args:
        backend: "auto": CUDA if it works, else the CPU. "cuda": all CUDA devices. "cuda:1": that one. "cpu": kernels
            compiled by numba; "numba" means the same. None: the environment variable VOXEL_CARVE_BACKEND, else "auto".

    Raises:
        UnknownBackendError: no such name.
        BackendError: CUDA was requested and does not work here; or numba or its kernels are not available.
    """
    # Checking for an operation, not for a type, admits proxies.
    if hasattr(backend, "evaluate"):
        return backend  # type: ignore[return-value]
    name = _known_name(backend)
    if name == "auto":
        try:
            return _cuda_backend("cuda")
        except BackendError as error:
            logger.info("backend auto: the CPU, because %s", error)
            return _cpu_backend()
    return _cpu_backend() if name == "cpu" else _cuda_backend(name)


def get_dense_backend(backend: str | DenseBackend | None = None) -> DenseBackend:
    """As `get_backend`, for the dense operations alone: without numba, numpy and scipy do them."""
    if hasattr(backend, "subtract_segments"):
        return backend  # type: ignore[return-value]
    from .numba.compiler.loading import is_installed

    if is_installed() or _known_name(backend).startswith("cuda"):
        return get_backend(backend)  # type: ignore[arg-type]
    from .scipy.dense import ScipyBackend

    return ScipyBackend()


def _known_name(name: object) -> str:
    """The name, with defaults resolved: see `get_backend`.

    Raises:
        UnknownBackendError: no such name.
    """
    name = name if name is not None and name != "" else os.environ.get(ENVIRONMENT_VARIABLE) or "auto"
    if isinstance(name, str):
        name = FORMER_NAMES.get(name, name)
        if name in ("auto", "cpu", "cuda") or (name.startswith("cuda:") and name[5:].isdecimal()):
            return name
    raise UnknownBackendError(
        "unknown backend '{name}': choose auto, cpu, cuda or cuda:N (a device's number)", name=name
    )


def _cpu_backend() -> Backend:
    from .numba.compiler.loading import start_numba

    start_numba()
    from .numba.backend import NumbaBackend

    return NumbaBackend()


def _cuda_backend(name: str) -> Backend:
    from .numba.compiler.loading import start_numba
    from .warp.device.device import cuda_devices

    devices = cuda_devices(name)
    start_numba()
    from .warp.backend import WarpBackend

    return WarpBackend(*devices)
