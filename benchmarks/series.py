"""How the seconds grow: measurements in rows, of which only the resolution or only the number of segments changes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchmarks.results import PEER, Measurement


@dataclass(frozen=True)
class Series:
    """Two measurements or more, by growing `places`.

    Attributes:
        title: what stays the same, such as "W1 at 512".
        places: the resolutions, or the numbers of segments.
        measurements: one for each place.
    """

    title: str
    places: tuple[int, ...]
    measurements: tuple[Measurement, ...]

    def backends(self) -> tuple[str, ...]:
        """Those that any of the measurements has."""
        return tuple(dict.fromkeys(name for one in self.measurements for name in one.backends()))

    def seconds(self, who: str) -> list[tuple[int, float]]:
        """Place and seconds, where there are both; of the peer only where it did the job."""
        pairs = zip(self.places, self.measurements, strict=True)
        told = [(place, one.seconds(who)) for place, one in pairs if who != PEER or not one.peer_lost_the_stock()]
        return [(place, seconds) for place, seconds in told if seconds is not None]


def by_resolution(measurements: Sequence[Measurement]) -> list[Series]:
    """One case at several resolutions."""
    return _series(measurements, lambda one: one.target.case, lambda one: one.target.resolution)


def by_segments(measurements: Sequence[Measurement]) -> list[Series]:
    """One family of cases at one resolution, with several numbers of segments."""
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
