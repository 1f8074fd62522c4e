"""Bricks of distances as a level set of NanoVDB, and back: the tree of one grid of floats, as numpy arrays.

NanoVDB (Museth 2021) lays a tree of OpenVDB out in one piece of memory: a header, the tree's own, the root with its
tiles, and then all nodes of a level side by side. Upper nodes have 32 x 32 x 32 slots, lower ones 16 x 16 x 16, and a
leaf is a brick. A slot holds a tile's value, or where the child begins, in bytes from its node. Axes are (x, y, z).
"""

import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.bricks import BRICK_SIZE, BRICK_VOXELS
from ..runtime.errors import InputError
from ..runtime.progress import with_progress
from .openvdb_grid import GRID_NAME, Leaves

Indices = npt.NDArray[np.int64]

# The version of the layout, in the header's bits: the first number is that of the memory.
_VERSION = 32 << 21 | 3 << 10 | 3
_FILE, _GRID, _OLDER = b"NanoVDB2", b"NanoVDB1", b"NanoVDB0"
_FLOAT, _LEVEL_SET = 1, 1  # the kind of values, the class of grid
_FLAGS = 1 << 1 | 1 << 5  # there are boxes of nodes; nodes stand level by level
_LEAF_HAS_BOX = 2
_STORED, _ZIPPED = 0, 1  # how a file keeps its grids
_LOWER_BITS, _UPPER_BITS, _ROOT_BITS = 3, 7, 12  # of a coordinate within a leaf, a lower and an upper node

_MAP = [
    *[("float_matrix", "<f4", 9), ("float_inverse", "<f4", 9), ("float_place", "<f4", 3), ("float_taper", "<f4")],
    *[("matrix", "<f8", 9), ("inverse", "<f8", 9), ("place", "<f8", 3), ("taper", "<f8")],
]
_HEADER = np.dtype(
    [
        *[("magic", "S8"), ("checksum", "<u8"), ("version", "<u4"), ("flags", "<u4"), ("index", "<u4")],
        *[("count", "<u4"), ("bytes", "<u8"), ("name", "S256"), ("map", _MAP), ("world_box", "<f8", 6)],
        *[("voxel_size", "<f8", 3), ("grid_class", "<u4"), ("kind", "<u4"), ("more_at", "<i8"), ("more", "<u4")],
        ("rest", "V20"),
        # The tree: where its levels begin, from here, and how many nodes and active tiles they have; leaves first.
        *[("at", "<u8", 4), ("nodes", "<u4", 3), ("tiles", "<u4", 3), ("voxels", "<u8")],
    ]
)
_TREE = 672  # bytes before the tree's part of the header
_ROOT = np.dtype([("box", "<i4", 6), ("tiles", "<u4"), ("background", "<f4"), ("rest", "V32")])
_TILE = np.dtype([("key", "<u8"), ("child", "<i8"), ("state", "<u4"), ("value", "<f4"), ("rest", "V8")])
_LEAF = np.dtype(
    [
        *[("low", "<i4", 3), ("sides", "u1", 3), ("flags", "u1"), ("mask", "u1", 64), ("rest", "V16")],
        ("values", "<f4", BRICK_VOXELS),
    ]
)
_FILE_HEAD = struct.Struct("<8sIHH")
_META = struct.Struct("<QQQQII6d6i3dI4I3IHHI")  # of a grid, in a file


def _node(bits: int) -> np.dtype[Any]:
    """An internal node with 2 ** (3 bits) slots."""
    slots = 1 << 3 * bits
    masks = [("box", "<i4", 6), ("flags", "<u8"), ("value_mask", "u1", slots // 8), ("child_mask", "u1", slots // 8)]
    return np.dtype([*masks, ("rest", "V32"), ("table", "<i8", slots)])


_UPPER, _LOWER = _node(_ROOT_BITS - _UPPER_BITS), _node(_UPPER_BITS - _LOWER_BITS)


def write_nanovdb(
    corners: Indices,
    distance: npt.NDArray[np.float32],
    background: np.float32,
    voxel_size: float,
    place: npt.NDArray[np.float64],
    find: Callable[[Indices], tuple[Indices, npt.NDArray[np.bool_]]],
) -> bytes:
    """A file with one level set.

    Args:
        corners, distance, background, voxel_size: those of a `SparseField`.
        place: (3,) centre of voxel (0, 0, 0).
        find: `BrickLookup.find`.

    Raises:
        InputError: the bricks lie too far out for NanoVDB's coordinates.
    """
    low = corners[:, ::-1]
    if len(low) and not (-(2**31) <= low.min() and low.max() < 2**31 - BRICK_SIZE):
        raise InputError("the bricks lie more than 2^31 voxels from the origin: NanoVDB has no coordinates for them")
    lower_at, lower_of = _parents(low >> _UPPER_BITS)
    upper_at, upper_of = _parents(lower_at >> _ROOT_BITS - _UPPER_BITS)
    tiles = _inner_tiles(upper_at, find)
    header = np.zeros(1, dtype=_HEADER)
    sizes = [_ROOT.itemsize + (len(upper_at) + len(tiles)) * _TILE.itemsize]
    sizes += [len(upper_at) * _UPPER.itemsize, len(lower_at) * _LOWER.itemsize, len(low) * _LEAF.itemsize]
    starts = _HEADER.itemsize + np.concatenate([[0], np.cumsum(sizes)])
    box = _box(low, BRICK_SIZE)

    leaves = np.zeros(len(low), dtype=_LEAF)
    leaves["low"], leaves["sides"], leaves["flags"] = low, BRICK_SIZE - 1, _LEAF_HAS_BOX
    values = distance.reshape(-1, *[BRICK_SIZE] * 3).transpose(0, 3, 2, 1).reshape(-1, BRICK_VOXELS)
    active = np.abs(values) < background
    leaves["values"], leaves["mask"] = values, np.packbits(active, axis=1, bitorder="little")
    lower = _nodes(_LOWER, lower_at << _UPPER_BITS, background, find)
    _link(lower, lower_of, _slots(low >> _LOWER_BITS, _LOWER), int(starts[2]), int(starts[3]), _LEAF.itemsize)
    upper = _nodes(_UPPER, upper_at << _ROOT_BITS, background, find)
    _link(upper, upper_of, _slots(lower_at, _UPPER), int(starts[1]), int(starts[2]), _LOWER.itemsize)

    root = np.zeros(1, dtype=_ROOT)
    root["box"], root["tiles"], root["background"] = box.ravel(), len(upper_at) + len(tiles), background
    table = np.zeros(len(upper_at) + len(tiles), dtype=_TILE)
    table["key"] = _keys(np.concatenate([upper_at, tiles]))
    table["child"][: len(upper_at)] = starts[1] - starts[0] + np.arange(len(upper_at)) * _UPPER.itemsize
    table["value"] = -background
    table.sort(order="key")

    counts = [len(low), len(lower_at), len(upper_at)]
    _fill(header, int(starts[-1]), voxel_size, place, box)
    header["at"], header["nodes"], header["voxels"] = starts[3::-1][:4] - _TREE, counts, active.sum()
    grid = b"".join(part.tobytes() for part in (header, root, table, upper, lower, leaves))
    return _file_head(header, counts, box) + grid


def _fill(header: npt.NDArray[Any], size: int, voxel_size: float, place: npt.NDArray[np.float64], box: Indices) -> None:
    """Set what a header says of the grid as a whole."""
    header["magic"], header["checksum"], header["version"], header["flags"] = _GRID, 2**64 - 1, _VERSION, _FLAGS
    header["count"], header["bytes"], header["name"], header["more_at"] = 1, size, GRID_NAME.encode(), size
    matrix, inverse = np.eye(3).ravel() * voxel_size, np.eye(3).ravel() / voxel_size
    for kind in ("", "float_"):
        header["map"][kind + "matrix"], header["map"][kind + "inverse"] = matrix, inverse
        header["map"][kind + "place"], header["map"][kind + "taper"] = place, 1.0
    header["world_box"] = ((box + np.array([[0], [1]])) * voxel_size + place).ravel()
    header["voxel_size"], header["grid_class"], header["kind"] = voxel_size, _LEVEL_SET, _FLOAT


def _file_head(header: npt.NDArray[Any], counts: list[int], box: Indices) -> bytes:
    """What a file says before its only grid."""
    head, name = header[0], GRID_NAME.encode() + b"\0"
    size, voxels = int(head["bytes"]), int(head["voxels"])
    said = (*head["world_box"].tolist(), *box.ravel().tolist(), *head["voxel_size"].tolist(), len(name), *counts, 1)
    meta = _META.pack(size, size, 0, voxels, _FLOAT, _LEVEL_SET, *said, 0, 0, 0, _STORED, 0, _VERSION)
    return _FILE_HEAD.pack(_FILE, _VERSION, 1, _STORED) + meta + name


def _parents(places: Indices) -> tuple[Indices, Indices]:
    """The nodes (N, 3) that places (M, 3) lie in, and which of them each does, (M,)."""
    nodes, which = np.unique(places, axis=0, return_inverse=True)
    return nodes, which.reshape(-1)


def _bits(node: np.dtype[Any]) -> int:
    return int(node["table"].shape[0].bit_length() // 3)


def _slots(places: Indices, node: np.dtype[Any]) -> Indices:
    """(N,) the slot of children at (N, 3) places, in their own size, in the node around them."""
    bits = _bits(node)
    x, y, z = (places & (1 << bits) - 1).T
    return np.asarray((x << bits | y) << bits | z)


def _nodes(
    node: np.dtype[Any],
    low: Indices,
    background: np.float32,
    find: Callable[[Indices], tuple[Indices, npt.NDArray[np.bool_]]],
) -> npt.NDArray[Any]:
    """Nodes with the first voxels (N, 3), all of whose slots are tiles, inside or outside."""
    made = np.zeros(len(low), dtype=node)
    side = 1 << _bits(node)
    slot = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    extent = BRICK_SIZE if node is _LOWER else BRICK_SIZE << _bits(_LOWER)
    inner, outer = (int(np.float32(value).view(np.uint32)) for value in (-background, background))
    for number in with_progress(range(len(low))):
        _, inside = find((low[number] + slot * extent)[:, ::-1] // BRICK_SIZE)
        made["table"][number] = np.where(inside, inner, outer)
    made["box"] = np.concatenate([low, low + side * extent - 1], axis=1)
    return made


def _link(nodes: npt.NDArray[Any], node_of: Indices, slot: Indices, start: int, first: int, size: int) -> None:
    """Put children into the slots of nodes: child i, in its order, into `slot[i]` of node `node_of[i]`.

    The nodes begin at byte `start`, the children at byte `first`, each of `size` bytes.
    """
    at = first + np.arange(len(slot)) * size
    nodes["table"][node_of, slot] = at - (start + node_of * nodes.itemsize)
    np.bitwise_or.at(nodes["child_mask"], (node_of, slot >> 3), (1 << (slot & 7)).astype(np.uint8))


def _inner_tiles(upper: Indices, find: Callable[[Indices], tuple[Indices, npt.NDArray[np.bool_]]]) -> Indices:
    """(N, 3) places, in upper nodes, between those (M, 3) that are there, where all is inside."""
    ordered = upper[np.lexsort((upper[:, 0], upper[:, 1], upper[:, 2]))]
    one, other = ordered[:-1], ordered[1:]
    gap = np.flatnonzero((one[:, 1:] == other[:, 1:]).all(axis=1) & (other[:, 0] - one[:, 0] > 1))
    after = one[gap] + (1, 0, 0)
    _, inside = find((after << _ROOT_BITS - _LOWER_BITS)[:, ::-1])
    runs = [
        np.stack([np.arange(x, stop), np.full(stop - x, y), np.full(stop - x, z)], axis=1)
        for (x, y, z), stop in zip(after[inside].tolist(), other[gap[inside], 0].tolist(), strict=True)
    ]
    return np.concatenate([np.zeros((0, 3), dtype=np.int64), *runs])


def _keys(places: Indices) -> npt.NDArray[np.uint64]:
    """(N,) the keys of upper nodes at places (N, 3): 21 bits of each, z lowest."""
    x, y, z = (places & (1 << 32 - _ROOT_BITS) - 1).astype(np.uint64).T
    return np.asarray(x << np.uint64(42) | y << np.uint64(21) | z)


def _box(low: Indices, side: int) -> Indices:
    """(2, 3) the first and the last voxel of bricks with first voxels (N, 3)."""
    return np.stack([low.min(axis=0), low.max(axis=0) + side - 1]) if len(low) else np.zeros((2, 3), dtype=np.int64)


def read_nanovdb(data: bytes) -> Leaves:
    """The leaves of the first grid in a file, or in a grid's own memory.

    Raises:
        InputError: it is damaged, no level set of floats, or its voxels are not cubes along the axes.
    """
    try:
        return _leaves(_first_grid(data))
    except (ValueError, OverflowError, struct.error, zlib.error) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("NanoVDB data is damaged: {error}", error=error) from error


def _first_grid(data: bytes) -> bytes:
    """The memory of a file's first grid. A grid alone stays as it is."""
    if len(data) < _FILE_HEAD.size:
        raise ValueError(f"it has {len(data)} bytes, and begins with {_FILE_HEAD.size}")
    magic, version, count, codec = _FILE_HEAD.unpack_from(data)
    # The oldest files begin as grids do, but those have a checksum where these have the version.
    if magic == _GRID or (magic == _OLDER and version >> 21 != _VERSION >> 21):
        return data
    if magic not in (_FILE, _OLDER) or version >> 21 != _VERSION >> 21 or codec not in (_STORED, _ZIPPED):
        raise ValueError("it does not begin as a file does, or has another layout or compression than zip")
    at, kept = _FILE_HEAD.size, 0
    for number in range(count):
        said = _META.unpack_from(data, at)
        kept = said[1] if number == 0 else kept
        at += _META.size + said[21]
    if codec == _STORED:
        return data[at : at + kept]
    (size,) = struct.unpack_from("<Q", data, at)
    return zlib.decompressobj().decompress(data[at + 8 : at + 8 + size], _META.unpack_from(data, _FILE_HEAD.size)[0])


def _leaves(grid: bytes) -> Leaves:
    """The leaves of a grid."""
    head = np.frombuffer(grid, dtype=_HEADER, count=1)[0]
    if head["magic"] not in (_GRID, _OLDER) or head["version"] >> 21 != _VERSION >> 21:
        raise ValueError("it does not begin as a grid does")
    root = np.frombuffer(grid, dtype=_ROOT, count=1, offset=_TREE + int(head["at"][3]))[0]
    background, size = float(root["background"]), float(head["voxel_size"][0])
    nodes = [
        np.frombuffer(grid, dtype=node, count=int(head["nodes"][level]), offset=_TREE + int(head["at"][level]))
        for level, node in ((1, _LOWER), (2, _UPPER))
    ]
    tiles = any(bool((level["value_mask"] & ~level["child_mask"]).any()) for level in nodes)
    if head["kind"] != _FLOAT or not (0 < background < np.inf) or tiles:
        raise InputError("a grid of NanoVDB that is no level set: give floats whose background is above 0")
    matrix, place = head["map"]["matrix"].reshape(3, 3), head["map"]["place"].astype(np.float64)
    cubic = 0 < size < np.inf and np.abs(matrix - size * np.eye(3)).max() <= 1e-6 * size
    if not (cubic and np.isfinite(place).all()):
        raise InputError("a grid of NanoVDB has voxels that are not cubes along the axes: resample it")
    leaves = np.frombuffer(grid, dtype=_LEAF, count=int(head["nodes"][0]), offset=_TREE + int(head["at"][0]))
    values = leaves["values"].reshape(-1, *[BRICK_SIZE] * 3).transpose(0, 3, 2, 1).reshape(-1, BRICK_VOXELS)
    distance = np.nan_to_num(values, nan=background).clip(-np.float32(background), np.float32(background))
    corners = (leaves["low"].astype(np.int64) & -BRICK_SIZE)[:, ::-1]
    order = np.lexsort(corners.T[::-1])
    return np.ascontiguousarray(corners[order]), distance[order], size, background, place
