"""Arrays of numpy and lines of .obj as toolpaths: damaged, odd, and small ones that ask for gigabytes."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.attack.case import TOKENS, Maker, Random, often, pick
from tests.attack.solids import SIZE
from tests.attack.toolpaths.drawings import known, random_case


def npy(array: Any) -> bytes:
    """The file of an array."""
    opened = io.BytesIO()
    np.save(opened, array)
    return opened.getvalue()


def npz(compression: int = zipfile.ZIP_DEFLATED, **parts: bytes) -> bytes:
    """An archive of files."""
    opened = io.BytesIO()
    with zipfile.ZipFile(opened, "w", compression) as archive:
        for name, raw in parts.items():
            # Always the same bytes.
            archive.writestr(zipfile.ZipInfo(name), raw, compression)
    return opened.getvalue()


def header(text: str, body: bytes = bytes(96)) -> bytes:
    """A file with this header."""
    raw = text.encode("latin-1")
    raw += b" " * (-(len(raw) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(raw).to_bytes(2, "little") + raw + body


def random_npy(rng: Random) -> bytes:
    """A table of points, sometimes with an odd word in its header."""
    raw = npy(rng.uniform(0, SIZE, (4, 3)).astype(pick(rng, ("f8", ">f4", "f2"))))
    words = (b"'descr'", b"False", b"(4, 3)", b"'shape'", b"f8", b"4")
    return raw.replace(pick(rng, words), pick(rng, TOKENS), 1) if often(rng, 0.4) else raw


def random_npz(rng: Random) -> bytes:
    """An archive of one or two tables."""
    return npz(pick(rng, (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)), a=random_npy(rng), b=random_npy(rng))


def random_lines(rng: Random) -> bytes:
    """Some points and lines of .obj."""
    points = b"".join(b"v %g %g %g\n" % tuple(point) for point in rng.uniform(0, SIZE, (5, 3)).tolist())
    return points + pick(rng, (b"l 1 2 3 4 5\n", b"l 1 2\nl 2 3\np 5\n", b"o a\nl -1 -2\nf 1 2 3\nl 4 5 1\n"))


def lies(name: str, size: int) -> bytes:
    """An archive whose entry says that it unpacks to another size."""
    raw = npz(**{name: npy(np.ones((4, 3)))})
    true = len(npy(np.ones((4, 3)))).to_bytes(4, "little")
    return raw.replace(true, size.to_bytes(4, "little"))


def shaped(shape: str, kind: str = "'<f8'") -> Callable[[], bytes]:
    """An array with this text as its shape, and as its type."""
    return lambda: header(f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}")


KNOWN_NPY: tuple[Maker, ...] = (
    known(".npy", "more rows than memory", shaped("(10000000000000, 3)")),
    known(".npy", "rows beyond 64 bits", shaped("(" + "9" * 50 + ", 3)")),
    known(".npy", "a shape below 0", shaped("(-4, -3)")),
    known(".npy", "a shape of many numbers", shaped("(" + "1, " * 100 + ")")),
    known(".npy", "a shape of nothing by everything", shaped("(0, 99999999999999999999)")),
    known(".npy", "a shape of text", shaped("'4, 3'")),
    known(".npy", "a shape of an expression", shaped("(2 ** 999999999, 3)")),
    known(".npy", "a type of objects", shaped("(4, 3)", "'|O'")),
    known(".npy", "a type of a million bytes", shaped("(4, 3)", "'V1000000'")),
    known(".npy", "a type in itself", shaped("(4,)", "[('x', [('x', [('x', '<f8')])]), ('y', '<f8'), ('z', '<f8')]")),
    known(".npy", "brackets in each other", lambda: header("(" * 5000)),
    known(".npy", "a program in the header", lambda: header("__import__('os').remove('keep.ply')")),
    known(".npy", "NaN", lambda: npy(np.full((4, 3), np.nan))),
    known(".npy", "radii below 0", lambda: npy(-np.ones((4, 4)))),
    known(".npy", "halves beyond their range", lambda: npy(np.full((4, 3), np.inf, "f2"))),
    known(".npy", "integers beyond float64", lambda: npy(np.full((4, 3), 2**64 - 1, "u8"))),
    known(".npy", "many points", lambda: npy(np.ones((300_000, 3), "f4"))),
    known(".npy", "many paths of one point", lambda: npy(np.ones((200_000, 1, 3), "f2"))),
    known(".npy", "nothing but its name", lambda: b"\x93NUMPY"),
)

KNOWN_NPZ: tuple[Maker, ...] = (
    known(".npz", "zeros by the gigabyte", lambda: npz(**{f"a{n}": bytes(2**24) for n in range(8)})),
    known(".npz", "an entry that says it is larger", lambda: lies("a", 2**31)),
    known(".npz", "an entry that says it is smaller", lambda: lies("a", 16)),
    known(".npz", "many entries", lambda: npz(0, **{f"a{n}": b"" for n in range(20_000)})),
    known(".npz", "a name that leads elsewhere", lambda: npz(**{"../../keep.npy": npy(np.ones((4, 3)))})),
    known(".npz", "a name of control characters", lambda: npz(**{"\x1b[2J\x07": b"no array"})),
    known(".npz", "an archive in an archive", lambda: npz(a=npz(a=npy(np.ones((4, 3)))))),
    known(".npz", "a folder", lambda: npz(**{"a/": b""})),
    known(".npz", "LZMA", lambda: npz(zipfile.ZIP_LZMA, a=npy(np.ones((4, 3))))),
    known(".npz", "the end alone", lambda: npz(a=b"")[-22:]),
)

KNOWN_LINES: tuple[Maker, ...] = (
    known(".obj", "a line of half a million points", lambda: b"v 1 1 1\nv 2 1 1\nl" + b" 1 2" * 250_000 + b"\n"),
    known(".obj", "many lines", lambda: b"v 1 1 1\nv 2 1 1\n" + b"l 1 2\n" * 100_000),
    known(".obj", "many points", lambda: b"v 1 1 1\np 1\n" * 100_000),
    known(".obj", "an index of thousands of digits", lambda: b"v 1 1 1\nl 1 " + b"9" * 6000 + b"\n"),
    known(".obj", "a line without points", lambda: b"v 1 1 1\nl\n"),
    known(".obj", "a long name", lambda: b"o " + b"a" * 2_000_000 + b"\nv 1 1 1\nv 2 2 1\nl 1 2\n"),
    known(".obj", "names by the thousand", lambda: b"v 1 1 1\n" + b"".join(b"o %d\np 1\n" % n for n in range(20_000))),
    known(".obj", "control characters", lambda: b"v 1 \x1b[2J 1\n"),
)

FAMILIES = {
    "npy": (KNOWN_NPY, random_case(".npy", random_npy)),
    "npz": (KNOWN_NPZ, random_case(".npz", random_npz)),
    "lines": (KNOWN_LINES, random_case(".obj", random_lines)),
}
