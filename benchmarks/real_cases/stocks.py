"""The stocks of the cases R1 to R5: closed meshes with creases, fine bumps, thin walls and long rims. All need bpy."""

from functools import cache
from math import radians
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.interpolate import PchipInterpolator

from benchmarks.real_cases.closing import (
    LONGEST_SIDE,
    as_closed_triangles,
    edited,
    empty_file,
    facing_outward,
    mesh_object,
    modified,
    moved,
    object_of,
    places,
    put_back,
)
from voxel_carve.compute import TriMesh

Points = npt.NDArray[np.float64]

VOXEL = LONGEST_SIDE / 256  # of the resolution that the cases have bars for

# The wheel has rows of cells, from the bore outward: hub, spokes, rim, teeth. Each reaches a height above the middle.
WHEEL_STEPS, WHEEL_SPOKES, WHEEL_TEETH = 504, 7, 36
WHEEL_RADII = np.array([5.0, 9.5, 14.0, 18.0, 22.0, 26.0, 30.0, 34.0, 38.0, 41.5, 45.5, 47.8, 50.0])
WHEEL_HEIGHTS = np.array([-9.5, -6.5, -3.5, 3.5, 6.5, 9.5])
HUB, RIM, ROOT = 14.0, 38.0, 45.5  # radii
HUB_REACH, SPOKE_REACH, RIM_REACH = 9.5, 3.5, 6.5
SPOKE_STEPS, SPOKE_HALF_WIDTH = 20, 3.2
WHEEL_BEVEL = 0.25

# The monkey has finer faces around its eyes, and bumps everywhere: their lengths in the units of Blender's Suzanne, and
# their heights in voxels. Elsewhere in the noise that they are made of, sides of the nose would meet.
EYES, EYES_REACH, EYES_CUTS = (0.0, -0.75, 0.2), 0.62, 3
BUMPS, BUMPS_SHIFT = ((0.08, 1.0), (0.03, 0.5)), 0.3

# More points on curves, or a wider bevel, would fold the notch of the 6.
TEXT = {"extrude": 0.16, "bevel_depth": 0.012, "bevel_resolution": 4, "resolution_u": 5, "offset": 0.01}

VASE_STEPS, VASE_RINGS, VASE_WALL = 192, 96, 0.8
FLUTES, FLUTE_DEPTH = 18, 0.06
VASE_PROFILE = np.array([(0.0, 0.0), (13.0, 0.0), (14.5, 1.5), (14.0, 4.0), (9.0, 9.0), (10.0, 12.0), (22.0, 26.0),
                         (28.0, 42.0), (26.0, 58.0), (15.0, 74.0), (10.5, 83.0), (11.5, 90.0), (17.0, 97.0),
                         (20.5, 100.0)])  # fmt: skip

PLATE_SIDES, PLATE_HEIGHTS = (120.0, 66.0), (-1.4, 0.0, 6.0)  # bottom, top, and the top of ribs
RIBS, RIB_WIDTH = (6, 3), 1.6  # across and along
CELLS_BETWEEN, PLATE_CREASE, PLATE_BEND = 3, 0.8, radians(150)


@cache
def wheel() -> TriMesh:
    """A gear wheel with seven spokes, whose hub and rim stand out; narrow bevels run along all its edges."""
    empty_file()
    radius, step = WHEEL_RADII[:-1, None], np.arange(WHEEL_STEPS)[None]
    spoke = (step + SPOKE_STEPS // 2) % (WHEEL_STEPS // WHEEL_SPOKES) < SPOKE_STEPS
    tooth = step % (WHEEL_STEPS // WHEEL_TEETH) < WHEEL_STEPS // WHEEL_TEETH // 2
    there = np.select([radius < HUB, radius < RIM, radius < ROOT], [True, spoke, True], tooth)
    reach = np.select([radius < HUB, radius < RIM], [HUB_REACH, SPOKE_REACH], RIM_REACH)
    height = np.abs(WHEEL_HEIGHTS[:-1] + WHEEL_HEIGHTS[1:]) / 2
    solid = there[..., None] & (height < reach[..., None])

    ring = np.stack([_wheel_angles(radius) for radius in WHEEL_RADII])
    across = WHEEL_RADII[:, None, None] * np.stack([np.cos(ring), np.sin(ring)], axis=-1)
    points = np.empty((*ring.shape, len(WHEEL_HEIGHTS), 3))
    points[..., :2], points[..., 2] = across[:, :, None], WHEEL_HEIGHTS
    flat = facing_outward(mesh_object(*used(points.reshape(-1, 3), ring_walls(solid)), "Wheel"))
    bevel = {"width": WHEEL_BEVEL, "segments": 2, "limit_method": "ANGLE", "angle_limit": radians(30)}
    return as_closed_triangles(modified(flat, ("BEVEL", bevel)), "wheel")


def _wheel_angles(radius: float) -> Points:
    """(WHEEL_STEPS,) angles around a ring. They keep spokes equally wide from hub to rim, and are even at the teeth."""
    sector = WHEEL_STEPS // WHEEL_SPOKES
    step = np.arange(WHEEL_STEPS)
    beside = (step + sector // 2) % sector - sector // 2
    half = np.arcsin(SPOKE_HALF_WIDTH / np.clip(radius, HUB, RIM))
    knots = [0, SPOKE_STEPS / 2, sector / 2]
    straight = np.sign(beside) * np.interp(np.abs(beside), knots, [0.0, half, np.pi / WHEEL_SPOKES])
    even = 2 * np.pi * beside / WHEEL_STEPS
    share = np.clip((radius - RIM) / (ROOT - RIM), 0, 1)
    spokes = 2 * np.pi / WHEEL_SPOKES * ((step + sector // 2) // sector)
    return np.asarray(spokes + straight + share * (even - straight))


def ring_walls(solid: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """(F, 4) faces between full and empty cells of a ring (rows, steps, layers); corners count rows, steps, heights."""
    rows, steps, layers = solid.shape
    corner = np.arange((rows + 1) * steps * (layers + 1)).reshape(rows + 1, steps, layers + 1)
    low, high, after = corner[:, :, :-1], corner[:, :, 1:], np.roll(corner, -1, axis=1)
    in_rows, in_layers = (np.pad(solid, [(int(axis == padded),) * 2 for axis in range(3)]) for padded in (0, 2))
    walls = [
        (np.diff(in_rows, axis=0), (low, after[:, :, :-1], after[:, :, 1:], high)),
        (solid != np.roll(solid, 1, axis=1), (low[:-1], low[1:], high[1:], high[:-1])),
        (np.diff(in_layers, axis=2), (corner[:-1], corner[1:], after[1:], after[:-1])),
    ]
    return np.concatenate([np.stack([place[wall] for place in four], axis=-1) for wall, four in walls])


def used(points: Points, faces: npt.NDArray[np.int64]) -> tuple[Points, npt.NDArray[np.int64]]:
    """Points and faces without the points that no face uses."""
    kept, corners = np.unique(faces, return_inverse=True)
    return points[kept], corners.reshape(faces.shape)


@cache
def monkey() -> TriMesh:
    """Suzanne's head with closed eye holes, subdivided, finer around the eyes, with bumps of about a voxel."""
    empty_file()
    import bmesh
    import bpy
    from mathutils import Vector, noise

    bpy.ops.mesh.primitive_monkey_add(size=2.0)
    head = bpy.data.objects["Suzanne"]
    mesh = edited(head)
    bmesh.ops.delete(mesh, geom=_all_but_the_largest_part(mesh), context="VERTS")
    bmesh.ops.holes_fill(mesh, edges=mesh.edges[:], sides=0)
    put_back(mesh, head)
    smooth = modified(head, ("SUBSURF", {"levels": 2}))
    mesh = edited(smooth)
    fine = [face for face in mesh.faces if (face.calc_center_median() - Vector(EYES)).length < EYES_REACH]
    sides = list({side: None for face in fine for side in face.edges})
    bmesh.ops.subdivide_edges(mesh, edges=sides, cuts=EYES_CUTS, use_grid_fill=True)
    bmesh.ops.triangulate(mesh, faces=mesh.faces[:])
    put_back(mesh, smooth)

    points, normals = places(smooth), np.empty((len(smooth.data.vertices), 3), dtype=np.float32)
    smooth.data.vertex_normals.foreach_get("vector", normals.ravel())
    voxel = np.ptp(points, axis=0).max() / LONGEST_SIDE * VOXEL
    height = sum(
        tall * voxel * np.array([noise.noise(place) for place in (points / length + BUMPS_SHIFT).tolist()])
        for length, tall in BUMPS
    )
    moved(smooth, points + height[:, None] * normals)
    return as_closed_triangles(smooth, "monkey")


def _all_but_the_largest_part(mesh: Any) -> list[Any]:
    """The vertices of a mesh outside its part with the most vertices."""
    left, parts = set(mesh.verts), []
    while left:
        todo = [next(vertex for vertex in mesh.verts if vertex in left)]
        left.discard(todo[0])
        for vertex in todo:
            beside = [side.other_vert(vertex) for side in vertex.link_edges]
            todo += (new := [other for other in beside if other in left])
            left -= set(new)
        parts.append(todo)
    parts.sort(key=len)
    return [vertex for part in parts[:-1] for vertex in part]


@cache
def lettering() -> TriMesh:
    """Two lines of text with edges bevelled by a voxel: nine bodies that stand apart."""
    empty_file()
    import bmesh
    import bpy

    text: Any = bpy.data.curves.new("Text", "FONT")
    text.body, text.align_x = "VOXEL\n2026", "CENTER"
    for name, value in TEXT.items():
        setattr(text, name, value)
    letters = modified(object_of(text))
    mesh = edited(letters)
    bmesh.ops.triangulate(mesh, faces=mesh.faces[:])
    bmesh.ops.subdivide_edges(mesh, edges=mesh.edges[:], cuts=1, use_grid_fill=True)
    put_back(mesh, letters)
    return as_closed_triangles(letters, "lettering")


@cache
def vase() -> TriMesh:
    """A fluted vase with a wall of 0.8, about two voxels at 256."""
    empty_file()
    way = np.concatenate([[0.0], np.linalg.norm(np.diff(VASE_PROFILE, axis=0), axis=1).cumsum()])
    radius, height = PchipInterpolator(way, VASE_PROFILE)(np.linspace(0, way[-1], VASE_RINGS)).T
    line = np.arange(VASE_RINGS)
    profile = mesh_object(
        np.column_stack([radius, 0 * radius, height]), (), "Vase", np.column_stack([line[:-1], line[1:]])
    )
    screw = {"steps": VASE_STEPS, "render_steps": VASE_STEPS, "use_merge_vertices": True, "merge_threshold": 1e-4}
    turned = modified(profile, ("SCREW", screw))
    points = places(turned)
    angle = np.arctan2(points[:, 1], points[:, 0])
    belly = np.clip(points[:, 2] / 15 - 1, 0, 1) * np.clip(6 - points[:, 2] / 15, 0, 1)
    points[:, :2] *= (1 - FLUTE_DEPTH * belly * (1 - np.abs(np.sin(FLUTES / 2 * angle))))[:, None]
    moved(turned, points)
    wall = {"thickness": VASE_WALL, "offset": 0.0, "use_even_offset": True}
    return as_closed_triangles(modified(turned, ("SOLIDIFY", wall)), "vase")


@cache
def ribbed_plate() -> TriMesh:
    """A thin plate with ribs along and across, subdivided with creases, then bent."""
    empty_file()
    lines = [_rib_lines(side, ribs) for side, ribs in zip(PLATE_SIDES, RIBS, strict=True)]
    along, across = (np.diff(line) < 1.01 * RIB_WIDTH for line in lines)
    solid = np.stack([np.ones((len(along), len(across)), dtype=bool), along[:, None] | across], axis=-1)
    around = np.pad(solid, ((0, 0), (0, 1), (0, 0)))  # an empty cell between the first and the last makes a ring of it
    corners = np.stack(np.meshgrid(*lines, PLATE_HEIGHTS, indexing="ij"), axis=-1).reshape(-1, 3)
    plate = facing_outward(mesh_object(*used(corners, ring_walls(around)), "Plate"))
    mesh = edited(plate)
    crease = mesh.edges.layers.float.new("crease_edge")
    for side in mesh.edges:
        side[crease] = PLATE_CREASE * (side.calc_face_angle() > radians(30))
    put_back(mesh, plate)
    subdivided = modified(plate, ("SUBSURF", {"levels": 2}))
    x, y, z = places(subdivided).T
    radius = PLATE_SIDES[0] / PLATE_BEND
    moved(subdivided, np.column_stack([(radius + z) * np.sin(x / radius), y, (radius + z) * np.cos(x / radius)]))
    return as_closed_triangles(subdivided, "ribbed plate")


def _rib_lines(side: float, ribs: int) -> Points:
    """Lines along a side of the plate: two for each rib, and some in between."""
    middles = side * ((np.arange(ribs) + 0.5) / ribs - 0.5)
    knots = np.sort(np.concatenate([[-side / 2, side / 2], middles - RIB_WIDTH / 2, middles + RIB_WIDTH / 2]))
    counts = np.where(np.diff(knots) < 1.01 * RIB_WIDTH, 1, CELLS_BETWEEN)
    place = np.repeat(np.arange(len(counts)), counts) + np.concatenate([np.arange(n) / n for n in counts])
    return np.interp(np.append(place, len(counts)), np.arange(len(knots)), knots)
