"""Many cases, on all cores, and the table of their outcomes."""

import gc
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

from tests.attack import reading
from tests.attack.families import FAMILIES, case_of
from tests.attack.judge import Verdict, judge
from tests.attack.runner import ROOT, run_case
from tests.attack.solids import SUFFIXES, inputs, job
from voxel_carve.cli import main
from voxel_carve.compute.engines.numba.compiler import SETS, load_kernels
from voxel_carve.compute.runtime import cache_folder

PAGE = ROOT / "docs" / "security.md"
BEGIN, END = "<!-- written by dev.py attack --write -->", "<!-- end -->"


def attacked(
    asked: Iterable[tuple[str, int]], folder: Path, workers: int = 1, seconds: float = float("inf"), keep: bool = False
) -> Iterator[Verdict]:
    """The verdicts on cases, in the order in which they finish.

    Args:
        asked: families and numbers.
        folder: where each case gets its own folder.
        workers: how many run at once; each is a process that has loaded all modules, and cases are its forks.
        seconds: after this time no case is started.
        keep: whether to keep the folders.
    """
    end, left = time.monotonic() + seconds, iter(asked)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn, initializer=load) as pool:
        waiting: set[Future[Verdict]] = set()
        while True:
            room = 0 if time.monotonic() > end else 2 * workers - len(waiting)
            waiting |= {pool.submit(tried, family, number, folder, keep) for family, number in islice(left, room)}
            if not waiting:
                return
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()


def load() -> None:
    """In a worker: carve and judge once, so that forks have loaded all modules."""
    import manifold3d  # noqa: F401

    os.umask(0o022)
    for name in SETS:
        load_kernels(name)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in inputs().items():
            (Path(folder) / name).write_bytes(content)
        words = [str(Path(folder) / word) if "." in word else word for word in job(resolution=8)]
        for suffix in SUFFIXES:
            words[-1] = str(Path(folder) / f"out{suffix}")
            status = main([*words, "--backend", "cpu", "--verify", "--quiet", "--result", "keep"])
            if status or reading.fault(Path(words[-1])):
                raise RuntimeError(f"an ordinary carve ends with status {status}: nothing can be said of odd ones")
    gc.freeze()  # or each fork looks through all that was loaded


def tried(family: str, number: int, folder: Path, keep: bool = False) -> Verdict:
    """The verdict on one case, run in its own folder."""
    case = case_of(family, number)
    if case.needs_blender and find_spec("bpy") is None:
        return Verdict(family, number, case.what, left_out="no Blender here")
    place = folder / f"{family.replace(' ', '-')}-{number}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    try:
        return judge(family, number, case, run_case(case, place, None if case.compiles else kernels_folder()), place)
    finally:
        if not keep:
            for path in place.rglob("*"):
                if path.is_dir() and not path.is_symlink():
                    path.chmod(0o700)
            shutil.rmtree(place)


def kernels_folder() -> Path:
    """The user's own cache, which holds the kernels once a worker has loaded them."""
    return cache_folder().parents[1]


def table(verdicts: Sequence[Verdict]) -> str:
    """A line for each family, and one for the total."""
    lines = [
        "| family | cases | refused | carved | other status | worst seconds | worst MiB over the limit | complaints |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in [*FAMILIES, "all"]:
        some = [verdict for verdict in verdicts if name in (verdict.family, "all") and not verdict.left_out]
        if not some:
            continue
        refused, carved = (sum(verdict.status == status for verdict in some) for status in (2, 0))
        worst = max((verdict.over for verdict in some if verdict.over is not None), default=None)
        over = "not judged" if worst is None else f"{max(worst, 0) / 2**20:.0f}"
        lines.append(
            f"| {name} | {len(some)} | {refused} | {carved} | {len(some) - refused - carved} | "
            f"{max(verdict.seconds for verdict in some):.1f} | {over} | {sum(bool(v.complaints) for v in some)} |"
        )
    return "\n".join(lines)


def write_table(text: str, verdicts: Sequence[Verdict], seconds: float) -> None:
    """Insert the table into the page."""
    words = f"{len(verdicts)} cases in {seconds / 60:.0f} minutes, Python {sys.version.split()[0]}, {sys.platform}."
    page = PAGE.read_text(encoding="utf-8")
    new = re.sub(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n{words}\n\n{text}\n{END}", page, flags=re.DOTALL)
    PAGE.write_text(new, encoding="utf-8")
