"""A probe for crossings of columns: see `formula_probes`."""

from voxel_carve.compute.formulas.language import Primitives, Rows, real
from voxel_carve.compute.formulas.z_columns import column_crossing


def from_column(mesh: Primitives, at: Rows, n: int, out: Rows) -> None:
    """The sign and the height of a crossing, (N, 2), from the corners of a triangle and a column."""
    a, b, c = int(at[n, 0]), int(at[n, 1]), int(at[n, 2])
    sign, above = column_crossing(mesh.points, a, b, c, at[n, 3], at[n, 4])
    out[n, 0] = real(sign)
    out[n, 1] = above
