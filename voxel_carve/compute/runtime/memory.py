"""Available memory and the memory of this process, as the operating system reports them."""

import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path

# Where Linux mounts its control groups, and the files of a group: the limit, the usage, and the entry of memory.stat
# for cached file contents. The kernel frees those before it refuses memory. From the kernel's "Control Group v2" and
# "Memory Resource Controller".
CGROUP_ROOT = Path("/sys/fs/cgroup")
CGROUP_V2_FILES = ("memory.max", "memory.current", "inactive_file")
CGROUP_V1_FILES = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")

MOST_DIGITS = 10  # after the point: those of a single byte
# The units, and how many bytes they are. No machine has as much memory as would be a thousand of the last.
UNITS = (("MiB", 2**20), ("GiB", 2**30), ("TiB", 2**40))
TOO_MUCH = "999+ TiB"


def memory_texts(*counts: int) -> tuple[str, ...]:
    """Byte counts as text in MiB, GiB or TiB, with enough digits that different counts read differently."""
    texts: tuple[str, ...] = ()
    for digits in range(MOST_DIGITS):
        texts = tuple(_memory_text(count, digits) for count in counts)
        if len(set(texts)) == len(set(counts)):
            break
    return texts


def _memory_text(count: int, digits: int) -> str:
    for number, (unit, size) in enumerate(UNITS):
        text = f"{count / size:.{digits + min(number, 1)}f}"
        if float(text) < (1000 if unit == UNITS[-1][0] else 1024):
            return f"{text} {unit}"
    return TOO_MUCH


def array_bytes(*things: object) -> int:
    """Total size of the arrays that objects such as meshes, paths and surfaces have as attributes, or tuples as
    elements."""
    each = (thing if isinstance(thing, tuple) else vars(thing).values() for thing in things)
    return sum(int(getattr(value, "nbytes", 0)) for values in each for value in values)


def available_bytes() -> int:
    """Bytes that this process can still take without swapping, within the limits of its container if there are any."""
    if sys.platform == "win32":
        status = _words(8)  # MEMORYSTATUSEX: the third is the available physical memory
        ctypes.windll.kernel32.GlobalMemoryStatusEx(status)
        return status[2]
    if sys.platform == "linux":
        free = _kilobytes("/proc/meminfo", "MemAvailable:") * 1024
        allowed = cgroup_available_bytes(CGROUP_ROOT, _read(Path("/proc/self/cgroup")) or "")
        return free if allowed is None else min(free, allowed)
    # macOS has no such figure without a call into Mach. It frees memory under pressure, so half counts as available.
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def resident_bytes() -> int:
    """Resident size of this process now. On macOS, where only the peak is known, the peak."""
    if sys.platform == "win32":
        return _windows_counters()[2]
    if sys.platform == "linux":
        return _kilobytes("/proc/self/status", "VmRSS:") * 1024
    return peak_bytes()


def peak_bytes() -> int:
    """Peak resident size of this process so far."""
    if sys.platform == "win32":
        return _windows_counters()[1]
    if sys.platform == "linux":
        # getrusage would include the memory of the parent process.
        return _kilobytes("/proc/self/status", "VmHWM:") * 1024
    import resource  # not there on Windows

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def cgroup_available_bytes(root: Path, membership: str) -> int | None:
    """What the control groups of a process, and their parent groups, still let it take.

    Args:
        root: where the control groups are mounted.
        membership: the text of /proc/PID/cgroup, a line `number:controllers:/path` for each hierarchy.

    Returns:
        Bytes, at least 0; None if no group has a limit.
    """
    remaining = []
    for line in membership.splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            mounts, names = [root, root / "unified"], CGROUP_V2_FILES
        elif "memory" in controllers.split(","):
            mounts, names = [root / "memory"], CGROUP_V1_FILES
        else:
            continue
        for mount in mounts:
            remaining += [_group_remaining(folder, *names) for folder in _group_folders(mount, path)]
    return min((left for left in remaining if left is not None), default=None)


def _group_folders(mount: Path, path: str) -> Iterator[Path]:
    """The folders of a group and its parents. Inside a container, only the mount itself may be visible."""
    yield mount
    folder = mount
    for part in path.strip("/").split("/"):
        folder = folder / part
        if part in ("", "..") or not folder.is_dir():
            return
        yield folder


def _group_remaining(folder: Path, limit_name: str, usage_name: str, cache_name: str) -> int | None:
    limit, usage = _read(folder / limit_name), _read(folder / usage_name)
    if limit is None or usage is None or limit.strip() == "max":
        return None
    statistics = dict(line.split()[:2] for line in (_read(folder / "memory.stat") or "").splitlines())
    return max(int(limit) - int(usage) + int(statistics.get(cache_name, 0)), 0)


def _read(file: Path) -> str | None:
    """The text of a file; None if it is missing, or a sandbox forbids reading it. Then no limit is known."""
    try:
        return file.read_text(encoding="ascii", errors="replace")
    except OSError:
        return None


def _kilobytes(path: str, name: str) -> int:
    with open(path, encoding="ascii", errors="replace") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name))


def _windows_counters() -> "ctypes.Array[ctypes.c_uint64]":
    """PROCESS_MEMORY_COUNTERS of the Windows API: the second word is the peak working set, the third that of now."""
    counters = _words(9)
    if sys.platform == "win32":
        process = ctypes.c_void_p(ctypes.windll.kernel32.GetCurrentProcess())
        ctypes.windll.psapi.GetProcessMemoryInfo(process, counters, ctypes.sizeof(counters))
    return counters


def _words(count: int) -> "ctypes.Array[ctypes.c_uint64]":
    """A structure of the Windows API for 64 bits, as words. The lower half of the first is its length in bytes."""
    words = (ctypes.c_uint64 * count)()
    words[0] = ctypes.sizeof(words)
    return words
