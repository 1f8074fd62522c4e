"""What is known about the backends without starting one, because drawing must not import numba or Warp."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from .compute import BackendError, get_backend
from .compute.engines import ENVIRONMENT_VARIABLE, FORMER_NAMES, registered_backends
from .compute.engines import outside_backends as search_outside_backends
from .compute.runtime import Sentence, available_bytes, cache_size

T = TypeVar("T")

# Seconds for which a figure of the machine is reused before it is read again.
FRESH = 2.0

TITLES = {"cpu": "CPU", "cuda": "CUDA"}

_statuses: dict[str | None, "BackendStatus"] = {}
_figures: dict[str, tuple[float, Any]] = {}


@dataclass(frozen=True)
class BackendStatus:
    """The outcome of starting a backend.

    Attributes:
        name: of the backend; empty if none works.
        device: what it runs on.
        notes: sentences on why this one was chosen, or why none works.
    """

    name: str
    device: str
    notes: tuple[str, ...]


def check_backend(name: str | None) -> BackendStatus:
    """Start a backend by its name for `get_backend`, and remember the outcome."""
    try:
        backend = get_backend(name)
    except BackendError as error:
        _statuses[name] = BackendStatus("", "", (error.sentence,))
    else:
        _statuses[name] = BackendStatus(backend.name, backend.device, tuple(backend.notes))
    return _statuses[name]


def note_backend(name: str | None, backend: str, device: str) -> None:
    """Remember what a job has run on, given its name for `get_backend`. It is truer than an earlier check."""
    known = _statuses.get(name)
    if known is None or (known.name, known.device) != (backend, device):
        _statuses[name] = BackendStatus(backend, device, ())


def known_status(name: str | None) -> BackendStatus | None:
    """The outcome of the last check of a backend, or of a job on it; None if there was neither."""
    return _statuses.get(name)


def forget_statuses() -> None:
    """Forget the outcomes of all checks."""
    _statuses.clear()
    _figures.clear()


def in_words(status: BackendStatus) -> Sentence:
    """The backend and its device, as a line of the interface."""
    if not status.name:
        return Sentence("No Backend Works")
    return Sentence("{backend} on {device}", backend=TITLES.get(status.name, status.name), device=status.device)


def outside_backends() -> dict[str, str]:
    """The backends that are not our own, and their packages, without a search at every drawing."""
    return _fresh(f"outside {registered_backends()} {sys.path}", search_outside_backends)


def likely_backend(name: str | None) -> str:
    """Which backend `get_backend` will return for a name, as far as is known without starting one."""
    name = name or os.environ.get(ENVIRONMENT_VARIABLE) or "auto"
    if name != "auto":
        kind = name.partition(":")[0]
        return FORMER_NAMES.get(kind, kind)
    status = _statuses.get(None)
    return status.name if status and status.name else "cpu"


def free_memory() -> int:
    """Bytes that this process can still take."""
    return _fresh("memory", available_bytes)


def kernel_bytes() -> int:
    """The size of the compiled kernels on disk; raises what `cache_folder` raises."""
    return _fresh("kernels", cache_size)


def cuda_devices() -> tuple[tuple[str, str, int], ...]:
    """(alias, name, free bytes) of each CUDA device if Warp has been started in this process, else nothing."""
    if "warp" not in sys.modules or not any(status.name == "cuda" for status in _statuses.values()):
        return ()
    return _fresh("cuda", _ask_warp)


def capitalized(sentence: str) -> str:
    """A sentence of the compute package with a capital letter, for the interface."""
    return sentence[:1].upper() + sentence[1:]


def _ask_warp() -> tuple[tuple[str, str, int], ...]:
    devices = sys.modules["warp"].get_cuda_devices()
    return tuple((device.alias, device.name, int(device.free_memory)) for device in devices)


def _fresh(key: str, ask: Callable[[], T]) -> T:
    """A figure read recently, or else read now."""
    asked, value = _figures.get(key, (-FRESH, None))
    now = time.monotonic()
    if now - asked >= FRESH:
        value = ask()
        _figures[key] = (now, value)
    return value
