"""What every room stands on: errors, progress, threads, memory, files that are kept, and other processes."""

from .cache import cache_folder, cache_size, clear_cache, set_cache_folder
from .errors import InputError
from .locks import has_locked
from .memory import array_bytes, available_bytes, memory_texts, resident_bytes
from .progress import Progress, listening, rest, share, steps

__all__ = [
    "InputError",
    "Progress",
    "array_bytes",
    "available_bytes",
    "cache_folder",
    "cache_size",
    "clear_cache",
    "has_locked",
    "listening",
    "memory_texts",
    "resident_bytes",
    "rest",
    "set_cache_folder",
    "share",
    "steps",
]
