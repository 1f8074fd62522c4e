"""Distances of a result from the exact surface, as plain data: see `verify`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from ..runtime.sentences import Sentence


@dataclass(frozen=True)
class Deviation:
    """Statistics of distances, in the unit of the points; all 0 if there is nothing to measure.

    Attributes:
        count: number of distances.
        rms: root mean square.
        percentile_99: 99th percentile.
        largest: maximum.
    """

    count: int
    rms: float
    percentile_99: float
    largest: float

    @classmethod
    def of(cls, distances: npt.NDArray[np.float64]) -> "Deviation":
        """The statistics of distances (N,)."""
        if len(distances) == 0:
            return cls(0, 0.0, 0.0, 0.0)
        rms = float(np.sqrt(np.mean(distances**2)))
        return cls(len(distances), rms, float(np.quantile(distances, 0.99)), float(distances.max()))

    def over(self, length: float) -> "Deviation":
        """The same, in units of a length."""
        return Deviation(self.count, self.rms / length, self.percentile_99 / length, self.largest / length)


@dataclass(frozen=True)
class Accuracy:
    """Distances between a result and the exact surface, in the unit of the points.

    Attributes:
        voxel_size: of the job.
        vertices: from the result's vertices to the surface.
        centroids: from the centroids of its triangles to the surface.
        edges: from points on its edges sharper than 20 degrees to the surface's nearest sharp edge.
        true_edges: from points on the surface's sharp edges to the result's nearest edge.
        closure_faces: number of triangles on caps of holes. They are not measured: no primitive defines a cap.
        stray_edges: number of edges sharper than 20 degrees without a sharp edge of the surface within two voxels. They
            do not count in `edges`. They are false folds, and round places too fine for the voxels.
        lost_points: number of points on the surface's sharp edges without an edge of the result within two voxels. They
            do not count in `true_edges`. Features thinner than a voxel are lost.
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
        """Plain values, ready for JSON: lengths in the unit of the points, and again in voxels under "voxels"."""
        parts = {name: getattr(self, name) for name in ("vertices", "centroids", "edges", "true_edges")}
        in_voxels = {name: asdict(part.over(self.voxel_size)) for name, part in parts.items()}
        return {**asdict(self), "voxels": in_voxels}


def in_words(figures: Mapping[str, Any]) -> Sentence:
    """The result of `Accuracy.to_dict` as one readable line, in voxels."""
    templates = {
        "vertices": Sentence("vertices {rms:.4f} RMS, {largest:.3f} at most"),
        "centroids": Sentence("face centroids {rms:.4f} RMS, {largest:.3f} at most"),
        "edges": Sentence("edges {rms:.4f} RMS, {largest:.3f} at most"),
        "true_edges": Sentence("true edges {rms:.4f} RMS, {largest:.3f} at most"),
    }
    parts = [(template, figures["voxels"][name]) for name, template in templates.items()]
    said = [Sentence(text, rms=part["rms"], largest=part["largest"]) for text, part in parts if part["count"]]
    joined = reduce(lambda first, rest: Sentence("{first}; {rest}", first=first, rest=rest), said or [Sentence("")])
    return Sentence("off the exact surface, in voxels: {parts}", parts=joined)
