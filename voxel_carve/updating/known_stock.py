"""A stock as it was last read, so that it need not be read again while only paths change."""

from dataclasses import dataclass, field, replace

import bpy

from ..operators.jobs.digest import stock_digest
from ..scene.provenance import StockFaces


@dataclass
class KnownStock:
    """The faces of a stock, until `forget`. Materials are kept by uid, because undo may remove them."""

    _faces: StockFaces | None = None
    _materials: list[int | None] = field(default_factory=list)
    _digest: str = ""

    def forget(self) -> None:
        """Drop the stock, because it may have changed since it was read."""
        self._faces, self._digest = None, ""

    def keep(self, faces: StockFaces) -> None:
        """Keep the faces of a stock as they were read just now, or as `faces` returned them."""
        if self._faces is None or self._faces.mesh is not faces.mesh:
            self._digest = ""
        self._materials = [each.session_uid if each else None for each in faces.materials]
        self._faces = replace(faces, materials=())

    def faces(self) -> StockFaces | None:
        """The stock as it was read; None if it changed, or if one of its materials is gone."""
        there: dict[int | None, bpy.types.Material | None] = {each.session_uid: each for each in bpy.data.materials}
        there[None] = None
        if self._faces is None or any(uid not in there for uid in self._materials):
            return None
        return replace(self._faces, materials=tuple(there[uid] for uid in self._materials))

    def digest(self) -> str:
        """The `stock_digest` of the stock that is kept."""
        if not self._digest and self._faces is not None:
            self._digest = stock_digest(self._faces)
        return self._digest
