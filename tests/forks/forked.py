"""Runs Python programs in forks of a process that has loaded the libraries: loading takes longer than most of the runs.

A fork begins where a new Python begins with the program: in its folder, with its arguments, environment and streams. It
ends as Python ends. Only LIBRARIES or KERNELS are loaded already. So a test of how a process starts needs a new Python,
and so does one that changes what Python reads at its start, such as PYTHONIOENCODING.
"""

import gc
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[2]
LONGEST = 300.0  # seconds

# What a process loads before it forks.
LIBRARIES = """
import numba
import voxel_carve.compute
"""
# The library of Blender is opened, not imported: importing it creates its scene, and a fork does that itself.
KERNELS = """
import ctypes, importlib.util
from voxel_carve.compute.engines.numba.compiler import SETS, load_kernels
for name in SETS:
    load_kernels(name)
blender = importlib.util.find_spec("bpy")
if blender is not None:
    ctypes.CDLL(blender.origin)
"""


def run_python(
    words: Sequence[object],
    folder: Path,
    variables: Mapping[str, str],
    timeout: float = LONGEST,
    loaded: str = KERNELS,
) -> subprocess.CompletedProcess[bytes]:
    """Run what follows `python` on a command line: a script or `-c` with a program, then its arguments.

    Args:
        words: these.
        folder: where it runs.
        variables: its environment.
        timeout: seconds after which it is killed.
        loaded: LIBRARIES or KERNELS.

    Raises:
        subprocess.TimeoutExpired: it was killed.
    """
    command = [str(word) for word in words]
    if sys.platform != "linux":  # elsewhere there is no fork, or libraries do not survive it
        return subprocess.run(
            [sys.executable, *command],
            cwd=folder,
            env=dict(variables),
            capture_output=True,
            check=False,
            timeout=timeout,
        )
    connection, _ = _source(loaded)
    (out, theirs_out), (err, theirs_err) = os.pipe(), os.pipe()
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        socket.send_fds(connection, [b"."], [nothing, theirs_out, theirs_err])
    finally:
        for number in (nothing, theirs_out, theirs_err):
            os.close(number)
    with connection.makefile("rwb") as talk:
        talk.write(json.dumps([command, os.fsdecode(folder), dict(variables)]).encode() + b"\n")
        talk.flush()
        process = _answer(talk)
        try:
            said = _read_both(out, err, timeout)
        except TimeoutError as error:
            os.kill(process, signal.SIGKILL)
            raise subprocess.TimeoutExpired(command, timeout) from error
        finally:
            status = _answer(talk)
    return subprocess.CompletedProcess(command, status, *said)


def _answer(talk: IO[bytes]) -> int:
    line = talk.readline()
    if not line:
        raise RuntimeError("the process that forks has ended: see its output above")
    return int(line)


def _read_both(out: int, err: int, timeout: float) -> tuple[bytes, bytes]:
    """Read two pipes to their ends, and close them."""
    said, deadline = {out: b"", err: b""}, time.monotonic() + timeout
    with selectors.DefaultSelector() as selector, open(out, "rb", closefd=True), open(err, "rb", closefd=True):
        for number in said:
            selector.register(number, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(deadline - time.monotonic())
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                part = os.read(key.fd, 1 << 16)
                said[key.fd] += part
                if not part:
                    selector.unregister(key.fd)
    return said[out], said[err]


@cache
def _source(loaded: str) -> tuple[socket.socket, "subprocess.Popen[bytes]"]:
    """The process that loads this and forks, and the connection to it. It ends when the connection does."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno()), loaded],
            cwd=ROOT,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    return ours, process


# The process that forks


def serve(connection: socket.socket) -> list[str]:
    """Fork for each request. Return in the fork, with the words of its command line."""
    while True:
        started, streams, _, _ = socket.recv_fds(connection, 1, 3)
        if not started:
            sys.exit()
        with connection.makefile("rwb") as talk:
            words, folder, variables = json.loads(talk.readline())
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # about forking with threads; libraries have some
                process = os.fork()
            if process:
                for number in streams:
                    os.close(number)
                talk.write(b"%d\n" % process)
                talk.flush()
                talk.write(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
                continue
        connection.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(variables)
        return list(words)


def become(words: list[str]) -> None:
    """Run a program as Python runs it at its start."""
    if words[0] == "-c":
        sys.argv, sys.path[0] = ["-c", *words[2:]], ""
        exec(compile(words[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv, sys.path[0] = words, os.path.dirname(os.path.realpath(words[0]))
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    sys.path[0] = str(ROOT)
    exec(sys.argv[2])
    gc.freeze()  # or each fork looks through all that was loaded when it ends
    become(serve(socket.socket(fileno=int(sys.argv[1]))))
