"""The options of a carve, and reading its objects: on the main thread, before anything is computed."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast

import bpy
import numpy as np

from ...compute import EmptySweepError, InputError, Operation, Path, Sweep, TriMesh
from ...compute.adaptivity import Adaptivity
from ...compute.attributes import CutShading
from ...compute.model import operation_of_nothing
from ...compute.sheets import OpenStock
from ...recipes.recipe import SETTINGS, owns
from ...scene.provenance import CutFaces, Provenance, StockFaces, line_materials
from ...scene.reading.path_warnings import path_warnings
from ...scene.reading.read import read_paths, read_stock_faces
from ...scene.writing.arrays import Place
from ...scene.writing.keep import KeptStock
from ...scene.writing.write import place_of
from ...settings import AUTOMATIC_RADIUS, Own
from ..selection.radii import least_radius, own_radii, point_factors, tool_radii, world_boxes
from .digest import stock_digest
from .job import JobOptions, job_options

# Greatest distance of a curve from its polyline, in voxels.
CHORD_TOLERANCE = 0.1


@dataclass(frozen=True)
class CarveOptions(JobOptions):
    """The further options of a carve; see `CarveProperties`. The radius is None if each curve has its own.

    Those of meshes are off for a volume.

    `settings` has the properties themselves, which the recipe of the result stores. `own` has what each path has of its
    own, and is empty if none has.
    """

    operation: Operation
    result: Literal["remesh", "keep", "volume"]
    volume_folder: str
    adaptivity: Adaptivity
    radius: float | None
    radius_factor: float
    cut_material: bpy.types.Material | None
    shade_smooth: bool
    transfer_attributes: bool
    custom_normals: bool
    verify: bool
    open_stock: OpenStock
    close: bool
    settings: Mapping[str, Any]
    own: tuple[Own, ...] = ()

    def own_of(self, number: int) -> Own:
        """What the path with this number, from 0, has of its own."""
        return self.own[number] if self.own else Own()

    def operation_of(self, number: int) -> Operation:
        """The operation of this path."""
        return cast(Operation, self.own_of(number).operation or self.operation)

    def uses_own_radius(self, number: int) -> bool:
        """Whether neither the settings nor the list give this path its radius."""
        return self.radius is None and self.own_of(number).radius is None

    def has_steps(self) -> bool:
        """Whether paths have different operations."""
        return len({self.operation_of(number) for number in range(len(self.own))}) > 1


def all_path_warnings(paths: Sequence[bpy.types.Object], options: CarveOptions) -> Iterator[str]:
    """The `path_warnings` of all paths of a carve."""
    for number, path in enumerate(paths):
        yield from path_warnings(path, use_own_radius=options.uses_own_radius(number))


def carve_options(properties: Any, context: bpy.types.Context) -> CarveOptions:
    """The options set in an operator or a property group with `CarveProperties`.

    Raises:
        InputError: there is no material with the name given.
    """
    material, of_mesh = properties.cut_material or None, properties.result != "VOLUME"
    if isinstance(material, str):
        material = bpy.data.materials.get(properties.cut_material)
        if material is None:
            raise InputError("there is no material '{name}': choose another, or none", name=properties.cut_material)
    options = vars(job_options(properties, context))
    return CarveOptions(
        **options | {"replace": options["replace"] and of_mesh},
        operation=properties.operation.lower(),
        result=properties.result.lower(),
        volume_folder=getattr(properties, "volume_folder", ""),  # a recipe has none
        adaptivity=Adaptivity(properties.adaptivity, properties.tolerance) if of_mesh else Adaptivity(0.0, 0.0),
        radius=properties.radius if properties.radius_mode == "VALUE" else None,
        radius_factor=properties.radius_factor,
        cut_material=material,
        shade_smooth=properties.shade_smooth,
        transfer_attributes=properties.transfer_attributes and of_mesh,
        custom_normals=properties.custom_normals and of_mesh,
        verify=properties.verify and of_mesh,
        open_stock=properties.open_stock.lower(),
        close=properties.close,
        settings={name: getattr(properties, name) for name in SETTINGS},
        own=owns(properties) if hasattr(properties, "paths") else (),  # an operator has none
    )


@dataclass(frozen=True)
class ReadStock:
    """A stock and its paths, as a carve reads them.

    Attributes:
        obj: the stock's object, and `name` its name.
        mesh: the stock.
        sweep: the sweep of all paths.
        operations: of each polyline of the sweep.
        lacking: why nothing is swept along some of the paths, or along any; empty if all are swept.
        voxel_size: in Blender units.
        provenance: where stock and sweep come from in the scene.
        kept: holds a copy of the stock for Keep Stock; None for Remesh.
        place: where the result goes.
        seconds: how long reading took.
    """

    obj: bpy.types.Object
    name: str
    mesh: TriMesh
    sweep: Sweep
    operations: tuple[Operation, ...]
    lacking: tuple[EmptySweepError, ...]
    voxel_size: float
    provenance: Provenance
    kept: KeptStock | None
    place: Place
    seconds: float

    @cached_property
    def stock_digest(self) -> str:
        """The digest of the stock. The job's thread makes it, because hashing a large stock takes a while."""
        return stock_digest(self.provenance.stock)


def read_for_carve(
    stock: bpy.types.Object,
    paths: Sequence[bpy.types.Object],
    depsgraph: bpy.types.Depsgraph,
    options: CarveOptions,
    copies: ExitStack,
    faces: StockFaces | None = None,
) -> ReadStock:
    """Read a stock and its paths.

    Args:
        stock, paths: the objects to read.
        depsgraph: has evaluated them.
        options: of the carve.
        copies: receives any copy of the stock, and removes it when closed.
        faces: the stock's faces, if they were read before and have not changed.

    Raises:
        CarveError: one of them cannot be read. A path along which nothing is swept can, and is among the lacking ones.
    """
    began = time.perf_counter()
    if faces is None:
        faces = read_stock_faces(stock, depsgraph, options.transfer_attributes, options.custom_normals)
    bounds = faces.mesh.bounds()
    longest = float(np.ptp(bounds, axis=0).max())
    owns = [options.own_of(index) for index in range(len(paths))]
    radii = tool_radii(own_radii(paths), point_factors(paths), owns, longest, options.radius, options.radius_factor)
    voxel_size = options.voxel_size_for(faces.mesh, least_radius(radii, world_boxes(paths), bounds))
    radius = AUTOMATIC_RADIUS * longest if options.radius is None else options.radius
    swept = _read_sweep(paths, depsgraph, options, radius, voxel_size)
    shading = CutShading(swept.sweep, swept.operations, options.shade_smooth) if options.custom_normals else None
    provenance = Provenance(faces, CutFaces.of(swept.sweep, swept.looks, options.shade_smooth), shading)
    kept = None
    if options.result == "keep":
        groups, custom_normals = faces.layers.groups, options.custom_normals
        kept = copies.enter_context(KeptStock.of(stock, depsgraph, faces.mesh, groups, custom_normals))
    place = place_of(stock, options.replace, voxel_size)
    seconds = time.perf_counter() - began
    return ReadStock(
        stock, stock.name, faces.mesh, swept.sweep, swept.operations, swept.lacking, voxel_size, provenance, kept,
        place, seconds,
    )  # fmt: skip


@dataclass(frozen=True)
class _Swept:
    """The sweep of all paths, as `ReadStock` has it; `looks` has those of each polyline, for `CutFaces.of`."""

    sweep: Sweep
    operations: tuple[Operation, ...]
    looks: list[tuple[int, bpy.types.Material | None]]
    lacking: tuple[EmptySweepError, ...]


def _read_sweep(
    paths: Sequence[bpy.types.Object],
    depsgraph: bpy.types.Depsgraph,
    options: CarveOptions,
    radius: float,
    voxel_size: float,
) -> _Swept:
    """Read the paths of a carve; `radius` is for those without one."""
    lines: list[Path] = []
    looks: list[tuple[int, bpy.types.Material | None]] = []
    operations: list[Operation] = []
    lacking: list[EmptySweepError] = []
    for index, path in enumerate(paths):
        try:
            read = read_paths(
                path,
                depsgraph,
                options.own_of(index).radius or radius,
                CHORD_TOLERANCE * voxel_size,
                use_own_radius=options.uses_own_radius(index),
                factor=options.radius_factor,
            )
        except EmptySweepError as error:
            lacking.append(error)
            continue
        lines += read
        operations += [options.operation_of(index)] * len(read)
        materials = [options.cut_material] * len(read) if options.cut_material else line_materials(path, len(read))
        looks += [(index, material) for material in materials]
    try:
        return _Swept(Sweep.from_paths(lines), tuple(operations), looks, tuple(lacking))
    except EmptySweepError as error:
        operation = operation_of_nothing([options.operation_of(index) for index in range(len(paths))])
        return _Swept(Sweep.nothing(), (operation,), looks, tuple(lacking) or (error,))
