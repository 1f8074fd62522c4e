"""A program in a fork runs as in a new Python."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.forks.forked import run_python

TELL = """
import json, os, sys
print(json.dumps([sys.argv, sys.path[0], os.getcwd(), dict(os.environ), __name__, sys.stdin.read()]))
print("said", file=sys.stderr)
"""


def new(words, folder, variables):
    """The same in a new Python."""
    command = [sys.executable, *map(str, words)]
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, check=False, stdin=subprocess.DEVNULL
    )


def test_it_has_its_own_arguments_folder_environment_and_streams(tmp_path):
    (tmp_path / "tell.py").write_text(TELL)
    variables = os.environ | {"ONLY_HERE": "1"}
    for words in (["-c", TELL, "ü", "-x", ""], ["tell.py", "one"], [tmp_path / "tell.py"]):
        done, expected = run_python(words, tmp_path, variables), new(words, tmp_path, variables)
        assert (done.returncode, done.stdout, done.stderr) == (0, expected.stdout, expected.stderr)


@pytest.mark.parametrize(
    "end",
    ["", "sys.exit(3)", "sys.exit('words')", "1 / 0", "os._exit(5)", "os.kill(os.getpid(), 9)"],
)
def test_it_ends_alike(tmp_path, end):
    program = "import atexit, os, sys, threading, time\natexit.register(print, 'last words')\n"
    program += f"threading.Timer(0.2, print, ['a thread']).start()\nprint('begun', flush=True)\n{end}"
    done, expected = run_python(["-c", program], tmp_path, os.environ), new(["-c", program], tmp_path, os.environ)
    assert (done.returncode, done.stdout) == (expected.returncode, expected.stdout)
    assert done.stderr.splitlines()[-1:] == expected.stderr.splitlines()[-1:]


def test_one_fork_changes_nothing_for_the_next(tmp_path):
    change = "import os, sys, json, signal\nos.environ['CHANGED'] = '1'; sys.modules['json'] = None; os.chdir('/')"
    change += "\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)"
    ask = (
        "import os, json, signal\nprint(os.environ.get('CHANGED'), os.getcwd(), signal.getsignal(signal.SIGTERM) == 0)"
    )
    assert run_python(["-c", change], tmp_path, os.environ).returncode == 0
    done = run_python(["-c", ask], tmp_path, os.environ)
    assert done.stdout.decode().split() == ["None", str(tmp_path), "True"]


def test_blender_is_not_imported_beforehand(tmp_path):
    ask = "import sys\nprint({'bpy', 'voxel_carve.cli', 'trimesh', 'warp'} & set(sys.modules))"
    assert run_python(["-c", ask], tmp_path, os.environ).stdout == b"set()\n"


def test_one_that_hangs_is_killed(tmp_path):
    began = time.monotonic()
    program = "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)"
    with pytest.raises(subprocess.TimeoutExpired):
        run_python(["-c", program], tmp_path, os.environ, timeout=1.0)
    assert time.monotonic() - began < 60
    assert run_python(["-c", "print('next')"], tmp_path, os.environ).stdout == b"next\n"


def test_signals_have_their_usual_effect(tmp_path):
    program = "import os, signal\nos.kill(os.getpid(), signal.{})\nprint('went on')"
    assert run_python(["-c", program.format("SIGTERM")], tmp_path, os.environ).returncode == -signal.SIGTERM
    done = run_python(["-c", program.format("SIGINT")], tmp_path, os.environ)
    assert done.stdout == b"" and done.stderr.endswith(b"KeyboardInterrupt\n")
