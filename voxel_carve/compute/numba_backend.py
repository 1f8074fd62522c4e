"""The compiled CPU backend: numba kernels over runs of bricks, points or faces, where numba is installed.

Compiling takes tens of seconds, once: the machine code is kept in the private folder of `cache`. The runs are handed
out to the threads of `threads.in_runs`, and any number of jobs may have theirs at once.
"""

import hashlib
import importlib.util
import logging
import math
import platform
import subprocess
import sys
import threading
import time
from importlib import metadata
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .backend import Footprint
from .binning import BinnedSweep
from .bricks import Bins, BrickTable, State
from .cache import cache_folder, compiling_in
from .child import NO_WINDOW, child_command
from .combining import Operation
from .crossings import Crossings
from .errors import BackendError
from .fields import Field, Fields, Loss
from .grid import Grid
from .mesh import Source, Surface, TriMesh
from .progress import share
from .scipy_backend import ScipyBackend
from .segments import Segments
from .surface import Placed
from .sweep import Sweep
from .triangles import Triangles
from .winding import Boundary, BoundarySums

logger = logging.getLogger(__name__)

INSTALL_NUMBA = "install it with pip install 'voxel-carve[numba]', or choose cpu"

_lock = threading.RLock()
_seconds: float | None = None
_compiler: subprocess.Popen[bytes] | None = None


class NumbaBackend(ScipyBackend):
    """Runs the brick operations on compiled kernels; dense ones as on the CPU. See `Backend` for what each does.

    Raises:
        BackendError: numba is missing, or the folder for compiled kernels cannot be used.
    """

    name = "numba"
    footprint = Footprint(
        brick=11000.0, pair=6.0, triangle=180.0, segment=100.0, binned_pair=20.0, binned_triangle=40.0, fixed=4e6
    )

    def __init__(self) -> None:
        super().__init__()
        _load_kernels()

    def compile_seconds(self) -> float:
        """Seconds spent compiling kernels, or reading them from the cache."""
        return _seconds or 0.0

    def bin_segments(self, segments: Segments, grid: Grid) -> BinnedSweep:
        """The segments that can be nearest in each brick."""
        from .numba_binning import bin_segments

        return bin_segments(segments, grid)

    def bin_triangles(self, triangles: Triangles, grid: Grid) -> Bins:
        """The triangles that can be nearest in each brick."""
        from .numba_triangles import bin_triangles

        return bin_triangles(triangles, grid)

    def pass_columns(self, triangles: Triangles, shape: tuple[int, int, int]) -> Crossings:
        """The crossings of the z columns."""
        from .numba_crossings import crossings_of

        return crossings_of(triangles, shape)

    def crossings_in_bricks(
        self, crossings: Crossings, bricks: npt.NDArray[np.int64], table: BrickTable
    ) -> npt.NDArray[np.int16]:
        """(B, 512) signed crossings above each voxel."""
        from .numba_crossings import in_bricks

        return in_bricks(crossings, bricks, table)

    def triangle_distance(self, triangles: Triangles, bins: Bins, table: BrickTable) -> npt.NDArray[np.float32]:
        """(B, 512) unsigned distance to the nearest triangle of each brick."""
        from .numba_frames import triangle_distance

        return triangle_distance(triangles, bins, table)

    def boundary_winding(self, points: npt.NDArray[np.float64], boundary: Boundary) -> npt.NDArray[np.float64]:
        """(N,) sum over the open boundary."""
        from .numba_winding import at_points, boundary_winding

        return at_points(boundary_winding, points, (boundary.low, boundary.high, boundary.sign))

    def winding_gradient(self, points: npt.NDArray[np.float64], boundary: Boundary) -> npt.NDArray[np.float64]:
        """(N, 3) gradient of the winding number."""
        from .numba_winding import at_points, winding_gradient

        return at_points(winding_gradient, points, (boundary.low, boundary.high, boundary.sign), width=3)

    def gradient_bound(
        self, points: npt.NDArray[np.float64], boundary: Boundary, reach: float
    ) -> npt.NDArray[np.float64]:
        """(N,) upper bound of the length of the gradient."""
        from .numba_winding import at_points, gradient_bound

        return at_points(gradient_bound, points, boundary.pieces, reach)

    def evaluate(self, fields: Fields, operation: Operation) -> tuple[Field, Loss]:
        """The two fields made one, in every brick."""
        from .numba_fields import evaluate

        return evaluate(fields, operation)

    def measure(self, surface: Surface) -> tuple[float, bool]:
        """Volume, and whether it is closed."""
        from .numba_measuring import measure

        return measure(surface)

    def extract_surface(self, field: Field, grid: Grid) -> tuple[Surface, Placed]:
        """The closed mesh of a field."""
        from .numba_surface import extract_surface

        return extract_surface(field, grid)


def is_ready() -> bool:
    """Whether the kernels need no compiling: they are loaded, or some process has left them in the cache."""
    return _seconds is not None or (is_installed() and _marker().exists())


def is_installed() -> bool:
    """Whether this Python has numba."""
    return importlib.util.find_spec("numba") is not None


def compile_in_background() -> bool:
    """Let another process compile the kernels into the cache, once; it outlives this one. Whether it is still at it.

    Raises:
        BackendError: it could not be started, or it has failed.
    """
    global _compiler  # noqa: PLW0603 - one for the process
    with _lock:
        complaints = cache_folder() / "compile.log"
        if _compiler is not None:
            if _compiler.poll():
                raise BackendError(f"the fast kernels could not be compiled, see {complaints}; or choose cpu")
            return _compiler.poll() is None
        # Machine code is kept under the name of its module, which the process that compiles it must share.
        command = child_command(__name__, NumbaBackend.__name__)
        try:
            with complaints.open("wb") as log:
                _compiler = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, creationflags=NO_WINDOW
                )
        except OSError as error:
            raise BackendError(f"no process could be started to compile the fast kernels ({error})") from error
    return True


def _load_kernels() -> None:
    """Compile every kernel, or read it from the cache, by running the job once on a small scene."""
    global _seconds  # noqa: PLW0603 - a clock of the process
    with _lock:
        if _seconds is not None:
            return
        try:
            import numba
        except ImportError as error:
            raise BackendError(f"numba is not installed ({error}): {INSTALL_NUMBA}") from error
        start, folder = time.perf_counter(), cache_folder()
        marker = _marker()
        with compiling_in(folder), share(0.0, 0.0, "Compile"):
            marker.parent.mkdir(mode=0o700, exist_ok=True)
            numba.config.CACHE_DIR = str(marker.parent)  # type: ignore[attr-defined]
            _exercise()
            marker.touch()
        _seconds = time.perf_counter() - start
        logger.info("loaded the compiled kernels in %.2f s", _seconds)


def _marker() -> Path:
    """The file that says that the kernels are in the cache, in a folder for just this code, Python and machine.

    numba itself sees changes in the file of a kernel only, not in what the kernel takes from other files.
    """
    digest = hashlib.sha256(
        f"{sys.version} {metadata.version('numba')} {np.__version__} {platform.node()} {__name__}".encode()
    )
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return cache_folder() / f"numba-{digest.hexdigest()[:16]}" / "ready"


def _exercise() -> None:
    """Run every kernel on an open pyramid and two tapering paths across each other, with the types that a job has."""
    from . import numba_edges
    from .simplify import merge_faces
    from .transfer import CornerData, Walker, joined_triangles

    backend = NumbaBackend.__new__(NumbaBackend)
    points = np.array([[0.0, 0, 0], [32, 0, 0], [32, 32, 0], [0, 32, 0], [16, 16, 24]])
    faces = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]], dtype=np.int32)
    grid = Grid(np.full(3, -8.0), 1.0, (48, 48, 48))
    table = BrickTable.over(grid)
    triangles = Triangles.on_grid(TriMesh(points, faces), grid)
    boundary = Boundary.of(triangles.points, triangles.triangles)
    sweep = Sweep(points[:2], points[[4, 4]], np.array([5.0, 3.0]), np.array([4.0, 5.0]))
    segments = Segments.on_grid(sweep, grid)
    binned, bins = backend.bin_segments(segments, grid), backend.bin_triangles(triangles, grid)
    centres = table.centres(bins.bricks)
    backend.triangle_distance(triangles, bins, table)
    backend.boundary_winding(centres, boundary)
    backend.winding_gradient(centres, boundary)
    backend.gradient_bound(centres, boundary, 1.0)
    crossings = backend.pass_columns(triangles, grid.shape)
    backend.crossings_in_bricks(crossings, bins.bricks, table)
    bricks, states = binned.bins.bricks, np.full(len(binned.bins.bricks), State.NEAR, dtype=np.uint8)
    empty, none = (
        np.full_like(states, State.EMPTY),
        Bins(bricks, np.zeros(len(bricks) + 1, dtype=np.int64), bins.primitive[:0]),
    )
    fields = Fields(
        table, binned.states, bricks, empty, states,
        triangles, none, crossings, BoundarySums.none(len(bricks)), segments, binned.bins,
    )  # fmt: skip
    field, _ = backend.evaluate(fields, "union")
    surface, _ = backend.extract_surface(field, grid)
    backend.measure(surface)
    merge_faces(surface, 0.05, surface.source.astype(np.int64))
    numba_edges.face_edges(surface.points.astype(np.float32), surface.faces, surface.source == Source.PATH, math.pi)
    walker = Walker.on(TriMesh(points, faces), joined_triangles(faces), compiled=True)
    places = walker.walk(np.zeros(1, dtype=np.int32), points[:1])
    CornerData(points.astype(np.float32), faces).at(*places[:2], compiled=True)
