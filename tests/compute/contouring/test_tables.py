"""The tables of how the surface passes through a cell."""

import numpy as np

from voxel_carve.compute.contouring.tables import EDGES, FACES, cell_tables


def test_tables_agree_on_shared_faces():
    """The cells on both sides of a face draw the same lines. Only the corners of the face decide."""
    tables = cell_tables()
    assert (tables.repair_face >= 0).sum() == 36
    for configuration in range(256):
        crossed = np.array([(configuration >> a & 1) != (configuration >> b & 1) for a, b in EDGES])
        for joined in (0, 1):
            if joined and tables.repair_face[configuration] < 0:
                continue
            patch = tables.patch[joined, configuration]
            assert np.array_equal(patch >= 0, crossed)
            assert tables.patches[joined, configuration] == len(set(patch[crossed]))
        if (face := tables.repair_face[configuration]) >= 0:
            on_face = [e for e in range(12) if set(EDGES[e]) <= set(FACES[face])]
            assert len(set(tables.patch[0, configuration, on_face])) == 1
            assert len(set(tables.patch[1, configuration, on_face])) == 2
