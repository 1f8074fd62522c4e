"""Measured accuracy as Markdown tables, each figure with its bar: for a terminal, and for docs/accuracy.md."""

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.results import PEER, Figures, Measurement, Results
from benchmarks.tables import NOTHING, facts_table, failures, held, table
from benchmarks.targets import ACCURACY_BARS, AccuracyBar
from benchmarks.volumes import REMOVED, WHOLE


def render(results: Results) -> str:
    """All tables of the results, each under a heading."""
    parts = {
        "Measured on": facts_table(results.facts),
        "From the exact surface, in voxels": surfaces(results.measurements),
        "From edge to edge, in voxels": edges(results.measurements),
        "Volumes": volumes(results.measurements),
        "Failed": failures(results.measurements),
    }
    return "\n".join(f"### {title}\n\n{text}" for title, text in parts.items() if text)


def surfaces(measurements: Sequence[Measurement]) -> str:
    """Vertices and face centroids."""
    rows = []
    for start, figures, bar in _rows(measurements):
        if "accuracy" in figures:
            vertices, centroids = (figures["accuracy"]["voxels"][name] for name in ("vertices", "centroids"))
            row = [str(vertices["count"]), *_beside(vertices["rms"], bar.vertices_rms)]
            row += _beside(vertices["largest"], bar.vertices_largest)
            rows.append([*start, *row, *_beside(centroids["rms"], bar.centroids_rms), length(centroids["largest"])])
    head = ["case", "resolution", "", "vertices", "RMS", "bar", "largest", "bar"]
    return table([*head, "centroids RMS", "bar", "largest"], rows)


def edges(measurements: Sequence[Measurement]) -> str:
    """Distances from the sharp edges of the result to the true edges, and back."""
    rows = []
    for start, figures, bar in _rows(measurements):
        if "accuracy" in figures:
            found, row = figures["accuracy"], []
            for name in ("edges", "true_edges"):
                part: dict[str, Any] = found["voxels"][name]
                row += [str(part["count"]), length(part["rms"]), *_beside(part["percentile_99"], bar.edges)]
                row += _beside(part["largest"], bar.edges_largest)
            rows.append([*start, *row, str(found["stray_edges"]), str(found["lost_points"])])
    there = ["RMS", "99 %", "bar", "largest", "bar"]
    return table(["case", "resolution", "", "edges", *there, "true edges", *there, "stray", "lost"], rows)


def volumes(measurements: Sequence[Measurement]) -> str:
    """The removed volume, or the whole volume if nothing was removed, against the true one."""
    rows = []
    for start, figures, bar in _rows(measurements):
        case = start[0]
        if case in WHOLE:
            volume, truth = figures["volume"], WHOLE[case]
        elif case in REMOVED:
            volume, truth = figures["stock_volume"] - figures["volume"], REMOVED[case]
        else:
            continue
        off = volume / truth - 1
        rows.append([*start, f"{volume:.1f}", f"{truth:.1f}", f"{off:+.3%}", _share(off, bar.volume)])
    return table(["case", "resolution", "", "volume", "truth", "off by", "bar"], rows)


def length(value: float) -> str:
    """A length in voxels."""
    return f"{value:.4f}"


def _rows(measurements: Sequence[Measurement]) -> Iterator[tuple[list[str], Figures, AccuracyBar]]:
    """First cells, figures and bar of each successful run; the peer has no bar."""
    for one in measurements:
        for runner in (*one.backends(), PEER):
            for figures in one.done(runner)[:1]:
                bar = AccuracyBar() if runner == PEER else ACCURACY_BARS.get(one.target, AccuracyBar())
                yield [one.target.case, str(one.target.resolution), runner], figures, bar


def _beside(value: float, bar: float | None) -> list[str]:
    return [length(value), held(value, bar if bar is None else round(bar, 4))]


def _share(off: float, bar: float | None) -> str:
    return NOTHING if bar is None else f"{bar:.2%} {'held' if abs(off) <= bar else 'MISSED'}"
