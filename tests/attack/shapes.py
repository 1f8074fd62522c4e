"""Families of odd geometry: far away, inside out, in one plane, of all sizes; and tools of all radii."""

from collections.abc import Mapping, Sequence

import numpy as np

from tests.attack.case import Case, Maker, Random, often, pick
from tests.attack.solids import (
    BOX_VOLUME,
    SUFFIXES,
    TOOL,
    Solid,
    ball,
    block,
    file_of,
    inputs,
    job,
    joined,
)

BESIDE = b"x,y,z,radius\n2,1.5,90,0.5\n"  # a path that carves nothing


def shape_case(rng: Random) -> Case:
    """A box or a ball that was moved, scaled, flipped, opened, duplicated or otherwise changed."""
    solid, changes = pick(rng, (block(), ball(1), ball(2))), []
    for _ in range(int(rng.integers(1, 4))):
        name, change = pick(rng, CHANGES)
        solid = change(rng, solid)
        changes.append(name)
    suffix, operation = pick(rng, SUFFIXES), pick(rng, ("subtract", "union", "intersect"))
    words = [*job(f"part{suffix}", output=f"out{pick(rng, SUFFIXES)}", resolution=int(rng.integers(6, 24)))]
    words += ["--operation", operation]
    for option, share in ((("--verify",), 0.1), (("--result", "keep"), 0.15), (("--adaptivity", "0.3"), 0.05)):
        words += option if often(rng, share) else ()
    tool = tool_near(rng, solid[0])
    files = inputs(**{f"part{suffix}": file_of(suffix, solid), "tool.csv": tool})
    return Case(", ".join(changes), words, files, (words[words.index("--output") + 1],))


def moved(rng: Random, solid: Solid) -> Solid:
    return solid[0] + rng.normal(size=3) * 10.0 ** rng.uniform(-3, 8), solid[1]


def scaled(rng: Random, solid: Solid) -> Solid:
    return solid[0] * 10.0 ** rng.uniform(-9, 9), solid[1]


def stretched(rng: Random, solid: Solid) -> Solid:
    return solid[0] * 10.0 ** rng.uniform(-4, 2, 3), solid[1]


def flattened(rng: Random, solid: Solid) -> Solid:
    return solid[0] * np.array([1, 1, pick(rng, (0.0, 1e-30, 1e-12, 1e-5))]), solid[1]


def inside_out(rng: Random, solid: Solid) -> Solid:
    return solid[0], solid[1][:, ::-1]


def both_ways(rng: Random, solid: Solid) -> Solid:
    turned = rng.random(len(solid[1])) < rng.uniform(0, 1)
    return solid[0], np.where(turned[:, None], solid[1][:, ::-1], solid[1])


def opened(rng: Random, solid: Solid) -> Solid:
    kept = rng.random(len(solid[1])) < rng.uniform(0.2, 1)
    kept[0] = True
    return solid[0], solid[1][kept]


def doubled(rng: Random, solid: Solid) -> Solid:
    return joined(solid, (solid[0] + pick(rng, (0.0, 1e-7, 0.5)), solid[1]))


def repeated(rng: Random, solid: Solid) -> Solid:
    return solid[0], np.concatenate([solid[1], np.repeat(solid[1][:1], int(rng.integers(1, 400)), axis=0)])


def degenerate(rng: Random, solid: Solid) -> Solid:
    corners = rng.integers(0, len(solid[0]), (5, 1))
    return solid[0], np.concatenate(
        [solid[1], np.repeat(corners, 3, axis=1), np.hstack([corners, corners, corners * 0])]
    )


def shuffled(rng: Random, solid: Solid) -> Solid:
    return solid[0], rng.permuted(solid[1], axis=int(rng.integers(2)))


def torn(rng: Random, solid: Solid) -> Solid:
    return solid[0] + rng.normal(size=solid[0].shape) * rng.uniform(0, 2), solid[1]


CHANGES = (
    ("moved", moved), ("scaled", scaled), ("stretched", stretched), ("flattened", flattened), ("opened", opened),
    ("inside out", inside_out), ("both ways", both_ways), ("doubled", doubled), ("one face repeated", repeated),
    ("with triangles that are points", degenerate), ("corners exchanged", shuffled), ("torn", torn),
)  # fmt: skip


def tool_near(rng: Random, points: np.ndarray) -> bytes:
    """A path about as large as the stock, or with odd radii."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max()) or 1.0
    places = rng.uniform(low - 0.1 * size, high + 0.1 * size, (int(rng.integers(1, 5)), 3))
    radii = size * rng.uniform(0.05, 0.3, len(places))
    if often(rng, 0.15):
        radii = size * 10.0 ** rng.uniform(-9, 9, len(places))
    return b"x,y,z,radius\n" + b"".join(
        b"%.17g,%.17g,%.17g,%.17g\n" % (*p, r) for p, r in zip(places, radii, strict=True)
    )


def shape_of(
    what: str,
    solid: Solid,
    *more: str,
    suffixes: Sequence[str] = (".obj", ".ply"),
    tool: bytes = TOOL,
    volume: float | None = None,
    resolution: int = 24,
    tolerance: float = 0.1,
) -> tuple[Maker, ...]:
    """Cases of a mesh, one for each format."""

    def make(suffix: str) -> Maker:
        words = [*job(f"part{suffix}", output=f"out{suffix}", resolution=resolution), *more]
        files = inputs(**{f"part{suffix}": file_of(suffix, solid), "tool.csv": tool})
        return lambda rng: Case(
            f"{what}, {suffix}", words, files, (f"out{suffix}",), volume=volume, volume_tolerance=tolerance
        )

    return tuple(make(suffix) for suffix in suffixes)


def tool_at(offset: float) -> bytes:
    """The capsule, moved."""
    return b"x,y,z,radius\n%.17g,%.17g,%.17g,0.5\n%.17g,%.17g,%.17g,0.5\n" % (
        offset + 1,
        offset + 1.5,
        offset + 1,
        offset + 3,
        offset + 1.5,
        offset + 1,
    )


def partly_turned() -> Solid:
    """The box, with every third face flipped."""
    points, triangles = block()
    return points, np.where((np.arange(12) % 3 == 0)[:, None], triangles[:, ::-1], triangles)


def halving(radius: float) -> bytes:
    """A ball so large that its surface is a plane through the middle of the box."""
    return b"x,y,z,radius\n2,1.5,%.17g,%.17g\n" % (1 + radius, radius)


CARVED = BOX_VOLUME - np.pi * 0.25 * (2 + 2 / 3)

KNOWN_SHAPES: tuple[Maker, ...] = (
    *(
        case
        for offset in (1e3, 1e5, 1e6, 1e7, 1e8)
        for case in shape_of(f"{offset:g} from the origin", block([offset] * 3), tool=tool_at(offset), volume=CARVED)
    ),
    *(
        case
        for offset in (1e6, 1e7)
        for case in shape_of(
            f"{offset:g} from the origin", block([offset] * 3), suffixes=(".stl", ".glb"), tool=tool_at(offset)
        )
    ),
    *shape_of("inside out", (block()[0], block()[1][:, ::-1]), volume=CARVED),
    *shape_of("inside out, kept", (block()[0], block()[1][:, ::-1]), "--result", "keep", volume=CARVED),
    *shape_of("inside out, joined", (block()[0], block()[1][:, ::-1]), "--operation", "union", volume=BOX_VOLUME),
    *shape_of("faces both ways", partly_turned(), volume=CARVED),
    *shape_of("faces both ways, kept", partly_turned(), "--result", "keep", volume=CARVED),
    *shape_of(
        "one of two boxes inside out",
        joined(block(), (block([5, 0, 0])[0], block()[1][:, ::-1])),
        volume=CARVED + BOX_VOLUME,
    ),
    *(
        case
        for radius in (1e2, 1e4, 1e6, 1e7, 1e9)
        for case in shape_of(
            f"a tool of radius {radius:g}", block(), suffixes=(".obj",), tool=halving(radius), volume=BOX_VOLUME / 2
        )
    ),
    *shape_of("all carved off by a tool of 1e12", block(), suffixes=(".obj",), tool=b"x,y,z,radius\n2,1.5,1,1e12\n"),
    *shape_of(
        "a tool that goes 1e9 away",
        block(),
        suffixes=(".obj",),
        volume=BOX_VOLUME,
        tool=b"x,y,z,radius\n2,1.5,9,0.5\n1e9,1.5,9,0.5\n",
    ),
    *shape_of(
        "a tool that goes 1e9 away, joined",
        block(),
        "--operation",
        "union",
        suffixes=(".obj",),
        tool=b"x,y,z,radius\n2,1.5,1,0.5\n1e9,1.5,1,0.5\n",
    ),
    *shape_of("in one plane", (block()[0] * [1, 1, 0], block()[1])),
    *shape_of("in one point", (block()[0] * 0, block()[1])),
    *shape_of("one triangle", (block()[0], block()[1][:1])),
    *shape_of("the size of 1e-30", (block()[0] * 1e-30, block()[1])),
    *shape_of("the size of 1e30", (block()[0] * 1e30, block()[1])),
)

FAMILIES: Mapping[str, tuple[tuple[Maker, ...], Maker]] = {"shapes": (KNOWN_SHAPES, shape_case)}
