"""How the time grows: series of measurements in which only the resolution or the number of segments changes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchmarks.results import PEERS, Measurement


@dataclass(frozen=True)
class Series:
    """Two or more measurements, by ascending `places`.

    Attributes:
        title: the part that stays the same, such as "W1 at 512".
        places: the resolutions, or the numbers of segments.
        measurements: one for each place.
    """

    title: str
    places: tuple[int, ...]
    measurements: tuple[Measurement, ...]

    def backends(self) -> tuple[str, ...]:
        """The backends of any of the measurements."""
        return tuple(dict.fromkeys(name for one in self.measurements for name in one.backends()))

    def seconds(self, runner: str) -> list[tuple[int, float]]:
        """Each place with its seconds, if any; for a peer, only if it did the job."""
        pairs = zip(self.places, self.measurements, strict=True)
        timed = [
            (place, one.seconds(runner))
            for place, one in pairs
            if runner not in PEERS or not one.peer_lost_the_stock(runner)
        ]
        return [(place, seconds) for place, seconds in timed if seconds is not None]


def by_resolution(measurements: Sequence[Measurement]) -> list[Series]:
    """Series of one case at several resolutions."""
    return _series(measurements, lambda one: one.target.case, lambda one: one.target.resolution)


def by_segments(measurements: Sequence[Measurement]) -> list[Series]:
    """Series of one family of cases at one resolution, with several numbers of segments."""
    counted = [one for one in measurements if one.target.segments is not None]
    return _series(
        counted,
        lambda one: f"{one.target.family} at {one.target.resolution}",
        lambda one: one.target.segments or 0,
    )


def _series(
    measurements: Iterable[Measurement], title: Callable[[Measurement], str], place: Callable[[Measurement], int]
) -> list[Series]:
    groups: dict[str, list[Measurement]] = {}
    for one in measurements:
        if not one.target.objects:
            groups.setdefault(title(one), []).append(one)
    return [
        Series(name, tuple(place(one) for one in row), tuple(row))
        for name, group in groups.items()
        if len(row := sorted(group, key=place)) > 1
    ]
