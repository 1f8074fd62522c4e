"""Make the folder from which Blender installs and updates: zips and their index. Run by `dev.py index`.

Blender's own tool writes the index (`blender --command extension server-generate`). An index has one file for each
platform and Python, so it has the zips of one version and of the flavour cpu.
"""

import argparse
import json
import shutil
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from build_zip import ValidationError, blender_tool, every_zip, validate, zip_name
from environment import ROOT

FLAVOUR = "cpu"


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the folder of this version's zips. Return 1 if there are none, or if Blender refuses one."""
    parser = argparse.ArgumentParser(prog="dev.py index", description=__doc__.splitlines()[0])
    parser.add_argument("--zips", type=Path, default=ROOT / "dist", metavar="FOLDER", help="where the zips are")
    parser.add_argument("--output", type=Path, default=ROOT / "dist" / "server", metavar="FOLDER")
    choice = parser.parse_args(arguments)
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    wanted = [choice.zips / zip_name(manifest, *one) for one in every_zip() if one[0] == FLAVOUR]
    found = [path for path in wanted if path.exists()]
    for path in wanted:
        if path not in found:
            print(f"index: {path} is not there, and so not in the index", file=sys.stderr)
    if not found:
        print("index: run dev.py build --all first", file=sys.stderr)
        return 1
    try:
        print(make_index(found, choice.output))
    except ValidationError as error:
        print(f"index: {error}", file=sys.stderr)
        return 1
    return 0


def make_index(zips: Sequence[Path], folder: Path) -> Path:
    """Copy zips into a folder, in place of those that are there, and write their index.

    Returns:
        The index, index.json; a page for browsers is beside it.

    Raises:
        ValidationError: Blender's tool refuses a zip, or leaves it out.
    """
    for path in zips:
        validate(path)
    folder.mkdir(parents=True, exist_ok=True)
    for former in folder.glob("*.zip"):
        former.unlink()
    for path in zips:
        shutil.copy(path, folder)
    answer = blender_tool("server-generate", "--repo-dir", str(folder), "--html")
    index = folder / "index.json"
    listed = json.loads(index.read_text(encoding="utf-8"))["data"] if answer.returncode == 0 else []
    if len(listed) != len(zips):
        raise ValidationError(f"the index is not complete:\n{answer.stdout}{answer.stderr}")
    return index


if __name__ == "__main__":
    sys.exit(main())
