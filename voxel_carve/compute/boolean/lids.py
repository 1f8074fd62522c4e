"""Lids close the holes of an open stock for a boolean, and are taken away again after it.

A lid is a cone over one loop of the stock's border. It may have any shape, because it is only there to tell inside from
outside. It has to stay clear of the sweep's surface, and both have to agree with the sign of the stock (see
`primitives.boundary`): a point is inside where the winding number of the open stock is more than half.
"""

import numpy as np
import numpy.typing as npt

from ..engines.numba.compiler.loading import load_kernels
from ..exact.inside import winding
from ..exact.nearest import nearest
from ..model.grid import Grid
from ..model.mesh import TriMesh
from ..model.sweep import Sweep
from ..primitives.boundary import INSIDE
from ..primitives.half_edges import border
from ..primitives.segments import Segments
from ..primitives.triangles import Triangles
from ..repair.flat_lids import NO_LIDS, Lids, border_loops, cones, measures_of
from ..runtime.progress import checkpoint

Points = npt.NDArray[np.float64]
Corners = npt.NDArray[np.int32]
Indices = npt.NDArray[np.integer]

# How far the tips of the cones are tried from the middle of a loop, in radii of the loop: flat first, then behind the
# faces along the loop, then before them.
HEIGHTS = (0.0, -0.5, -1.0, -2.0, -4.0, 0.5, 1.0, 2.0, 4.0)
CLEAR = 0.5  # voxels between a lid and the sweep, at least
# Samples of a lid: along the longest loop, and from the loop to the tip.
AROUND, UPWARD = 96, 24
MOST_ANGLES = 1 << 17  # that edges of lids span at points of one sweep


def find_lids(points: Points, triangles: Corners, sweep: Sweep, grid: Grid) -> Lids | None:
    """Lids for all holes of a mesh that stay clear of the surface of a sweep; None if some hole has none.

    Args:
        points: (N, 3); triangles: (M, 3), welded, with consistent parts.
        sweep: in the same space.
        grid: its voxels are the unit of lengths.
    """
    tail, head = border(triangles)
    if len(tail) == 0:
        return NO_LIDS
    load_kernels("exact")
    loop, segments = border_loops(tail, head), Segments.on_grid(sweep, grid)
    middle, across, radius = measures_of(points[tail], points[head], loop)
    tips, open_still = middle.copy(), np.arange(len(middle))
    samples, of_loop = _border_samples(points[tail], points[head], loop, radius)
    samples = grid.to_voxels(samples)
    for height in HEIGHTS:
        checkpoint()
        tips[open_still] = (middle + height * radius[:, None] * across)[open_still]
        asked = np.isin(of_loop, open_still)
        clear = _are_clear(samples[asked], of_loop[asked], grid.to_voxels(tips), segments)
        open_still = open_still[~clear[open_still]]
        if len(open_still) == 0:
            break
    else:
        return None
    return Lids(tips, cones(tail, head, loop, len(points)), loop)


def do_agree(lids: Lids, points: Points, at: Points, grid: Grid) -> bool:
    """Whether lids and the sign of the stock agree on what is inside, at points (K, 3) of the tool's surface.

    The lids add their winding number w to that of the open mesh. Inside the closed mesh, the open one has 1 - w;
    outside of it, -w. So they agree where |w| is less than a half.

    Args:
        lids: of the mesh with these points (N, 3), before anything is flipped.
        grid: its voxels are the unit of lengths.
    """
    if len(lids) == 0 or len(at) == 0:
        return True
    most = max(1, MOST_ANGLES // len(lids.triangles))
    alone = Triangles.on_grid(TriMesh(np.concatenate([points, lids.tips]), lids.triangles), grid)
    added = winding(grid.to_voxels(at[:: -(-len(at) // most)]), alone)
    return bool((np.abs(added) < INSIDE).all())


def _border_samples(tail: Points, head: Points, loop: Indices, radius: Points) -> tuple[Points, Indices]:
    """Points (S, 3) along the edges of a border, with their loops (S,)."""
    spacing = 2 * np.pi * radius[loop] / AROUND
    length = np.linalg.norm(head - tail, axis=1)
    count = np.maximum(np.ceil(length / np.where(spacing > 0, spacing, 1.0)), 1).astype(np.int64)
    edge = np.repeat(np.arange(len(count)), count)
    part = (np.arange(len(edge)) - (np.cumsum(count) - count)[edge]) / count[edge]
    return tail[edge] + part[:, None] * (head - tail)[edge], loop[edge]


def _are_clear(samples: Points, loop: Indices, tips: Points, segments: Segments) -> npt.NDArray[np.bool_]:
    """(L,) which lids with these tips are clear of the surface of a sweep: all outside of it, or all inside.

    `samples` (S, 3) are points of the border, and `loop` (S,) their loops.
    """
    part = np.arange(UPWARD + 1) / UPWARD
    points = samples[:, None] + part[:, None] * (tips[loop] - samples)[:, None]
    distance = nearest(points.reshape(-1, 3), segments)[0].reshape(len(samples), -1)
    outside, inside = np.ones((2, len(tips)), dtype=bool)
    outside[loop[distance.min(axis=1) <= CLEAR]] = False
    inside[loop[distance.max(axis=1) >= -CLEAR]] = False
    return np.asarray(outside | inside)
