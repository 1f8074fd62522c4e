"""How far a result is from the exact surface, as plain data: see `verify`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Deviation:
    """Distances, in Blender units; all 0 where there is nothing to measure.

    Attributes:
        count: how many were measured.
        rms: root of the mean of their squares.
        percentile_99: 99 of 100 are not larger.
        largest: none is larger.
    """

    count: int
    rms: float
    percentile_99: float
    largest: float

    @classmethod
    def of(cls, distances: npt.NDArray[np.float64]) -> "Deviation":
        """That of distances (N,)."""
        if len(distances) == 0:
            return cls(0, 0.0, 0.0, 0.0)
        rms = float(np.sqrt(np.mean(distances**2)))
        return cls(len(distances), rms, float(np.quantile(distances, 0.99)), float(distances.max()))

    def over(self, length: float) -> "Deviation":
        """The same in units of a length."""
        return Deviation(self.count, self.rms / length, self.percentile_99 / length, self.largest / length)


@dataclass(frozen=True)
class Accuracy:
    """How far a result is from the exact surface, in Blender units.

    Attributes:
        voxel_size: of the job.
        vertices: the result's vertices from the surface.
        centroids: the centroids of its triangles from the surface.
        edges: points of its edges sharper than 20 degrees from the surface's nearest sharp edge.
        true_edges: points of the surface's sharp edges from the result's nearest edge.
        closure_faces: triangles left out, as they lie on the sheet that closes a hole: no primitive says where it is.
        stray_edges: edges sharper than 20 degrees that were left out of `edges`, as no sharp edge of the surface is
            within two voxels: folds where none should be, and round places too fine for the voxels.
        lost_points: points of the surface's sharp edges that were left out of `true_edges`, as no edge of the result is
            within two voxels: what is thinner than a voxel is lost.
    """

    voxel_size: float
    vertices: Deviation
    centroids: Deviation
    edges: Deviation
    true_edges: Deviation
    closure_faces: int
    stray_edges: int
    lost_points: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: the lengths in Blender units, and under "voxels" in voxels."""
        parts = {name: getattr(self, name) for name in ("vertices", "centroids", "edges", "true_edges")}
        in_voxels = {name: asdict(part.over(self.voxel_size)) for name, part in parts.items()}
        return {**asdict(self), "voxels": in_voxels}


def in_words(figures: Mapping[str, Any]) -> str:
    """One line for people, in voxels, of what `Accuracy.to_dict` gives."""
    nouns = {"vertices": "vertices", "centroids": "face centroids", "edges": "edges", "true_edges": "true edges"}
    parts = [(noun, figures["voxels"][name]) for name, noun in nouns.items()]
    told = [f"{noun} {part['rms']:.4f} RMS, {part['largest']:.3f} at most" for noun, part in parts if part["count"]]
    return f"off the exact surface, in voxels: {'; '.join(told)}"
