"""Messages between two processes, through the pipes of the child's standard input and output."""

import pickle
import queue
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any, Protocol

from .ending import OWN_THREADS


class Messages(Protocol):
    """Messages in their order."""

    def get(self, *, timeout: float) -> tuple[Any, ...]:
        """The next one. Raises queue.Empty if none comes for so many seconds."""


def send(stream: IO[bytes], message: object) -> None:
    """Send a message to another process. Raises EOFError if that has ended."""
    try:
        pickle.dump(message, stream, protocol=pickle.HIGHEST_PROTOCOL)
        stream.flush()
    except OSError as error:  # a broken pipe, under several names
        raise EOFError from error


def listen(stream: IO[bytes]) -> Messages:
    """The messages of another process, as they come. The last is ("ended",), or ("failed", error) if one cannot be
    read, such as for want of memory.

    Raises:
        RuntimeError: the system refuses a new thread.
    """
    heard: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
    try:
        threading.Thread(target=_pass_on, args=(stream, heard), name=f"{OWN_THREADS} listener", daemon=True).start()
    except RuntimeError:
        if threading.main_thread().is_alive():
            raise
        return _Unhurried(stream)  # the process is about to end, and starts no thread any more
    return heard


def answer(work: Callable[[Any, Callable[..., None]], object]) -> None:
    """Answer the questions from standard input on standard output, until the input ends: the main function of a child.

    Args:
        work: gives the answer to a question. What it tells its second argument is passed on to whoever asked.
    """
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    with suppress(EOFError):
        while True:
            question = pickle.load(questions)
            try:
                found = work(question, lambda *told: send(answers, ("told", *told)))
            except Exception as error:
                send(answers, ("failed", error))
            else:
                send(answers, ("found", found))


def _pass_on(stream: IO[bytes], heard: "queue.SimpleQueue[tuple[Any, ...]]") -> None:
    message: tuple[Any, ...] = ("",)
    while message[0] != "ended":
        message = _read(stream)
        heard.put(message)


class _Unhurried:
    """The messages in a stream, waited for however long they take."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def get(self, *, timeout: float) -> tuple[Any, ...]:
        return _read(self._stream)


def _read(stream: IO[bytes]) -> tuple[Any, ...]:
    """The next message, or what `listen` says of one that cannot be read."""
    try:
        message: tuple[Any, ...] = pickle.load(stream)
    except (EOFError, OSError, ValueError, pickle.UnpicklingError):
        return ("ended",)
    except Exception as error:
        return ("failed", error)
    return message
