"""Tracks of GPX (.gpx): latitude and longitude in degrees, projected about the middle of the file, in meters.

x points east, y north, and z is the elevation. The projection is equirectangular, with the radii of curvature that the
WGS 84 ellipsoid has at the middle (NGA.STND.0036, table 3.1).
"""

import math

import numpy as np
import numpy.typing as npt

from ...compute.runtime import Sentence
from .toolpath import Line, Request, Toolpath, toolpath_of
from .units import Unit
from .xml_tree import Element, local_name, number_in, read_xml

# The semi-major axis in meters, and the square of the eccentricity, of WGS 84.
AXIS, SQUARED_ECCENTRICITY = 6378137.0, 6.69437999014e-3
METER = Unit("m", 1.0)
POINTS = ("trkpt", "rtept", "wpt")

Floats = npt.NDArray[np.float64]
# Latitude and longitude in degrees, elevation in meters.
Place = tuple[float, float, float]


def read_gpx(raw: bytes, request: Request) -> Toolpath:
    """A polyline for each segment of a track and each route; waypoints are balls.

    Raises:
        NoRadiusError: no radius was given.
        InputError: it is damaged, or has no points.
        TooLargeError: it takes too much memory.
    """
    request.needed_radius()
    tree = read_xml(raw, request, "gpx", with_text=("ele",))
    found: list[tuple[bool, list[Place]]] = []
    without_elevation = 0
    for element in tree.all():
        points = [each for each in element.children if local_name(each) in POINTS]
        if not points:
            continue
        balls = local_name(points[0]) == "wpt"
        places = [_place(point, request) for point in points]
        without_elevation += sum(math.isnan(z) for *_, z in places)
        found.append((not balls, [(lat, lon, 0.0 if math.isnan(z) else z) for lat, lon, z in places]))
    if not found:
        return toolpath_of(request, [], 1.0)
    latitude, longitude = _middle([place for _, places in found for place in places])
    lines = [Line(_projected(places, latitude, longitude), joined=joined) for joined, places in found]
    notes = [
        *request.unit_note(METER),
        Sentence(
            "{file} was projected about {latitude:.6f}, {longitude:.6f} (latitude, longitude): x is east, y north",
            file=request.file,
            latitude=latitude,
            longitude=(longitude + 180) % 360 - 180,
        ),
    ]
    if without_elevation == 1:
        notes.append(Sentence("{file}: a point has no elevation: it was taken as 0", file=request.file))
    elif without_elevation:
        notes.append(
            Sentence(
                "{file}: {count} points have no elevation: it was taken as 0",
                file=request.file,
                count=without_elevation,
            )
        )
    return toolpath_of(request, lines, request.scale(METER), notes)


def _place(point: Element, request: Request) -> Place:
    """Latitude and longitude in degrees, and elevation in meters, NaN where there is none."""
    found = []
    for name, largest in (("lat", 90.0), ("lon", 360.0)):
        value = number_in(point, point.attributes.get(name, ""), name, request)
        # Written so that NaN fails.
        if not -largest <= value <= largest:
            fault = Sentence("{what} is {value:g}, beyond {largest:g} degrees", what=name, value=value, largest=largest)
            raise request.error_at(point.line, point.column, fault)
        found.append(value)
    heights = [each for each in point.children if local_name(each) == "ele"]
    height = number_in(heights[0], heights[0].text(), "ele", request) if heights else math.nan
    return found[0], found[1], height


def _middle(places: list[Place]) -> tuple[float, float]:
    """The middle of the box of all places. Longitudes are those nearest to the first, also across 180 degrees."""
    table = np.array(places)
    beside = _beside(table[:, 1], table[0, 1])
    return float(table[:, 0].min() + table[:, 0].max()) / 2, float(table[0, 1] + (beside.min() + beside.max()) / 2)


def _beside(longitudes: Floats, middle: float) -> Floats:
    """(N,) how far longitudes are from one, -180 to 180 degrees."""
    return np.asarray((longitudes - middle + 180) % 360 - 180)


def _projected(places: list[Place], latitude: float, longitude: float) -> Floats:
    """(N, 3) meters east, north and up."""
    table = np.array(places)
    flat = 1 - SQUARED_ECCENTRICITY * math.sin(math.radians(latitude)) ** 2
    east = AXIS / math.sqrt(flat) * math.cos(math.radians(latitude))
    north = AXIS * (1 - SQUARED_ECCENTRICITY) / flat**1.5
    x = east * np.radians(_beside(table[:, 1], longitude))
    return np.column_stack([x, north * np.radians(table[:, 0] - latitude), table[:, 2]])
