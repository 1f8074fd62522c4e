"""Results as pictures: seconds on logarithmic axes. Only this module needs matplotlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from benchmarks.results import OPENVDB, PEER, PEERS, Measurement
from benchmarks.series import Series, by_resolution, by_segments
from voxel_carve.formats import replacing

COLOURS = {"cpu": "#c8501e", "cuda": "#4c9a52", PEER: "#7a7a7a", OPENVDB: "#3b6fb6"}
NAMES = {PEER: "Blender's SDF nodes", OPENVDB: "OpenVDB in C++"}
OTHER_COLOUR = "#9b59b6"
LINES = ("-", "--", ":", "-.")
MARKS = ("o", "s", "^", "D")

# Makes files reproducible, and keeps text as text.
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "voxel_carve",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
}


def draw(measurements: Sequence[Measurement], folder: Path) -> dict[str, Path]:
    """Write a picture of the seconds over each of resolution and segments, if there are enough measurements.

    Args:
        measurements: only those from file to file are drawn.
        folder: where the pictures go.

    Returns:
        The files, by their captions.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {
        "Seconds against the resolution": (by_resolution(measurements), "resolution", "benchmark_resolution.svg"),
        "Seconds against the number of segments": (by_segments(measurements), "segments", "benchmark_segments.svg"),
    }
    drawn = {}
    for title, (series, label, name) in wanted.items():
        if series:
            _picture(series, label, folder / name)
            drawn[title] = folder / name
    return drawn


def _picture(series: Sequence[Series], label: str, file: Path) -> None:
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8.4, 4.2), layout="constrained")
        axes = figure.add_subplot()
        for number, one in enumerate(series):
            for runner in (*one.backends(), *PEERS):
                _line(axes, one, runner, number)
        axes.set(xscale="log", yscale="log", xlabel=label, ylabel="seconds")
        places = sorted({place for one in series for place in one.places})
        axes.set_xticks(places, labels=[f"{place:,}".replace(",", " ") for place in places])
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.grid(which="both", alpha=0.2, linewidth=0.5)
        figure.legend(loc="outside right upper", frameon=False, fontsize=8)
        with replacing(file, overwrite=True) as beside:
            figure.savefig(beside, metadata={"Date": None})


def _line(axes: Axes, series: Series, runner: str, number: int) -> None:
    """Draw one series of one runner: the colour stands for the runner, the line style for the series."""
    points = series.seconds(runner)
    if points:
        axes.plot(
            *zip(*points, strict=True),
            color=COLOURS.get(runner, OTHER_COLOUR),
            linestyle=LINES[number % len(LINES)],
            marker=MARKS[number % len(MARKS)],
            markersize=4,
            label=f"{series.title}, {NAMES.get(runner, runner)}",
        )
