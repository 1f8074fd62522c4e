"""Results as Markdown tables: for a terminal, and for docs/benchmarks.md."""

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.results import OPENVDB, PEER, PEERS, Measurement, Results
from benchmarks.series import Series, by_resolution, by_segments
from benchmarks.targets import BARS, Bar

NOTHING = ""
SUMS = ("compute", "total", "wall")  # contain other stages

Rows = list[list[str]]


def render(results: Results) -> str:
    """All tables of the results, each under a heading."""
    files = [one for one in results.measurements if not one.target.objects]
    objects = [one for one in results.measurements if one.target.objects]
    parts = {
        "Measured on": facts_table(results.facts),
        "From arrays to triangles": against_the_peer(files),
        "From object to object, in Blender": against_the_peer(objects),
        "Beside OpenVDB in C++": against_openvdb(results.measurements),
        "Growth with the resolution": growth(by_resolution(files), "resolution"),
        "Growth with the segments": growth(by_segments(files), "segments"),
        "Seconds by stage": stages(results.measurements),
        "Memory": memory(results.measurements),
        "Counts": counts(results.measurements),
        "Failed": failures(results.measurements),
    }
    return "\n".join(f"### {title}\n\n{table}" for title, table in parts.items() if table)


def facts_table(facts: Mapping[str, str]) -> str:
    """The machine and the versions that were measured."""
    return table(["", ""], [[name, fact] for name, fact in facts.items()])


def against_the_peer(measurements: Iterable[Measurement]) -> str:
    """One row for each target and backend: seconds, ratio and memory, each with its bar."""
    rows: Rows = []
    for one in measurements:
        bar = BARS.get(one.target, Bar())
        for backend in one.backends():
            ratio, memory = one.ratio(backend), one.peak_memory_gib(backend)
            row = [one.target.case, str(one.target.resolution), backend]
            row += [seconds(one.seconds(backend)), _peer_seconds(one, PEER)]
            row += [number(ratio), held(ratio, bar.ratio.get(backend))]
            row += [number(memory), held(memory, bar.memory_gib.get(backend)), number(one.peak_memory_gib(PEER))]
            rows.append([*row, _peer_volume(one, PEER)])
    head = ["case", "resolution", "backend", "seconds", "peer", "ratio", "bar"]
    return table([*head, "GiB", "bar", "peer's GiB", "peer's volume"], rows)


def against_openvdb(measurements: Iterable[Measurement]) -> str:
    """One row for each target and backend where OpenVDB in C++ ran too: its seconds and memory beside ours."""
    rows = [
        [
            str(one.target),
            backend,
            seconds(one.seconds(backend)),
            _peer_seconds(one, OPENVDB),
            number(one.ratio(backend, OPENVDB)),
            number(one.peak_memory_gib(backend)),
            number(one.peak_memory_gib(OPENVDB)),
            _peer_volume(one, OPENVDB),
        ]
        for one in measurements
        for backend in one.backends()
        if one.done(OPENVDB)
    ]
    head = ["target", "backend", "seconds", "OpenVDB", "ratio", "GiB", "OpenVDB's GiB", "OpenVDB's volume"]
    return table(head, rows)


def growth(series: Sequence[Series], what: str) -> str:
    """One row for each place of each series: seconds, and their ratio to the previous row."""
    ran = any(one.done(OPENVDB) for group in series for one in group.measurements)
    runners = list(dict.fromkeys([runner for one in series for runner in one.backends()] + [PEER]))
    runners += [OPENVDB] if ran else []
    rows: Rows = []
    for one in series:
        times = {runner: dict(one.seconds(runner)) for runner in runners}
        for place, before in zip(one.places, (None, *one.places), strict=False):
            cells = [cell for runner in runners for cell in _grown(times[runner], place, before)]
            rows.append([one.title, str(place), *cells])
    return table(["", what, *(cell for runner in runners for cell in (runner, "times"))], rows)


def stages(measurements: Iterable[Measurement]) -> str:
    """One row for each target and backend: the median of each stage in its reports."""
    known = [(one, backend) for one in measurements for backend in one.backends() if one.done(backend)]
    names = dict.fromkeys(name for one, backend in known for name in one.done(backend)[0]["seconds"])
    columns = [name for name in names if name not in SUMS] + [name for name in SUMS if name in names]
    rows = [
        [str(one.target), backend, *(seconds(one.stage(backend, name), exact=True) for name in columns)]
        for one, backend in known
    ]
    return table(["target", "backend", *columns], rows)


def counts(measurements: Iterable[Measurement]) -> str:
    """The counts in the reports, if any."""
    known = [
        (one, runner, one.done(runner)[0]) for one in measurements for runner in one.backends() if one.done(runner)
    ]
    counted = [(one, runner, figures["counts"]) for one, runner, figures in known if figures.get("counts")]
    names = list(dict.fromkeys(name for _, _, found in counted for name in found))
    rows = [
        [str(one.target), runner, *(str(found.get(name, NOTHING)) for name in names)] for one, runner, found in counted
    ]
    return table(["target", "backend", *names], rows)


def memory(measurements: Iterable[Measurement]) -> str:
    """The estimated memory of each job, and the memory it took in addition to that of its process."""
    rows: Rows = []
    for one in measurements:
        for runner in one.backends():
            estimate, taken = one.estimated_memory_mb(runner), one.job_memory_mb(runner)
            if estimate and taken:
                rows.append(
                    [str(one.target), runner, f"{estimate:.0f}", f"{taken:.0f}", f"{estimate / taken - 1:+.0%}"]
                )
    return table(["target", "backend", "estimate, MB", "taken, MB", "off by"], rows)


def failures(measurements: Iterable[Measurement]) -> str:
    """The runs that failed, and why."""
    rows = [
        [str(one.target), runner, error]
        for one in measurements
        for runner in (*one.backends(), *PEERS)
        if (error := one.error(runner))
    ]
    return table(["target", "", "why"], rows)


def table(head: Sequence[str], rows: Rows) -> str:
    """A Markdown table with aligned columns and numbers at the right; empty without rows."""
    if not rows:
        return ""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(3, *(len(row[column]) for row in [head, *cells])) for column in range(len(head))]
    right = [all(not row[column] or row[column][0] in "+-0123456789" for row in cells) for column in range(len(head))]
    lines = []
    for row in [head, *cells]:
        sides = zip(row, widths, right, strict=True)
        lines.append([text.rjust(width) if to_right else text.ljust(width) for text, width, to_right in sides])
    rule = ["-" * (width - 1) + (":" if to_right else "-") for width, to_right in zip(widths, right, strict=True)]
    return "".join(f"| {' | '.join(line)} |\n" for line in [lines[0], rule, *lines[1:]])


def seconds(value: float | None, exact: bool = False) -> str:
    """Seconds, rounded to the digits that matter; `exact` shows milliseconds for small stages."""
    if value is None:
        return NOTHING
    return f"{value:.3f}" if exact or value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def number(value: float | None) -> str:
    """A number with two decimals."""
    return NOTHING if value is None else f"{value:.2f}"


def held(value: float | None, bar: float | None) -> str:
    """A bar, and whether the value is within it."""
    if bar is None:
        return NOTHING
    return f"{bar:g}" if value is None else f"{bar:g} {'held' if value <= bar else 'MISSED'}"


def _peer_seconds(one: Measurement, peer: str) -> str:
    if one.error(peer):
        return "failed"
    return seconds(one.seconds(peer)) + (" (stock lost)" if one.peer_lost_the_stock(peer) else "")


def _peer_volume(one: Measurement, peer: str) -> str:
    error = one.peer_volume_error(peer)
    return NOTHING if error is None else f"{error:+.2%}"


def _grown(times: Mapping[int, float], place: int, before: int | None) -> tuple[str, str]:
    here, there = times.get(place), times.get(before) if before is not None else None
    return seconds(here), f"{here / there:.1f}" if here and there else NOTHING
