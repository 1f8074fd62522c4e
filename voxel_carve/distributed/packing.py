"""Arrays and plain values as bytes, and back."""

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

VALUES = "values"  # the name of the plain values among the arrays


def packed(arrays: Mapping[str, npt.NDArray[Any]], **values: Any) -> bytes:
    """Arrays, and values that JSON can hold, as the bytes of a .npz."""
    out = io.BytesIO()
    text = np.frombuffer(json.dumps(values).encode(), dtype=np.uint8)
    np.savez(out, **{**arrays, VALUES: text})  # type: ignore[arg-type]
    return out.getvalue()


def unpacked(raw: bytes) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """The arrays and the values."""
    with np.load(io.BytesIO(raw), allow_pickle=False) as found:
        arrays = {name: found[name] for name in found.files}
    return arrays, json.loads(arrays.pop(VALUES).tobytes())
