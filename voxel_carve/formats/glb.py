"""Binary glTF 2.0 (.glb): the triangles of its scene, with each mesh at every node that places it.

After the specification by Khronos (2021). We do not use trimesh, which allocates every instance before they can be
counted, follows cycles of nodes, and trusts the sizes that a file claims. External files named in the file are never
opened.
"""

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .files import Room

Floats = npt.NDArray[np.float64]
Triangles = npt.NDArray[np.int32]

JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
# Normalised integers are divided by these.
GREATEST = {5120: 127, 5121: 255, 5122: 32767, 5123: 65535}
WIDTHS = {"SCALAR": 1, "VEC3": 3}
STRIP, FAN, TRIANGLES = 5, 6, 4
# Other extensions do not change the shape.
UNREADABLE = {"KHR_draco_mesh_compression", "EXT_meshopt_compression", "EXT_mesh_gpu_instancing"}
# Measured: memory per byte of JSON text at worst, and per point, triangle and node.
BYTES_PER_JSON_BYTE, BYTES_PER_POINT, BYTES_PER_TRIANGLE, BYTES_PER_NODE = 40, 140, 72, 1000
IDENTITY = np.eye(4)


def read_glb(raw: bytes, room: Room) -> tuple[Floats, Triangles]:
    """Points (N, 3), z up, and triangles (M, 3) of a file's bytes, mesh by mesh and node by node.

    Raises:
        ValueError: the file is damaged, compressed or not a .glb, needs another file, or takes too much memory.
    """
    tree, binary = _chunks(raw, room)
    required = tree.get("extensionsRequired", [])
    if not isinstance(required, list):
        raise ValueError("its 'extensionsRequired' are no list: it is damaged, export it again")
    if packed := [name for name in required if isinstance(name, str) and name in UNREADABLE]:
        raise ValueError(f"it is packed ({packed[0]}): export it without compression and without instancing")
    file = _File(binary, *(_items(tree, name) for name in ("nodes", "meshes", "accessors", "bufferViews", "buffers")))
    room.check(BYTES_PER_NODE * len(file.nodes), f"its {len(file.nodes)} nodes")
    instances = sorted(_instances(file.nodes, _roots(tree, file.nodes), len(file.meshes)), key=lambda found: found[:2])
    used = sorted({mesh for mesh, _, _ in instances})
    sizes = {mesh: file.mesh_size(mesh) for mesh in used}
    room.check(
        sum(BYTES_PER_POINT * count + BYTES_PER_TRIANGLE * faces for count, faces in sizes.values()),
        f"its {len(used)} meshes",
    )
    meshes = {mesh: file.mesh(mesh) for mesh in used}
    point_count = sum(len(meshes[mesh][0]) for mesh, _, _ in instances)
    triangle_count = sum(len(meshes[mesh][1]) for mesh, _, _ in instances)
    room.check(
        BYTES_PER_POINT * point_count + BYTES_PER_TRIANGLE * triangle_count,
        f"its {len(instances)} placed meshes with {triangle_count} triangles",
    )
    points, triangles = np.empty((point_count, 3)), np.empty((triangle_count, 3), np.int32)
    point, triangle = 0, 0
    for mesh, _, matrix in instances:
        own_points, own_triangles = meshes[mesh]
        with np.errstate(all="ignore"):  # coordinates that are too large are refused later
            placed = own_points @ matrix[:3, :3].T + matrix[:3, 3]
            mirrored = np.linalg.det(matrix[:3, :3]) < 0
        # The file has y up. Mirrored triangles are flipped.
        points[point : point + len(placed)] = placed[:, [0, 2, 1]] * [1, -1, 1]
        order = slice(None, None, -1 if mirrored else 1)
        triangles[triangle : triangle + len(own_triangles)] = own_triangles[:, order] + point
        point, triangle = point + len(placed), triangle + len(own_triangles)
    return points, triangles


def _chunks(raw: bytes, room: Room) -> tuple[dict[str, Any], bytes]:
    """The JSON description, and the binary data."""
    if len(raw) < 20 or raw[:4] != b"glTF":
        raise ValueError("it has no glTF header")
    version, total, length, kind = struct.unpack("<4I", raw[4:20])
    if total > len(raw) or 20 + length > total:
        raise ValueError(f"its header claims {total} bytes, and it has {len(raw)}: it is cut short; export it again")
    if version != 2 or kind != JSON_CHUNK:
        raise ValueError("it is no glTF of version 2: export it as such")
    room.check(BYTES_PER_JSON_BYTE * length, f"its description's {length} bytes")
    try:
        tree = json.loads(raw[20 : 20 + length])
    except RecursionError:
        raise ValueError("its description is lists in lists without end: it is damaged, export it again") from None
    if not isinstance(tree, dict):
        raise ValueError("its description is no glTF: it is damaged; export it again")
    binary, at = b"", 20 + length
    while at + 8 <= total:
        length, kind = struct.unpack("<2I", raw[at : at + 8])
        if kind == BINARY_CHUNK:
            binary = raw[at + 8 : min(at + 8 + length, total)]
            break
        at += 8 + length
    return tree, binary


def _items(owner: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """A list of JSON objects, named `name` in its owner."""
    found = owner.get(name, [])
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise ValueError(f"its '{name}' are no list of objects: it is damaged, export it again")
    return found


def _roots(tree: dict[str, Any], nodes: list[dict[str, Any]]) -> list[int]:
    """The root nodes of the scene; without scenes, the nodes without a parent."""
    scenes = _items(tree, "scenes")
    if scenes:
        return _wholes(scenes[_whole(tree, "scene", len(scenes), 0)], "nodes", len(nodes))
    below = {child for node in nodes for child in _wholes(node, "children", len(nodes))}
    return [number for number in range(len(nodes)) if number not in below]


def _instances(nodes: list[dict[str, Any]], roots: list[int], meshes: int) -> Iterator[tuple[int, int, Floats]]:
    """Mesh, node and matrix (4, 4) of each node with a mesh in the trees of the roots."""
    waiting = [(root, IDENTITY) for root in roots]
    seen = np.zeros(len(nodes), np.bool_)
    while waiting:
        number, parent = waiting.pop()
        if seen[number]:
            raise ValueError(f"its node {number} hangs on two others, or on itself: it is damaged, export it again")
        seen[number] = True
        node, matrix = nodes[number], parent
        if node.keys() & {"matrix", "translation", "rotation", "scale"}:
            with np.errstate(all="ignore"):  # coordinates that are too large are refused later
                matrix = parent @ _placing(node)
        if "mesh" in node:
            yield _whole(node, "mesh", meshes), number, matrix
        waiting += [(child, matrix) for child in _wholes(node, "children", len(nodes))]


def _placing(node: dict[str, Any]) -> Floats:
    """The transform (4, 4) of a node to its parent."""
    if "matrix" in node:
        return _floats(node, "matrix", 16).reshape(4, 4).T
    x, y, z, w = _floats(node, "rotation", 4, (0, 0, 0, 1))
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, :3] *= _floats(node, "scale", 3, (1, 1, 1))
    matrix[:3, 3] = _floats(node, "translation", 3, (0, 0, 0))
    return matrix


@dataclass(frozen=True)
class _File:
    """The parts of the JSON description, and the binary data."""

    binary: bytes
    nodes: list[dict[str, Any]]
    meshes: list[dict[str, Any]]
    accessors: list[dict[str, Any]]
    views: list[dict[str, Any]]
    buffers: list[dict[str, Any]]

    def primitives(self, mesh: int) -> Iterator[tuple[int, int | None, int]]:
        """Accessor indices of positions and indices, and the mode, of each part of a mesh that has triangles."""
        accessors = len(self.accessors)
        for primitive in _items(self.meshes[mesh], "primitives"):
            attributes = primitive.get("attributes")
            if not isinstance(attributes, dict):
                raise ValueError("its primitives have no 'attributes': it is damaged, export it again")
            mode = _whole(primitive, "mode", 7, TRIANGLES)
            if mode in (TRIANGLES, STRIP, FAN) and "POSITION" in attributes:
                indices = _whole(primitive, "indices", accessors) if "indices" in primitive else None
                yield _whole(attributes, "POSITION", accessors), indices, mode

    def mesh_size(self, mesh: int) -> tuple[int, int]:
        """The number of points of a mesh, and an upper bound of its triangles."""
        points, corners = dict[int, int](), 0
        for position, indices, mode in self.primitives(mesh):
            points[position] = self.count(self.accessors[position])
            drawn = points[position] if indices is None else self.count(self.accessors[indices])
            corners += drawn if mode == TRIANGLES else 3 * drawn
        return sum(points.values()), corners // 3

    def mesh(self, mesh: int) -> tuple[Floats, Triangles]:
        """Points (N, 3) and triangles (M, 3) of a mesh, in its own space."""
        points, triangles = [np.empty((0, 3))], [np.empty((0, 3), np.int32)]
        first: dict[int, int] = {}
        total = 0
        for position, indices, mode in self.primitives(mesh):
            if position not in first:
                points.append(self.numbers(position, "VEC3").astype(np.float64, copy=False))
                first[position] = total
                total += len(points[-1])
            count = self.count(self.accessors[position])
            corners = np.arange(count) if indices is None else self.numbers(indices, "SCALAR").ravel()
            if corners.dtype.kind == "f" or (len(corners) and not 0 <= corners.min() <= corners.max() < count):
                raise ValueError("it has faces that refer to missing vertices: it is damaged, export it again")
            triangles.append(_drawn(corners.astype(np.int32), mode) + np.int32(first[position]))
        return np.concatenate(points), np.concatenate(triangles)

    def count(self, accessor: dict[str, Any]) -> int:
        """The number of items of an accessor."""
        count = _whole(accessor, "count", 1 << 62)
        if count > len(self.binary):
            raise ValueError(f"it claims a list of {count} items, and has {len(self.binary)} bytes: it is damaged")
        return count

    def numbers(self, number: int, kind: str) -> npt.NDArray[Any]:
        """The items (count, width) of an accessor."""
        accessor = self.accessors[number]
        component = _whole(accessor, "componentType", 1 << 31)
        if accessor.get("type") != kind or component not in COMPONENTS:
            raise ValueError(f"its accessor {number} is not of the type {kind}: it is damaged, export it again")
        count = self.count(accessor)
        found = np.zeros((count, WIDTHS[kind]), COMPONENTS[component])
        if "bufferView" in accessor:
            found = self.view(accessor, count, COMPONENTS[component], WIDTHS[kind])
        if "sparse" in accessor:
            found = found.copy()
            changed, values = self.sparse(accessor["sparse"], count, COMPONENTS[component], WIDTHS[kind])
            if len(changed) and changed.max() >= count:
                raise ValueError(f"its accessor {number} changes items that are not there: it is damaged")
            found[changed] = values
        if kind == "VEC3" and accessor.get("normalized") is True and component in GREATEST:
            return np.maximum(found / GREATEST[component], -1.0)
        return found

    def sparse(self, part: Any, most: int, dtype: str, width: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Indices (N,) and values (N, width) of the sparse items of an accessor, at most `most`."""
        if not (
            isinstance(part, dict) and isinstance(part.get("indices"), dict) and isinstance(part.get("values"), dict)
        ):
            raise ValueError("its 'sparse' is no object with indices and values: it is damaged, export it again")
        count = _whole(part, "count", most + 1)
        component = _whole(part["indices"], "componentType", 1 << 31)
        if component not in (5121, 5123, 5125):
            raise ValueError("its 'sparse' has indices that are not whole numbers: it is damaged, export it again")
        return (
            self.view(part["indices"], count, COMPONENTS[component], 1)[:, 0],
            self.view(part["values"], count, dtype, width),
        )

    def view(self, accessor: dict[str, Any], count: int, dtype: str, width: int) -> npt.NDArray[Any]:
        """The items (count, width) where an accessor points to, as stored there."""
        size = np.dtype(dtype).itemsize * width
        view = self.views[_whole(accessor, "bufferView", len(self.views))]
        if _whole(view, "buffer", len(self.buffers)) != 0 or "uri" in self.buffers[0]:
            raise ValueError("its data is in another file: export it as one .glb")
        start, length = _whole(view, "byteOffset", 1 << 62, 0), _whole(view, "byteLength", 1 << 62)
        stride, offset = _whole(view, "byteStride", 1 << 31, size), _whole(accessor, "byteOffset", 1 << 62, 0)
        end = offset + (count - 1) * stride + size if count else 0
        if end > length or start + length > len(self.binary) or stride < size:
            raise ValueError(
                "its description claims more data than it has: it is cut short or damaged, export it again"
            )
        return np.ndarray((count, width), dtype, self.binary, start + offset, (stride, np.dtype(dtype).itemsize))


def _drawn(corners: npt.NDArray[np.int32], mode: int) -> Triangles:
    """Triangles (M, 3) of consecutive corners (N,), by the mode of the primitive."""
    if mode == TRIANGLES:
        if len(corners) % 3:
            raise ValueError("it has a triangle with less than three corners: it is damaged, export it again")
        return corners.reshape(-1, 3)
    count = max(len(corners) - 2, 0)
    step = np.arange(count)
    if mode == FAN:
        return corners[np.stack([np.zeros_like(step), step + 1, step + 2], axis=1)]
    odd = step % 2
    return corners[np.stack([step, step + 1 + odd, step + 2 - odd], axis=1)]


def _whole(owner: dict[str, Any], name: str, below: int, default: int | None = None) -> int:
    """An integer of a JSON object, from 0 to below `below`."""
    value = owner.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < below:
        raise ValueError(f"a '{name}' of it is no whole number below {below}: it is damaged, export it again")
    return value


def _wholes(owner: dict[str, Any], name: str, below: int) -> list[int]:
    values = owner.get(name, [])
    if not isinstance(values, list):
        raise ValueError(f"its '{name}' are no list: it is damaged, export it again")
    return [_whole({name: value}, name, below) for value in values]


def _floats(owner: dict[str, Any], name: str, count: int, default: tuple[float, ...] = ()) -> Floats:
    """The finite numbers (count,) of a JSON object."""
    values = owner.get(name, default)
    if not isinstance(values, list | tuple) or len(values) != count:
        raise ValueError(f"a '{name}' of it is no list of {count} numbers: it is damaged, export it again")
    if not all(isinstance(value, int | float) and abs(value) < 1e30 for value in values):
        raise ValueError(f"a '{name}' of it is not finite: it is damaged, export it again")
    return np.array(values, np.float64)
