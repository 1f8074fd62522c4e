"""The workers of Dask: processes on this computer for one list, or those of a scheduler that is there already."""

import logging
import os
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from ..compute import InputError, MissingLibraryError
from ..formats import readable
from .process import host_of, version

# How often a job is tried again after the loss of its worker.
RETRIES = 2
# Seconds to reach a scheduler, and to wait for its first worker.
CONNECT_SECONDS, WORKER_SECONDS = 10, 60
LOOPBACK = "127.0.0.1"
# Dask's servers of web pages get none, and what it measures of itself rests, because nobody looks at them.
QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.scheduler.allowed-failures": RETRIES,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # As by default, but for MALLOC_TRIM_THRESHOLD_: with that, workers give memory back to the system at once, and each
    # array has to be given fresh pages.
    "distributed.nanny.pre-spawn-environ": {
        "OMP_NUM_THREADS": 1,
        "MKL_NUM_THREADS": 1,
        "OPENBLAS_NUM_THREADS": 1,
    },
}
PACKAGE = "voxel_carve"


@dataclass(frozen=True)
class Cluster:
    """Workers that can be asked.

    Attributes:
        client: of Dask.
        address: of the scheduler.
        is_local: whether the workers were started here, in this working folder.
    """

    client: Any
    address: str
    is_local: bool


def jobs_by_host(workers: Mapping[str, int]) -> dict[str, int]:
    """How many jobs run at the same time on each computer, from the number of threads of each worker."""
    hosts = Counter[str]()
    for worker, threads in workers.items():
        hosts[host_of(worker)] += threads
    return dict(hosts)


@contextmanager
def connected(workers: str | None, scheduler: str | None) -> Iterator[Cluster]:
    """The workers of a scheduler, or so many new ones on this computer, which end with the block.

    Args:
        workers: how many, as it was given; None where there is a scheduler.
        scheduler: its address, such as tcp://host:8786.

    Raises:
        InputError: the number is none, the library is missing, the scheduler does not answer or has no workers, or a
            worker has another version of this package.
    """
    count = None if workers is None else _count(workers)
    if count is not None and scheduler is not None:
        raise InputError("give either --workers, for processes of this computer, or --scheduler")
    try:
        import distributed  # noqa: F401

        if count is not None:
            import cryptography  # noqa: F401 - for the keys
    except ModuleNotFoundError as error:
        raise MissingLibraryError(
            "{library} is missing: --workers and --scheduler need the extra `distributed` of the package: run pip "
            "install 'voxel-carve[distributed]'",
            library=error.name,
        ) from error
    if not __name__.startswith(f"{PACKAGE}."):
        raise InputError(
            "--workers and --scheduler are for the package for plain Python, which workers can import: run pip install "
            "'voxel-carve[distributed]', and the command voxel-carve"
        )
    for name in ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")  # of Dask, which we say ourselves
        if count is not None:
            client, address = _started(count, stack), LOOPBACK
        else:
            address = str(scheduler)
            client = _found(address, stack)
        compare_versions(client)
        yield Cluster(client, address, count is not None)


def _count(workers: str) -> int:
    if not (workers.isascii() and workers.isdigit() and 0 < int(workers) <= 1000):
        raise InputError("--workers {number}: it must be a whole number from 1 to 1000", number=readable(workers))
    return int(workers)


def _started(count: int, stack: ExitStack) -> Any:
    """A client of new processes with one thread each. They listen on the loopback, to who has the keys of this run."""
    import dask
    from distributed import Client, LocalCluster, Security
    from distributed.system import MEMORY_LIMIT

    # The processes ignore the working folder, like all of ours.
    stack.callback(_set, "PYTHONSAFEPATH", os.environ.get("PYTHONSAFEPATH"))
    _set("PYTHONSAFEPATH", "1")
    scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="voxel_carve-", ignore_cleanup_errors=True))
    stack.enter_context(dask.config.set({**QUIET, "temporary-directory": scratch}))
    cluster = stack.enter_context(
        LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            host=LOOPBACK,
            protocol="tls",
            security=Security.temporary(),
            dashboard_address=f"{LOOPBACK}:0",
            scheduler_kwargs={"dashboard": False},
            memory_limit=MEMORY_LIMIT // count,
            local_directory=scratch,
            silence_logs=logging.CRITICAL,
            preload=[f"{__package__}.process"],
        )
    )
    return stack.enter_context(Client(cluster, set_as_default=False))


def _found(address: str, stack: ExitStack) -> Any:
    """A client of a scheduler that runs already, with the TLS settings of Dask's configuration."""
    from distributed import Client, Security
    from distributed.comm.addressing import parse_address, parse_host_port

    try:
        parse_host_port(parse_address(address)[1])  # a client that cannot begin would not end in peace
        client = Client(address, timeout=CONNECT_SECONDS, security=Security(), set_as_default=False)
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        raise InputError(
            "no Dask scheduler answers at {address} ({fault}): start one with `dask scheduler`, or mend the address or "
            "the TLS settings",
            address=readable(address),
            fault=str(error) or type(error).__name__,
        ) from error
    stack.enter_context(client)
    try:
        client.wait_for_workers(1, timeout=WORKER_SECONDS)
    except TimeoutError as error:
        raise InputError(
            "the scheduler at {address} has no workers: start some with `dask worker {address}`",
            address=readable(address),
        ) from error
    return client


def compare_versions(client: Any) -> None:
    """Check that all workers have this version of the package, and they and the scheduler this version of Dask.

    Raises:
        InputError: one has another version, or lacks the package.
    """
    for worker, told in client.run(version, on_error="return").items():
        if isinstance(told, BaseException):
            raise InputError(
                "the worker {worker} cannot use voxel_carve ({fault}): install version {ours} of it there, with the "
                "extra `distributed`",
                worker=worker,
                fault=told,
                ours=version(),
            )
        if told != version():
            raise InputError(
                "the worker {worker} has voxel_carve {theirs}, and this is {ours}: install the same version on both",
                worker=worker,
                theirs=told,
                ours=version(),
            )
    import distributed

    told = client.get_versions()
    named = {f"the worker {worker}": found for worker, found in told["workers"].items()}
    for name, found in ({"the scheduler": told["scheduler"]} | named).items():
        theirs = found["packages"]["distributed"]
        if theirs != distributed.__version__:
            raise InputError(
                "{name} has Dask {theirs}, and this is {ours}: install the same version on both",
                name=name,
                theirs=theirs,
                ours=distributed.__version__,
            )


def _set(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
