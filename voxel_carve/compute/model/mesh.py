"""Meshes as plain data: the input (`TriMesh`) and the result (`Surface`)."""

from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from ..arrays import EqualByValue
from ..runtime.errors import InputError, MissingLibraryError
from ..runtime.sentences import Length
from ..runtime.threads import in_runs
from .grid import as_points, as_triangles

# Only damaged files have larger coordinates. Squares must stay far from overflow.
LARGEST_COORDINATE = 1e12
# Products of smaller lengths, such as volumes, would near the smallest numbers there are, and lose digits.
SMALLEST_SIZE = 1e-30

FACES_PER_BLOCK = 1 << 14  # temporaries stay in the cache


class Source(IntEnum):
    """Where a face of the result comes from."""

    STOCK = 0
    PATH = 1
    CLOSURE = 2  # the cap of a hole of an open stock; a side or the floor of a closed sheet


@dataclass(frozen=True, eq=False)
class TriMesh(EqualByValue):
    """A triangle mesh, in world space.

    Attributes:
        points: (N, 3) float64, (x, y, z) in any unit of length.
        triangles: (M, 3) int32, indices of points, counter-clockwise seen from outside.
        name: used in messages.

    Raises:
        InputError: wrong shape, no faces, an index that is not a whole number or is out of range, a coordinate that is
            not finite or is beyond 1e12, or a size below 1e-30 that is not 0.
    """

    points: npt.NDArray[np.float64]
    triangles: npt.NDArray[np.int32]
    name: str = "stock"

    if TYPE_CHECKING:  # what it takes, and not what it has then

        def __init__(self, points: npt.ArrayLike, triangles: npt.ArrayLike, name: str = "stock") -> None: ...

    def __post_init__(self) -> None:
        points = as_points(self.points, f"'{self.name}'")
        triangles = as_triangles(self.triangles, len(points), f"'{self.name}'")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "triangles", triangles)
        if len(triangles) == 0:
            raise InputError("'{name}' has no faces: choose a mesh with a surface as the stock", name=self.name)
        bad = int((~np.isfinite(points)).any(axis=1).sum())
        if bad:
            raise InputError(
                "'{name}' has {bad} of {count} vertices with coordinates that are not numbers: delete them",
                name=self.name,
                bad=bad,
                count=len(points),
            )
        far = int((np.abs(points) > LARGEST_COORDINATE).any(axis=1).sum())
        if far:
            raise InputError(
                "'{name}' has {far} of {count} vertices farther out than 1e12: the data is damaged",
                name=self.name,
                far=far,
                count=len(points),
            )
        size = float(np.ptp(bounds_of(points, triangles), axis=0).max())
        if 0 < size < SMALLEST_SIZE:
            raise InputError(
                "'{name}' is only {size} across: scale it up, with all that goes with it",
                name=self.name,
                size=Length(size),
            )

    @classmethod
    def of(cls, mesh: "MeshLike", name: str = "stock") -> "TriMesh":
        """Convert what a public function takes for a mesh. A `TriMesh` stays as it is.

        That is a pair of points (N, 3) and triangles (M, 3), a `trimesh.Trimesh`, a `Surface`, the result of `carve`,
        or a stock from `prepare`.

        Raises:
            InputError: another type, or as the class itself.
        """
        if isinstance(mesh, cls):
            return mesh
        if isinstance(mesh, tuple) and len(mesh) == 2:
            points, triangles = cast(tuple[Any, Any], mesh)
            return cls(points, triangles, name)
        surface, prepared = getattr(mesh, "surface", mesh), getattr(mesh, "mesh", None)
        if isinstance(surface, Surface):
            return surface.to_tri_mesh(name)
        if isinstance(prepared, cls):
            return prepared
        if hasattr(mesh, "vertices") and hasattr(mesh, "faces"):
            return cls(mesh.vertices, mesh.faces, name=name)
        kind = type(mesh).__name__
        raise InputError(
            "a mesh is a TriMesh, a Surface, a pair (points, triangles) or a trimesh.Trimesh, and this is a {kind}",
            kind=kind,
        )

    @classmethod
    def box(cls, low: npt.ArrayLike, high: npt.ArrayLike, name: str = "box") -> "TriMesh":
        """A box of twelve triangles between two corners (3,).

        Raises:
            InputError: `high` is not greater than `low` along each axis, or as the class itself.
        """
        least, greatest = as_points(cast(Any, [low, high]), f"'{name}'")
        if not (least < greatest).all():
            raise InputError(
                "box '{name}': each coordinate of the second corner must be greater than the first's", name=name
            )
        corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)])
        quads = np.array([(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)])
        triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
        return cls(least + corners * (greatest - least), triangles, name)

    def corners(self) -> npt.NDArray[np.float64]:
        """(M, 3, 3): triangle, corner, (x, y, z)."""
        return self.points[self.triangles]

    def bounds(self) -> npt.NDArray[np.float64]:
        """(2, 3): minimum and maximum (x, y, z) of the points that triangles use."""
        return self._bounds.copy()

    @cached_property
    def _bounds(self) -> npt.NDArray[np.float64]:
        return bounds_of(self.points, self.triangles)

    def area(self) -> float:
        """Sum of the areas of the triangles."""
        return area_of(self.points, self.triangles)

    def volume(self) -> float:
        """Signed volume: see `signed_volume`."""
        return signed_volume(self.points, self.triangles)


# What `TriMesh.of` takes. `Any` stands for the optional library trimesh.
MeshLike = TriMesh | tuple[npt.ArrayLike, npt.ArrayLike] | Any


@dataclass(frozen=True, eq=False)
class Surface(EqualByValue):
    """A closed, oriented 2-manifold; of a sheet or a kept stock, as open as that is.

    Attributes:
        points: (N, 3) float64, (x, y, z) in any unit of length.
        faces: (M, 4) int32 for quads, each split from its first corner to its third, or (M, 3) for triangles: indices
            of points, counter-clockwise seen from outside. A triangle among quads names its last corner twice.
        source: (M,) uint8, the `Source` of each face.
        primitive: (M,) int32, the triangle of the stock or the segment of the sweep that each face lies on; -1 if none.
    """

    points: npt.NDArray[np.float64]
    faces: npt.NDArray[np.int32]
    source: npt.NDArray[np.uint8] = field(repr=False)
    primitive: npt.NDArray[np.int32] = field(repr=False)

    @classmethod
    def empty(cls) -> "Surface":
        """A surface without faces."""
        none = np.empty(0, dtype=np.int32)
        return cls(np.empty((0, 3)), np.empty((0, 4), dtype=np.int32), none.astype(np.uint8), none)

    @classmethod
    def of(cls, mesh: "Surface | MeshLike") -> "Surface":
        """The surface of a result, or a mesh as one: each triangle is a face of the stock. A `Surface` stays as it is.

        Raises:
            InputError: as `TriMesh.of`.
        """
        surface = getattr(mesh, "surface", mesh)
        if isinstance(surface, cls):
            return surface
        plain = TriMesh.of(mesh)
        source = np.full(len(plain.triangles), Source.STOCK, dtype=np.uint8)
        return cls(plain.points, plain.triangles, source, np.arange(len(plain.triangles), dtype=np.int32))

    @property
    def vertices(self) -> npt.NDArray[np.float64]:
        """(N, 3): the points, by the name that other libraries have for them."""
        return self.points

    def triangles(self) -> npt.NDArray[np.int32]:
        """(T, 3) int32: the two halves of each quad, one after the other. Triangles stay as they are."""
        if self.faces.shape[1] == 3:
            return self.faces
        halves = self.faces[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
        return np.ascontiguousarray(halves if self._are_quads else halves[halves[:, 1] != halves[:, 2]])

    def triangle_count(self) -> int:
        """The number of rows of `triangles`."""
        return self._triangle_count

    @cached_property
    def _triangle_count(self) -> int:
        if self.faces.shape[1] == 3:
            return len(self.faces)
        return 2 * len(self.faces) - int(np.count_nonzero(self.faces[:, 2] == self.faces[:, 3]))

    def face_of_triangle(self) -> npt.NDArray[np.int32]:
        """(T,) int32: the face of each row of `triangles`."""
        faces = np.arange(len(self.faces), dtype=np.int32)
        if self.faces.shape[1] == 3:
            return faces
        return np.repeat(faces, 2 if self._are_quads else 2 - (self.faces[:, 2] == self.faces[:, 3]))

    @cached_property
    def _are_quads(self) -> bool:
        return self.triangle_count() == 2 * len(self.faces)

    def bounds(self) -> npt.NDArray[np.float64]:
        """(2, 3): minimum and maximum (x, y, z) of the points that faces use."""
        return bounds_of(self.points, self.faces)

    def area(self) -> float:
        """Sum of the areas of its triangles."""
        return area_of(self.points, self.triangles())

    def volume(self) -> float:
        """Volume of its triangles."""
        return signed_volume(self.points, self.triangles())

    def is_closed(self) -> bool:
        """Whether its faces are closed: see `are_closed`."""
        return are_closed(self.faces)

    def face_normals(self) -> npt.NDArray[np.float64]:
        """(M, 3) outward unit normals; for a quad, the normal of its mean plane (Newell)."""
        return unit_rows(self._face_areas())

    def vertex_normals(self) -> npt.NDArray[np.float64]:
        """(N, 3) outward unit normals: the area-weighted mean of the faces around each point."""
        normals = np.zeros_like(self.points)
        areas = self._face_areas()
        for corner in range(self.faces.shape[1]):
            own = self.faces[:, corner] != self.faces[:, corner - 1]  # each corner of a triangle once
            np.add.at(normals, self.faces[own, corner], areas[own])
        return unit_rows(normals)

    def _face_areas(self) -> npt.NDArray[np.float64]:
        """(M, 3) vectors along the face normals, of twice the area in length."""
        # From the diagonals of a quad, or two sides of a triangle.
        a, b, c, d = (self.points[self.faces[:, corner]] for corner in (0, 1, 2, -1))
        return np.asarray(np.cross(c - a, d - b if self.faces.shape[1] == 4 else c - b), dtype=np.float64)

    def to_tri_mesh(self, name: str = "carved") -> TriMesh:
        """The same surface as triangles."""
        return TriMesh(self.points, self.triangles(), name)

    def to_trimesh(self) -> Any:
        """The same surface as triangles, in a `trimesh.Trimesh` with copies of the arrays, which may be changed.

        Raises:
            MissingLibraryError: trimesh is not installed. It is an ImportError too.
        """
        try:
            import trimesh
        except ImportError as error:
            raise MissingLibraryError("trimesh is not installed: install it with pip install trimesh") from error
        return trimesh.Trimesh(self.points.copy(), self.triangles().copy(), process=False)


def bounds_of(points: npt.NDArray[np.float64], faces: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """(2, 3): minimum and maximum (x, y, z) of the points (N, 3) that faces (M, K) use; zeros if there are none."""
    used = np.zeros(len(points), dtype=bool)
    used[faces.ravel()] = True
    points = points if used.all() else points[used]
    if len(points) == 0:
        return np.zeros((2, 3))
    return np.array([[column.min() for column in points.T], [column.max() for column in points.T]])


def area_of(points: npt.NDArray[np.float64], triangles: npt.NDArray[np.integer]) -> float:
    """Sum of the areas of triangles (M, 3) of points (N, 3)."""
    total = 0.0
    for start in range(0, len(triangles), FACES_PER_BLOCK):
        a, b, c = (points.take(corner, axis=0).T for corner in triangles[start : start + FACES_PER_BLOCK].T)
        u, v = b - a, c - a
        # By component: numpy is slow along an axis of three.
        x, y, z = (u[i] * v[j] - u[j] * v[i] for i, j in ((1, 2), (2, 0), (0, 1)))
        total += float(np.sqrt(x * x + y * y + z * z).sum() / 2)
    return total


def signed_volume(points: npt.NDArray[np.float64], triangles: npt.NDArray[np.integer]) -> float:
    """Volume in closed triangles (M, 3) of points (N, 3), by the divergence theorem; negative if they face inward."""
    if len(triangles) == 0:
        return 0.0
    centred = np.ascontiguousarray((points - points[len(points) // 2]).T)

    def part(start: int, stop: int) -> float:
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = (centred.take(i, axis=1) for i in triangles[start:stop].T)
        return float((ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)).sum())

    return sum(in_runs(part, len(triangles), FACES_PER_BLOCK)) / 6


def used_points(
    points: npt.NDArray[np.float64], faces: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Points (N, 3) and faces (M, K) without the points that no face uses. The others stay in order."""
    used = np.zeros(len(points), dtype=bool)
    used[faces.ravel()] = True
    return points[used], (np.cumsum(used, dtype=np.int32) - np.int32(1))[faces]


def unit_rows(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The rows (N, 3), normalised. Rows of length 0 stay."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: npt.NDArray[np.float64] = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
    return unit


def are_closed(faces: npt.NDArray[np.integer]) -> bool:
    """Whether faces (M, K), as in `Surface`, use every edge as often in one direction as in the other.

    Each half-edge adds a number that is the opposite of that of the half-edge back. So the sum is 0 for every closed
    mesh, and hardly ever for an open one: the numbers look random, and have 64 bits.
    """
    number = mix(np.arange(1, int(faces.max(initial=0)) + 2, dtype=np.uint64))
    total = 0
    for start in range(0, len(faces), FACES_PER_BLOCK):
        corners = [number.take(corner) for corner in faces[start : start + FACES_PER_BLOCK].T]
        for tail, head in zip(corners, corners[1:] + corners[:1], strict=True):
            total += int(of_half_edge(tail, head).sum(dtype=np.uint64))
    return total % 2**64 == 0


def of_half_edge(tail: npt.NDArray[np.uint64], head: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Numbers of 64 bits for half-edges, from those of their vertices. That of a half-edge back is opposite."""
    return tail * head * (head - tail)


def mix(key: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A bijection of 64 bits that looks random: the finalizer of SplitMix64 (Steele, Lea, Flood 2014)."""
    key = (key ^ key >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ key >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return key ^ key >> np.uint64(31)
