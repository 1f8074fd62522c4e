"""Families about outputs: odd places, links, folders that change meanwhile, full disks."""

import json
from collections.abc import Mapping, Sequence

from tests.attack.case import Case, Event, Maker, Place, Random, often, pick
from tests.attack.solids import SUFFIXES, ball, block, inputs, job, obj
from tests.attack.words import entry

MINE = b"what the user has there"
KEPT = Place("file", content=MINE, mode=0o600)


def output_case(rng: Random) -> Case:
    """Output and report at places of every kind, with and without `--overwrite`."""
    suffix = pick(rng, SUFFIXES)
    output, report = f"out{suffix}", "report.json"
    files: dict[str, bytes | Place] = dict(inputs())
    more = [word for word in ("--overwrite", "--verify", "--quiet") if often(rng, 0.4)]
    written = [
        name
        for name, kind in ((output, pick(rng, PLACES)), (report, pick(rng, PLACES)))
        if not put(files, name, kind) or ("--overwrite" in more and kind not in CLOSED)
    ]
    written = [
        {f"{output}": "real" + suffix, report: "real.json"}[name]
        if isinstance(files.get(name), Place) and files[name].kind == "link"
        else name
        for name in written
    ]
    words = [*job(output=output, resolution=12), "--report", report, *more]
    if often(rng, 0.15):
        words += ["--stock", "box.obj", "--path", "tool.csv"]
    return Case(f"{output} and a report, {' '.join(more)}", words, files, written, makes=False)


# What may be at an output's place. Anything but a file, and any input, is never replaced.
PLACES = ("nothing", "nothing", "a file", "a private file", "a link to a file", "a link to nothing", "a folder",
          "a pipe", "a socket", "a device", "a link to a folder", "a link to itself")  # fmt: skip
CLOSED = ("a folder", "a pipe", "a socket", "a device", "a link to a folder", "a link to itself")


def put(files: dict[str, bytes | Place], name: str, kind: str) -> bool:
    """Put something of this kind at a name; return False if nothing could be lost."""
    suffix = name[name.rindex(".") :]
    simple = {"a folder": "folder", "a pipe": "pipe", "a socket": "socket", "a device": "null"}
    if kind == "a file":
        files[name] = MINE
    elif kind == "a private file":
        files[name] = KEPT
    elif kind == "a link to a file":
        files["real" + suffix], files[name] = KEPT, Place("link", "real" + suffix)
    elif kind == "a link to nothing":
        files[name] = Place("link", "real" + suffix)
        return False
    elif kind == "a link to a folder":
        files["sub"], files[name] = Place("folder"), Place("link", "sub")
    elif kind == "a link to itself":
        files[name] = Place("link", name)
    elif kind in simple:
        files[name] = Place(simple[kind])  # type: ignore[arg-type]
    return kind != "nothing"


def output_of(
    what: str,
    *more: str,
    files: Mapping[str, bytes | Place] = {},
    written: Sequence[str] = (),
    output: str = "out.ply",
    makes: bool = False,
    **others: object,
) -> Maker:
    """A case of a job with files where it writes."""
    words = [*job(output=output, resolution=12), *more]
    return lambda rng: Case(what, words, {**inputs(), **files}, written, makes, **others)  # type: ignore[arg-type]


LONG, LONG_REPORT = "o" * 251 + ".ply", "r" * 250 + ".json"
KNOWN_OUTPUTS: tuple[Maker, ...] = (
    output_of("a device as report", "--report", "null", "--overwrite", files={"null": Place("null")}),
    output_of("a device as output", "--overwrite", files={"out.ply": Place("null")}),
    output_of("a pipe as output", "--overwrite", files={"out.ply": Place("pipe")}),
    output_of("a pipe as report", "--overwrite", "--report", "r.json", files={"r.json": Place("pipe")}),
    output_of("a socket as output", "--overwrite", files={"out.ply": Place("socket")}),
    output_of("a folder as output", "--overwrite", files={"out.ply": Place("folder")}),
    output_of(
        "a link to a private file",
        "--overwrite",
        files={"out.ply": Place("link", "real.ply"), "real.ply": KEPT},
        written=("real.ply",),
    ),
    output_of("a link to a decoy, not to be replaced", files={"out.ply": Place("link", "keep.ply")}),
    output_of(
        "a link to nothing, not to be followed", files={"out.ply": Place("link", "real.ply")}, written=("real.ply",)
    ),
    output_of(
        "a link into a folder that is not there", "--overwrite", files={"out.ply": Place("link", "gone/real.ply")}
    ),
    output_of("a private file replaced", "--overwrite", files={"out.ply": KEPT}, written=("out.ply",), makes=True),
    output_of("output and report the same file", "--report", "out.ply", "--overwrite", written=("out.ply",)),
    output_of(
        "the same by another name", "--report", "sub/../out.ply", files={"sub": Place("folder")}, written=("out.ply",)
    ),
    output_of(
        "the same by a link", "--report", "r.json", files={"r.json": Place("link", "out.ply")}, written=("out.ply",)
    ),
    output_of("the output is the stock", "--overwrite", output="box.obj"),
    output_of(
        "the output is the stock, by a link", "--overwrite", output="o.obj", files={"o.obj": Place("link", "box.obj")}
    ),
    output_of("the report is the path", "--report", "tool.csv", "--overwrite", written=("out.ply",)),
    output_of(
        "the report is a list's own file",
        "--report",
        "sub/../tool.csv",
        "--overwrite",
        files={"sub": Place("folder")},
        written=("out.ply",),
    ),
    output_of("a name of 255 letters", output=LONG, written=(LONG,)),
    output_of("a report of 255 letters", "--report", LONG_REPORT, written=("out.ply", LONG_REPORT)),
    output_of("a name of 255 letters, replaced", "--overwrite", output=LONG, files={LONG: MINE}, written=(LONG,)),
    output_of(
        "a folder without rights", output="shut/out.ply", files={"shut": Place("folder", mode=0o555)}, unprivileged=True
    ),
    output_of(
        "a folder that cannot be read",
        output="shut/out.ply",
        files={"shut": Place("folder", mode=0o333)},
        written=("shut/out.ply",),
        unprivileged=True,
    ),
    output_of(
        "a stock without rights", files={"box.obj": Place("file", content=obj(block()), mode=0)}, unprivileged=True
    ),
    output_of("a path without rights", files={"tool.csv": Place("file", content=b"x", mode=0)}, unprivileged=True),
    output_of(
        "a file that may not be written, replaced",
        "--overwrite",
        unprivileged=True,
        written=("out.ply",),
        files={"out.ply": Place("file", content=MINE, mode=0o444)},
    ),
    output_of("a disk that is full", resources={"RLIMIT_FSIZE": 4096}),
    output_of(
        "a disk that is full, replaced", "--overwrite", files={"out.ply": MINE}, resources={"RLIMIT_FSIZE": 4096}
    ),
    output_of(
        "a disk that is full at the report",
        "--report",
        "r.json",
        resources={"RLIMIT_FSIZE": 40_000},
        written=("out.ply", "r.json"),
    ),
    output_of("few open files", resources={"RLIMIT_NOFILE": 12}, written=("out.ply",)),
    output_of("no more threads", resources={"RLIMIT_NPROC": 1}, unprivileged=True, written=("out.ply",)),
)


def full_case(suffix: str, report: bool) -> Maker:
    """A disk that is full at a random place of the file."""

    def make(rng: Random) -> Case:
        words = [*job(output=f"out{suffix}", resolution=16), *(["--report", "r.json"] if report else [])]
        most = int(10 ** rng.uniform(3, 5.5))  # the streams are written to files, too
        written = [f"out{suffix}", "r.json"]
        return Case(
            f"a disk full after {most} bytes", words, inputs(), written, makes=False, resources={"RLIMIT_FSIZE": most}
        )

    return make


# Lists and frames that are resumed


def resumed(what: str, there: Mapping[str, bytes | Place], written: Sequence[str], *more: str) -> Maker:
    """A case of a list of two jobs that is resumed."""
    entries = json.dumps([entry("out1.ply"), entry("out2.ply", report="r2.json")]).encode()
    files = {**inputs(), "jobs.json": entries, **there}
    return lambda rng: Case(what, ["--jobs", "jobs.json", "--resume", *more], files, written, makes=False)


KNOWN_RESUMES: tuple[Maker, ...] = (
    resumed("an output there", {"out1.ply": MINE}, ("out2.ply", "r2.json")),
    resumed("a report there and no output", {"r2.json": MINE}, ("out1.ply", "out2.ply")),
    resumed("a folder there", {"out1.ply": Place("folder")}, ("out2.ply", "r2.json")),
    resumed("a link to nothing there", {"out1.ply": Place("link", "gone/x.ply")}, ("out2.ply", "r2.json")),
    resumed("a summary there", {"sum.json": MINE}, ("out1.ply", "out2.ply", "r2.json"), "--report", "sum.json"),
    resumed("a summary that is an input", {}, ("out1.ply", "out2.ply", "r2.json"), "--report", "tool.csv"),
    resumed(
        "a summary that is a pipe",
        {"sum.json": Place("pipe")},
        ("out1.ply", "out2.ply", "r2.json"),
        "--report",
        "sum.json",
    ),
    resumed("a summary that is an output", {}, ("out1.ply", "out2.ply", "r2.json"), "--report", "out1.ply"),
)


# Changes while the job runs


def meanwhile_case(rng: Random) -> Case:
    """A job of at least a tenth of a second, during which something happens to its files."""
    suffix = pick(rng, SUFFIXES)
    output = f"sub/out{suffix}"
    after = None if often(rng, 0.2) else float(rng.uniform(0, 0.3))
    files: dict[str, bytes | Place] = {**inputs(), "part.obj": obj(ball(2)), "sub": Place("folder")}
    words = [*job("part.obj", output=output, resolution=28), "--report", "sub/report.json"]
    replacing = often(rng, 0.3)
    words += ["--overwrite"] if replacing else []
    name = pick(rng, (output, "sub/report.json", "part.obj", "tool.csv", "sub", "real"))
    makes = {output, "sub/report.json", name}
    if name == "real":
        event = Event(after, "link", output, b"../real" + suffix.encode())
        makes.add(f"real{suffix}")
    elif name in (output, "sub/report.json"):
        event = Event(after, "make", name, MINE)
    else:
        event = Event(after, "remove", name)
        makes.add("sub")
    what = f"{event.action} {event.name} {'at the half file' if after is None else f'after {after:.2f} s'}"
    kept = {event.name: MINE} if event.action == "make" and not replacing else {}
    return Case(what, words, files, sorted(makes), makes=False, during=(event,), kept=kept)


def twice_case(rng: Random) -> Case:
    """Two processes that write the same output."""
    words = job(resolution=16)
    words += pick(rng, ([], ["--overwrite"], ["--report", "r.json"]))
    return Case("two at once", words, inputs(), ("out.ply", "r.json"), makes=False, twice=True, own_process=True)


FAMILIES: Mapping[str, tuple[tuple[Maker, ...], Maker]] = {
    "outputs": (KNOWN_OUTPUTS, output_case),
    "full disk": ((), lambda rng: full_case(pick(rng, SUFFIXES), often(rng, 0.5))(rng)),
    "resume": (KNOWN_RESUMES, lambda rng: pick(rng, KNOWN_RESUMES)(rng)),
    "meanwhile": ((), meanwhile_case),
    "two at once": ((), twice_case),
}
