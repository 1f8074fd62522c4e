"""The ground floor: errors, progress, threads, memory, the cache of compiled kernels, and child processes."""

from .cache import cache_folder, cache_size, check_cache, clear_cache, set_cache_folder
from .child_process import Child, child_command
from .errors import CarveError, InputError
from .limits import allowed_bytes
from .locks import has_locked
from .memory import array_bytes, available_bytes, memory_texts, resident_bytes
from .pipes import answer
from .progress import (
    Progress,
    checkpoint,
    progress_range,
    remaining_progress,
    report_progress,
    reporting_to,
    with_progress,
)
from .sentences import Length, Sentence, SentenceByDoor, Volume, as_json, said_at, sentence_of
from .threads import core_count, limit_threads

__all__ = [
    "CarveError",
    "Child",
    "InputError",
    "Length",
    "Progress",
    "Sentence",
    "SentenceByDoor",
    "Volume",
    "allowed_bytes",
    "answer",
    "array_bytes",
    "as_json",
    "available_bytes",
    "cache_folder",
    "cache_size",
    "check_cache",
    "checkpoint",
    "child_command",
    "clear_cache",
    "core_count",
    "has_locked",
    "limit_threads",
    "memory_texts",
    "progress_range",
    "remaining_progress",
    "report_progress",
    "reporting_to",
    "resident_bytes",
    "said_at",
    "sentence_of",
    "set_cache_folder",
    "with_progress",
]
