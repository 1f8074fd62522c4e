"""Make the pages for users of the library: the manual, and the reference of all public names from their docstrings.

dev.py docs runs this in a small environment of its own, because nothing else needs pdoc.

usage: library_docs.py [FOLDER]    build/docs by default
"""

import sys
from pathlib import Path

import pdoc
import pdoc.render

import html_manual

ROOT = Path(__file__).resolve().parent.parent
# The doors of plain Python. What is public stands there; the modules behind them are left out.
DOORS = ("voxel_carve.compute", "voxel_carve.jax", "voxel_carve.torch")


def main(folder: Path) -> None:
    """Write the pages into a folder, which is created."""
    html_manual.main(folder / "manual")
    sys.path.insert(0, str(ROOT))
    pdoc.render.configure(docformat="google", footer_text="Voxel Carve")
    pdoc.pdoc(*DOORS, *(f"!{door}\\." for door in DOORS), output_directory=folder / "reference")
    print(folder / "manual" / "python.html", folder / "reference" / "index.html", sep="\n")


if __name__ == "__main__":
    main(Path(*sys.argv[1:2]) if sys.argv[1:] else ROOT / "build" / "docs")
