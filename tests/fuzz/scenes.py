"""Random scenes for the fuzz: scene(number) is the same scene every time, whatever was made before it.

A scene is drawn in voxels around the origin, then placed in the world. If its family is free, it is rotated, scaled and
moved at random. If its faces have to lie exactly on voxel centres or borders, it is scaled and moved by powers of two.
`plan_grid` puts the middle of the bounds on a voxel border. So a side with an even number of voxels has its faces on
borders, and one with an odd number on centres.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from manifold3d import CrossSection, FillRule, Manifold, OpType

from tests.shapes import Points, box, joined, sphere
from voxel_carve.compute import Operation, Path, Sweep, TriMesh
from voxel_carve.compute.model import OPERATIONS

SEED = 20261121
SHARES = [0.6, 0.2, 0.2]  # of the operations
THIN = 2.0  # voxels: thinner parts may be lost, partly or entirely, and their volume is not judged


@dataclass(frozen=True)
class Scene:
    """One job for the fuzz, in world space.

    Attributes:
        number: determines the whole scene, together with SEED.
        name: of its family.
        stock: all parts in one mesh.
        parts: closed meshes whose union is the stock, where inward-facing ones are cavities; none for an open stock.
        sweep, operation, voxel_size: the rest of the job.
        thin: whether walls, or parts of the sweep that stay, are thinner than THIN.
    """

    number: int
    name: str
    stock: TriMesh
    sweep: Sweep
    operation: Operation
    voxel_size: float
    thin: bool
    parts: tuple[TriMesh, ...] = ()


@dataclass(frozen=True)
class Draft:
    """A scene in voxels, around the origin; `closed` says whether its parts are closed."""

    parts: tuple[TriMesh, ...]
    sweep: Sweep
    thin: bool = False
    closed: bool = True


Random = np.random.Generator


def scene(number: int) -> Scene:
    """The scene with this number. Families take turns.

    Raises:
        ImportError: it needs Suzanne, but there is no bpy.
    """
    return scene_of(number, FAMILIES)


def scene_of(number: int, families: "Families") -> Scene:
    """As `scene`, from these families."""
    rng = np.random.default_rng([SEED, number])
    name, (draw, aligned) = list(families.items())[number % len(families)]
    draft = draw(rng, int(rng.integers(16, 65)))
    operation = OPERATIONS[rng.choice(3, p=SHARES)]
    smallest = min(draft.sweep.start_radius.min(), draft.sweep.end_radius.min())
    thin = draft.thin or bool(operation != "subtract" and 2 * smallest < THIN)
    place = exact_placement if aligned else free_placement
    move, voxel_size = place(rng)
    parts = tuple(replace(part, points=move(part.points)) for part in draft.parts)
    old = draft.sweep
    sweep = Sweep(move(old.start), move(old.end), old.start_radius * voxel_size, old.end_radius * voxel_size)
    stock = joined(*parts, name=name) if len(parts) > 1 else replace(parts[0], name=name)
    return Scene(number, name, stock, sweep, operation, voxel_size, thin, parts if draft.closed else ())


def exact_placement(rng: Random) -> tuple[Callable[[Points], Points], float]:
    """A scale and a translation that add no rounding."""
    size = 2.0 ** int(rng.integers(-6, 4))
    offset = size * rng.integers(-100, 101, 3)
    return lambda points: points * size + offset, size


def free_placement(rng: Random) -> tuple[Callable[[Points], Points], float]:
    """A rotation, a scale from a range of four decades, and a place up to some thousand voxels from the origin."""
    size = 10.0 ** rng.uniform(-2, 2)
    turn, triangular = np.linalg.qr(rng.normal(size=(3, 3)))
    turn = turn * np.sign(np.diag(triangular))
    turn[:, 0] *= np.sign(np.linalg.det(turn))
    offset = size * rng.uniform(-1, 1, 3) * rng.choice([0.0, 10.0, 3000.0])
    return lambda points: points @ turn.T * size + offset, size


# Sweeps


def random_radius(rng: Random, largest: float) -> float:
    """From below a voxel to many voxels, with a uniform logarithm."""
    return float(np.exp(rng.uniform(np.log(0.4), np.log(largest))))


def walk(rng: Random, n: int, steps: int | None = None) -> Sweep:
    """A random polyline through and around the stock, with one radius or one for each point."""
    count = int(rng.integers(1, 9)) if steps is None else steps
    points = rng.uniform(-0.6 * n, 0.6 * n, (count + 1, 3))
    radii = np.full(count + 1, random_radius(rng, n / 4))
    if rng.uniform() < 0.4:
        radii = radii * rng.uniform(0.3, 1.5, count + 1)
    return Sweep.from_paths([Path(points, radii)])


def lattice_walk(rng: Random, n: int) -> Sweep:
    """Along the axes, through points on voxel centres and borders, its sides on them too."""
    count = int(rng.integers(1, 7))
    points = np.empty((count + 1, 3))
    points[0] = rng.integers(-n, n + 1, 3) / 2
    for step in range(count):
        points[step + 1] = points[step]
        points[step + 1, rng.integers(3)] = rng.integers(-n, n + 1) / 2
    return Sweep(points[:-1], points[1:], *(np.full(count, rng.integers(1, max(3, n // 2)) / 2),) * 2)


def both(*sweeps: Sweep) -> Sweep:
    """Several sweeps as one."""
    names = ("start", "end", "start_radius", "end_radius")
    return Sweep(*(np.concatenate([getattr(one, name) for one in sweeps]) for name in names))


# Stocks


def mesh_of(solid: Manifold, name: str = "part") -> TriMesh:
    """A manifold's triangles, relative to the middle of its bounds."""
    mesh = solid.to_mesh64()
    points = np.asarray(mesh.vert_properties)[:, :3]
    return TriMesh(points - (points.min(axis=0) + points.max(axis=0)) / 2, np.asarray(mesh.tri_verts, np.int32), name)


def centred_box(*sides: float) -> TriMesh:
    return box(-np.array(sides) / 2, np.array(sides) / 2)


def sides_between(rng: Random, n: int, parity: int | None = None) -> Points:
    """Three sides of at least six voxels, the longest of about n; all even (0), all odd (1), or any lengths."""
    sides = n * rng.uniform(0.3, 1.0, 3)
    sides[rng.integers(3)] = n
    if parity is None:
        return sides
    return np.maximum(6, np.floor(sides / 2) * 2) + parity


def extruded(outline: Points, height: float) -> TriMesh:
    return mesh_of(Manifold.extrude(CrossSection([outline.tolist()], FillRule.EvenOdd), height))


def ring(count: int, radius: float | Points) -> Points:
    """(count, 2) points on a circle, or with a radius for each point."""
    angle = 2 * np.pi * np.arange(count) / count
    return np.column_stack([np.cos(angle), np.sin(angle)]) * np.broadcast_to(radius, count)[:, None]


@cache
def suzanne() -> TriMesh:
    """Blender's monkey, open around the eyes, with a longest side of 1."""
    import bpy  # noqa: F401  (bmesh comes with it)
    import bmesh  # isort: skip

    shape = bmesh.new()
    bmesh.ops.create_monkey(shape)
    bmesh.ops.triangulate(shape, faces=shape.faces)
    shape.verts.index_update()
    points = np.array([vertex.co for vertex in shape.verts])
    triangles = np.array([[vertex.index for vertex in face.verts] for face in shape.faces])
    shape.free()
    low, high = points.min(axis=0), points.max(axis=0)
    return TriMesh((points - (low + high) / 2) / (high - low).max(), triangles, "Suzanne")


# Families


def any_box(rng: Random, n: int) -> Draft:
    return Draft((centred_box(*sides_between(rng, n)),), walk(rng, n))


def box_on_centres(rng: Random, n: int) -> Draft:
    sweep = lattice_walk(rng, n) if rng.uniform() < 0.7 else walk(rng, n)
    return Draft((centred_box(*sides_between(rng, n, parity=1)),), sweep)


def box_on_borders(rng: Random, n: int) -> Draft:
    sweep = lattice_walk(rng, n) if rng.uniform() < 0.7 else walk(rng, n)
    return Draft((centred_box(*sides_between(rng, n, parity=0)),), sweep)


def ball(rng: Random, n: int) -> Draft:
    return Draft((sphere(n / 2, subdivisions=int(rng.integers(2, 5))),), walk(rng, n))


def monkey(rng: Random, n: int) -> Draft:
    stock = suzanne()
    return Draft((replace(stock, points=stock.points * n),), walk(rng, n), closed=False, thin=n < 40)


def prism(rng: Random, n: int) -> Draft:
    outline = ring(int(rng.integers(3, 9)), n / 2)
    return Draft((extruded(outline, n * rng.uniform(0.3, 1.0)),), walk(rng, n))


def wedge(rng: Random, n: int) -> Draft:
    """A ridge over a bevelled base: all kinds of dihedral angles."""
    x, y, z = n * rng.uniform(0.3, 0.5, 3)
    bevel = rng.uniform(0.02, 0.15) * n
    base = [(sx * (x - bevel * low), sy * (y - bevel * low), -z + bevel * (1 - low)) for sx in (-1, 1) for sy in (-1, 1)
            for low in (0, 1)]  # fmt: skip
    ridge = [(sx * x * rng.uniform(0.3, 1.0), y * rng.uniform(-1, 1), z) for sx in (-1, 1)]
    return Draft((mesh_of(Manifold.hull_points(base + ridge)),), walk(rng, n))


def polyhedron(rng: Random, n: int) -> Draft:
    return Draft((mesh_of(Manifold.hull_points(rng.normal(size=(int(rng.integers(8, 25)), 3)) * n / 4)),), walk(rng, n))


def steps(rng: Random, n: int) -> Draft:
    """A box minus a box at one corner: an L in every section, with inner faces on voxel centres or borders."""
    sides = sides_between(rng, n, parity=int(rng.integers(2)))
    low = np.floor(sides * rng.uniform(0.3, 0.7, 3)) - np.floor(sides / 2) + rng.choice([0.0, 0.5, 0.25])
    cut = Manifold.cube(sides).translate(low)
    sweep = lattice_walk(rng, n) if rng.uniform() < 0.5 else walk(rng, n)
    return Draft((mesh_of(Manifold.cube(sides, True) - cut),), sweep)


def gear(rng: Random, n: int) -> Draft:
    """Pointed teeth around a disc, with a bore."""
    teeth = int(rng.integers(5, 13))
    radii = np.where(np.arange(2 * teeth) % 2, n / 2, n / 2 * rng.uniform(0.55, 0.8))
    height = n * rng.uniform(0.15, 0.5)
    body = Manifold.extrude(CrossSection([ring(2 * teeth, radii).tolist()]), height)
    bore = Manifold.cylinder(2 * height, n * rng.uniform(0.08, 0.2), circular_segments=32, center=True)
    return Draft((mesh_of(body - bore),), walk(rng, n))


def fan(rng: Random, n: int) -> Draft:
    """A block cut by cylinders and by a slanting plane: creases along curves that end in corners."""
    body = Manifold.cube(sides_between(rng, n), True)
    for _ in range(int(rng.integers(1, 4))):
        radius = n * rng.uniform(0.15, 0.5)
        tool = Manifold.cylinder(3 * n, radius, circular_segments=int(rng.integers(24, 97)), center=True)
        body = body - tool.rotate(90 * rng.integers(0, 4, 3)).translate(n * rng.uniform(-0.7, 0.7, 3))
    cut = body.trim_by_plane(rng.normal(size=3), -n * rng.uniform(0.05, 0.25))
    best = next(solid for solid in (cut, body, Manifold.cube([n] * 3, True)) if solid.volume() > 0.05 * n**3)
    return Draft((mesh_of(best),), walk(rng, n))


def creases(rng: Random, n: int) -> Draft:
    """A turned part: steps and cones on one axis."""
    count = int(rng.integers(2, 6))
    radii = n * rng.uniform(0.15, 0.5, count)
    height = n / count
    upper = radii * np.where(rng.uniform(size=count) < 0.5, 1.0, rng.uniform(0.5, 1.0, count))
    solids = [
        Manifold.cylinder(height, radii[i], upper[i], circular_segments=48).translate([0, 0, i * height])
        for i in range(count)
    ]
    return Draft((mesh_of(Manifold.batch_boolean(solids, OpType.Add)),), walk(rng, n))


def thin_plate(rng: Random, n: int) -> Draft:
    sides = np.array([n, n * rng.uniform(0.3, 1.0), rng.uniform(0.5, 2.0)])[rng.permutation(3)]
    return Draft((centred_box(*sides),), walk(rng, n), thin=True)


def thin_shell(rng: Random, n: int) -> Draft:
    """A hollow box or ball with a wall of half a voxel to two voxels."""
    wall = rng.uniform(0.5, 2.0)
    if rng.uniform() < 0.5:
        sides = sides_between(rng, n) + 4
        outer, inner = centred_box(*sides), centred_box(*(sides - 2 * wall))
    else:
        outer, inner = sphere(n / 2, subdivisions=3), sphere(n / 2 - wall, subdivisions=3)
    return Draft((outer, turned_inward(inner)), walk(rng, n), thin=True)


def thin_fins(rng: Random, n: int) -> Draft:
    """Fins of half a voxel to two voxels on a base, with equally narrow gaps between them."""
    outline, x = [(0.0, 0.0)], 0.0
    while x < n:
        fin, gap = rng.uniform(0.5, 2.0), rng.uniform(0.5, 6.0)
        outline += [(x, n / 2), (x + fin, n / 2), (x + fin, n / 4), (x + fin + gap, n / 4)]
        x += fin + gap
    outline += [(x, 0.0)]
    return Draft((extruded(np.array(outline[::-1]), n / 2),), walk(rng, n), thin=True)


def thin_left(rng: Random, n: int) -> Draft:
    """Capsules along the faces that leave half a voxel to two voxels of the wall, or just break through it."""
    sides = sides_between(rng, n)
    radius = rng.uniform(1.0, n / 6)
    wall = rng.choice([0.0, rng.uniform(0.5, 2.0), -rng.uniform(0.05, 0.5)])
    z = sides[2] / 2 - wall - radius
    points = np.column_stack([rng.uniform(-0.6, 0.6, (4, 2)) * sides[:2], np.full(4, z)])
    return Draft((centred_box(*sides),), Sweep.from_paths([Path(points, [radius])]), thin=True)


def tangent(rng: Random, n: int) -> Draft:
    """Capsules and balls that touch the faces: along their side, with their end, centred on them or on an edge."""
    sides = sides_between(rng, n, parity=int(rng.integers(2)))
    half, radius = sides / 2, rng.integers(1, max(2, n // 4)) * rng.choice([0.5, 1.0])
    sweeps = []
    for _ in range(int(rng.integers(1, 5))):
        axis, sign = int(rng.integers(3)), rng.choice([-1.0, 1.0])
        a, b = (np.round(rng.uniform(-0.5, 0.5, 3) * sides) for _ in range(2))
        kind = rng.integers(5)
        if kind == 0:  # from within, along the side
            a[axis] = b[axis] = sign * (half[axis] - radius)
        elif kind == 1:  # from without, along the side
            a[axis] = b[axis] = sign * (half[axis] + radius)
        elif kind == 2:  # with the end, from within or without
            a[axis] = sign * (half[axis] + rng.choice([-radius, radius]))
        elif kind == 3:  # the end's centre, or the whole axis, on the face
            a[axis] = sign * half[axis]
            b[axis] = rng.choice([a[axis], b[axis]])
        else:  # the axis along an edge
            a[:] = half * rng.choice([-1.0, 1.0], 3)
            b[:] = a
            b[axis] = -a[axis]
        sweeps.append(Sweep(a, b, radius, radius))
    return Draft((centred_box(*sides),), both(*sweeps))


def touching_capsules(rng: Random, n: int) -> Draft:
    """Parallel capsules that touch each other along a line, or end to end, in a row."""
    radius = random_radius(rng, n / 8) + 0.6
    count = int(rng.integers(2, 6))
    y = (np.arange(count) - (count - 1) / 2) * 2 * radius
    near, far = n * rng.uniform(-0.6, -0.1), n * rng.uniform(0.1, 0.6)
    start = np.column_stack([np.full(count, near), y, np.full(count, n * rng.uniform(-0.3, 0.3))])
    end = start + np.array([far - near, 0.0, 0.0])
    if rng.uniform() < 0.4:
        end[0] = start[0] + [0.0, 0.0, rng.uniform(0, n / 2)]
    sweep = Sweep(start, end, radius, radius)
    return Draft((centred_box(*sides_between(rng, n)),), sweep)


def coincident(rng: Random, n: int) -> Draft:
    """Segments repeated, reversed, partly overlapping, of zero length, and the same with a tiny offset."""
    first = walk(rng, n)
    back = Sweep(first.end, first.start, first.end_radius, first.start_radius)
    middle = (first.start + first.end) / 2
    part = Sweep(middle, first.end, (first.start_radius + first.end_radius) / 2, first.end_radius)
    point = Sweep(first.start, first.start, first.start_radius, first.start_radius)
    near = Sweep(first.start + rng.choice([0.0, 1e-9, 1e-6, 1e-3]), first.end, first.start_radius, first.end_radius)
    return Draft((centred_box(*sides_between(rng, n)),), both(first, back, part, point, near))


def coplanar_boxes(rng: Random, n: int) -> Draft:
    """Two boxes with faces in common planes: side by side, one through the other, or one on the other."""
    sides = sides_between(rng, n, parity=int(rng.integers(2)))
    half = sides / 2
    low, high = -half.copy(), half.copy()
    kind = rng.integers(4)
    axis = int(rng.integers(3))
    others = [(axis + 1) % 3, (axis + 2) % 3]
    if kind == 0:  # side by side, one whole face in common
        low[axis], high[axis] = high[axis], high[axis] + rng.integers(4, 10)
    elif kind == 1:  # overlapping, four faces in common planes
        low[axis], high[axis] = 0.0, high[axis] + rng.integers(4, 10)
    elif kind == 2:  # a smaller one through it, one face in a common plane
        low[others], high[others] = -np.floor(half[others] / 2), np.floor(half[others] / 2)
        low[axis], high[axis] = -half[axis] - rng.integers(3, 8), half[axis]
    else:  # a smaller one on a face
        low[others], high[others] = -np.floor(half[others] / 2), np.floor(half[others] / 2)
        low[axis], high[axis] = half[axis], half[axis] + rng.integers(4, 10)
    sweep = lattice_walk(rng, n) if rng.uniform() < 0.5 else walk(rng, n)
    return Draft((centred_box(*sides), box(low, high)), sweep)


def cones(rng: Random, n: int) -> Draft:
    """Steep round cones, some of whose larger balls contain the smaller ones."""
    count = int(rng.integers(1, 6))
    start, end = rng.uniform(-0.5 * n, 0.5 * n, (2, count, 3))
    radii = np.array([[random_radius(rng, n / 3) for _ in range(count)] for _ in range(2)])
    inside = rng.uniform(size=count) < 0.3
    nearly = np.abs(radii[0] - radii[1]) * rng.choice([0.5, 1.0, 1.001], count)
    direction = end - start
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    end = np.where(inside[:, None], start + direction * nearly[:, None], end)
    return Draft((centred_box(*sides_between(rng, n)),), Sweep(start, end, radii[0], radii[1]))


def grooves(rng: Random, n: int) -> Draft:
    """Rows back and forth over a box, like those of a ball end mill, and rows across."""
    sides = sides_between(rng, n)
    radius = rng.uniform(0.8, n / 6)
    rows = int(rng.integers(2, 9))
    z = sides[2] / 2 + radius * rng.uniform(-0.8, 0.8)
    paths = []
    for axis in range(int(rng.integers(1, 3))):
        y = np.linspace(-0.5, 0.5, rows) * sides[1 - axis] * rng.uniform(0.5, 1.1)
        forth = np.tile([-0.6, 0.6], rows) * sides[axis]
        forth[2::4], forth[3::4] = 0.6 * sides[axis], -0.6 * sides[axis]
        line = np.column_stack([forth, np.repeat(y, 2), np.full(2 * rows, z)])
        paths.append(Path(line[:, [1, 0, 2]] if axis else line, [radius]))
    return Draft((centred_box(*sides),), Sweep.from_paths(paths))


def cavity(rng: Random, n: int) -> Draft:
    """A ball, a box or both with a cavity that the cut may open."""
    outer = centred_box(*([n] * 3)) if rng.uniform() < 0.5 else sphere(n / 2, subdivisions=3)
    inner = sphere(n * rng.uniform(0.15, 0.3), subdivisions=3)
    return Draft((outer, turned_inward(inner)), walk(rng, n))


def crossing_shells(rng: Random, n: int) -> Draft:
    """Closed meshes that cross: their union is the stock."""
    centre = rng.uniform(-0.3, 0.3, 3) * n
    other = sphere(n * rng.uniform(0.2, 0.4), centre, 3) if rng.uniform() < 0.5 else box(centre - n / 5, centre + n / 3)
    return Draft((centred_box(*sides_between(rng, n)), other), walk(rng, n))


def turned_inward(mesh: TriMesh) -> TriMesh:
    return replace(mesh, triangles=mesh.triangles[:, ::-1])


# For each family its function, and whether it stays aligned with the grid.
Families = dict[str, tuple[Callable[[Random, int], Draft], bool]]
FAMILIES: Families = {
    "box": (any_box, False),
    "box on voxel centres": (box_on_centres, True),
    "box on voxel borders": (box_on_borders, True),
    "ball": (ball, False),
    "Suzanne": (monkey, False),
    "prism": (prism, False),
    "wedge": (wedge, False),
    "polyhedron": (polyhedron, False),
    "steps": (steps, True),
    "gear": (gear, False),
    "fan": (fan, False),
    "turned part": (creases, False),
    "thin plate": (thin_plate, False),
    "thin plate along the axes": (thin_plate, True),
    "thin shell": (thin_shell, False),
    "thin fins": (thin_fins, True),
    "thin wall left": (thin_left, True),
    "tangent": (tangent, True),
    "tangent, turned": (tangent, False),
    "touching capsules": (touching_capsules, False),
    "touching capsules along the axes": (touching_capsules, True),
    "coincident segments": (coincident, False),
    "coplanar boxes": (coplanar_boxes, True),
    "cones": (cones, False),
    "grooves": (grooves, False),
    "grooves along the axes": (grooves, True),
    "cavity": (cavity, False),
    "crossing shells": (crossing_shells, False),
    "box along the axes": (any_box, True),
}
