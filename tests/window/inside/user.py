"""The actions of a user: move, click, drag, press keys, type, and look.

Positions are pixels from the top left of the screen, as in the pictures. Each action is a generator (`yield from
click(...)`), because Blender must be able to handle each event as it comes: a press and a release that arrive together
may be lost.
"""

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

STAGE = Path(__file__).parents[1]
SETTLE_S = 0.7  # software drawing is slow
HOLD_S = 0.07


def move(x: float, y: float) -> Iterator[float]:
    """Move the pointer, by way of a neighbouring pixel, because a button needs to see it move."""
    yield from _send("mousemove", int(x) - 3, int(y) - 3, "sleep", 0.1, "mousemove", int(x), int(y))
    yield 0.15


def click(x: float, y: float, button: int = 1, times: int = 1) -> Iterator[float]:
    """Click at (x, y); two clicks into a number field start text input."""
    yield from move(x, y)
    yield from _send(*("mousedown", button, "sleep", HOLD_S, "mouseup", button, "sleep", HOLD_S) * times)
    yield SETTLE_S


def shift_click(x: float, y: float) -> Iterator[float]:
    """Click at (x, y) with Shift, which is held until Blender has handled the click."""
    yield from _send("keydown", "shift")
    yield HOLD_S
    yield from click(x, y)
    yield from _send("keyup", "shift")
    yield HOLD_S


def drag(start: tuple[float, float], end: tuple[float, float], button: int = 1, steps: int = 12) -> Iterator[float]:
    """Press, move in steps, release."""
    yield from move(*start)
    yield from _send("mousedown", button, "sleep", HOLD_S)
    yield from glide(start, end, steps)
    yield from _send("mouseup", button)
    yield SETTLE_S


def glide(start: tuple[float, float], end: tuple[float, float], steps: int = 12) -> Iterator[float]:
    """Move from start to end in steps, as a hand does."""
    words = []
    for step in range(1, steps + 1):
        x, y = (int(a + (b - a) * step / steps) for a, b in zip(start, end, strict=True))
        words += ["mousemove", x, y, "sleep", 0.05]
    yield from _send(*words)


def press(*keys: str, settle_s: float = SETTLE_S) -> Iterator[float]:
    """Press keys one after another, by X's names: press("ctrl+z")."""
    for key in keys:
        yield from _send("key", "--delay", 60, key)
        yield settle_s


def write(text: str) -> Iterator[float]:
    """Type text."""
    yield from _send("type", "--delay", 40, "--", text)
    yield SETTLE_S


def look(name: str) -> Iterator[float]:
    """Take a picture of the whole screen."""
    yield 1.0  # the changes of the last step, and its message, may not be drawn yet
    yield from _run("import", "-window", "root", str(STAGE / f"{name}.png"))


def look_at(name: str, x: int, y: int, width: int, height: int) -> Iterator[float]:
    """Take a picture of a part of the screen."""
    yield 1.0
    part = f"{width}x{height}+{x}+{y}"
    yield from _run("import", "-window", "root", "-crop", part, "+repage", str(STAGE / f"{name}.png"))


def scroll(steps: int) -> Iterator[float]:
    """Turn the mouse wheel toward the user, at the pointer; away from the user if steps are negative."""
    for _ in range(abs(steps)):
        yield from _send("click", 5 if steps > 0 else 4)
        yield 0.1
    yield SETTLE_S


def until(condition: Callable[[], object], limit_s: float = 15.0, what: str = "") -> Iterator[float]:
    """Wait for a condition to hold."""
    deadline = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {limit_s:g} s still not: {what or condition.__name__}")
        yield 0.05


def _send(*words: object) -> Iterator[float]:
    yield from _run("xdotool", *map(str, words))


def _run(*command: str) -> Iterator[float]:
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            yield 0.02
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
