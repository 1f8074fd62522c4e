"""Plays a scenario in a Blender with a window: a virtual screen, a driver that clicks and types, pictures, facts.

The screen is Xvfb, xdotool moves the pointer and types, and ImageMagick takes pictures. All three run where Blender
does; rendering is in software. A driver is a module in drivers/; start.py in inside/ shows how it is run.
"""

import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.command_line import ROOT
from tests.real_blender import Place

HERE = Path(__file__).parent
PICTURES = ROOT / "build" / "window"
WIDTH, HEIGHT = 1280, 960
LOG_LINES = 40


class ScenarioError(AssertionError):
    """A scenario failed; the message has Blender's last output, and the folder of the pictures."""


def play(place: Place, driver: str, limit_s: float = 240.0, height: int = HEIGHT, **variables: str) -> dict:
    """Run a driver in a new Blender, and return the facts that it noted.

    Args:
        place: where Blender runs, with the extension if its user folder has it.
        driver: name of a module in drivers/.
        limit_s: the scenario fails if it takes longer than this.
        height: of the screen and the window, in pixels.
        variables: more environment variables.

    Raises:
        ScenarioError: the driver raised, Blender ended, or time is up.
    """
    stage = place.folder / driver
    shutil.rmtree(stage, ignore_errors=True)
    shutil.copytree(HERE / "inside", stage / "inside", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(HERE / "drivers", stage / "drivers", ignore=shutil.ignore_patterns("__pycache__"))
    result = stage / "result.json"
    with (stage / "blender.log").open("w") as log, screen(place, stage, height) as display:
        environment = screen_environment(place, display) | variables
        arguments = ["--gpu-backend", "opengl", "--window-geometry", 0, 0, WIDTH, height, "--no-window-focus"]
        script = ["--python", place.inside(f"{driver}/inside/start.py"), "--", driver]
        command = [*place.command, *map(str, arguments), *script]
        with running(command, env=environment, stdout=log, stderr=subprocess.STDOUT) as blender:
            failure = wait_for(blender, result, limit_s)
            if failure:
                photograph(place, display, f"{driver}/failed.png")
    keep(stage, PICTURES / driver)
    if failure:
        lines = (stage / "blender.log").read_text(errors="replace").splitlines()[-LOG_LINES:]
        raise ScenarioError("\n".join([f"{driver}: {failure}", *lines, f"pictures: {PICTURES / driver}"]))
    return json.loads(result.read_text())["facts"]


def wait_for(blender: subprocess.Popen, result: Path, limit_s: float) -> str | None:
    """Wait for the result; return what went wrong, None if nothing did."""
    deadline = time.monotonic() + limit_s
    while not result.exists():
        if blender.poll() is not None:
            return f"Blender ended with status {blender.returncode}"
        if time.monotonic() > deadline:
            blender.send_signal(signal.SIGUSR1)  # start.py makes Python print its stack
            time.sleep(1)
            return f"not done after {limit_s:g} s"
        time.sleep(0.2)
    return json.loads(result.read_text())["failure"]


@contextmanager
def screen(place: Place, stage: Path, height: int) -> Iterator[str]:
    """An X server without a network socket; yields the name of its display, whose number it chooses itself."""
    size = f"{WIDTH}x{height}x24"
    command = place.beside("Xvfb", "-displayfd", 1, "-nolisten", "tcp", "-screen", 0, size, "-noreset")
    with (
        (stage / "screen.log").open("w") as log,
        running(command, env=place.environment(), stdout=subprocess.PIPE, stderr=log) as server,
    ):
        ready, _, _ = select.select([server.stdout], [], [], 20)
        number = server.stdout.readline().decode().strip() if ready else ""
        if not number:
            raise ScenarioError(f"Xvfb did not start: {(stage / 'screen.log').read_text()}")
        yield f":{number}"


def screen_environment(place: Place, display: str) -> dict[str, str]:
    home = place.folder / "home"
    home.mkdir(exist_ok=True)
    variables = place.environment() | {"DISPLAY": display, "HOME": place.inside("home"), "LIBGL_ALWAYS_SOFTWARE": "1"}
    variables.pop("WAYLAND_DISPLAY", None)  # Blender would prefer it
    return variables


@contextmanager
def running(command: list[str], **options: object) -> Iterator[subprocess.Popen]:
    """A process in its own process group; the whole group is ended afterwards."""
    process = subprocess.Popen(command, start_new_session=True, **options)
    try:
        yield process
    finally:
        for sent in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, sent)
                process.wait(5)
            except ProcessLookupError:
                break
            except subprocess.TimeoutExpired:
                continue
        process.wait()


def photograph(place: Place, display: str, name: str) -> None:
    """Take a picture of the whole screen, whatever Blender is doing."""
    command = place.beside("import", "-window", "root", place.inside(name))
    subprocess.run(command, env=screen_environment(place, display), check=False, timeout=30)


def keep(stage: Path, folder: Path) -> None:
    """Copy a scenario's pictures, logs and facts to the output folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in sorted(stage.iterdir()):
        if file.suffix in (".png", ".json", ".log"):
            shutil.copy(file, folder)
