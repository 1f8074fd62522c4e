#!/usr/bin/env python3
"""One door to the work on Voxel Carve. It makes its own environment first; see environment.py.

usage: python3 scripts/dev.py [--python 3.11|3.13] COMMAND [arguments]

    demo     carve Suzanne in Blender as a module: build/demo/carved.blend, .stl and .png
    figure   the README's picture of edges, beside Blender's own SDF nodes: docs/pictures/edges.png; needs Blender 5
    compare  the same cuts by Voxel Carve and by Blender's Remesh and Boolean: docs/pictures/comparison.png
    test     pytest on all cores, with its own arguments; the slow tests by: test -m slow; the package for plain Python,
             built and used in fresh environments, by: test -m packaging; workers that are lost, by: test -m distributed
    window   tests by mouse and keyboard, in the Blender that VOXEL_CARVE_BLENDER names, on a screen of their own (Xvfb,
             xdotool, ImageMagick beside it), with pytest's arguments; pictures in build/window/; with the slow tests:
             window -m window
    arrays   tests with arrays of JAX, PaddlePaddle, Zarr and HDF5, and of functions for JAX, in an environment of their
             own; the same for PyTorch where that is installed; with pytest's arguments
    lint     ruff and mypy, against the types of every Blender supported; --fix repairs what ruff can
    carve    the command line of the extension; --help lists its arguments
    kernels  list the compiled kernels anew, after one was added or is called with other types; --check only compares
    build    the extension's zip for the newest Blender of this platform into dist/; --all: every zip; --help lists more
    docs     the manual, and the reference of the library, as pages for a browser: build/docs/
    index    the folder that a web server offers to Blender, from the zips of build --all: dist/server/
    accuracy how far results are from the exact surface, beside Blender's nodes; --help lists options
    fuzz     random scenes, each judged by manifold3d and Blender; --help lists numbers and backends
    attack   bad, odd and hostile input through the command line; --help lists families and numbers
    bench    benchmarks/: the standard cases beside Blender's own SDF nodes; --help lists cases and options
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from environment import PYTHONS, ROOT, STUBS, SetupError, interpreter, small_interpreter

# A process takes over half of what another has left, so that none works long alone at the end; tests of a file that
# share what was made for them mostly stay together. Of several -m, pytest uses the last.
USUAL = "not slow and not window and not packaging and not distributed"
TEST_OPTIONS = ("--numprocesses", "auto", "--dist", "worksteal", "-m", USUAL)
ARRAY_TESTS = ("compute/arrays", "compute/dense/test_operations.py", "compute/test_python_door.py", "frameworks")
ARRAY_OPTIONS = (*(f"tests/{name}" for name in ARRAY_TESTS), "--numprocesses", "0")
WINDOW_OPTIONS = ("tests/window", "--numprocesses", "0", "-m", "window and not slow")

# Commands with an environment of their own.
SMALL_ENVIRONMENTS = {"arrays": "arrays", "docs": "pages"}

PROGRAMS = {
    "demo": "scripts/demo.py",
    "figure": "scripts/figure.py",
    "compare": "scripts/compare.py",
    "carve": "scripts/carve.py",
    "build": "scripts/build_zip.py",
    "docs": "scripts/library_docs.py",
    "index": "scripts/server_index.py",
    "kernels": "scripts/kernels/signatures.py",
    "fuzz": "tests/fuzz",
    "attack": "tests/attack",
    "bench": "benchmarks",
    "accuracy": "benchmarks/accuracy.py",
}


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status; 2 if the command line or the machine is not right."""
    wanted, rest = _python_option(list(arguments))
    if not rest or rest[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if rest else 2
    command, options = rest[0], rest[1:]
    if command not in (*PROGRAMS, "test", "window", "arrays", "lint"):
        print(f"dev.py: no command '{command}'\n{__doc__}", file=sys.stderr)
        return 2
    if wanted not in (None, *PYTHONS):
        print(f"dev.py: --python is one of {', '.join(PYTHONS)}", file=sys.stderr)
        return 2
    try:
        python = interpreter(wanted)
        if command == "lint":
            return lint(python, options)
        if command in SMALL_ENVIRONMENTS:
            python = small_interpreter(python, SMALL_ENVIRONMENTS[command])
    except SetupError as error:
        print(f"dev.py: {error}", file=sys.stderr)
        return 2
    if command == "test":
        os.chdir(ROOT)
        return replace_process(python, "-m", "pytest", *TEST_OPTIONS, *options)
    if command == "arrays":
        os.chdir(ROOT)
        return replace_process(python, "-m", "pytest", *ARRAY_OPTIONS, *options)
    if command == "window":
        os.chdir(ROOT)
        os.environ["VOXEL_CARVE_WINDOW"] = "1"
        return replace_process(python, "-m", "pytest", *WINDOW_OPTIONS, *options)
    return replace_process(python, str(ROOT / PROGRAMS[command]), *options)


def lint(python: Path, options: Sequence[str]) -> int:
    """Run ruff and mypy over the whole tree; return 0 only if all pass."""
    fix = "--fix" in options
    formatting = [["check", *(["--fix"] if fix else [])], ["format", *([] if fix else ["--check"])]]
    types = {blender: small_interpreter(python, f"stubs-{blender}") for blender in STUBS}
    typing = [
        ["--python-executable", str(types[blender]), "--cache-dir", f".mypy_cache/{blender}"] for blender in STUBS
    ]
    # Ruff's two commands may write the same files, so they run in turn; mypy's run at once.
    statuses = [_finish(*_start(python, "ruff", *arguments)) for arguments in formatting]
    statuses += [_finish(*started) for started in [_start(python, "mypy", *arguments) for arguments in typing]]
    return int(any(statuses))


def _start(python: Path, *command: str) -> tuple[str, subprocess.Popen[str]]:
    """Start one check; return its command line and its process."""
    check = [str(python), "-m", *command]
    return " ".join(command), subprocess.Popen(
        check, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def _finish(command: str, check: subprocess.Popen[str]) -> int:
    """Wait for a check, print its output, and return its exit status."""
    output = check.communicate()[0]
    print(f"$ {command}\n{output}", end="", flush=True)
    return check.returncode


def replace_process(python: Path, *arguments: str) -> int:
    """Replace this process by the environment's Python, which then gets signals and sets the exit status."""
    if os.name == "posix":
        sys.stdout.flush()
        os.execv(str(python), [str(python), *arguments])
    return subprocess.run([str(python), *arguments], check=False).returncode


def _python_option(arguments: list[str]) -> tuple[str | None, list[str]]:
    """Split off a leading --python; arguments after the command belong to the command."""
    if arguments and arguments[0].startswith("--python="):
        return arguments[0].split("=", 1)[1], arguments[1:]
    if len(arguments) > 1 and arguments[0] == "--python":
        return arguments[1], arguments[2:]
    return None, arguments


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
