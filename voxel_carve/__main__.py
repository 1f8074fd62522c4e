"""The command line: `python -m voxel_carve`, and the command `voxel-carve` of the installed package."""

import sys

from .process import begin


def run() -> int:
    """Run the command line with this process's arguments, and return the exit status."""
    begin()
    from .cli import main

    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())
