"""Bad, odd and hostile input through the command line: some of each family, and the judge itself."""

import os
import time
from collections.abc import Sequence

import pytest

if os.name != "posix":
    pytest.skip("the attack forks", allow_module_level=True)

from tests.attack import reading, runner
from tests.attack.attack import attacked, table
from tests.attack.case import Case, Event, mutated, random_of
from tests.attack.families import FAMILIES, SHARES, case_of, numbers, whole_family
from tests.attack.judge import judge
from tests.attack.runner import run_case
from tests.attack.solids import ball, file_of

SECONDS = 30  # later, no case is started but the first of a family
# The number of cases of each family; cases that once found a defect come first.
USUAL = {
    "csv": 26, "svg": 26, "dxf": 24, "gpx": 12, "npy": 22, "npz": 12, "lines": 10, "obj": 30, "ply": 32, "stl": 14,
    "glb": 44, "shapes": 46, "arguments": 36, "lists": 46, "outputs": 36, "full disk": 4, "resume": 8, "meanwhile": 6,
    "two at once": 1, "signals": 6, "streams": 2, "environment": 2, "memory": 5, "blend": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """The verdicts on the cases of all families, in turns."""
    folder = tmp_path_factory.mktemp("attack")
    return list(attacked(in_time(), folder))


def in_time():
    """The cases to try: families and numbers."""
    end, tried = time.monotonic() + SECONDS, set()
    asked = [one for family, cases in USUAL.items() for one in whole_family(family, 0, cases)]
    for family, number in sorted(asked, key=lambda one: one[1]):
        if family not in tried or time.monotonic() < end:
            tried.add(family)
            yield family, number


@pytest.mark.parametrize("family", USUAL)
def test_some_cases_of_each_family_pass(verdicts, family):
    some = [verdict for verdict in verdicts if verdict.family == family]
    wrong = [str(verdict) for verdict in some if verdict.complaints]
    assert some
    assert not wrong, "make one again by 'dev.py attack --family FAMILY --cases 1 --first NUMBER':\n" + "\n".join(wrong)
    print(table(some))


# The cases


def test_a_number_always_gives_the_same_case():
    for family in set(FAMILIES) - {"blend"}:  # Blender never writes the same file twice
        for number in (0, 100):
            first, again = case_of(family, number), case_of(family, number)
            assert (first.what, first.arguments, first.files) == (again.what, again.arguments, again.files)


def test_a_run_starts_with_cases_of_every_family():
    assert set(SHARES) == set(FAMILIES)
    asked = numbers(5000)
    assert len(set(asked)) == len(asked) == pytest.approx(5000, abs=10)
    assert {family for family, _ in asked[:1000]} == set(FAMILIES)
    for family, (known, _) in FAMILIES.items():
        assert sum(name == family for name, _ in asked) >= len(known)


def test_mutations_differ():
    raw = file_of(".obj", ball(1))
    assert len({mutated(random_of("test", number), raw) for number in range(100)}) > 90


# The judge: programs with forbidden effects


def judged(folder, program: str, case: Sequence[object] = (), **more):
    case = Case("a test", case, own_process=True, program=("-c", program), memory_limit=None, **more)
    return judge("test", 0, case, run_case(case, folder), folder).complaints


def test_a_program_that_writes_only_its_output_passes(tmp_path):
    made = file_of(".ply", ball(1))
    assert judged(tmp_path, f"open('out.ply', 'wb').write({made!r})") == ()


@pytest.mark.parametrize(
    ("program", "complaint"),
    [
        ("open('.half', 'w')", "'.half' was left over"),
        ("open('keep.txt', 'w')", "'keep.txt' was changed"),
        ("import os; os.remove('../beside/keep.json')", "'beside/keep.json' is gone"),
        ("import os; os.chmod('keep.txt', 0o666)", "'keep.txt' was changed"),
        ("open('out.ply', 'wb').write(b'ply')", "'out.ply' cannot be read"),
        ("raise SystemExit(1)", "status 1"),
        ("raise SystemExit(2)", "status 2 without a word"),
        ("import os; os.abort()", "status 134"),
        ("1 / 0", "Traceback"),
        ("import sys; print('Warning: odd', file=sys.stderr)", "stderr: 'Warning: odd'"),
        ("import sys; print('voxel_carve: \x1b[2J', file=sys.stderr)", "stderr has control characters: '\\x1b'"),
        ("import sys; sys.stdout.buffer.write(bytes([255]))", "stdout is not UTF-8"),
        (
            "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])",
            "left running",
        ),
    ],
)
def test_forbidden_effects_are_complained_of(tmp_path, program, complaint):
    found = judged(tmp_path, program, makes=False)
    assert any(complaint in one for one in found), found


WARN = "import sys; sys.stderr.write('voxel_carve: warning: it looks odd\\n')"


def test_a_missing_output_and_a_wrong_volume_are_complained_of(tmp_path):
    made = file_of(".ply", ball(1))
    for name, program, complaint in (
        ("nothing", "pass", "'out.ply' was not written"),
        ("larger", f"open('out.ply', 'wb').write({made!r})", "instead of 24"),
        ("warned", f"{WARN}; open('out.ply', 'wb').write({made!r})", "instead of 24"),
    ):
        (tmp_path / name).mkdir()
        assert complaint in judged(tmp_path / name, program, volume=24.0)[0]


def test_a_hang_and_memory_beyond_the_limit_are_complained_of(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "TIME_LIMIT", 1.0)
    (tmp_path / "hang").mkdir()
    assert judged(tmp_path / "hang", "import time; time.sleep(60)") == ("hangs",)
    monkeypatch.setattr(runner, "TIME_LIMIT", 60.0)
    program = "import sys; sys.argv; a = b'1' * 2**30; raise SystemExit('voxel_carve: too late')"
    case = Case("a test", (), own_process=True, program=("-c", program), statuses=frozenset({1}))
    (tmp_path / "memory").mkdir()
    verdict = judge("test", 0, case, run_case(case, tmp_path / "memory"), tmp_path / "memory")
    assert ["MiB over its memory limit" in complaint for complaint in verdict.complaints] == [True]


def test_a_file_that_appears_meanwhile_is_kept(tmp_path):
    program = (
        "import os, time\nwhile not os.path.exists('out.ply'): time.sleep(0.01)\nopen('out.ply', 'w').write('ours')"
    )
    event = Event(0.1, "make", "out.ply", b"mine")
    found = judged(tmp_path, program, makes=False, during=(event,), kept={"out.ply": b"mine"})
    assert "'out.ply' came up meanwhile and was replaced" in found


@pytest.mark.parametrize("suffix", [".stl", ".ply", ".obj", ".glb"])
def test_half_a_mesh_is_incomplete(tmp_path, suffix):
    whole = file_of(suffix, ball(1))
    file = tmp_path / f"part{suffix}"
    file.write_bytes(whole)
    assert reading.fault(file) is None
    for part in (whole[: len(whole) // 2], whole[: 3 * len(whole) // 4]):
        file.write_bytes(part)
        assert reading.fault(file)
