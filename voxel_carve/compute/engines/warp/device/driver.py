"""What the NVIDIA driver says of its cards, asked before Warp starts: where none can be used, what is lacking."""

import ctypes
import logging
import os
import sys

from ....runtime.errors import BackendError

logger = logging.getLogger(__name__)

# As Warp looks for it.
LIBRARIES = ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so", "libcuda.so.1")

# Warp 1.19 is built with CUDA 13.4. It takes every driver of that major version, and the cards of 13.0 and later. The
# first release of the driver with CUDA 13.0 is 580.
OLDEST_VERSION = 13000
OLDEST_RELEASE = 580
OLDEST_CAPABILITY = (7, 5)

VISIBLE = "CUDA_VISIBLE_DEVICES"

# Numbers of the driver's interface.
_NO_DEVICE = 100
_CAPABILITY_ATTRIBUTES = (75, 76)  # major, minor


def usable_cards() -> list[int]:
    """The numbers of the CUDA devices that Warp can use: at least one.

    Raises:
        BackendError: there is none. The message says what is lacking: the driver, a newer one, a card that it finds or
            that is not hidden, or a newer card.
    """
    driver = _loaded()
    if driver is None:
        raise BackendError(
            "CUDA needs an NVIDIA driver: install version {release} or newer, for an NVIDIA graphics card, or choose "
            "cpu",
            release=OLDEST_RELEASE,
        )
    try:
        count = _device_count(driver)
        found = [_capability(driver, number) for number in range(count)]
    except AttributeError as error:
        raise BackendError(
            "the NVIDIA driver is damaged ({error}): install it anew, or choose cpu", error=error
        ) from error
    usable = [number for number, capability in enumerate(found) if capability >= OLDEST_CAPABILITY]
    logger.info("the CUDA driver finds devices of capability %s; Warp can use %s", found, usable)
    if not usable:
        raise BackendError(
            "the graphics card is too old: it has compute capability {found}, and Warp needs {needed}; choose cpu",
            found="{}.{}".format(*max(found)),
            needed="{}.{}".format(*OLDEST_CAPABILITY),
        )
    return usable


def _device_count(driver: ctypes.CDLL) -> int:
    """The number of devices, at least one.

    Raises:
        AttributeError: the library lacks a function.
        BackendError: it is too old, does not start, or finds no device.
    """
    version, count = ctypes.c_int(), ctypes.c_int()
    _ = driver.cuGetProcAddress  # Warp asks it for all others
    driver.cuDriverGetVersion(ctypes.byref(version))
    if version.value < OLDEST_VERSION:
        raise BackendError(
            "the NVIDIA driver is too old: it has CUDA {found}, and Warp needs {needed}; install version {release} or "
            "newer, or choose cpu",
            found=_as_text(version.value),
            needed=_as_text(OLDEST_VERSION),
            release=OLDEST_RELEASE,
        )
    code = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    logger.info("the CUDA driver %s finds %s devices, with code %s", version.value, count.value, code)
    if code not in (0, _NO_DEVICE):
        raise BackendError(
            "the NVIDIA driver does not start ({error}): restart the computer, or install the driver anew, or choose "
            "cpu",
            error=_error_text(driver, code),
        )
    if count.value == 0 and VISIBLE in os.environ:
        raise BackendError(
            "the NVIDIA driver finds no graphics card, and CUDA_VISIBLE_DEVICES is '{value}', which hides others: "
            "unset it, or choose cpu",
            value=os.environ[VISIBLE],
        )
    if count.value == 0:
        raise BackendError(
            "the NVIDIA driver finds no graphics card: check that one is installed and switched on, or choose cpu"
        )
    return count.value


def _capability(driver: ctypes.CDLL, number: int) -> tuple[int, int]:
    """The compute capability of a device; (0, 0) if the driver does not tell.

    Raises:
        AttributeError: the library lacks a function.
    """
    device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    code = driver.cuDeviceGet(ctypes.byref(device), number)
    for value, attribute in zip((major, minor), _CAPABILITY_ATTRIBUTES, strict=True):
        code = code or driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, device)
    return (0, 0) if code else (major.value, minor.value)


def _error_text(driver: ctypes.CDLL, code: int) -> str:
    """The driver's own words for an error.

    Raises:
        AttributeError: the library lacks a function.
    """
    text = ctypes.c_char_p()
    driver.cuGetErrorString(code, ctypes.byref(text))
    return f"{text.value.decode(errors='replace')}, {code}" if text.value else str(code)


def _as_text(version: int) -> str:
    """13000 as 13.0."""
    return f"{version // 1000}.{version % 1000 // 10}"


def _loaded() -> ctypes.CDLL | None:
    for library in LIBRARIES:
        try:
            return ctypes.CDLL(library)
        except OSError:
            continue
    return None
