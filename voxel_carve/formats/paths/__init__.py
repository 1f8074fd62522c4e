"""Toolpaths from files: a module for each format, which gives polylines with a radius at each point, and notes."""

from .path_files import PATH_SUFFIXES, read_paths
from .toolpath import NoRadiusError, Toolpath
from .units import UNIT_NAMES, Unit, meters_of, unit_named, unit_note

__all__ = [
    "PATH_SUFFIXES",
    "UNIT_NAMES",
    "NoRadiusError",
    "Toolpath",
    "Unit",
    "meters_of",
    "read_paths",
    "unit_named",
    "unit_note",
]
