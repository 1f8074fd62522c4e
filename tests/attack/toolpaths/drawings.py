"""Drawings and tracks as toolpaths, SVG, DXF and GPX: damaged, odd, and small ones that would grow without end."""

from collections.abc import Callable
from dataclasses import replace

from tests.attack.case import TOKENS, Case, Maker, Random, mutated, pick
from tests.attack.solids import SIZE, inputs, job

SVG = b'<svg width="4000mm" height="3000mm" viewBox="0 0 4 3">%s</svg>'
GPX = b'<?xml version="1.0"?><gpx><trk><trkseg>%s</trkseg></trk></gpx>'
DXF = b"0\nSECTION\n2\nENTITIES\n%s0\nENDSEC\n0\nEOF\n"
# Ten entities in each other, each ten times the one before.
BOMB = b"<!DOCTYPE a [<!ENTITY e0 'aaaaaaaaaa'>%s]>" % b"".join(
    b"<!ENTITY e%d '%s'>" % (n + 1, b"&e%d;" % n * 10) for n in range(10)
)


def path_case(suffix: str, what: str, raw: bytes) -> Case:
    """A case of one toolpath without radii."""
    name = f"tool{suffix}"
    return Case(what, [*job(path=name, resolution=12), "--radius", "0.3"], inputs(**{name: raw}))


def known(suffix: str, what: str, raw: Callable[[], bytes]) -> Maker:
    """A case that is always the same."""
    return lambda rng: path_case(suffix, what, raw())


def random_case(suffix: str, whole: Callable[[Random], bytes]) -> Maker:
    """A random drawing, usually damaged: by bytes, or by a token in place of a word."""

    def make(rng: Random) -> Case:
        raw = whole(rng)
        kind = int(rng.integers(8))
        if kind == 0:
            return path_case(suffix, f"a whole {suffix}", raw)
        if kind < 4:
            words = raw.split(b" " if suffix != ".dxf" else b"\n")
            words[int(rng.integers(len(words)))] = pick(rng, TOKENS)
            return path_case(suffix, f"a {suffix} with an odd word", (b" " if suffix != ".dxf" else b"\n").join(words))
        return path_case(suffix, f"a damaged {suffix}", mutated(rng, raw))

    return make


def _numbers(rng: Random, count: int) -> bytes:
    places = rng.uniform(0, SIZE[:2], (count, 2)).round(3)
    return b" ".join(b"%g %g" % (x, y) for x, y in places.tolist())


def svg(rng: Random) -> bytes:
    """Some shapes."""
    shapes = (
        b'<path d="M %s L %s"/>' % (_numbers(rng, 1), _numbers(rng, 3)),
        b'<path d="M %s C %s S %s Z"/>' % (_numbers(rng, 1), _numbers(rng, 3), _numbers(rng, 2)),
        b'<path d="M %s Q %s T %s"/>' % (_numbers(rng, 1), _numbers(rng, 2), _numbers(rng, 1)),
        b'<path d="M %s A 1 0.5 30 1 0 %s"/>' % (_numbers(rng, 1), _numbers(rng, 1)),
        b'<g transform="translate( 1 1 ) scale( 0.5 )"><circle cx="1" cy="1" r="0.7"/></g>',
        b'<rect x="1" y="1" width="2" height="1" rx="0.2" transform="rotate( 9 2 1 )"/>',
        b'<polyline points="%s"/>' % _numbers(rng, 4),
        b'<defs> <line id="a" x1="1" x2="2" y1="1" y2="1"/> </defs> <use href="#a" x="1"/>',
    )
    return SVG % b" ".join(pick(rng, shapes) for _ in range(int(rng.integers(1, 4))))


def gpx(rng: Random) -> bytes:
    """A track of some points, a few meters apart."""
    places = rng.uniform(-1e-5, 1e-5, (5, 2)).tolist()
    return GPX % b" ".join(b'<trkpt lat="%.9f" lon="%.9f"> <ele> 1 </ele> </trkpt>' % (a, b) for a, b in places)


def entity(kind: bytes, *pairs: tuple[int, float]) -> bytes:
    """An entity of DXF."""
    return b"0\n%s\n8\n0\n" % kind + b"".join(b"%d\n%g\n" % pair for pair in pairs)


def light_polyline(bulge: float, count: int = 3, flags: int = 0) -> bytes:
    """A polyline with the same bulge at each point."""
    head = b"0\nLWPOLYLINE\n5\n2A\n100\nAcDbEntity\n8\n0\n100\nAcDbPolyline\n90\n%d\n70\n%d\n" % (count, flags)
    return head + b"".join(b"10\n%g\n20\n%g\n42\n%g\n" % (1 + n % 3, 1 + n % 2, bulge) for n in range(count))


def spline(degree: int, knots: tuple[float, ...], count: int) -> bytes:
    """A spline; knots and control points may be more or fewer than it needs."""
    head = b"0\nSPLINE\n5\n2B\n100\nAcDbEntity\n8\n0\n100\nAcDbSpline\n70\n8\n71\n%d\n72\n%d\n73\n%d\n74\n0\n"
    body = b"".join(b"40\n%g\n" % knot for knot in knots)
    return (
        head % (degree, len(knots), count) + body + b"".join(b"10\n%d\n20\n1\n30\n1\n" % (n % 4) for n in range(count))
    )


def dxf(rng: Random) -> bytes:
    """Some entities."""
    x, y = rng.uniform(1, 2, 2).round(3).tolist()
    parts = (
        entity(b"LINE", (10, x), (20, y), (30, 1), (11, 3), (21, 2), (31, 1)),
        entity(b"CIRCLE", (10, x), (20, y), (30, 1), (40, 0.5)),
        entity(b"ARC", (10, x), (20, y), (30, 1), (40, 0.5), (50, 30), (51, 200)),
        light_polyline(0.5, flags=1),
        spline(3, (0, 0, 0, 0, 1, 1, 1, 1), 4),
    )
    return DXF % b"".join(pick(rng, parts) for _ in range(int(rng.integers(1, 4))))


def path(data: bytes) -> bytes:
    """A drawing of one path."""
    return SVG % b'<path d="%s"/>' % data


KNOWN_SVG: tuple[Maker, ...] = (
    known(".svg", "entities that double", lambda: BOMB + SVG % b"<text>&e10;</text>"),
    known(".svg", "an entity of a file", lambda: b"<!DOCTYPE a [<!ENTITY e SYSTEM 'keep.ply'>]>" + SVG % b"<g>&e;</g>"),
    known(".svg", "a DTD elsewhere", lambda: b'<!DOCTYPE svg SYSTEM "http://127.0.0.1:9/a.dtd">' + path(b"M1 1H3")),
    known(".svg", "uses that double", lambda: SVG % b"<g id='a0'><path d='M1 1H2'/></g>%s<use href='#a40'/>" % b"".join(
        b"<g id='a%d'><use href='#a%d'/><use href='#a%d'/></g>" % (n + 1, n, n) for n in range(40))),
    known(".svg", "a use of itself", lambda: SVG % b"<g id='a'><use href='#a'/></g>"),
    known(".svg", "groups in each other", lambda: SVG % (b"<g>" * 300_000)),
    known(".svg", "many groups", lambda: SVG % (b"<g/>" * 300_000)),
    known(".svg", "a path of half a million steps", lambda: path(b"M0 0" + b"h1" * 500_000)),
    known(".svg", "a path of many arcs", lambda: path(b"M0 0" + b"a1 1 0 0 0 1 1" * 30_000)),
    known(".svg", "a path of many curves", lambda: path(b"M0 0" + b"c9 9 8 1 0 1" * 30_000)),
    known(".svg", "many attributes", lambda: SVG % b"<g %s/>" % b" ".join(b"a%d=''" % n for n in range(200_000))),
    known(".svg", "a long name", lambda: SVG % b"<%s/>" % (b"a" * 3_000_000)),
    known(".svg", "a long number", lambda: path(b"M0 " + b"9" * 400_000 + b"L1 1")),
    known(".svg", "huge coordinates", lambda: path(b"M0 0 L1e308 1e308 A1e300 1e-300 0 1 1 9 9 C1e308 1 1 1 1 1")),
    known(".svg", "huge transforms", lambda: SVG % b"<circle transform='scale(1e200)scale(1e200)' r='1'/>"),
    known(".svg", "arcs of tiny radii", lambda: path(b"M0 0 A1e-300 1e-300 0 1 1 3 3 A5e-324 9 0 0 0 1 1")),
    known(".svg", "an angle of infinity", lambda: SVG % b"<path transform='rotate(1e999)' d='M1 1H2'/>"),
    known(".svg", "a viewBox of nothing", lambda: path(b"M1 1H2").replace(b"4 3", b"1e-320 1e308")),
    known(".svg", "control characters", lambda: path(b"M0 0 L\x7f 1")),
    known(".svg", "another encoding", lambda: '<?xml version="1.0"?>'.encode("utf-16") + path(b"M1 1H2")),
    known(".svg", "a long transform", lambda: SVG % b"<path d='M1 1H2' transform='%s'/>" % (b"translate(0)" * 50_000)),
)  # fmt: skip

KNOWN_GPX: tuple[Maker, ...] = (
    known(".gpx", "entities that double", lambda: BOMB + GPX % b"<trkpt lat='1' lon='1'><ele>&e10;</ele></trkpt>"),
    known(".gpx", "both poles", lambda: GPX % b"<trkpt lat='90' lon='1'/><trkpt lat='-90' lon='-180'/>"),
    known(".gpx", "around the earth", lambda: GPX % b"<trkpt lat='1' lon='-180'/><trkpt lat='1' lon='0'/>"),
    known(".gpx", "a long elevation", lambda: GPX % b"<trkpt lat='1' lon='1'><ele>%s</ele></trkpt>" % (b"9" * 500_000)),
    known(".gpx", "many elevations", lambda: GPX % b"<trkpt lat='1' lon='1'>%s</trkpt>" % (b"<ele>1</ele>" * 100_000)),
    known(".gpx", "tracks in each other", lambda: GPX % (b"<trkseg>" * 100_000)),
    known(".gpx", "points in each other", lambda: GPX % (b"<trkpt lat='1' lon='1'>" * 200 + b"</trkpt>" * 200)),
    known(".gpx", "many points", lambda: GPX % (b"<trkpt lat='1' lon='1'/>" * 200_000)),
    known(".gpx", "many routes", lambda: b"<gpx>%s</gpx>" % (b"<rte><rtept lat='1' lon='1'/></rte>" * 20_000)),
)  # fmt: skip


def with_settings(what: str, settings: bytes) -> Maker:
    """A drawing beside a file that ezdxf takes for its settings."""

    def make(_rng: Random) -> Case:
        case = path_case(".dxf", what, DXF % light_polyline(0))
        return replace(case, files={**case.files, "ezdxf.ini": settings}, own_process=True)

    return make


KNOWN_DXF: tuple[Maker, ...] = (
    known(".dxf", "many circles", lambda: DXF % (entity(b"CIRCLE", (10, 1), (20, 1), (40, 1)) * 5000)),
    known(".dxf", "a circle without a radius", lambda: DXF % entity(b"CIRCLE", (10, 1), (20, 1))),
    known(".dxf", "a circle of radius -1", lambda: DXF % entity(b"CIRCLE", (10, 1), (20, 1), (40, -1))),
    known(".dxf", "a tiny circle beside a huge one", lambda: DXF % b"".join(
        entity(b"CIRCLE", (10, 1), (20, 1), (40, r)) for r in (1e-9, 1e11))),
    known(".dxf", "a bulge of a billion", lambda: DXF % light_polyline(1e9)),
    known(".dxf", "a tiny bulge", lambda: DXF % light_polyline(1e-300)),
    known(".dxf", "a polyline of no points", lambda: DXF % light_polyline(0, 0)),
    known(".dxf", "more points than it says", lambda: DXF % light_polyline(0, 3).replace(b"90\n3", b"90\n999999999")),
    known(".dxf", "a spline of degree 500", lambda: DXF % spline(500, tuple(range(1002)), 501)),
    known(".dxf", "a spline without knots", lambda: DXF % spline(3, (), 4)),
    known(".dxf", "a spline of one point", lambda: DXF % spline(3, (0, 0, 0, 0, 1, 1, 1, 1), 1)),
    known(".dxf", "a spline of equal knots", lambda: DXF % spline(3, (1,) * 8, 4)),
    known(".dxf", "a spline of knots that run back", lambda: DXF % spline(3, (9, 8, 7, 6, 5, 4, 3, 2), 4)),
    known(".dxf", "a spline of many spans", lambda: DXF % spline(3, (0, 0, 0, *range(3000), 2999, 2999, 2999), 3002)),
    known(".dxf", "an ellipse of no width", lambda: DXF % entity(b"ELLIPSE", (10, 1), (20, 1), (11, 0), (40, 0))),
    known(".dxf", "an extrusion of nothing", lambda: DXF % entity(b"ARC", (10, 1), (20, 1), (40, 1), (230, 0))),
    known(".dxf", "a line of three million letters", lambda: DXF % (b"0\nTEXT\n1\n" + b"a" * 3_000_000 + b"\n")),
    known(".dxf", "blocks in each other", lambda: DXF.replace(b"ENTITIES", b"BLOCKS") % b"".join(
        b"0\nBLOCK\n2\nB%d\n0\nINSERT\n2\nB%d\n0\nENDBLK\n" % (n, n + 1) for n in range(300))),
    known(".dxf", "binary of nothing", lambda: b"AutoCAD Binary DXF\r\n\x1a\0" + b"\0" * 5000),
    known(".dxf", "binary that is cut", lambda: b"AutoCAD Binary DXF\r\n\x1a\0\0SECTION\0\x02ENTIT"),
    known(".dxf", "control characters", lambda: DXF % b"0\n\x1b[2J\x07\n"),
    with_settings("settings of ezdxf that are no text", "[core]\n".encode("utf-16")),
    with_settings("settings of ezdxf that are damaged", b"core]\x1b[2J"),
)  # fmt: skip

FAMILIES = {
    "svg": (KNOWN_SVG, random_case(".svg", svg)),
    "dxf": (KNOWN_DXF, random_case(".dxf", dxf)),
    "gpx": (KNOWN_GPX, random_case(".gpx", gpx)),
}
