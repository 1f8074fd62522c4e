"""Random scenes of open stocks, and their judge: bodies with holes, which are filled, and sheets, which stay open.

The truth of a body with holes is `judge.counted_volume`. A sheet here is a relief over a rectangle. It looks along an
axis, and all below it is solid. So a point within the rectangle is in the result if it is below the relief, and in the
sweep or not as the operation says. It is in what was made if a ray upward from it crosses that an odd number of times.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from tests.fuzz.judge import VOLUME_BAR, Verdict, in_sweep, in_voxels, is_thin, judge
from tests.fuzz.scenes import Draft, Families, Random, Scene, ball, both, prism, random_radius, scene_of, wedge
from tests.shapes import Points, joined, keep_triangles
from voxel_carve.compute import Backend, EmptyResultError, Path, Source, Surface, Sweep, TriMesh, carve

AROUND = 2.0  # voxels: nearer to a vertex than this, a point may be on either side
COUNTED = 30_000  # points
UPWARD = 0.5  # of the stock's faces in a result; many are folded at the rim where it is thin
# Where triangles would cross, vertices go back, and those of a border with them: by a voxel and more where borders of
# holes touch.
ON_BORDER = 1.5  # voxels

SHEETS = ("relief", "relief with holes", "two reliefs", "relief, turned over")


def open_scene(number: int) -> Scene:
    """The scene of an open stock with this number. Families take turns."""
    return scene_of(number, OPEN_FAMILIES)


# Families


def heights(rng: Random, x: Points, y: Points, n: int) -> Points:
    """Waves that look up everywhere, with slopes of up to about 50 degrees."""
    z = np.zeros_like(x)
    for _ in range(int(rng.integers(1, 5))):
        turn, length, shift = rng.uniform(0, 2 * np.pi), n * rng.uniform(0.3, 1.5), rng.uniform(0, 2 * np.pi)
        steep = rng.uniform(0.05, 0.3)
        z += steep * length / (2 * np.pi) * np.sin(2 * np.pi * (np.cos(turn) * x + np.sin(turn) * y) / length + shift)
    return z


def grid_over(low: Points, high: Points, rng: Random, n: int) -> TriMesh:
    """A relief over a rectangle, facing up."""
    across, along = rng.integers(6, 40, 2)
    x, y = (
        side.ravel() for side in np.meshgrid(np.linspace(low[0], high[0], across), np.linspace(low[1], high[1], along))
    )
    number = np.arange(along * across).reshape(along, across)
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    halves = [np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)]
    return TriMesh(np.stack([x, y, heights(rng, x, y, n)], axis=1), np.concatenate(halves))


def over(rng: Random, sheet: TriMesh, n: int) -> Sweep:
    """A walk along a relief, partly above and partly below it, over its border or not."""
    count, wide = int(rng.integers(2, 9)), rng.choice([0.3, 0.7])
    places = rng.uniform(-wide, wide, (count, 2)) * n
    nearest = cKDTree(sheet.points[:, :2]).query(places)[1]
    radius = random_radius(rng, n / 6)
    z = sheet.points[nearest, 2] + radius * rng.uniform(-1.5, 0.8, count)
    return Sweep.from_paths([Path(np.column_stack([places, z]), np.full(count, radius))])


def turned(draft: Draft, rng: Random) -> Draft:
    """The same with its axes exchanged, so that it looks along any of them."""
    move, old = np.roll(np.eye(3), int(rng.integers(3)), axis=0), draft.sweep
    parts = tuple(replace(part, points=part.points @ move) for part in draft.parts)
    return replace(draft, parts=parts, sweep=replace(old, start=old.start @ move, end=old.end @ move))


def relief(rng: Random, n: int) -> Draft:
    half = n / 2 * rng.uniform(0.4, 1.0, 2)
    sheet = grid_over(-half, half, rng, n)
    return turned(Draft((sheet,), over(rng, sheet, n), closed=False), rng)


def relief_with_holes(rng: Random, n: int) -> Draft:
    draft = relief(rng, n)
    sheet = draft.parts[0]
    return replace(draft, parts=(keep_triangles(sheet, rng.uniform(size=len(sheet.triangles)) > 0.02),))


def two_reliefs(rng: Random, n: int) -> Draft:
    """Side by side, with a gap."""
    sheets = [
        grid_over(np.array([low, -n / 2]), np.array([high, n / 2]), rng, n)
        for low, high in ((-n / 2, -n / 8), (n / 8, n / 2))
    ]
    sweep = both(*(over(rng, sheet, n) for sheet in sheets))
    return turned(Draft(tuple(sheets), sweep, closed=False), rng)


def relief_turned_over(rng: Random, n: int) -> Draft:
    """One that looks down."""
    draft = relief(rng, n)
    down = np.diag([1.0, -1.0, -1.0])
    old, parts = draft.sweep, tuple(replace(part, points=part.points @ down) for part in draft.parts)
    return replace(draft, parts=parts, sweep=replace(old, start=old.start @ down, end=old.end @ down))


def with_holes(draft: Draft, rng: Random) -> Draft:
    """A body some of whose faces are missing, here and there or around a point: up to a seventh of its area."""
    body = joined(*draft.parts)
    corners = body.corners()
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    if rng.uniform() < 0.5:
        order = rng.permutation(len(area))
    else:
        order = np.argsort(np.linalg.norm(corners.mean(axis=1) - body.points[rng.integers(len(body.points))], axis=1))
    gone = order[np.cumsum(area[order]) <= rng.uniform(0.0, 0.14) * area.sum()]
    return replace(draft, parts=(keep_triangles(body, ~np.isin(np.arange(len(area)), gone)),), closed=False)


def ball_with_holes(rng: Random, n: int) -> Draft:
    return with_holes(ball(rng, n), rng)


def prism_with_holes(rng: Random, n: int) -> Draft:
    return with_holes(prism(rng, n), rng)


def wedge_with_holes(rng: Random, n: int) -> Draft:
    return with_holes(wedge(rng, n), rng)


OPEN_FAMILIES: Families = {
    "relief": (relief, True),
    "ball with holes": (ball_with_holes, False),
    "relief with holes": (relief_with_holes, True),
    "prism with holes": (prism_with_holes, False),
    "two reliefs": (two_reliefs, True),
    "wedge with holes": (wedge_with_holes, False),
    "relief, turned over": (relief_turned_over, True),
}


# The judge


def judge_open(scene: Scene, backend: Backend) -> Verdict:
    """Carve a scene of an open stock and judge the result."""
    if scene.name not in SHEETS:
        return judge(scene, backend)
    who = (scene.number, scene.name, scene.operation, backend.name)
    try:
        result = carve(scene.stock, scene.sweep, scene.voxel_size, operation=scene.operation, backend=backend)
    except EmptyResultError:
        return Verdict(*who, ("empty",) if scene.operation != "intersect" else ())
    except Exception as error:  # the other scenes are judged anyway
        return Verdict(*who, (f"{type(error).__name__}: {error}",))
    surface, complaints = result.surface, []
    points, triangles = in_voxels(scene, surface.points), surface.triangles()
    up = looks_along(scene.stock)
    if not any("is a sheet" in warning for warning in result.report.warnings):
        complaints.append("no word of a sheet")
    if wrong := wrong_edges(scene, surface, up):
        complaints.append(f"{wrong} edges open or shared by more than two")
    facing = np.cross(*(points[triangles[:, i]] - points[triangles[:, 0]] for i in (1, 2))) @ up
    of_stock = surface.source[surface.face_of_triangle()] == Source.STOCK
    if facing[of_stock].sum() < UPWARD * np.abs(facing[of_stock]).sum():
        complaints.append("turned over")
    error, wrong_points = compared(scene, TriMesh(points, triangles), up)
    thin = is_thin(scene, np.inf, 1.0)
    if wrong_points and not thin:
        complaints.append(f"{wrong_points} points on the wrong side")
    if not thin and abs(error) > VOLUME_BAR:
        complaints.append("volume")
    return Verdict(*who, tuple(complaints), len(triangles), volume_error=error, thin=thin)


def looks_along(stock: TriMesh) -> Points:
    """The axis, with a sign, that the stock looks along."""
    corners = stock.corners()
    whole = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).sum(axis=0)
    axis = int(np.argmax(np.abs(whole)))
    return np.eye(3)[axis] * np.sign(whole[axis])


def wrong_edges(scene: Scene, surface: Surface, up: Points) -> int:
    """How many edges are neither between two faces that pass it in opposite directions, nor at the stock's border."""
    sides = np.concatenate(
        [surface.faces[:, [i, (i + 1) % surface.faces.shape[1]]] for i in range(surface.faces.shape[1])]
    )
    sides = sides[sides[:, 0] != sides[:, 1]]
    low, high = np.sort(sides, axis=1).T
    edges, place = np.unique(low.astype(np.int64) << 32 | high, return_inverse=True)
    forth = np.bincount(place, sides[:, 0] < sides[:, 1], len(edges))
    count = np.bincount(place, minlength=len(edges))
    is_open = (count == 1) & (forth <= 1)
    wrong = ~is_open & ~((count == 2) & (forth == 1))
    ends = np.stack([edges[is_open] >> 32, edges[is_open] & (1 << 32) - 1], axis=1)
    stock = TriMesh(in_voxels(scene, scene.stock.points), scene.stock.triangles)
    points = in_voxels(scene, surface.points[ends].reshape(-1, 3))
    return int(wrong.sum() + (distance_from_border(stock, points, up) > ON_BORDER).sum())


def distance_from_border(stock: TriMesh, points: Points, up: Points) -> Points:
    """(N,) distances of points from the border of a stock, seen along the way it looks."""
    sides = np.concatenate([stock.triangles[:, [i, (i + 1) % 3]] for i in range(3)])
    known = {(int(a), int(b)) for a, b in sides}
    border = np.array([(a, b) for a, b in known if (b, a) not in known])
    across = np.eye(3)[up == 0]
    start, end = (stock.points[border[:, i]] @ across.T for i in range(2))
    flat, found = points @ across.T, np.full(len(points), np.inf)
    for a, b in zip(start, end, strict=True):
        along = np.clip((flat - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        found = np.minimum(found, np.linalg.norm(flat - a - along[:, None] * (b - a), axis=1))
    return found


def compared(scene: Scene, made: TriMesh, up: Points) -> tuple[float, int]:
    """How much volume is too much, over the area, in voxels; and how many points are on the wrong side."""
    stock = TriMesh(in_voxels(scene, scene.stock.points), scene.stock.triangles)
    sweep, middle = scene.sweep, scene.stock.bounds().mean(axis=0)
    start, end = ((each - middle) / scene.voxel_size for each in (sweep.start, sweep.end))
    sweep = Sweep(start, end, sweep.start_radius / scene.voxel_size, sweep.end_radius / scene.voxel_size)
    bounds = np.concatenate([made.bounds(), stock.bounds()])
    low, high = bounds.min(axis=0) - 2, bounds.max(axis=0) + 2
    flat = up == 0  # a point beside the stock is in neither
    low[flat], high[flat] = stock.bounds()[0][flat], stock.bounds()[1][flat]
    points = low + np.random.default_rng(scene.number).uniform(size=(COUNTED, 3)) * (high - low)
    points = points[distance_from_border(stock, points, up) > ON_BORDER]
    below, over = crossings_above(stock, points, up), crossings_above(made, points, up)
    below, is_made = below % 2 == 1, over % 2 == 1
    swept = in_sweep(points, sweep)
    true = {"subtract": below & ~swept, "union": below | swept, "intersect": below & swept}[scene.operation]
    excess = float((is_made.astype(float) - true).mean() * np.prod(high - low)) / max(made.area(), 1.0)
    wrong = np.flatnonzero(is_made != true)
    near = (
        cKDTree(np.concatenate([made.points, made.corners().mean(axis=1)])).query(points[wrong])[0]
        if len(wrong)
        else []
    )
    return excess, int((np.asarray(near) > AROUND).sum())


def crossings_above(mesh: TriMesh, points: Points, up: Points) -> npt.NDArray[np.int64]:
    """(N,) how many triangles lie straight above points."""
    turn = np.concatenate([np.eye(3)[up == 0], up[None]])
    corners, points = mesh.corners() @ turn.T, points @ turn.T
    low, high = corners.min(axis=1), corners.max(axis=1)
    count = np.zeros(len(points), dtype=np.int64)
    order = np.argsort(points[:, 0])
    first = np.searchsorted(points[order, 0], low[:, 0])
    last = np.searchsorted(points[order, 0], high[:, 0])
    for triangle, start, stop in zip(corners, first, last, strict=True):
        which = order[start:stop]
        x, y, z = points[which].T
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
        whole = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if whole == 0:
            continue
        u = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / whole
        v = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / whole
        inside = (u > 0) & (v > 0) & (u + v < 1)
        count[which[inside & (az + u * (bz - az) + v * (cz - az) > z)]] += 1
    return count
