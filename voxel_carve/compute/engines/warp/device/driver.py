"""What the NVIDIA driver says of its cards, asked before Warp starts: Warp would print its own complaint."""

import ctypes
import logging
import sys

logger = logging.getLogger(__name__)

# As Warp looks for it.
LIBRARIES = ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so", "libcuda.so.1")

OLDEST_VERSION = 12000  # 12.0: Warp refuses older ones


def driver_count() -> int | None:
    """The number of CUDA devices that the driver finds; None without a driver. 0 also if Warp cannot use it."""
    driver = _loaded()
    if driver is None:
        return None
    version, count = ctypes.c_int(), ctypes.c_int()
    try:
        codes = [driver.cuDriverGetVersion(ctypes.byref(version)), driver.cuInit(0)]
        codes.append(driver.cuDeviceGetCount(ctypes.byref(count)))
        usable = not any(codes) and hasattr(driver, "cuGetProcAddress")
    except AttributeError as error:
        logger.info("the CUDA driver is damaged: %s", error)
        return 0
    logger.info("the CUDA driver %s finds %s devices, with the codes %s", version.value, count.value, codes)
    return count.value if usable and version.value >= OLDEST_VERSION else 0


def _loaded() -> ctypes.CDLL | None:
    for library in LIBRARIES:
        try:
            return ctypes.CDLL(library)
        except OSError:
            continue
    return None
