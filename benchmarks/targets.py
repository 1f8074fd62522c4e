"""The default targets, and all bars that measurements are compared with."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field

OBJECTS = "objects"
DEFAULT_RESOLUTION = 256

_TARGET = re.compile(rf"(?P<case>[^@:\s]+)(@(?P<resolution>[1-9]\d*))?(?P<objects>:{OBJECTS})?")


class TargetError(Exception):
    """There is no target with this name; the message lists the targets."""


@dataclass(frozen=True, order=True)
class Target:
    """One case at one resolution.

    Attributes:
        case: the name of the case.
        resolution: voxels along the longest side of the stock.
        objects: whether it runs from object to object by the operator in Blender, or from file to file by the command
            line.
    """

    case: str
    resolution: int
    objects: bool = False

    def __str__(self) -> str:
        return f"{self.case}@{self.resolution}{f':{OBJECTS}' if self.objects else ''}"

    @property
    def family(self) -> str:
        """The case's name up to its number of segments."""
        return self.case.rpartition("-")[0] or self.case

    @property
    def segments(self) -> int | None:
        """The number at the end of the case's name, if any."""
        number = self.case.rpartition("-")[2]
        return int(number) if number.isdecimal() else None


@dataclass(frozen=True)
class Bar:
    """The limits of a target.

    Attributes:
        ratio: our seconds over the peer's, by backend.
        memory_gib: greatest resident size in GiB, by backend.
    """

    ratio: dict[str, float] = field(default_factory=dict)
    memory_gib: dict[str, float] = field(default_factory=dict)


def _bar(ratio: float, memory_gib: float) -> Bar:
    return Bar({"cpu": ratio}, {"cpu": memory_gib})


BARS = {
    Target("W1-100", 512): _bar(0.12, 0.30),
    Target("W1-1000", 256): _bar(0.15, 0.22),
    Target("W1-10000", 512): _bar(0.10, 0.30),
    Target("W2-5000", 256): _bar(0.20, 0.22),
    Target("W3-2000", 256): _bar(0.12, 0.25),
    Target("W3-2000", 512): _bar(0.12, 0.40),
    Target("W3-20000", 512): _bar(0.12, 0.60),
    Target("W3-2000", 1024): _bar(0.12, 0.95),
    Target("W3-2000", 512, objects=True): Bar({"cpu": 0.2}),
    Target("W3-20000", 512, objects=True): Bar({"cpu": 0.2}),
    **{Target(f"R{number}-60", 256): Bar({"cpu": 0.4}) for number in range(1, 6)},
}

# W1-1000 completes the growth with the number of segments at 512; the peer loses Suzanne there.
DEFAULT = (*BARS, Target("W1-1000", 512), Target("W2-5000", 512))

# Measured only when named, because they take minutes.
ONCE = (Target("W1-1000", 2048), Target("F1-1000000", 512))


@dataclass(frozen=True)
class AccuracyBar:
    """The greatest errors of a result; lengths in voxels, None for no limit.

    Attributes:
        vertices_rms, vertices_largest, centroids_rms: distances from the exact surface.
        edges: 99th percentile of the distances from points on the result's edges to the true edges, and back.
        edges_largest: the greatest of these distances.
        volume: relative error of the removed volume, or of the whole if nothing is removed.
    """

    vertices_rms: float | None = None
    vertices_largest: float | None = None
    centroids_rms: float | None = None
    edges: float | None = None
    edges_largest: float | None = None
    volume: float | None = None


def _true(radius: float, resolution: int, edges: float | None = None, volume: float | None = None) -> AccuracyBar:
    """The bar for a tool of this radius, where a chord of one voxel h is off by h^2 / (8 r); stocks are 100 long."""
    chord = 100 / resolution / (8 * radius)
    return AccuracyBar(0.01, 0.05, chord + 0.01, edges, None, volume)


ACCURACY_BARS = {
    Target("W1-1000", 128): _true(3.0, 128, edges=0.05),
    Target("W1-1000", 256): _true(3.0, 256, edges=0.05, volume=0.005),
    Target("W3-2000", 128): _true(1.5, 128),
    Target("W3-2000", 256): _true(1.5, 256, edges=0.05, volume=0.015),
    Target("W3-2000", 512): AccuracyBar(volume=0.004),
    Target("S1-12", 128): _true(5.0, 128),
    Target("S1-12", 256): _true(5.0, 256),
    Target("B1-1", 64): AccuracyBar(0.01, 0.05, 0.01, 0.02, 0.02, 0.0001),
}


def parse(text: str, cases: Collection[str]) -> Target:
    """A target from CASE, CASE@RESOLUTION or CASE@RESOLUTION:objects.

    Raises:
        TargetError: the text has another form, or `cases` lacks the case.
    """
    match = _TARGET.fullmatch(text)
    if match is None:
        raise TargetError(f"'{text}': write CASE, CASE@RESOLUTION or CASE@RESOLUTION:{OBJECTS}")
    if match["case"] not in cases:
        raise TargetError(f"no case '{match['case']}': there are {', '.join(sorted(cases))}")
    return Target(match["case"], int(match["resolution"] or DEFAULT_RESOLUTION), bool(match["objects"]))
