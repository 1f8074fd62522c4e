"""A case of the attack as data: the files in the folder, the arguments, and events during the run."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np

T = TypeVar("T")
Random = np.random.Generator

# GiB, the default of cases: ten times what a job of 48 voxels takes.
MEMORY_LIMIT = 0.1
INTERRUPTED, TERMINATED, HUNG_UP, KILLED = 130, 143, 129, 137

# Tokens that a reader of numbers, text or names might not expect.
TOKENS = (
    b"nan", b"inf", b"-inf", b"1e308", b"-1e308", b"1e-320", b"1e39", b"0", b"-0.0", b"-1", b"1e7", b"4294967295",
    b"2147483648", b"-2147483649", b"9223372036854775808", b"99999999999999999999999", b"0x10", b"1_0", b"1,5", b"true",
    b"null", b"", b" ", b"\t", b"\n", b"\r", b"\r\n", b"\0", b"\x85", b"\xc2\x85", b"\xe2\x80\xa8", b"\x1b[2J", b"\x07",
    b"\x0c", b"\x1c", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf0\x9f\x92\xa9", b'"', b"'", b"\\", b"/", b"#",
    b",", b"%s%n", b"{frame}", b"\xef\xbc\x95", b"A" * 3000,
)  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A directory entry other than a plain file of some bytes.

    Attributes:
        kind: a link to `target`; a folder; a named pipe; a socket; `null`, the null device; or a file of `content` with
            `mode`.
    """

    kind: Literal["link", "folder", "pipe", "socket", "null", "file"]
    target: str = ""
    content: bytes = b""
    mode: int = 0o644


@dataclass(frozen=True)
class Event:
    """Something that happens while the process runs.

    Attributes:
        after: seconds from its start; None is the moment at which a partial output is visible.
        action: `signal` sends the signal `name`. The entry `name` of the folder is changed by `make`, with `content`,
            by `remove`, or by `link`, to `content`. `hang up` closes the terminal behind stderr.
    """

    after: float | None
    action: Literal["signal", "make", "remove", "link", "hang up"]
    name: str = ""
    content: bytes = b""


@dataclass(frozen=True)
class Case:
    """One case. The working folder is `work`; names are relative to it.

    Attributes:
        what: a description.
        arguments: of the command line; `--memory-limit` is added unless `memory_limit` is None.
        files: the entries of the folder.
        written: the names that may be created or replaced.
        makes: whether all of `written` must exist after status 0.
        statuses: the allowed exit statuses.
        memory_limit: in GiB.
        own_process: whether it needs a new Python, not one that has already loaded all modules.
        program: the code that the new Python runs instead of scripts/carve.py; `{root}` is the checkout.
        environment: more variables; None removes one. `{work}` is the working folder.
        resources: limits of the process, by their names in `resource`.
        streams: unusual kinds of stdin (0), stdout (1) and stderr (2).
        during: events, in chronological order.
        kept: the contents that names must have at the end, if all of `during` has happened.
        again: whether to run it once more after the process was killed, and judge only the second run.
        twice: whether to run it twice at the same time.
        unprivileged: whether to run it as a user without rights, if started by root.
        volume: the true volume of the result, if known; compared with the relative `volume_tolerance`.
        may_stay: whether processes that it started may outlive it; they are ended `pause` seconds later.
        damage: the kind of damage, the number of damaged files in the kernels' cache, and a seed that chooses them.
        needs_blender: whether to leave it out without bpy.
    """

    what: str
    arguments: Sequence[str]
    files: Mapping[str, bytes | Place] = field(default_factory=dict)
    written: Sequence[str] = ("out.ply",)
    makes: bool = True
    statuses: frozenset[int] = frozenset({0, 2})
    memory_limit: float | None = MEMORY_LIMIT
    own_process: bool = False
    program: Sequence[str] = ("{root}/scripts/carve.py",)
    environment: Mapping[str, str | None] = field(default_factory=dict)
    resources: Mapping[str, int] = field(default_factory=dict)
    streams: Mapping[int, Literal["closed", "full", "broken", "terminal"]] = field(default_factory=dict)
    during: Sequence[Event] = ()
    kept: Mapping[str, bytes] = field(default_factory=dict)
    again: bool = False
    twice: bool = False
    unprivileged: bool = False
    volume: float | None = None
    volume_tolerance: float = 0.1
    may_stay: bool = False
    pause: float = 0.0
    damage: tuple[str, int, int] = ("damaged", 0, 0)
    needs_blender: bool = False

    @property
    def compiles(self) -> bool:
        """Whether it has a cache of its own, without kernels: it compiles them."""
        return "XDG_CACHE_HOME" in self.environment


Maker = Callable[[Random], Case]


def random_of(family: str, number: int) -> Random:
    """The random generator of a case."""
    return np.random.default_rng([zlib.crc32(family.encode()), number])


def pick(rng: Random, items: Sequence[T]) -> T:
    """One of several."""
    return items[int(rng.integers(len(items)))]


def often(rng: Random, share: float) -> bool:
    """True with a probability of `share`."""
    return bool(rng.random() < share)


def mutated(rng: Random, raw: bytes, most: int = 4) -> bytes:
    """The bytes, damaged in one to `most` places."""
    for _ in range(int(rng.integers(1, most + 1))):
        raw = _damaged(rng, raw)
    return raw


def _damaged(rng: Random, raw: bytes) -> bytes:
    at = int(rng.integers(len(raw) + 1))
    length = int(min(rng.geometric(0.1), len(raw)))
    match int(rng.integers(8)):
        case 0:  # cut short
            return raw[:at]
        case 1:  # a part is missing
            return raw[:at] + raw[at + length :]
        case 2:  # a part comes twice
            return raw[: at + length] + raw[at:]
        case 3:  # other bytes
            return raw[:at] + rng.integers(0, 256, length, dtype=np.uint8).tobytes() + raw[at + length :]
        case 4:  # one bit
            return raw[:at] + bytes([raw[at] ^ 1 << int(rng.integers(8))]) + raw[at + 1 :] if at < len(raw) else raw
        case 5:  # something odd in between
            return raw[:at] + pick(rng, TOKENS) + raw[at:]
        case 6:  # in place of a word
            words = raw.split(b" ") if b" " in raw else raw.split(b",")
            words[int(rng.integers(len(words)))] = pick(rng, TOKENS)
            return (b" " if b" " in raw else b",").join(words)
        case _:  # two lines change places
            lines = raw.split(b"\n")
            a, b = (int(rng.integers(len(lines))) for _ in range(2))
            lines[a], lines[b] = lines[b], lines[a]
            return b"\n".join(lines)
