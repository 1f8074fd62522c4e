"""Messages between two processes, through the pipes of the child's standard input and output."""

import pickle
import queue
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

Messages = queue.SimpleQueue[tuple[Any, ...]]


def send(stream: IO[bytes], message: object) -> None:
    """Send a message to another process. Raises EOFError if that has ended."""
    try:
        pickle.dump(message, stream, protocol=pickle.HIGHEST_PROTOCOL)
        stream.flush()
    except OSError as error:  # a broken pipe, under several names
        raise EOFError from error


def listen(stream: IO[bytes]) -> Messages:
    """The messages of another process, as they come. The last is ("ended",), or ("failed", error) if one cannot be
    read, such as for want of memory."""
    heard: Messages = queue.SimpleQueue()
    threading.Thread(target=_pass_on, args=(stream, heard), daemon=True).start()
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


def _pass_on(stream: IO[bytes], heard: Messages) -> None:
    try:
        while True:
            heard.put(pickle.load(stream))
    except (EOFError, OSError, ValueError, pickle.UnpicklingError):
        heard.put(("ended",))
    except Exception as error:
        heard.put(("failed", error))
