"""The forecast of a carve: what it will make and take, without carving."""

from dataclasses import dataclass

from ..engines.registry import get_backend
from ..field.protocol import Backend
from ..job.chain import bounds_of_steps
from ..model.mesh import MeshLike, TriMesh
from ..model.plan import one_voxel_size, plan_grid
from ..model.report import ResultKind
from ..model.steps import Operations, steps_of
from ..model.sweep import PathsLike, Sweep
from ..sheets import OpenStock
from .faces import expected_faces
from .memory import rough_bytes
from .times import Kind, expected_seconds, seconds_texts


@dataclass(frozen=True)
class Forecast:
    """What a carve will make and take, about.

    Attributes:
        grid_shape: (Z, Y, X), in voxels.
        faces: of the result, before any are merged.
        memory: in bytes, at the peak.
        seconds: the range that they will be in, as the last carves on this machine were.
    """

    grid_shape: tuple[int, int, int]
    faces: int
    memory: int
    seconds: tuple[float, float]

    def seconds_text(self) -> str:
        """The range of the seconds, such as "1 to 3 s"."""
        return " to ".join(dict.fromkeys(seconds_texts(*self.seconds)))


def forecast(
    stock: MeshLike,
    paths: PathsLike,
    voxel_size: float | None = None,
    *,
    resolution: int | None = None,
    operation: Operations = "subtract",
    tolerance: float = 0.0,
    backend: str | Backend | None = None,
    result: ResultKind = "remesh",
    verified: bool = False,
    half_width: float = 0.0,
    open_stock: OpenStock = "automatic",
    close: bool = False,
) -> Forecast:
    """What a carve would make and take. This takes a fraction of its time.

    Args:
        result: "remesh" for `carve`, or "keep" for `keep_stock`.
        verified: whether the result is measured by `verify`, too.

    The other arguments are those of `carve`.

    Raises:
        InputError: as `carve`.
        BackendError: numba is missing, or its kernels cannot be compiled.
    """
    mesh, sweep = TriMesh.of(stock), Sweep.of(paths)
    voxel_size = one_voxel_size(mesh, voxel_size, resolution)
    steps = steps_of(sweep, operation)
    grid = plan_grid(bounds_of_steps(mesh, steps), voxel_size)
    name = get_backend(backend).name
    expected = expected_faces(mesh, sweep, voxel_size, operation, open_stock, close)
    faces = expected.kept_triangles(len(mesh.triangles)) if result == "keep" else expected.remeshed
    kind = Kind(name, keeps=result == "keep", merges=tolerance > 0, verified=verified)
    memory = rough_bytes(grid.shape, name, tolerance > 0, half_width)
    return Forecast(grid.shape, faces, memory, expected_seconds(kind, [len(steps) * faces]))
