"""The report of a job: its figures and warnings."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from .accuracy import Accuracy

ResultKind = Literal["remesh", "keep"]
RESULT_KINDS: tuple[ResultKind, ...] = get_args(ResultKind)


@dataclass(frozen=True)
class Report:
    """Figures of one carve, in the unit of the points. Two are equal if they are but for what the run took: seconds,
    and measured memory.

    Attributes:
        operation: "subtract", "union" or "intersect"; those of several steps in their order, separated by ", ".
        backend, device: for instance "cpu" on "x86_64", or "cuda" on "NVIDIA H200".
        voxel_size, grid_shape: the grid, shape as (Z, Y, X).
        segments, stock_triangles: size of the input.
        removed_volume: volume of the stock minus volume of the result; negative if material was added.
        volume: volume of the result. If it is open, its holes are closed flat for this.
        vertices, faces, triangles: size of the result. Faces are quads; triangles are what a file holds.
        closed: whether every edge of the result has as many half-edges in one direction as in the other.
        seconds: wall time by stage: voxelize (the stock), sweep (binning it), combine (both fields evaluated), surface,
            simplify (merging faces), compute (these and the rest of the job, without compile), compile (kernels). Keep
            Stock adds boolean and judge (checking its result). A front end adds read, write and total, and verify if
            it was requested.
        counts: numbers that do not depend on the machine (see `Counts`), and those of `Backend.counts`.
        estimated_memory_mb: the estimated peak of the job, above what the process had before.
        memory_before_mb: resident size of the process when the job began.
        peak_memory_mb: peak resident size of the process so far.
        warnings: sentences for the user.
        result: "remesh", or "keep" if the stock is unchanged wherever the sweep does not touch it. Faces may then have
            any number of corners.
        tolerance: the largest distance that merging faces may cause; 0 if none were merged. For a kept stock, it
            applies to the sweep's faces.
        triangles_before: triangles that a file would hold if no faces had been merged.
        accuracy: distances from the exact surface, if they were requested.
    """

    operation: str
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
    seconds: dict[str, float] = field(compare=False)
    counts: dict[str, int]
    estimated_memory_mb: float
    memory_before_mb: float = field(compare=False)
    peak_memory_mb: float = field(compare=False)
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
