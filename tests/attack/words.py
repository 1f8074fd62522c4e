"""Families of bad and odd arguments and lists of jobs."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from tests.attack.case import Case, Maker, Place, Random, mutated, often, pick
from tests.attack.solids import inputs, job

NUMBERS = (
    "0", "-1", "1", "16", "24", "1.5", "nan", "inf", "-inf", "1e300", "1e-300", "1e999", "", " ", " 16 ", "1_6", "0x10",
    "１６", "16,5", "sixteen", "--", "-", "1e7", "4294967296", "9" * 400, "\x1b[2J", "16\n", "None", "true",
)  # fmt: skip
WORDS = (
    "", " ", ".", "..", "/", "box.obj", "gone.obj", "tool.csv", "Cube", "out.ply", "a" * 300 + ".ply", "sub/out.ply",
    "gone/out.ply", "out.PLY", "out.step", "out.json", "out", ".ply", "-out.ply", "--out.ply", "out .ply", "out\n.ply",
    "out\x1b[2J.ply", "out\x85.ply", "out\u2028.ply", "out\u202e.ply", "out\udcff.ply", "öut.ply", "{frame}.ply",
    "{frame:04}.ply", "{frame:9999}.ply", "{0}.ply", "%s.ply", "~/out.ply", "$HOME.ply", "C:\\out.ply", "keep.ply",
    "http://127.0.0.1:9/a.ply", "/proc/out.ply", "/nowhere/out.ply", "subtract", "union", "intersect",
    "remesh", "keep", "cpu", "gpu", "cuda:x", "cuda:-1", "1:2", "2:1", "1:9999999", ":", "a.blend", "jobs.json",
)  # fmt: skip
COUNTED = ("radius", "voxel-size", "resolution", "adaptivity", "tolerance", "memory-limit")
NAMED = ("stock", "path", "operation", "result", "output", "report", "frames", "jobs", "blend")
ALONE = ("overwrite", "verify", "resume", "quiet", "help")
BACKENDS = ("", "gpu", "cpu ", "CPU", "cuda:x", "numbax", "\x1b[2J")  # no others: loading their modules takes seconds


def argument_case(rng: Random) -> Case:
    """A job with options added, missing, repeated, and with odd values."""
    words = job(resolution=12)
    for _ in range(int(rng.integers(1, 5))):
        match int(rng.integers(7)):
            case 0:
                words += [f"--{pick(rng, COUNTED)}", pick(rng, NUMBERS)]
            case 1:
                words += [f"--{pick(rng, NAMED)}", pick(rng, WORDS)]
            case 2:
                words.append(f"--{pick(rng, ALONE)}")
            case 3:
                words.insert(int(rng.integers(len(words) + 1)), pick(rng, WORDS))
            case 4:
                del words[int(rng.integers(len(words)))]
            case 5:
                words[int(rng.integers(len(words)))] = pick(rng, (*WORDS, *NUMBERS))
            case _:
                words += ["--backend", pick(rng, BACKENDS)]
        words = words or ["--quiet"]
    return Case(
        "odd arguments",
        words,
        odd_files(),
        written_by(words),
        makes=False,
        memory_limit=limit_of(words),
    )


def odd_files() -> Mapping[str, bytes | Place]:
    """The files that odd arguments name."""
    entries = json.dumps([{"stock": "box.obj", "path": "tool.csv", "output": "listed.ply", "resolution": 12}])
    return {**inputs(), "sub": Place("folder"), "jobs.json": entries.encode(), "a.blend": b"no .blend"}


def written_by(words: Sequence[str]) -> list[str]:
    """The names that a command line may write; a decoy only with `--overwrite`."""
    named = {value for word, value in pairwise(words) if word in ("--output", "--report")}
    named |= {word.partition("=")[2] for word in words if word.startswith(("--output=", "--report="))} | {"listed.ply"}
    protected = set() if "--overwrite" in words else {"keep.ply", "box.obj", "tool.csv", "jobs.json"}
    return sorted(name for name in named - protected if name)


def limit_of(words: Sequence[str]) -> float | None:
    """The memory limit; None if the command line has its own."""
    return None if "--memory-limit" in words else 0.1


def arguments_of(what: str, *words: str, makes: bool = False, base: bool = True) -> Maker:
    """A case of a job with more arguments."""
    whole = [*(job(resolution=12) if base else []), *words]
    return lambda rng: Case(
        what,
        whole,
        odd_files(),
        written_by(whole),
        makes=makes,
        memory_limit=limit_of(whole),
    )


KNOWN_ARGUMENTS: tuple[Maker, ...] = (
    arguments_of("a memory limit of 1e300", "--memory-limit", "1e300"),
    arguments_of("a memory limit of 1e308", "--memory-limit", "1e308"),
    arguments_of("a memory limit of 1e-300", "--memory-limit", "1e-300"),
    arguments_of("a resolution of 1e300", "--resolution", "1e300"),
    arguments_of("a resolution beyond 64 bits", "--resolution", "1e19"),
    arguments_of("a voxel of 1e-300", *job()[:4], *job()[6:], "--voxel-size", "1e-300", base=False),
    arguments_of("a voxel of 1e300", *job()[:4], *job()[6:], "--voxel-size", "1e300", base=False),
    arguments_of("a tolerance of 1e300", "--tolerance", "1e300"),
    arguments_of("a radius of 1e300", "--radius", "1e300"),
    arguments_of("an output of control characters", "--output", "o\x1b[2J\x07.ply"),
    arguments_of("an output of half characters", "--output", "o\udcff\udc85.ply"),
    arguments_of("an output of a line's end", "--output", "o\nvoxel_carve: all is well.ply"),
    arguments_of("an output of 300 letters", "--output", "o" * 300 + ".ply"),
    arguments_of("an output that no folder can hold", "--output", "o/" * 3000 + "o.ply"),
    arguments_of("a stock of control characters", "--stock", "\x1b[2J\x07.obj"),
    arguments_of("a stock of half characters", "--stock", "\udcff.obj"),
    arguments_of("a path of 300 letters", "--path", "a" * 300 + ".csv"),
    arguments_of("a name of 300 letters", "--stock", "a" * 300),
    arguments_of("an option of control characters", "--\x1b[2J"),
    arguments_of("a stray word of a line's end", "a\u2028b\x85c"),
    arguments_of("a million letters", "a" * 100_000),
    arguments_of("frames of a million", "--frames", "1:1000000", "--output", "{frame}.ply"),
    arguments_of("frames beyond all", "--frames", "1:" + "9" * 5000, "--output", "{frame}.ply"),
    arguments_of("help", "--help", base=False),
    arguments_of("help in the middle of nonsense", "--stok", "--help"),
    arguments_of("a file of arguments", "@jobs.json"),
)


# Lists of jobs

ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 12, 12.5, 10**30, 1e308, "", "12", "nan", [], {}, [[]], ["box.obj"], ["box.obj", 7],
    "a\0b", "a\0b.ply", "\ud800", "\ud800.ply", "\udcff.csv", "a" * 300, "a" * 300 + ".ply", "loop/out.ply",
    "loop.obj", "loop.ply", "box.obj", "tool.csv", "keep.ply", "jobs.json", "../beside/keep.json", "\x1b[2J.ply",
    "\x85.ply", "Cube", "1:2", "sub", "sub/out.ply", ".", "/", "9" * 6000,
)  # fmt: skip
NAMES = (
    "stock", "path", "radius", "voxel_size", "voxel-size", "resolution", "operation", "result", "adaptivity",
    "tolerance", "backend", "memory_limit", "output", "overwrite", "report", "frames", "blend", "verify", "Stock",
    "\0", "\ud800", "", "jobs", "resume", "\x1b[2J", "_", "a" * 3000,
)  # fmt: skip


def list_case(rng: Random) -> Case:
    """A list of a few jobs with odd entries, or a damaged file."""
    entries = [entry(f"out{number}.ply") for number in range(int(rng.integers(1, 4)))]
    for _ in range(int(rng.integers(1, 4))):
        one, name = pick(rng, entries), pick(rng, NAMES)
        one[name] = pick(rng, ODD_VALUES)
        if (name == "backend" and isinstance(one[name], str)) or one.get("overwrite") is True:
            del one[name if name == "backend" else "overwrite"]
    raw = json.dumps(entries).encode()
    if often(rng, 0.3):
        raw = mutated(rng, raw)
    more = [word for word in ("--quiet", "--resume", "--overwrite") if often(rng, 0.15)]
    if often(rng, 0.3):
        more += ["--report", "report.json"]
    protected = {"box.obj", "tool.csv", "jobs.json", "keep.ply", "../beside/keep.json"}
    return list_of("an odd list of jobs", raw, more, [] if "--overwrite" in more else protected)


def entry(output: str = "out.ply", **more: Any) -> dict[str, Any]:
    """The options of a job."""
    return {"stock": "box.obj", "path": ["tool.csv"], "resolution": 12, "output": output, **more}


def list_of(what: str, raw: bytes, more: Sequence[str] = (), protected: Any = (), makes: bool = False) -> Case:
    """A case of a list."""
    files = {
        **inputs(),
        "jobs.json": raw,
        "sub": Place("folder"),
        "loop": Place("link", "loop"),
        "loop.obj": Place("link", "loop.obj"),
        "loop.ply": Place("link", "loop.ply"),
    }
    names = {f"out{number}.ply" for number in range(4)} | {"out.ply", "report.json", *written_in(raw)}
    return Case(what, ["--jobs", "jobs.json", *more], files, sorted(names - set(protected)), makes)


def written_in(raw: bytes) -> set[str]:
    """All texts in a file, if it is JSON: each may be an output."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return set()
    texts, rest = set(), [found]
    while rest:
        one = rest.pop()
        if isinstance(one, str) and one and "\0" not in one:
            texts.add(one)
        elif isinstance(one, dict | list):
            rest += [*one.values()] if isinstance(one, dict) else one
    return texts - {"."}


def known_list(what: str, entries: Any, *more: str) -> Maker:
    """A case of a list, given as text or as a value for JSON."""
    raw = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return lambda rng: list_of(what, raw, more, {"box.obj", "tool.csv", "jobs.json", "keep.ply"})


def other_file(what: str, place: Place, *more: str) -> Maker:
    """A case whose list is not a plain file."""
    return lambda rng: Case(what, ["--jobs", "list.json", *more], {**inputs(), "list.json": place}, (), makes=False)


KNOWN_LISTS: tuple[Maker, ...] = (
    known_list("NUL in an output", [entry("o\0.ply"), entry()]),
    known_list("NUL in a stock", [entry(stock="box\0.obj"), entry()]),
    known_list("NUL in a path", [entry(path="tool\0.csv"), entry()]),
    known_list("NUL in a report", [entry(report="o\0.json"), entry()]),
    known_list("NUL in a .blend", [entry(blend="o\0.blend", stock="Cube"), entry()]),
    known_list("half characters in an output", [entry("o\ud800.ply"), entry()]),
    known_list("half characters in a stock", [entry(stock="\ud800.obj"), entry()]),
    known_list("half characters in a name", [entry(stock="\ud800"), entry()]),
    known_list("half characters in a report of all", [entry("\ud800.ply")], "--report", "report.json"),
    known_list("half characters in an option's name", [{"\ud800": 1}]),
    known_list("an output of 300 letters", [entry("o" * 300 + ".ply"), entry()]),
    known_list("a stock of 300 letters", [entry(stock="o" * 300 + ".obj"), entry()]),
    known_list("a path of 300 letters", [entry(path="o" * 300 + ".csv"), entry()]),
    known_list("an object of 300 letters", [entry(stock="o" * 300), entry()]),
    known_list("an output in a folder that is a ring of links", [entry("loop/o.ply"), entry()]),
    known_list("an output that is a ring of links", [entry("loop.ply"), entry()], "--overwrite"),
    known_list("a stock that is a ring of links", [entry(stock="loop.obj"), entry()]),
    known_list("a memory limit of 1e300", [entry(memory_limit=1e300), entry("out1.ply")]),
    known_list("a resolution of 10 to the 400", [entry(resolution=10**400), entry("out1.ply")]),
    known_list("a number of thousands of digits", b'[{"resolution": ' + b"9" * 10_000 + b"}]"),
    known_list("voxel-size and voxel_size", [{"voxel-size": 1, **entry(voxel_size=0.5)}]),
    known_list("an option twice", b'[{"stock": "a", "stock": "box.obj", "path": "tool.csv"}]'),
    known_list("lists in lists, deep", b"[" * 100_000),
    known_list("lists in lists in a job", b'[{"stock": ' + b"[" * 50_000 + b"]" * 50_000 + b"}]"),
    known_list("objects in objects, deep", b"[" + b'{"stock": ' * 50_000),
    known_list("not a number", b'[{"resolution": NaN, "radius": Infinity}]'),
    known_list("two jobs with one output", [entry(), entry(operation="union")], "--overwrite"),
    known_list("two jobs with one output, by other names", [entry("out.ply"), entry("sub/../out.ply")], "--overwrite"),
    known_list("the output of one is the stock of the next", [entry("out1.ply"), entry("out2.ply", stock="out1.ply")]),
    known_list("an output that is a stock", [entry("box.obj", overwrite=True)]),
    known_list("an output that is the list", [entry(report="jobs.json", overwrite=True)]),
    known_list("an output that is the report of all", [entry(report="report.json")], "--report", "report.json"),
    known_list(
        "control characters everywhere", [entry("\x1b[2J\x07.ply"), entry(stock="\x1b[2J.obj"), {"\x85\u2028": 1}]
    ),
    known_list("thousands of jobs that cannot be", [{}] * 3000, "--quiet"),
    known_list("empty", b""),
    known_list("UTF-16", json.dumps([entry()]).encode("utf-16")),
    known_list("no UTF-8", b'[{"stock": "\xff"}]'),
    other_file("a list from a device without an end", Place("link", "/dev/zero")),
    other_file("a list from a pipe that nobody writes", Place("pipe")),
    other_file("a list that is a folder", Place("folder")),
    other_file("a list that is a socket", Place("socket")),
    other_file("a list that links to nothing", Place("link", "gone.json")),
    other_file("a list that links to itself", Place("link", "list.json")),
)

FAMILIES: Mapping[str, tuple[tuple[Maker, ...], Maker]] = {
    "arguments": (KNOWN_ARGUMENTS, argument_case),
    "lists": (KNOWN_LISTS, list_case),
}
