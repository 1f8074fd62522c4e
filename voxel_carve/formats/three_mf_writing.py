"""3MF packages (.3mf), written block by block: an object for each mesh, all placed where they are.

The same meshes give the same bytes at any time, where the same release of zlib packs them.
"""

import zipfile
from collections.abc import Sequence
from typing import IO, Any, BinaryIO, cast
from xml.sax.saxutils import quoteattr

import numpy as np
import numpy.typing as npt

from .obj import write_rows
from .paths import unit_named
from .three_mf_reading import CORE, MODEL_RELATIONSHIP, RELATIONSHIPS, UNITS

METERS = {unit.meters: name for name in UNITS if (unit := unit_named(name)) is not None}
# Above this many bytes a file in a zip has to say so before it is written. The longest rows take so many.
LARGE, BYTES_PER_POINT, BYTES_PER_TRIANGLE = 1 << 31, 96, 64
# Numbers pack about as small at the fastest level.
LEVEL = 1
MODEL_PART = "3D/3dmodel.model"
CONTENT_TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">\n'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\n'
    '<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>\n'
    "</Types>\n"
)
ROOT_RELATIONSHIPS = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    f'<Relationships xmlns="{RELATIONSHIPS}">\n'
    f'<Relationship Id="model" Target="/{MODEL_PART}" Type="{MODEL_RELATIONSHIP}"/>\n'
    "</Relationships>\n"
)


def unit_of_file(meters: float) -> tuple[str, float]:
    """The unit of a file for coordinates in a unit of so many meters, and what they are multiplied by."""
    return (METERS[meters], 1.0) if meters in METERS else ("meter", meters)


def write_three_mf(
    file: BinaryIO,
    meshes: Sequence[tuple[str, npt.NDArray[Any], npt.NDArray[Any]]],
    kind: type[np.floating[Any]],
    unit: str,
) -> None:
    """Write an object for each (name, points, triangles), in one of the `UNITS`. Nine digits hold a float32 coordinate
    exactly, seventeen a float64."""
    large = sum(BYTES_PER_POINT * len(points) + BYTES_PER_TRIANGLE * len(each) for _, points, each in meshes) > LARGE
    # What is opened by its name gets the first date that a zip can have, and not today's.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as package:
        for name, text in (("[Content_Types].xml", CONTENT_TYPES), ("_rels/.rels", ROOT_RELATIONSHIPS)):
            with package.open(name, "w") as part:
                part.write(text.encode())
        with package.open(MODEL_PART, "w", force_zip64=large) as part:
            _write_model(part, meshes, kind, unit)


def _write_model(
    part: IO[bytes],
    meshes: Sequence[tuple[str, npt.NDArray[Any], npt.NDArray[Any]]],
    kind: type[np.floating[Any]],
    unit: str,
) -> None:
    number = f"%.{9 if kind == np.float32 else 17}g"
    out = cast(BinaryIO, part)
    out.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<model unit="{unit}" xmlns="{CORE}">\n'.encode())
    out.write(b'<metadata name="Application">voxel_carve</metadata>\n<resources>\n')
    for count, (name, points, triangles) in enumerate(meshes, 1):
        called = quoteattr("".join(letter for letter in name if letter.isprintable()))
        out.write(f'<object id="{count}" type="model" name={called}>\n<mesh>\n<vertices>\n'.encode())
        write_rows(out, f'<vertex x="{number}" y="{number}" z="{number}"/>\n', points, kind)
        out.write(b"</vertices>\n<triangles>\n")
        write_rows(out, '<triangle v1="%d" v2="%d" v3="%d"/>\n', triangles, np.int64)
        out.write(b"</triangles>\n</mesh>\n</object>\n")
    items = "".join(f'<item objectid="{count}"/>\n' for count in range(1, len(meshes) + 1))
    out.write(f"</resources>\n<build>\n{items}</build>\n</model>\n".encode())
