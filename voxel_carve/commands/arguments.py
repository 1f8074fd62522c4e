"""The options of the command line. Only the standard library is imported here."""

import argparse
import sys
from typing import Any, NoReturn

from ..printing import tell

DESCRIPTION = """\
Carve the volume that a round tool sweeps along paths out of a mesh.

  --stock NAME|FILE   an object of the .blend, or a file: .stl .ply .obj .glb .3mf .vdb
  --path NAME|FILE    an object of the .blend, or a file: .csv .txt .xyz with the header x,y,z[,radius][,path],
                      .npy .npz .obj .svg .dxf .gpx
"""

# The first words of the commands that do something else than carve.
COMPILE, FARM = "compile", "farm"
COMPILE_DESCRIPTION = "Compile all kernels that a carve on the CPU needs, and end. Otherwise the first carve does."

FARM_DESCRIPTION = """\
A list of jobs for the programs of render farms: a job bundle of Open Job Description, as AWS Deadline Cloud reads it,
or the job type of Flamenco. The steps of a bundle call this command too, to check the list and to collect its reports.
"""

EPILOG = """\
The command `compile` compiles all kernels that a carve on the CPU needs, and ends: for images of containers, and CI.
The command `farm` writes what render farms read: `farm --help` lists its options.

A jobs file is a JSON list of objects whose names are those of the options:
  [{"stock": ["part.stl"], "path": ["tool.csv"], "resolution": 256, "output": "part.ply"}, ...]
File names in it start from its own folder. Options given beside --jobs hold for all jobs that do not say otherwise;
--stock, --path, --output and --frames belong in the file, and --report is the summary.

Exit status: 0 done, 1 a fault of voxel_carve (with --jobs: at least one job failed), 2 bad input, 130 interrupted,
143 ended by SIGTERM, 129 ended by SIGHUP.
"""


class Refusal(Exception):  # noqa: N818 - not a program error
    """Bad input; the message says what is wrong and what to do."""


class _OfPath(argparse.Action):
    """An option of the path that was given before it."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, _: str | None = None
    ) -> None:
        """Make that path an object with its name and its own settings, as in a jobs file."""
        if not namespace.path:
            parser.error(f"{self.option_strings[0]} goes after the --path that it is for")
        last = namespace.path[-1]
        own = dict(last) if isinstance(last, dict) else {"path": last}
        namespace.path[-1] = own | {self.dest.removeprefix("path_"): values}


class _Version(argparse.Action):
    """The option that tells the version."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Say it, and end."""
        package: Any = sys.modules[__name__.rsplit(".", 2)[0]]
        tell(f"voxel_carve {package.__version__}")
        parser.exit()


class Parser(argparse.ArgumentParser):
    """A parser that speaks through `printing`, and raises `Refusal`."""

    def print_help(self, file: object = None) -> None:
        """Print the help to stdout."""
        for line in self.format_help().splitlines():
            tell(line)

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments."""
        raise Refusal(f"{message} (--help lists the options)")


def carving_parser() -> argparse.ArgumentParser:
    """The options of carves."""
    parser = Parser(
        "voxel_carve",
        description=DESCRIPTION,
        epilog=EPILOG,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--stock", action="append", metavar="NAME|FILE", help="the mesh to carve; may be given several times")
    add("--path", action="append", metavar="NAME|FILE", help="where the tool goes; may be given several times")
    for name, metavar, what in (("operation", "NAME", "how it is combined"), ("radius", "R", "its radius")):
        add(
            f"--path-{name}",
            action=_OfPath,
            default=argparse.SUPPRESS,
            metavar=metavar,
            help=f"of the --path before it: {what}, whatever --{name} and its bevel say",
        )
    add("--radius", metavar="R", help="the tool's radius where a path has none of its own")
    add(
        "--unit",
        metavar="NAME",
        help="the unit of the coordinates, such as mm, to which paths and .3mf files in another are converted; by "
        "default m, or the scene's",
    )
    add("--voxel-size", metavar="V", help="edge of a voxel, in the unit of the coordinates")
    add("--resolution", metavar="N", help="instead: voxels along the longest side of each stock")
    add("--operation", metavar="NAME", help="subtract (the default), union or intersect")
    add("--result", metavar="NAME", help="remesh (the default), or keep: leave the stock as it is where no path cuts")
    add(
        "--open-stock",
        metavar="NAME",
        help="sheet: an open stock is solid behind its faces; fill: its holes are filled; automatic (the default)",
    )
    add("--close", action="store_true", default=None, help="leave the sides and the floor of a sheet on, for printing")
    add(
        "--adaptivity",
        metavar="A",
        help="merge faces where the surface moves by less than this part of a voxel, 0 to 1",
    )
    add("--tolerance", metavar="L", help="instead: the greatest distance, in the unit of the coordinates")
    add(
        "--backend",
        metavar="NAME",
        help="auto (the default), cpu, cuda, cuda:N, or one of another package; --backends lists them",
    )
    add("--backends", action="store_true", help="list the backends, with why one does not work here, and end")
    add(
        "--memory-limit",
        metavar="GIB",
        help="refuse a job that needs more, beside 0.2 GiB for Python and libraries; by default half of what is free",
    )
    add(
        "--output",
        metavar="FILE",
        help=".stl .ply .obj .glb .3mf .vdb, or .blend: a copy of the scene with the results",
    )
    add("--overwrite", action="store_true", default=None, help="let output and report replace files")
    add("--report", metavar="FILE.json", help="write the figures of the job; with --jobs the summary")
    add(
        "--verify",
        action="store_true",
        default=None,
        help="measure how far the result is from the exact surface and its edges; into the report too",
    )
    add("--blend", metavar="FILE", help="the .blend that objects are in, where it is not open already")
    add("--frames", metavar="A:B", help="one result for each frame; {frame} or {frame:04} in the output's name")
    add("--jobs", metavar="FILE.json", help="many jobs, in one process by default; goes on after a failure")
    add("--out-of-core", action="store_true", help="one job in slabs, for a mesh that is larger than memory, as .ply")
    add("--workers", metavar="N", help="share jobs, or the slabs of one, among so many processes, by Dask")
    add("--scheduler", metavar="ADDRESS", help="likewise, among the workers of Dask, such as tcp://host:8786")
    add("--only", metavar="PLACES", help="with --jobs: some of them, such as 3,5-8; each frame has a place")
    add("--resume", action="store_true", help="with --jobs or --frames: skip what has an output already")
    add("--dry-run", action="store_true", help="carve and write nothing: say about how much it would make and take")
    add("--quiet", action="store_true", help="say nothing but errors")
    add("--version", action=_Version, nargs=0, default=argparse.SUPPRESS, help="say which version this is, and end")
    return parser


def compiling_parser() -> argparse.ArgumentParser:
    """The options of the command that compiles."""
    parser = Parser("voxel_carve compile", description=COMPILE_DESCRIPTION, allow_abbrev=False)
    parser.add_argument("--quiet", action="store_true", help="say nothing but errors")
    return parser


def farming_parser() -> argparse.ArgumentParser:
    """The options of the command for render farms."""
    parser = Parser("voxel_carve farm", description=FARM_DESCRIPTION, allow_abbrev=False)
    add = parser.add_argument
    add("jobs", nargs="?", metavar="FILE.json", help="the list of jobs")
    add("--openjd", metavar="FOLDER", help="write the job bundle of a list")
    add(
        "--flamenco",
        metavar="FOLDER",
        help="write voxel_carve.js, the job type, into the scripts of a Flamenco Manager",
    )
    add("--check", action="store_true", help="say what is wrong with a list, and compile kernels that are missing")
    add("--collect", metavar="FOLDER", help="make one summary of the reports of its parts")
    add("--report", metavar="FILE.json", help="with --collect: write the summary")
    add("--overwrite", action="store_true", help="let files be replaced")
    add("--quiet", action="store_true", help="say nothing but errors")
    return parser
