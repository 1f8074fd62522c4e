"""What a job says about itself."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from .accuracy import Accuracy
from .combining import Operation

ResultKind = Literal["remesh", "keep"]
RESULT_KINDS: tuple[ResultKind, ...] = get_args(ResultKind)


@dataclass(frozen=True)
class Report:
    """Figures of one carve, in Blender units.

    Attributes:
        operation: "subtract", "union" or "intersect".
        backend, device: what computed it, such as "cpu" on "x86_64", or "cuda" on "NVIDIA H200".
        voxel_size, grid_shape: the grid, shape as (Z, Y, X).
        segments, stock_triangles: size of the input.
        removed_volume: volume of the stock less volume of the result; negative where material was added.
        volume: volume of the result.
        vertices, faces, triangles: size of the result; faces are quads, triangles those that a file holds.
        closed: whether faces run every edge of the result as often in one direction as in the other.
        seconds: wall time by stage: voxelize (the stock), sweep (binning it), combine (both fields evaluated), surface,
            simplify (merging faces), compute (those and the rest of the job, without compile), compile (kernels); for a
            stock to be kept also boolean and judge (whether that gave what it should). A front end adds read, write
            and total, and verify where that was asked for.
        counts: numbers that do not depend on the machine: see `Counts`; and what `Backend.counts` says.
        estimated_memory_mb: what the job was thought to take at its peak, over what the process had before.
        memory_before_mb: resident size of the process when the job began.
        peak_memory_mb: greatest resident size of the process so far.
        warnings: sentences for the user.
        result: "remesh", or "keep" where all of the stock that the sweep does not touch is as it was; faces may then
            have any number of corners.
        tolerance: how far the result may be from the one with all faces; 0 where faces were not merged. Of a kept stock
            this holds for what the sweep cut.
        triangles_before: those that a file would hold had faces not been merged; of a kept stock, had none of the
            sweep's body been.
        accuracy: how far the result is from the exact surface, where that was asked for.
    """

    operation: Operation
    backend: str
    device: str
    voxel_size: float
    grid_shape: tuple[int, int, int]
    segments: int
    stock_triangles: int
    removed_volume: float
    volume: float
    vertices: int
    faces: int
    triangles: int
    closed: bool
    seconds: dict[str, float]
    counts: dict[str, int]
    estimated_memory_mb: float
    memory_before_mb: float
    peak_memory_mb: float
    warnings: tuple[str, ...] = field(default=())
    result: ResultKind = "remesh"
    tolerance: float = 0.0
    triangles_before: int = 0
    accuracy: Accuracy | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        figures = asdict(self)
        if self.accuracy is None:
            del figures["accuracy"]
        else:
            figures["accuracy"] = self.accuracy.to_dict()
        return figures
