"""Checks a boolean of two meshes against columns of voxels.

The z columns of one grid cross all three meshes. A column is inside a mesh where the signed crossings above do not
cancel. This unites overlapping shells and takes inverted ones as solid, as for a stock. So the expected result is known
in every column, and the comparison has no sampling error.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..field.protocol import Backend
from ..model.combining import Operation
from ..model.grid import Grid
from ..model.mesh import TriMesh
from ..model.plan import plan_grid
from ..primitives.triangles import Triangles
from ..runtime.progress import with_progress

# In voxels: with this offset, no side of a mesh at a round coordinate passes exactly through voxel centres.
OFFSET = np.array([0.31830989, 0.20787958, 0.41421356])
# The distance between columns: a boolean fails in whole pieces of its mesh, not in single voxels.
COLUMN_VOXELS = 2
FEWEST_COLUMNS = 128  # along the longest side
# Vertices rounded to float32 move a surface by less than a thousandth of a voxel, on any grid that memory holds. So of
# a thousand voxels at the surface fewer than one can change sides.
ROUNDED_VOXELS_PER_CROSSING = 1e-3
# A wall that rounding moves across one column changes more voxels at once, where there are too few for a share to tell.
FEWEST_WRONG_VOXELS = 4


@dataclass(frozen=True)
class VoxelComparison:
    """The result of the comparison, in voxels.

    Attributes:
        stock: inside the stock.
        shared: inside the stock and the tool.
        wrong: on the wrong side of the result.
        crossings: number of crossings of columns with a surface.
    """

    stock: int
    shared: int
    wrong: int
    crossings: int

    def holds(self) -> bool:
        """Whether rounding explains all wrong voxels."""
        return self.wrong <= FEWEST_WRONG_VOXELS + ROUNDED_VOXELS_PER_CROSSING * self.crossings


def compare_voxels(
    stock: TriMesh, tool: TriMesh, result: TriMesh, operation: Operation, voxel_size: float, backend: Backend
) -> VoxelComparison:
    """Compare `result` with `operation` on `stock` and `tool`. Columns through a hole of a mesh do not count.

    The columns are two voxels apart, or less if there would be few of them.
    """
    low = np.minimum(stock.bounds()[0], result.bounds()[0])
    high = np.maximum(stock.bounds()[1], result.bounds()[1])
    size = min(COLUMN_VOXELS * voxel_size, float((high - low).max()) / FEWEST_COLUMNS)
    grid = plan_grid([low, high], size)
    grid = Grid(grid.origin + OFFSET * size, size, grid.shape)
    meshes = list(enumerate((stock, tool, result)))
    key = np.sort(np.concatenate([_keys(mesh, number, grid, backend) for number, mesh in with_progress(meshes)]))
    place = key // 6
    mesh, sign = key % 6 // 2, key % 2 * 2 - 1
    length = np.diff(place, append=place[-1:])
    last = np.flatnonzero(np.diff(place // (grid.shape[0] + 1), append=-1))  # of each column
    inside = []
    for number in with_progress(range(3)):
        below = np.cumsum(np.where(mesh == number, sign, 0))
        # The signs of a column add up to 0, and where those below do not cancel, those above do not either. But through
        # a hole of the stock they do not: nothing is known of such a column.
        rest = np.diff(below[last], prepend=0)
        if rest.any():
            per_column = np.diff(last, prepend=-1)
            length[np.repeat(rest != 0, per_column)] = 0
            below -= np.repeat(below[last] - rest, per_column)
        inside.append(below != 0)
    length[last] = 0
    in_stock, in_tool, in_result = inside
    return VoxelComparison(
        stock=int(length[in_stock].sum()),
        shared=int(length[in_stock & in_tool].sum()),
        wrong=int(length[in_result != _combined(in_stock, in_tool, operation)].sum()),
        crossings=len(key),
    )


def _keys(mesh: TriMesh, number: int, grid: Grid, backend: Backend) -> npt.NDArray[np.int64]:
    """The crossings of a mesh, each as one number: its place in the grid, then the mesh, then its sign."""
    # Corners are joined by their indices already, or are in files that know no shared corners, where only a column that
    # passes exactly through an edge could tell; and normals are not asked for.
    no_normals, order = np.zeros((len(mesh.triangles), 3)), np.arange(len(mesh.triangles), dtype=np.int32)
    triangles = Triangles(grid.to_voxels(mesh.points), mesh.triangles.astype(np.int64), no_normals, order)
    found = backend.pass_columns(triangles, grid.shape)
    column = np.repeat(np.arange(len(found.start) - 1, dtype=np.int64), np.diff(found.start))
    place = column * (grid.shape[0] + 1) + found.height
    return (place * 3 + number) * 2 + (np.diff(found.total) > 0)


def _combined(stock: npt.NDArray[np.bool_], tool: npt.NDArray[np.bool_], operation: Operation) -> npt.NDArray[np.bool_]:
    if operation == "subtract":
        return stock & ~tool
    return stock | tool if operation == "union" else stock & tool
