"""The attack as a command: bad, odd and hostile input through the command line, each case judged, and a table.

    python3 scripts/dev.py attack [--cases 5000] [--minutes 10] [--family csv] [--first 0] [--verbose] [--write]

Family and number determine a case: `dev.py attack --family csv --first 417 --cases 1` repeats one. Exits with status 1
if a case has a complaint. Not for Windows; memory is watched on Linux only.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

# Replace this folder on the path, so that its modules do not hide others.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.pop(1)

# What the cases carve tells nothing about the carves of who runs them.
os.environ["VOXEL_CARVE_NO_HISTORY"] = "1"

from tests.attack.attack import attacked, table, write_table
from tests.attack.families import FAMILIES, numbers, whole_family


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases, print the table."""
    parser = argparse.ArgumentParser(prog="dev.py attack", description="Attack the command line.")
    parser.add_argument("--cases", type=int, default=5000, help="how many at most")
    parser.add_argument("--minutes", type=float, default=10.0, help="no case is begun later")
    parser.add_argument("--family", choices=list(FAMILIES), help="only of this one")
    parser.add_argument("--first", type=int, default=0, help="number of the first, of one family")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="cases at once")
    parser.add_argument("--verbose", action="store_true", help="a line for every case")
    parser.add_argument("--write", action="store_true", help="put the table into docs/security.md")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the folders of all cases in there")
    choice = parser.parse_args(arguments)
    if os.name != "posix":
        print("dev.py attack: it forks, which this system cannot", file=sys.stderr)
        return 2
    asked = list(whole_family(choice.family, choice.first, choice.cases)) if choice.family else numbers(choice.cases)
    began, verdicts = time.monotonic(), []
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        place = choice.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        place.chmod(0o755)
        for verdict in attacked(asked, place, choice.workers, choice.minutes * 60, keep=choice.keep is not None):
            verdicts.append(verdict)
            if choice.verbose or verdict.complaints:
                print(verdict, flush=True)
    seconds = time.monotonic() - began
    text = table(verdicts)
    print(f"{text}\n{len(verdicts)} of {len(asked)} cases in {seconds:.0f} seconds")
    if choice.write:
        write_table(text, verdicts, seconds)
    return int(any(verdict.complaints for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
