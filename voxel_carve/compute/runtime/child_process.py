"""Child processes, which import our modules under the same names as this one."""

import importlib
import json
import os
import queue
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, cast

from .cache import chosen_folder, set_cache_folder
from .errors import CarveError
from .pipes import listen, send

# Cached kernels and pickled objects name their modules, so both processes must use the same names. In an extension, our
# package lies within packages that only Blender can import. So these are made here, empty, with a folder.
START = """
import importlib, json, sys, types
name, function, arguments, packages, sys.path[:] = json.loads(sys.argv[1])
for package, folder in packages:
    sys.modules[package] = types.ModuleType(package)
    sys.modules[package].__path__ = [folder]
getattr(importlib.import_module(name), function)(*arguments)
"""

# The number of packages around our own.
_ROOM_ABOVE = len(__name__.split(".")) - 4

# Flags for a new process.
if sys.platform == "win32":
    NO_WINDOW = subprocess.CREATE_NO_WINDOW
else:
    NO_WINDOW = 0

# Seconds between two looks at whether the job is cancelled.
LOOK_EVERY = 0.1


class Child:
    """A child process that answers questions, by `pipes.answer`. A context manager, which kills it at the end.

    Args:
        command: of the process, which starts at once.
        task: what it does, for the message if it cannot be started.
        ended: the message if it ends early, with {status} in it.

    Raises:
        CarveError: it cannot be started.
    """

    def __init__(self, command: list[str], task: str, ended: str) -> None:
        self._ended = ended
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, creationflags=NO_WINDOW
            )
        except OSError as error:
            raise CarveError("no process could be started for the {task} ({error})", task=task, error=error) from error
        try:
            self._heard = listen(cast(IO[bytes], self._process.stdout))
        except RuntimeError as error:
            self.__exit__(None, None, None)
            raise CarveError("no process could be started for the {task} ({error})", task=task, error=error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            cast(IO[bytes], pipe).close()

    def interrupt(self, seconds: float) -> None:
        """Let it clean up and end, and wait at most so many seconds for that. On Windows it ends at once."""
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def ask(self, question: object, told: Callable[..., None]) -> Any:
        """The answer to a question.

        Args:
            question: anything that can be pickled.
            told: called with all that the process tells meanwhile, and with nothing where it is silent, several times a
                second. It stops the work by raising.

        Raises:
            CarveError: the process ended. What it raised is raised here too.
        """
        try:
            send(cast(IO[bytes], self._process.stdin), question)
            while True:
                try:
                    kind, *rest = self._heard.get(timeout=LOOK_EVERY)
                except queue.Empty:
                    kind, rest = "told", []
                if kind == "told":
                    told(*rest)
                elif kind == "found":
                    return rest[0]
                elif kind == "failed":
                    raise rest[0]
                else:
                    raise EOFError
        except EOFError:
            raise CarveError(self._ended, status=self._process.wait()) from None


def child_command(module: str, function: str, *arguments: int | str) -> list[str]:
    """The command that runs a function in a new Python process, which keeps its kernels where this one does.

    Args:
        module: the `__name__` of a module of this package.
        function: the name of a function in it.
        arguments: passed to the function.
    """
    return _command(_ROOM_ABOVE, __name__, run.__name__, chosen_folder(), module, function, *arguments)


def light_command(module: str, function: str, *arguments: int | str) -> list[str]:
    """The same for a module that needs little of this package, and starts in a fraction of the time: what the packages
    around the module import is left out."""
    return _command(len(module.split(".")) - 1, module, function, *arguments)


def run(cache: str | None, module: str, function: str, *arguments: int | str) -> None:
    """Run a function with a folder for kernels: the main function of a new process."""
    set_cache_folder(cache)
    getattr(importlib.import_module(module), function)(*arguments)


def _command(empty: int, module: str, function: str, *arguments: int | str | None) -> list[str]:
    """The command that runs a function of a module, whose first `empty` packages are not run."""
    # Isolated, as Blender's own Python is: it ignores the working folder, PYTHON... variables and the user's
    # site-packages, which may hold code that was not meant for us. It gets this process's path, without relative
    # entries, which point to the working folder.
    root = Path(__file__).parents[3]
    names = module.split(".")
    folders = [root.joinpath(*names[_ROOM_ABOVE : depth + 1]) for depth in range(empty)]
    packages = [(".".join(names[: depth + 1]), str(folder)) for depth, folder in enumerate(folders)]
    path = [*(folder for folder in sys.path if os.path.isabs(folder)), str(root)]
    return [sys.executable, "-I", "-c", START, json.dumps([module, function, arguments, packages, path])]
