"""What runs on a worker of Dask for a job in slabs: one slab, from bytes to bytes."""

from functools import partial
from pathlib import Path
from typing import Any

from ..compute import CarveError, MemoryLimitError, PreparedStock, TriMesh, get_backend
from ..compute.model import Grid
from ..compute.runtime import allowed_bytes, core_count, limit_threads, reporting_to, resident_bytes
from ..compute.slabs import Segments, Slab, make_part, part_bytes, prepare_stock, write_part
from .kept_stock import prepared_once
from .packing import packed, unpacked
from .process import check, check_version, running, this_host

# Of the memory at which Dask ends a worker: what a job is given. The rest is for what Python and Dask need beside it.
SHARE = 0.7


def hold(stock: bytes) -> bytes:
    """The same bytes. So Dask keeps them where they are needed, and makes them again if they are lost."""
    return stock


def make_slab(stock: bytes, segments: bytes) -> tuple[bytes, bytes]:
    """The part of a slab.

    Args:
        stock: the points, the triangles and the grid, as the client packs them.
        segments: those that reach the slab, and what it is.

    Returns:
        What was made, or why it was not; and the bytes of the part's file, unless that was to be written here.
    """
    arrays, asked = unpacked(segments)
    check_version(asked["version"])
    asked["here"] = asked["jobs_by_host"].get(this_host(), 1)
    limit_threads(max(1, core_count() // asked["here"]))
    with running(asked["run"]):
        try:
            with reporting_to(lambda *_: check(asked["run"])):
                return _made(stock, arrays, asked)
        except KeyboardInterrupt:
            return packed({}, status="cancelled"), b""
        except MemoryLimitError as error:
            return packed({}, status="memory", needed=error.estimate_bytes, limit=error.limit_bytes), b""
        except CarveError as error:
            return packed({}, status="failed", error=str(error)), b""


def _made(stock: bytes, arrays: dict[str, Any], asked: dict[str, Any]) -> tuple[bytes, bytes]:
    backend = get_backend(asked["backend"])
    backend.begin_job()
    with prepared_once(asked["job"], partial(_prepared, stock, backend)) as prepared:
        made = make_part(
            prepared,
            Segments(arrays["rows"], arrays["order"]),
            Slab(*asked["slab"]),
            asked["operation"],
            backend,
            _limit(asked["limit"], asked["here"]),
        )
    kept = {"near": made.kept.near, "stay": made.kept.stay}
    told = packed(kept, status="made", bricks=made.bricks, estimated=made.estimated)
    if asked["file"] is None:
        return told, part_bytes(made.part)
    write_part(Path(asked["file"]), made.part)
    return told, b""


def _prepared(stock: bytes, backend: Any) -> PreparedStock:
    arrays, values = unpacked(stock)
    mesh = TriMesh(arrays["points"], arrays["triangles"], values["name"])
    return prepare_stock(mesh, Grid(arrays["origin"], values["voxel_size"], tuple(values["shape"])), backend)


def _limit(given: int | None, here: int) -> int:
    """The bytes that a slab may take: what was given, or a share of this computer's; never what Dask would end it
    for."""
    from distributed import get_worker

    own = allowed_bytes(None) // here if given is None else given
    most = get_worker().memory_manager.memory_limit if hasattr(get_worker(), "memory_manager") else None
    return own if not most else max(min(own, int(SHARE * most) - resident_bytes()), 0)
