"""All families, and their shares of the cases in a run."""

from collections.abc import Iterator, Mapping

from tests.attack import blend, files, outputs, processes, shapes, words
from tests.attack.case import Case, Maker, random_of
from tests.attack.toolpaths import arrays, drawings, tables

FAMILIES: Mapping[str, tuple[tuple[Maker, ...], Maker]] = {
    **tables.FAMILIES,
    **drawings.FAMILIES,
    **arrays.FAMILIES,
    **files.FAMILIES,
    **shapes.FAMILIES,
    **words.FAMILIES,
    **outputs.FAMILIES,
    **processes.FAMILIES,
    **blend.FAMILIES,
}

# Families whose cases take a process each, or seconds each, get smaller shares.
SHARES = {
    "csv": 500, "svg": 150, "dxf": 120, "gpx": 80, "npy": 80, "npz": 60, "lines": 60, "obj": 400, "ply": 450,
    "stl": 350, "glb": 450, "shapes": 500, "arguments": 500, "lists": 400, "outputs": 250, "full disk": 100,
    "resume": 30, "meanwhile": 150, "two at once": 10, "signals": 100, "streams": 40, "environment": 40, "memory": 40,
    "kernels": 15, "blend": 25,
}  # fmt: skip


def case_of(family: str, number: int) -> Case:
    """A case, by its family and number: first those that once found a defect, then any number of random ones."""
    known, make = FAMILIES[family]
    rng = random_of(family, number)
    return known[number](rng) if number < len(known) else make(rng)


def numbers(cases: int) -> list[tuple[str, int]]:
    """Families and numbers of a run with this many cases, in turns, so that a shortened run has cases of each family.

    Cases that once found a defect come first.
    """
    whole = sum(SHARES.values())
    parts = {family: max(1, round(cases * share / whole)) for family, share in SHARES.items()}
    order = [((number + 0.5) / count, family, number) for family, count in parts.items() for number in range(count)]
    return [(family, number) for _, family, number in sorted(order)][:cases] if cases else []


def whole_family(family: str, first: int, cases: int) -> Iterator[tuple[str, int]]:
    """Cases of one family only."""
    for number in range(first, first + cases):
        yield family, number
