"""The choice of a backend by name, among our own and those that other packages bring."""

import inspect
import logging
import os
import re
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol

from ..field.protocol import Backend, DenseBackend
from ..runtime.errors import BackendError, CarveError, InputError, UnknownBackendError

logger = logging.getLogger(__name__)

ENVIRONMENT_VARIABLE = "VOXEL_CARVE_BACKEND"
ENTRY_POINTS = "voxel_carve.backends"

# Makes a backend for a device: what follows the colon in its name, "" without one. It raises BackendError where it
# cannot.
Factory = Callable[[str], DenseBackend]

# Names from earlier versions.
FORMER_NAMES = {"numba": "cpu"}
_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_factories: dict[str, Factory] = {}


def register_backend(name: str, factory: Factory) -> None:
    """Let `get_backend` know a backend. A package may do without it, by an entry point in `voxel_carve.backends`.

    Args:
        name: of small letters, digits, - and _; "name:device" then hands the device to the factory.
        factory: makes the backend, and raises BackendError where that is not possible, with the remedy.

    Raises:
        InputError: the name is taken, or is none; or the factory cannot be called.
    """
    if not _is_free(name):
        raise InputError("'{name}' is no name for a backend: use small letters, and not auto or numba", name=name)
    if name in _factories:
        raise InputError("there is a backend '{name}' already: choose another name", name=name)
    if not callable(factory):
        raise InputError("the factory of backend '{name}' is no function", name=name)
    _factories[name] = factory


def backend_names() -> list[str]:
    """The names of all backends: our own, those that were registered, and those of installed packages, in this order.

    That one is listed does not mean that it works here: `get_backend` says why it does not.
    """
    return list(dict.fromkeys((*_factories, *_brought())))


def registered_backends() -> list[str]:
    """The names that programs have registered, without our own."""
    return [name for name in _factories if name not in _OWN]


def outside_backends() -> dict[str, str]:
    """All backends but our own: their names, each with the package that brings it and its version.

    One that a program registered has "" in place of a package.
    """
    brought = {name: each.dist for name, each in _brought().items()}
    packages = {name: f"{package.name} {package.version}" if package else "" for name, package in brought.items()}
    return dict.fromkeys(registered_backends(), "") | packages


def get_backend(backend: str | Backend | None = None) -> Backend:
    """The backend with a given name. A backend stays as it is.

    Args:
        backend: "auto": CUDA if it works, else the CPU. "cuda": all CUDA devices. "cuda:1": that one. "cpu": kernels
            compiled by numba; "numba" means the same. "warp:cpu": Warp's own device on the CPU, slow, for tests. Or the
            name of a backend from outside. None: the environment variable VOXEL_CARVE_BACKEND, else "auto".

    Raises:
        UnknownBackendError: no such name.
        BackendError: it was requested and does not work here; or it has no more than dense operations.
    """
    # Checking for an operation, not for a type, admits proxies.
    if hasattr(backend, "evaluate"):
        return _whole(backend, Backend, type(backend).__name__)
    name = _known_name(backend)
    if name == "auto":
        try:
            return _made("cuda")  # type: ignore[return-value]
        except BackendError as error:
            _tell_once("backend auto: the CPU, because %s", str(error))
            name = "cpu"
    made = _made(name)
    if len(_lacking(made, Backend)) == len(_members(Backend) - _members(DenseBackend)):
        raise BackendError(
            "backend '{name}' has operations on occupancies alone, and cannot carve a mesh: choose another", name=name
        )
    return _whole(made, Backend, name)


@cache
def _tell_once(line: str, reason: str) -> None:
    logger.info(line, reason)


def get_dense_backend(backend: str | DenseBackend | None = None) -> DenseBackend:
    """As `get_backend`, for the dense operations alone: without numba, numpy and scipy do them."""
    if hasattr(backend, "subtract_segments"):
        return _whole(backend, DenseBackend, type(backend).__name__)
    from .numba.compiler.numba_start import is_installed

    name = _known_name(backend)
    if name in ("auto", "cpu") and not is_installed():
        from .scipy.dense import ScipyBackend

        return ScipyBackend()
    return get_backend(name) if name == "auto" else _made(name)


def _known_name(name: object) -> str:
    """The name, with defaults resolved: see `get_backend`.

    Raises:
        UnknownBackendError: no such name.
    """
    if name is None or (isinstance(name, str) and name == ""):
        name = os.environ.get(ENVIRONMENT_VARIABLE) or "auto"
    if isinstance(name, str):
        name = FORMER_NAMES.get(name, name)
        kind, _, device = name.partition(":")
        if name == "auto" or (kind in _OWN and _OWN[kind].fullmatch(name)):
            return name
        if kind in outside_backends() and (device or ":" not in name):
            return name
    others = "".join(f", {each}" for each in outside_backends())
    raise UnknownBackendError(
        "unknown backend '{name}': choose auto, cpu, cuda or cuda:N (a device's number){others}",
        name=name,
        others=others,
    )


def _made(name: str) -> DenseBackend:
    """The backend with a known name, checked if it is not our own."""
    kind, _, device = name.partition(":")
    if kind in _OWN:
        return _factories[kind](device)
    try:
        factory = _factories.get(kind) or _brought()[kind].load()
    except Exception as error:  # a package's own code may raise anything
        raise BackendError("backend '{name}' cannot be loaded: {error}", name=name, error=error) from error
    try:
        made = factory(device)
    except CarveError:
        raise
    except Exception as error:
        raise BackendError("backend '{name}' cannot be started: {error}", name=name, error=error) from error
    if not _members(DenseBackend) & {*dir(made)}:
        raise BackendError(
            "backend '{name}' is no backend: its factory gave a {kind}", name=name, kind=type(made).__name__
        )
    return _whole(made, DenseBackend, name)


def _whole(made: object, protocol: type, name: str) -> Any:
    """An object that has all that a protocol asks for.

    Raises:
        BackendError: it has not; the message names what it lacks.
    """
    lacking = _lacking(made, protocol)
    if lacking:
        raise BackendError(
            "backend '{name}' lacks {lacking}, of the protocol {protocol}: update what brings it, or choose another",
            name=name,
            lacking=", ".join(lacking),
            protocol=protocol.__name__,
        )
    return made


def _lacking(made: object, protocol: type) -> list[str]:
    return [member for member in sorted(_members(protocol)) if not hasattr(made, member)]


@cache
def _members(protocol: type) -> frozenset[str]:
    """The attributes and methods that a protocol asks for, with those of the protocols that it extends."""
    protocols = [each for each in protocol.__mro__ if Protocol in each.__bases__]
    names = {name for each in protocols for name in (*inspect.get_annotations(each), *vars(each))}
    return frozenset(name for name in names if not name.startswith("_"))


def _brought() -> dict[str, EntryPoint]:
    """The backends of installed packages, by name. A warning in the log tells of a name that is taken, or is none."""
    brought: dict[str, EntryPoint] = {}
    for each in entry_points(group=ENTRY_POINTS):
        if not _is_free(each.name):
            _warn_once(f"backend '{each.name}' of {_package(each)} is left out: that is no name for a backend")
        elif each.name in _factories:
            _warn_once(f"backend '{each.name}' of {_package(each)} is left out: there is one of that name already")
        elif brought.setdefault(each.name, each).value != each.value:
            first = _package(brought[each.name])
            _warn_once(f"backend '{each.name}' of {_package(each)} is left out: {first} brings one of that name")
    return brought


def _package(brought: EntryPoint) -> str:
    return brought.dist.name if brought.dist else "a package"


@cache
def _warn_once(message: str) -> None:
    logger.warning(message)


def _is_free(name: str) -> bool:
    """Whether a name can be that of a backend from outside."""
    return isinstance(name, str) and bool(_NAME.fullmatch(name)) and name != "auto" and name not in FORMER_NAMES


def _cpu(_device: str) -> DenseBackend:
    from .numba.compiler.numba_start import start_llvm

    start_llvm()
    from .numba.backend import NumbaBackend

    return NumbaBackend()


def _cuda(device: str) -> DenseBackend:
    from .numba.compiler.numba_start import start_llvm
    from .warp.device.device import cuda_devices

    devices = cuda_devices(f"cuda:{device}" if device else "cuda")
    start_llvm()
    from .warp.backend import WarpBackend

    return WarpBackend(*devices)


def _warp(device: str) -> DenseBackend:
    from .numba.compiler.numba_start import start_llvm

    start_llvm()
    from .warp.backend import WarpBackend

    return WarpBackend(device)


# Our own, with the names that each understands.
_OWN = {"cpu": re.compile("cpu"), "cuda": re.compile("cuda(:[0-9]+)?"), "warp": re.compile("warp:cpu")}
for _own, _factory in (("cpu", _cpu), ("cuda", _cuda), ("warp", _warp)):
    register_backend(_own, _factory)
