"""Tables of points as toolpaths: damaged, odd and oversized."""

from collections.abc import Callable

from tests.attack.case import TOKENS, Case, Maker, Random, mutated, often, pick
from tests.attack.solids import TOOL, inputs, job, tool

HEAD = b"x,y,z,radius,path\n"
ROW = b"1,1.5,1,0.5"


def csv_case(rng: Random) -> Case:
    """A random table, usually damaged."""
    raw = tool(rng, int(rng.integers(1, 12)))
    match int(rng.integers(4)):
        case 0:
            what, raw = "a damaged toolpath", mutated(rng, raw)
        case 1:
            what, raw = "a toolpath with an odd field", odd_field(rng, raw)
        case 2:
            what, raw = "a damaged toolpath with labels", mutated(rng, labelled(rng, raw))
        case _:
            what, raw = "a toolpath in other words", in_other_words(rng, raw)
    more = ["--radius", "0.3"] if often(rng, 0.3) else []
    return Case(what, [*job(resolution=12), *more], inputs(**{"tool.csv": raw}))


def odd_field(rng: Random, raw: bytes) -> bytes:
    """Replace one field, in the header or below."""
    rows = [line.split(b",") for line in raw.splitlines()]
    row = pick(rng, rows)
    row[int(rng.integers(len(row)))] = pick(rng, TOKENS)
    return b"\n".join(b",".join(row) for row in rows)


def labelled(rng: Random, raw: bytes) -> bytes:
    """Add a column `path`."""
    head, *rows = raw.splitlines()
    labels = sorted(pick(rng, (b"a", b"b", b"", b"c d", b'"e,f"', "gé".encode())) for _ in rows)
    return b"\n".join([head + b",path", *(row + b"," + label for row, label in zip(rows, labels, strict=True))])


def in_other_words(rng: Random, raw: bytes) -> bytes:
    """Write the table as other programs do: most variants are read, some refused."""
    how = (
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.decode().encode("utf-16"),
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: text.replace(b"\n", b"\r"),
        lambda text: text.replace(b",", b";"),
        lambda text: text.replace(b",", b"\t"),
        lambda text: text.replace(b",", b";").replace(b".", b","),
        lambda text: b"sep=;\n" + text.replace(b",", b";"),
        lambda text: text.replace(b",", b"  "),
        lambda text: (
            text.replace(b"radius", b"radius (mm), other").replace(b"\n", b",1\n").replace(b"other,1", b"other")
        ),
        lambda text: text.replace(b",", b" , "),
        lambda text: text.replace(b"\n", b"\n\n"),
        lambda text: text.replace(b"x,y,z", b'"x","y","z"'),
        lambda text: text.upper(),
        lambda text: text.split(b"\n", 1)[1],
        lambda text: b"# made by hand\n" + text,
        lambda text: text.replace(b".", b","),
        lambda text: text + text,
    )
    return pick(rng, how)(raw)


def csv_of(what: str, raw: Callable[[], bytes]) -> Maker:
    """A case of one toolpath."""
    return lambda rng: Case(what, job(resolution=12), inputs(**{"tool.csv": raw()}))


KNOWN_CSV: tuple[Maker, ...] = (
    csv_of("one long label among thousands", lambda: HEAD + (ROW + b",a\n") * 10_000 + ROW + b"," + b"b" * 50_000),
    csv_of("a label ten thousand times", lambda: HEAD + (ROW + b"," + b"a" * 300 + b"\n") * 10_000),
    csv_of("one long number among thousands", lambda: TOOL + (ROW + b"\n") * 10_000 + b"1,1,1,0." + b"1" * 100_000),
    csv_of("a label longer than Python's reader takes", lambda: HEAD + ROW + b',"' + b"a" * 200_000 + b'"\n' + ROW),
    csv_of("a number longer than Python's reader takes", lambda: TOOL + b"1,x" + b"1" * 200_000 + b",1,1\n"),
    csv_of("a quote that does not end", lambda: HEAD + ROW + b',"a\n' + (ROW + b",b\n") * 20_000),
    csv_of("a next line of C1 in a label", lambda: HEAD + ROW + b",\xc2\x85\n" + ROW + b",\xc2\x85\n"),
    csv_of("a byte 0x85", lambda: HEAD + ROW + b",\x85\n"),
    csv_of(
        "control characters in a label that comes again",
        lambda: HEAD + b"".join(ROW + b"," + label + b"\n" for label in (b"\x1b[2J\x07", b"b", b"\x1b[2J\x07")),
    ),
    csv_of("control characters in the header", lambda: b"x,y,z,\x1b[31m\x07\n1,1,1,1\n"),
    csv_of("control characters in a number", lambda: TOOL + b"1,\x1b[2J,1,1\n"),
    csv_of("a line separator in a number", lambda: TOOL + b"1,\xe2\x80\xa8,1,1\n"),
    csv_of("many columns", lambda: b",".join([b"x"] * 50_000) + b"\n"),
    csv_of("one line without an end", lambda: b"x,y,z,radius" + b"," * 3_000_000),
    csv_of("empty lines only", lambda: b"x,y,z,radius\n" + b"\n" * 1_000_000),
    csv_of("a header of white space", lambda: b" " * 1_000_000 + b"\n"),
    csv_of("thousands of points in one place", lambda: TOOL + (ROW + b"\n") * 5000),
    csv_of("thousands of labels", lambda: HEAD + b"".join(ROW + b",%d\n" % n for n in range(5000))),
    csv_of("digits of another script", lambda: TOOL + "１,１,１,０.5\n".encode()),
    csv_of("long labels with an emoji", lambda: HEAD + (ROW + ",😀".encode() + b"a" * 60_000 + b"\n") * 100),
    csv_of("NUL", lambda: b"x,y,z,radius\n1,1,1,\0 1\n"),
)


FAMILIES = {"csv": (KNOWN_CSV, csv_case)}
