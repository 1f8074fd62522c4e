"""How a result was carved, kept with its object, so that it can be carved again when stock or paths change."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import bpy

from ..compute import CarveError, InputError
from ..compute.runtime import as_json, said_at
from ..scene.presence import is_in_a_scene
from ..settings import (
    MESHES,
    CarveProperties,
    Own,
    PathProperties,
    VoxelProperties,
    choose_resolution,
    choose_size,
    give_own,
    keep_backend_name,
    own_of,
)
from ..translations.keeping import kept_sentence

# A recipe is that of a mesh. It never replaces the stock's.
LEFT_OUT = ("replace", "volume_folder")
SETTINGS = tuple(
    name for group in (VoxelProperties, CarveProperties) for name in group.__annotations__ if name not in LEFT_OUT
)


# Called with the object whose recipe has changed.
Listener = Callable[[bpy.types.Object], None]
_listeners: list[Listener] = []


def listen(listener: Listener) -> None:
    """Call a function on changes of recipes from now on."""
    _listeners.append(listener)


def stop_listening(listener: Listener) -> None:
    """The opposite of `listen`."""
    _listeners.remove(listener)


def notify(obj: bpy.types.Object) -> None:
    """Tell the listeners that the recipe of an object has changed. Properties do so by themselves."""
    for listener in _listeners:
        listener(obj)


def _changed(part: Any, context: bpy.types.Context) -> None:
    """Handle a change of a recipe, or of a path in it, by the user or a script."""
    notify(part.id_data)


def _changed_backend(part: Any, context: bpy.types.Context) -> None:
    """Handle a change of the backend of a recipe."""
    keep_backend_name(part, context)
    _changed(part, context)


def _changed_resolution(part: Any, context: bpy.types.Context) -> None:
    """Handle a change of the resolution of a recipe."""
    choose_resolution(part, context)
    _changed(part, context)


def _changed_voxel_size(part: Any, context: bpy.types.Context) -> None:
    """Handle a change of the voxel size of a recipe."""
    choose_size(part, context)
    _changed(part, context)


def _watched(*groups: type) -> dict[str, Any]:
    """The properties of groups, which notify the listeners when changed."""
    others: dict[str, Any] = {
        "result": {"items": MESHES},
        "backend": {"update": _changed_backend},
        "resolution": {"update": _changed_resolution},
        "voxel_size": {"update": _changed_voxel_size},
    }
    return {
        name: each.function(**(each.keywords | {"update": _changed} | others.get(name, {})))
        for group in groups
        for name, each in group.__annotations__.items()
        if name not in LEFT_OUT
    }


if TYPE_CHECKING:
    WatchedProperties = CarveProperties
    WatchedPathProperties = PathProperties
else:

    class WatchedProperties:
        """The properties of a carve."""

    class WatchedPathProperties:
        """The properties of one path."""

    WatchedProperties.__annotations__ = _watched(VoxelProperties, CarveProperties)
    WatchedPathProperties.__annotations__ = _watched(PathProperties)


class CarveRecipePath(WatchedPathProperties, bpy.types.PropertyGroup):
    """One path of a recipe: a pointer to the object, which may be renamed, and what it has of its own."""


class CarveRecipe(WatchedProperties, bpy.types.PropertyGroup):
    """What the mesh of an object was carved from. Objects that were not carved have a recipe without a stock."""

    stock: bpy.props.PointerProperty(  # type: ignore[valid-type]
        name="Stock",
        description="Mesh that is carved; it stays as it is",
        type=bpy.types.Object,
        poll=lambda _, obj: obj.type in {"MESH", "VOLUME", "EMPTY"},
        update=_changed,
    )
    paths: bpy.props.CollectionProperty(  # type: ignore[valid-type]
        name="Paths", description="What the tool runs along", type=CarveRecipePath
    )
    path_index: bpy.props.IntProperty(options={"HIDDEN"})  # type: ignore[valid-type]
    cut_material: bpy.props.PointerProperty(  # type: ignore[valid-type]
        name="Cut Material",
        description="Material of the cut faces. Where none is chosen, they have that of their path, "
        "else a new one, Voxel Carve Cut",
        type=bpy.types.Material,
        update=_changed,
    )
    live: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Live Update",
        description="Carve again whenever the stock, a path or a setting changes: coarsely at once, "
        "and in full when you pause",
        default=False,
        update=_changed,
    )
    on_frame_change: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Update on Frame Change",
        description="Carve again in full at every frame, in renders too, and wait for it",
        default=False,
        update=_changed,
    )
    is_made: bpy.props.BoolProperty(options={"HIDDEN"})  # type: ignore[valid-type]
    message: bpy.props.StringProperty(options={"HIDDEN"})  # type: ignore[valid-type]
    message_kept: bpy.props.StringProperty(options={"HIDDEN"})  # type: ignore[valid-type]
    place: bpy.props.FloatVectorProperty(size=(4, 4), subtype="MATRIX", options={"HIDDEN"})  # type: ignore[valid-type]


def recipe_of(obj: bpy.types.Object) -> CarveRecipe:
    """The recipe of an object, which may be empty: see `is_recipe`."""
    recipe: CarveRecipe = cast(Any, obj).voxel_carve
    return recipe


def is_recipe(obj: bpy.types.Object | None) -> bool:
    """Whether an object has a recipe, even if the stock has been deleted since."""
    return obj is not None and bool(recipe_of(obj).is_made)


def shown_fingerprint(obj: bpy.types.Object) -> str:
    """The fingerprint of the inputs of an object's mesh; empty for a preview, or if unknown.

    It is kept with the mesh and not with the object, because undo may restore either without the other.
    """
    return str(cast(Any, obj.data).voxel_carve_shows) if obj.type == "MESH" else ""


def set_shown_fingerprint(obj: bpy.types.Object, fingerprint: str) -> None:
    """Store the fingerprint of the inputs of the mesh."""
    cast(Any, obj.data).voxel_carve_shows = fingerprint


def set_message(obj: bpy.types.Object, message: str | CarveError) -> None:
    """Set the message that the panel shows for a recipe, a sentence or an error, unless it is set already.

    The property `message` is plain English; what it is translated from is kept beside it.
    """
    recipe, sentence = recipe_of(obj), said_at("window", message)
    text, kept = sentence[:1].upper() + sentence[1:], as_json(sentence) if sentence else ""
    if (recipe.message, recipe.message_kept) != (text, kept):
        recipe.message, recipe.message_kept = text, kept


def message_of(obj: bpy.types.Object) -> str:
    """The message of a recipe, to be told in the language of the interface; empty for none."""
    recipe = recipe_of(obj)
    return kept_sentence(recipe.message, recipe.message_kept)


def remember(
    obj: bpy.types.Object,
    stock: bpy.types.Object,
    paths: Sequence[bpy.types.Object | None],
    settings: Mapping[str, Any],
    cut_material: bpy.types.Material | None,
    own: Sequence[Own] = (),
) -> None:
    """Give an object its recipe.

    Args:
        obj: the result, just made.
        stock, paths: what it was carved from; None is a path that was deleted.
        settings: values by the names in SETTINGS.
        cut_material: None if each path has its own.
        own: what each path has of its own, if any has.
    """
    recipe = cast(Any, recipe_of(obj))
    for name in SETTINGS:
        setattr(recipe, name, settings[name])
    recipe.cut_material = cut_material
    recipe.paths.clear()
    for path, its in zip(paths, own or [Own()] * len(paths), strict=True):
        item = recipe.paths.add()
        item.path = path
        give_own(item, its)
    recipe.place = obj.matrix_basis
    recipe.stock, recipe.is_made = stock, True


def forget(obj: bpy.types.Object) -> None:
    """Make an object an ordinary one, with its mesh unchanged and no recipe."""
    flags = ("live", "on_frame_change", "is_made", "message", "message_kept", "place")
    for name in ("stock", "paths", "path_index", "cut_material", *flags, *SETTINGS):
        cast(Any, recipe_of(obj)).property_unset(name)
    if _shares_mesh(obj):
        obj.data = cast(bpy.types.Mesh, obj.data).copy()
    cast(Any, obj.data).property_unset("voxel_carve_shows")


def ingredients(obj: bpy.types.Object) -> tuple[bpy.types.Object, list[bpy.types.Object]]:
    """The stock and the paths of a recipe, without those that were deleted.

    Raises:
        InputError: the stock was deleted, there is no path, or the object would be carved from itself.
    """
    recipe = cast(Any, recipe_of(obj))
    if not is_in_a_scene(recipe.stock):
        raise InputError("the stock of '{name}' was deleted: choose another, or apply", name=obj.name)
    if not recipe.paths:
        raise InputError("'{name}' has no path: add one", name=obj.name)
    paths = [item.path for item in _remaining(recipe)]
    if not paths:
        raise InputError("all paths of '{name}' were deleted: add one, or apply", name=obj.name)
    if any(_comes_from(each, obj, set()) for each in (recipe.stock, *paths)):
        raise InputError("'{name}' would be carved from itself: choose another stock or path", name=obj.name)
    return recipe.stock, paths


def sources(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The results of this file among the stock and the paths of a recipe: what it is carved from may be carved, too."""
    recipe = cast(Any, recipe_of(obj))
    each = dict.fromkeys((recipe.stock, *(item.path for item in recipe.paths)))
    return [source for source in each if is_in_a_scene(source) and is_recipe(source) and source.is_editable]


def owns(recipe: CarveRecipe) -> tuple[Own, ...]:
    """What each of the paths that `ingredients` gives has of its own."""
    return tuple(own_of(item) for item in _remaining(recipe))


def deleted_paths(obj: bpy.types.Object) -> list[str]:
    """The names of the paths of a recipe that were deleted; empty for one that Blender has removed altogether."""
    items = cast(Any, recipe_of(obj)).paths
    return [item.path.name if item.path else "" for item in items if not is_in_a_scene(item.path)]


def drop_deleted_paths(obj: bpy.types.Object) -> None:
    """Remove the paths of a recipe that were deleted from its list."""
    recipe = cast(Any, recipe_of(obj))
    for number in reversed(range(len(recipe.paths))):
        if not is_in_a_scene(recipe.paths[number].path):
            recipe.paths.remove(number)
    recipe.path_index = max(0, min(recipe.path_index, len(recipe.paths) - 1))


def _remaining(recipe: CarveRecipe) -> list[Any]:
    """The items of the paths that were not deleted."""
    return [item for item in cast(Any, recipe).paths if is_in_a_scene(item.path)]


def refuse_writing(obj: bpy.types.Object) -> None:
    """Raise InputError if the mesh of a result cannot be rewritten."""
    refuse_linked(obj)
    mesh = cast(bpy.types.Mesh, obj.data)
    if obj.mode != "OBJECT" or mesh.is_editmode:
        raise InputError("'{name}' is being edited: switch to Object Mode", name=obj.name)
    if _shares_mesh(obj):
        raise InputError("'{name}' shares its mesh with another result: make it a single user, or apply", name=obj.name)
    if mesh.shape_keys:
        raise InputError(
            "'{name}' has shape keys, which fit its faces only as they are: delete them, or apply", name=obj.name
        )


def refuse_forgetting(obj: bpy.types.Object) -> None:
    """Raise InputError if a result cannot be made an ordinary object."""
    refuse_linked(obj)
    if obj.mode == "EDIT" and _shares_mesh(obj):
        raise InputError("'{name}' is being edited: switch to Object Mode", name=obj.name)


def refuse_linked(obj: bpy.types.Object) -> None:
    """Raise InputError if an object, or its mesh, belongs to another file."""
    for each in (obj, cast(bpy.types.ID, obj.data)):
        if each.library or each.override_library:
            raise InputError("'{name}' is linked from another file: make it local", name=obj.name)


def _shares_mesh(obj: bpy.types.Object) -> bool:
    """Whether another result uses the same mesh, so that both would write into it."""
    mesh = cast(bpy.types.Mesh, obj.data)
    return mesh.users > 1 and any(each.data == mesh and each != obj and is_recipe(each) for each in bpy.data.objects)


def _comes_from(obj: bpy.types.Object | None, result: bpy.types.Object, seen: set[int]) -> bool:
    if obj == result:
        return True
    if obj is None or obj.session_uid in seen or not is_recipe(obj):
        return False
    seen.add(obj.session_uid)
    recipe = cast(Any, recipe_of(obj))
    return any(_comes_from(each, result, seen) for each in (recipe.stock, *(item.path for item in recipe.paths)))
