"""A hash of everything that a carve reads, to tell whether its inputs have changed."""

import numpy as np

from .carve_reading import CarveOptions, ReadStock
from .digest import digest

# The settings that affect the faces, besides arrays, lengths and materials. All backends give the same faces.
_SETTINGS = (
    "result", "open_stock", "close", "adaptivity", "tolerance", "shade_smooth", "transfer_attributes", "custom_normals",
)  # fmt: skip


def fingerprint(read: ReadStock, options: CarveOptions, stock: str | None = None) -> str:
    """A hash of the inputs of a carve: equal if they are equal to the last bit; object names do not matter.

    Args:
        read: the inputs.
        options: of the carve.
        stock: the digest of its stock, if it is known from before.
    """
    known = read.provenance
    place = np.array(read.obj.matrix_world)
    settings = tuple(options.settings[name] for name in _SETTINGS)
    own = (stock or read.stock_digest, known.stock.materials)
    return digest(own, read.sweep, known.cut, known.shading, read.voxel_size, place, read.operations, settings)
