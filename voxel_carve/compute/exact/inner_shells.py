"""Shells of a stock that lie wholly inside others and look the same way: the stock is as solid with them as without."""

import numpy as np

from ..engines.numba.compiler.loading import load_kernels
from ..primitives.half_edges import border, connected, face_sides
from ..primitives.triangles import Triangles
from ..runtime.sentences import Sentence, SentenceByDoor, sentence_of
from .inside import inside
from .samples import aside, part_samples

SAMPLES = 32  # of a shell
MOST_SHELLS = 1024


def inner_shells(triangles: Triangles) -> int:
    """The number of closed shells that are inside others, looking the same way. With very many shells, 0.

    The stock is solid on both sides of such a shell, and on one side of all others.
    """
    part = connected(*face_sides(triangles.triangles), len(triangles.points))
    is_open = np.zeros(part.max(initial=0) + 1, dtype=bool)
    is_open[part[border(triangles.triangles)[0]]] = True
    own = part[triangles.triangles[:, 0]]
    shells = np.unique(own[~is_open[own]])
    if len(shells) == 0 or len(shells) > MOST_SHELLS or (own == own[0]).all():
        return 0
    load_kernels("exact")
    number = np.where(is_open[own], -1, np.searchsorted(shells, own))
    samples = part_samples(triangles, number, SAMPLES)
    sides = [inside(aside(triangles, samples, side), triangles) for side in (1.0, -1.0)]
    is_hidden = sides[0] & sides[1]
    return int((np.bincount(number[samples], is_hidden) == SAMPLES).sum())


def inner_shell_notes(name: str, triangles: Triangles) -> tuple[Sentence, ...]:
    """A note on them, if there are any."""
    count = inner_shells(triangles)
    if count == 0:
        return ()
    if count == 1:
        sentence = SentenceByDoor(
            "a shell of '{name}' lies inside another and looks the same way: it was filled; turn its faces round if it "
            "is a hollow",
            window="a shell of '{name}' lies inside another and looks the same way: it was filled; flip its normals if "
            "it is a hollow",
        )
    else:
        sentence = SentenceByDoor(
            "{count} shells of '{name}' lie inside others and look the same way: they were filled; turn their faces "
            "round if they are hollows",
            window="{count} shells of '{name}' lie inside others and look the same way: they were filled; flip their "
            "normals if they are hollows",
        )
    return (sentence_of(sentence, {"name": name, "count": count}),)
