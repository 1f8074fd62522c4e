"""The command line as `python -m voxel_carve`, and as the command `voxel-carve` where the package is installed."""

import sys

from .process import begin


def run() -> int:
    """Do what the arguments of this process ask; its exit status."""
    begin()
    from .cli import main

    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())
