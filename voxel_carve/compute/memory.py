"""How much memory there is, and how much this process has taken, from the operating system itself."""

import ctypes
import os
import sys


def available_bytes() -> int:
    """Memory that programs can still take without swapping."""
    if sys.platform == "win32":
        status = _MemoryStatus()
        status.length = ctypes.sizeof(status)
        ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return int(status.available_physical)
    if sys.platform == "linux":
        return _kilobytes("/proc/meminfo", "MemAvailable:") * 1024
    # macOS has no such figure without a call into Mach; it gives memory back under pressure, so half counts as free.
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def peak_bytes() -> int:
    """Greatest resident size of this process so far."""
    if sys.platform == "win32":
        counters = _ProcessMemoryCounters()
        counters.size = ctypes.sizeof(counters)
        process = ctypes.c_void_p(ctypes.windll.kernel32.GetCurrentProcess())
        ctypes.windll.psapi.GetProcessMemoryInfo(process, ctypes.byref(counters), counters.size)
        return int(counters.peak_working_set)
    if sys.platform == "linux":
        # getrusage would count what the process that started this one had taken.
        return _kilobytes("/proc/self/status", "VmHWM:") * 1024
    import resource  # not there on Windows

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _kilobytes(path: str, name: str) -> int:
    with open(path, encoding="ascii", errors="replace") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name))


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = (
        ("length", ctypes.c_ulong),
        ("load", ctypes.c_ulong),
        ("total_physical", ctypes.c_ulonglong),
        ("available_physical", ctypes.c_ulonglong),
        ("total_page_file", ctypes.c_ulonglong),
        ("available_page_file", ctypes.c_ulonglong),
        ("total_virtual", ctypes.c_ulonglong),
        ("available_virtual", ctypes.c_ulonglong),
        ("available_extended_virtual", ctypes.c_ulonglong),
    )


class _ProcessMemoryCounters(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS of the Windows API."""

    _fields_ = (
        ("size", ctypes.c_ulong),
        ("page_faults", ctypes.c_ulong),
        ("peak_working_set", ctypes.c_size_t),
        ("working_set", ctypes.c_size_t),
        ("quota_peak_paged_pool", ctypes.c_size_t),
        ("quota_paged_pool", ctypes.c_size_t),
        ("quota_peak_non_paged_pool", ctypes.c_size_t),
        ("quota_non_paged_pool", ctypes.c_size_t),
        ("page_file", ctypes.c_size_t),
        ("peak_page_file", ctypes.c_size_t),
    )
