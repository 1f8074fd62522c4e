"""Families about the process: signals, streams, environment, compiled kernels, and memory."""

import json
from collections.abc import Mapping
from dataclasses import replace

from tests.attack.case import HUNG_UP, INTERRUPTED, KILLED, TERMINATED, Case, Event, Maker, Place, Random, often, pick
from tests.attack.solids import SIZE, SUFFIXES, ball, inputs, job, obj
from tests.attack.words import entry

STATUSES = {"SIGINT": INTERRUPTED, "SIGTERM": TERMINATED, "SIGHUP": HUNG_UP, "SIGKILL": KILLED}


def long_path(rng: Random, points: int = 60) -> bytes:
    """A path across the box, again and again."""
    rows = rng.uniform([0, 0, 0], SIZE, (points, 3))
    return b"x,y,z,radius\n" + b"".join(b"%f,%f,%f,0.05\n" % tuple(row) for row in rows)


# Signals


def signal_case(rng: Random) -> Case:
    """A job of one or two seconds that is ended by a signal."""
    return signalled(rng, pick(rng, ("SIGINT", "SIGTERM", "SIGHUP", "SIGKILL")), own_process=False)


def signalled(rng: Random, name: str, own_process: bool, at_half_file: bool | None = None) -> Case:
    """The same, by this signal."""
    suffix = pick(rng, SUFFIXES)
    half = often(rng, 0.3) if at_half_file is None else at_half_file
    after = None if half else float(rng.uniform(0, 1.2 if own_process else 0.6))
    words = job("part.obj", output=f"out{suffix}", resolution=40 if half else 64)
    files: dict[str, bytes | Place] = {**inputs(), "part.obj": obj(ball(3)), "tool.csv": long_path(rng)}
    written = [f"out{suffix}", "report.json"]
    if name != "SIGKILL" and often(rng, 0.2):
        entries = [entry("out1.ply"), entry("out2.ply", stock="part.obj", resolution=64), entry("out3.ply")]
        files["jobs.json"], words = json.dumps(entries).encode(), ["--jobs", "jobs.json"]
        written += [f"out{number}.ply" for number in (1, 2, 3)]
    words += ["--report", "report.json"]
    if name == "SIGKILL" or often(rng, 0.3):
        words += ["--overwrite"]
    statuses = frozenset({0, 2, STATUSES[name]} if half or name == "SIGKILL" else {0, STATUSES[name]})
    return Case(
        f"{name} {'at the half file' if half else f'after {after:.2f} s'}",
        words,
        files,
        written,
        makes=name == "SIGKILL",
        statuses=statuses,
        during=(Event(after, "signal", name),),
        again=name == "SIGKILL",
        own_process=own_process,
        memory_limit=0.5,
    )


KNOWN_SIGNALS: tuple[Maker, ...] = tuple(
    (lambda rng, name=name, half=half, own=own: signalled(rng, name, own, half))  # type: ignore[misc]
    for name in STATUSES
    for half in (False, True)
    for own in (False, True)
)


# Streams


def stream_case(rng: Random) -> Case:
    """Streams that are closed, full or broken, or a terminal that disappears."""
    kinds = ("closed", "full", "broken", "terminal")
    streams = {number: pick(rng, kinds if number else ("closed",)) for number in (0, 1, 2) if often(rng, 0.5)}
    return streamed(rng, streams)


def streamed(rng: Random, streams: Mapping[int, str], *more: str) -> Case:
    """A job with such streams: a good one, a bad one or a list."""
    words = job(resolution=24)
    files: dict[str, bytes | Place] = dict(inputs())
    match int(rng.integers(4)):
        case 0:
            words[1] = "gone.obj"
        case 1:
            files["jobs.json"] = json.dumps([entry(), entry("out1.ply", stock="gone.obj")]).encode()
            words = ["--jobs", "jobs.json"]
        case 2:
            words += ["--report", "report.json"]
        case _:
            pass
    shown = ", ".join(f"{('stdin', 'stdout', 'stderr')[number]} {kind}" for number, kind in streams.items())
    hang_up = (Event(float(rng.uniform(0, 1)), "hang up"),) if "terminal" in streams.values() else ()
    return Case(
        shown or "nothing odd",
        [*words, *more],
        files,
        ("out.ply", "report.json"),
        makes=False,
        own_process=True,
        streams=streams,
        during=hang_up,
        statuses=frozenset({0, 1, 2, 74}),  # type: ignore[arg-type]
    )


KNOWN_STREAMS: tuple[Maker, ...] = tuple(
    (lambda rng, streams=streams, more=more: streamed(rng, streams, *more))  # type: ignore[misc]
    for streams in (
        {1: "closed"},
        {1: "full"},
        {1: "broken"},
        {2: "closed"},
        {2: "full"},
        {2: "broken"},
        {0: "closed"},
        {0: "closed", 1: "closed", 2: "closed"},
        {1: "full", 2: "full"},
        {2: "terminal"},
    )
    for more in ((), ("--help",))
    if not (more and streams.get(1) == "closed")  # argparse then helps on stderr
)


# Environment

# Modules in the working folder that must never be run. Each records that it was.
PLANTED = "open(__file__.rpartition('/')[0] + '/executed.txt', 'a').write(__name__ + chr(10))\nraise SystemExit(9)\n"
MODULES = ("json", "numpy", "struct", "csv", "scipy", "voxel_carve", "sitecustomize", "trimesh", "logging", "numba",
           "bpy", "importlib", "types", "signal", "usercustomize", "encodings", "secrets", "warp")  # fmt: skip
ENVIRONMENTS: tuple[tuple[str, Mapping[str, str | None]], ...] = (
    ("no home", {"HOME": None, "XDG_CACHE_HOME": None}),
    ("a home that is not there", {"HOME": "/nowhere", "XDG_CACHE_HOME": None}),
    ("a cache that is a file", {"XDG_CACHE_HOME": "{work}/tool.csv"}),
    ("a cache of control characters", {"XDG_CACHE_HOME": "{work}/\x1b[2J"}),
    ("no folder for temporary files", {"TMPDIR": "/nowhere"}),
    ("no threads of numba", {"NUMBA_NUM_THREADS": "0"}),
    ("threads of numba in words", {"NUMBA_NUM_THREADS": "many"}),
    ("more threads than cores", {"NUMBA_NUM_THREADS": "999"}),
    ("threads of OpenMP in words", {"OMP_NUM_THREADS": "many", "OPENBLAS_NUM_THREADS": "-1"}),
    ("an unknown backend", {"VOXEL_CARVE_BACKEND": "gpu"}),
    ("a backend of control characters", {"VOXEL_CARVE_BACKEND": "\x1b[2J"}),
    ("an empty backend", {"VOXEL_CARVE_BACKEND": ""}),
    ("ASCII", {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}),
    ("Latin 1", {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}),
    ("warnings as errors", {"PYTHONWARNINGS": "error"}),
    ("no optimisations of numba", {"NUMBA_DISABLE_JIT": "1"}),
    ("no variables", dict.fromkeys(("PATH", "LANG", "LC_ALL", "USER"))),
)


def environment_case(rng: Random) -> Case:
    """An odd environment, and perhaps planted modules."""
    what, variables = pick(rng, ENVIRONMENTS)
    stock = pick(rng, ("größe.obj", "gone\u2028\x1b.obj", "box.obj"))
    return surrounded(rng, what, variables, planted=often(rng, 0.3), stock=stock)


def surrounded(
    rng: Random, what: str, variables: Mapping[str, str | None], planted: bool, stock: str = "größe.obj"
) -> Case:
    """A job, sometimes a bad one, with some names that are not ASCII."""
    files: dict[str, bytes | Place] = {**inputs(), "größe.obj": inputs()["box.obj"]}
    if planted:
        files |= {f"{name}.py": PLANTED.encode() for name in MODULES}
    words = job(stock, resolution=12)
    program = pick(
        rng, (("{root}/scripts/carve.py",), ("-I", "{root}/scripts/carve.py"), ("-O", "{root}/scripts/carve.py"))
    )
    # With the best available backend, kernels may be compiled in the background, even after the job.
    kernels = variables.get("VOXEL_CARVE_BACKEND") == "" or "NUMBA_NUM_THREADS" in variables
    more: Mapping[str, str | None] = {"VOXEL_CARVE_BACKEND": "auto"} if "NUMBA_NUM_THREADS" in variables else {}
    return Case(
        f"{what}{', planted modules' if planted else ''}",
        words,
        files,
        makes=True,
        own_process=True,
        program=program,
        environment={**variables, **more},
        may_stay=kernels or "XDG_CACHE_HOME" in variables,
    )


def planted_beside_children(rng: Random) -> Case:
    """Modules in the working folder, and a job that starts another process to compile kernels."""
    files = {**inputs(), **{f"{name}.py": PLANTED.encode() for name in MODULES}}
    return Case(
        "planted modules and a child process",
        job(resolution=12),
        files,
        own_process=True,
        may_stay=True,
        environment={"XDG_CACHE_HOME": "{work}/../cache"},
        pause=2.0,
    )


KNOWN_ENVIRONMENTS: tuple[Maker, ...] = (
    lambda rng: surrounded(rng, "nothing odd", {}, planted=True),
    *(
        (lambda rng, what=what, variables=variables: surrounded(rng, what, variables, planted=False))  # type: ignore[misc]
        for what, variables in ENVIRONMENTS
    ),
    planted_beside_children,
)


# Memory


def memory_case(rng: Random) -> Case:
    """A job about as large as its limit allows: with --verify, with Keep Stock, or with several stocks."""
    suffix = pick(rng, SUFFIXES)
    limit = float(rng.uniform(0.05, 0.15))
    words = job("part.obj", output=f"out{suffix}", resolution=int(rng.integers(20, 80)))
    for option, share in (
        (("--verify",), 0.4),
        (("--stock", "box.obj", "--stock", "part.obj"), 0.3),
        (("--result", "keep"), 0.2),
        (("--adaptivity", "0.2"), 0.1),
    ):
        words += option if often(rng, share) else ()
    words += ["--operation", pick(rng, ("subtract", "union", "intersect"))]
    files = {
        **inputs(),
        "part.obj": obj(ball(int(rng.integers(2, 6)))),
        "tool.csv": long_path(rng, int(rng.integers(2, 500))),
    }
    what = f"a limit of {limit * 1024:.0f} MiB"
    return Case(what, words, files, (f"out{suffix}",), memory_limit=limit)


def large_input(what: str, *more: str, balls: int = 7, points: int = 2, limit: float = 0.05) -> Maker:
    """Few voxels, but very many triangles or points."""

    def make(rng: Random) -> Case:
        files = {**inputs(), "part.obj": obj(ball(balls)), "tool.csv": long_path(rng, points)}
        return Case(what, [*job("part.obj", resolution=8), *more], files, memory_limit=limit)

    return make


KNOWN_MEMORY: tuple[Maker, ...] = (
    large_input("130 000 triangles and a limit of 50 MiB"),
    large_input("the same, measured", "--verify"),
    large_input("200 000 points and a limit of 50 MiB", balls=2, points=200_000),
    large_input("the same, measured", "--verify", balls=2, points=200_000),
    large_input("several stocks", *(["--stock", "box.obj"] * 60), balls=5),
)


# Compiled kernels


def kernel_case(rng: Random) -> Case:
    """The cache of compiled kernels, with some files damaged."""
    how = pick(rng, ("cut short", "damaged", "empty", "gone", "foreign", "shut"))
    return with_kernels(f"kernels {how}", how, int(rng.integers(1, 6)), int(rng.integers(2**31)))


def with_kernels(what: str, how: str, count: int, seed: int, *during: Event) -> Case:
    """A job on compiled kernels, with this many of their files damaged."""
    statuses = frozenset({0, 2, *(STATUSES[event.name] for event in during)})
    return Case(
        what,
        job(resolution=12),
        inputs(),
        own_process=True,
        may_stay=True,
        statuses=statuses,
        makes=True,
        environment={"VOXEL_CARVE_BACKEND": "auto"},
        damage=(how, count, seed),
        during=during,
    )


def with_threads(threads: str) -> Case:
    """Compiled kernels with an odd number of threads."""
    whole = with_kernels(f"kernels on '{threads}' threads", "damaged", 0, 0)
    return replace(whole, environment={**whole.environment, "NUMBA_NUM_THREADS": threads}, statuses=frozenset({0, 2}))


def interrupted_loading(rng: Random) -> Case:
    """Ctrl-C while kernels are loaded."""
    return with_kernels(
        "Ctrl-C while kernels load", "damaged", 0, 0, Event(float(rng.uniform(0.3, 2)), "signal", "SIGINT")
    )


KNOWN_KERNELS: tuple[Maker, ...] = (
    lambda rng: with_kernels("whole kernels", "damaged", 0, 0),
    interrupted_loading,
    *(
        (lambda rng, threads=threads: with_threads(threads))  # type: ignore[misc]
        for threads in ("0", "-1", "many", "999", "")
    ),
    *(
        (lambda rng, how=how: with_kernels(f"all kernels {how}", how, 10_000, 1))  # type: ignore[misc]
        for how in ("cut short", "damaged", "empty", "gone", "foreign", "shut")
    ),
)


FAMILIES: Mapping[str, tuple[tuple[Maker, ...], Maker]] = {
    "signals": (KNOWN_SIGNALS, signal_case),
    "streams": (KNOWN_STREAMS, stream_case),
    "environment": (KNOWN_ENVIRONMENTS, environment_case),
    "memory": (KNOWN_MEMORY, memory_case),
    "kernels": (KNOWN_KERNELS, kernel_case),
}
