"""Every string of the extension that Blender translates, found in the registered classes and in the sources."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard

import bpy

import voxel_carve
from voxel_carve import registration
from voxel_carve.compute import CarveError
from voxel_carve.preferences import AUTOMATIC, VoxelCarvePreferences
from voxel_carve.settings import backends
from voxel_carve.translations import CONTEXT, OPERATOR_CONTEXT
from voxel_carve.ui.forecast import SMALL
from voxel_carve.ui.panel_children import STAGES

PACKAGE = Path(voxel_carve.__file__).parent
# Where Blender looks up descriptions.
DEFAULT = bpy.app.translations.contexts.default

# The name of the extension, and of its operator.
CARVE = (OPERATOR_CONTEXT, "Voxel Carve")
# Strings that are the same in every language.
NAMES = {"Voxel Carve", "CPU", "CUDA", "X", "Y", "Z"}

# What Blender asks for when it draws.
BACKENDS = (AUTOMATIC, backends.AUTOMATIC, *backends.OWN_BACKENDS)

# Whose sentences only the command line, or a program in Python, can hear: they stay English. All others are translated.
ENGLISH = {
    *("cli", "batch", "commands", "distributed", "farm", "headless", "jobs", "jobs_file", "clashes", "blend_file"),
    *("frameworks", "jax", "torch"),
    *("formats.mesh_files", "formats.files"),
    *("compute.arrays", "compute.dense", "compute.engines.warp.field.lent", "compute.field.occupancies"),
    *("compute.level_set.nanovdb", "compute.level_set.openvdb_grid", "compute.level_set.sparse_field"),
    *("compute.gradients.distance", "compute.gradients.sensitivity", "compute.neighbours", "compute.slabs"),
    "compute.verification",
}
# Functions that translate a string themselves, and the indices of the arguments with it.
SHOWN = {
    "interface_text": (0,),
    "report_text": (0,),
    "progress_range": (2,),
    "draw_sentence": (2,),
    "_draw_pair": (1, 2),
    "_line": (1,),
}
# Those that show a string as it is, or that Blender would translate in another context.
SHOWN_AS_IT_IS = {"poll_message_set": (0,), "report": (1,), "draw_note": (1,)}
# The parts of a layout with a context of their own, and those without one.
LAYOUT_IN_CONTEXT, LAYOUT_WITHOUT = ("prop", "operator"), ("label", "menu", "popover", "progress", "column", "row")

Key = tuple[str, str]
Positions = dict[str, tuple[int, ...]]


def keys() -> set[Key]:
    """(context, English) of all strings."""
    named = (
        SMALL,
        *(stage.capitalize() for stage in STAGES),
        *(text for _, *texts, _, _ in BACKENDS for text in texts),
    )
    found = {*_registered(), *_drawn(), *((CONTEXT, text) for text in (*named, *refusals(), *sentences()))}
    return {(context, text) for context, text in found if text.strip() and text not in NAMES} | {CARVE}


@cache
def sentences() -> set[str]:
    """The templates of errors and of other sentences that the user of a window meets."""
    kinds = {"Sentence", "SentenceByDoor", *_with_subclasses(CarveError)}
    return {
        text
        for name, tree in _modules().items()
        if not any(name == room or name.startswith(f"{room}.") for room in ENGLISH)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in kinds and node.args
        for text in _choices(_said_in_a_window(node))
        if any(letter.isalpha() for letter in re.sub(r"\{.*?\}", "", text))
    }


def _said_in_a_window(call: ast.Call) -> ast.expr:
    """The template of a sentence or an error; that of a `SentenceByDoor` for the window, if it has one."""
    own = [keyword.value for keyword in call.keywords if keyword.arg == "window"]
    return own[0] if own else call.args[0]


def _with_subclasses(cls: type) -> set[str]:
    return {cls.__name__, *(name for each in cls.__subclasses__() for name in _with_subclasses(each))}


@cache
def refusals() -> set[str]:
    """The sentences on why an operator cannot start, which polls and the panel translate later."""
    return {
        text
        for tree in _sources()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if _gives_refusal(function, node)
        for text in _choices(node.value)
    }


@cache
def literals() -> set[str]:
    """Every string literal in the sources, except the translations."""
    return {
        node.value
        for tree in _sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def _registered() -> Iterator[Key]:
    """The labels and descriptions of registered classes and their properties."""
    for cls in registration.CLASSES:
        label, description = getattr(cls, "bl_label", ""), getattr(cls, "bl_description", "")
        yield getattr(cls, "bl_translation_context", DEFAULT), label
        yield DEFAULT, description
        rna: Any = cls.bl_rna
        if issubclass(cls, bpy.types.Operator):
            module, name = cls.bl_idname.split(".")
            rna = getattr(getattr(bpy.ops, module), name).get_rna_type()
        for name in _own_properties(cls):
            yield from _of_property(rna.properties[name])
    if VoxelCarvePreferences not in registration.CLASSES:  # registered only in an installed extension
        for prop in VoxelCarvePreferences.__annotations__.values():
            yield from _of_annotation(prop.keywords)


def _own_properties(cls: type) -> set[str]:
    """The names of our own properties, without those of Blender's base classes."""
    return {
        name
        for base in cls.__mro__
        if base.__module__.partition(".")[0] == PACKAGE.name
        for name, prop in inspect.get_annotations(base).items()
        if isinstance(prop, type(bpy.props.IntProperty()))
    }


def _of_property(prop: Any) -> Iterator[Key]:
    if prop.is_hidden:
        return
    yield prop.translation_context, prop.name
    yield DEFAULT, prop.description
    for item in prop.enum_items_static if prop.type == "ENUM" else ():
        yield prop.translation_context, item.name
        yield DEFAULT, item.description


def _of_annotation(keywords: dict[str, Any]) -> Iterator[Key]:
    if "HIDDEN" in keywords.get("options", ()):
        return
    yield CONTEXT, keywords["name"]
    yield DEFAULT, keywords["description"]
    items = keywords.get("items", ())
    for _, name, description, *_ in items if isinstance(items, tuple) else ():
        yield CONTEXT, name
        yield DEFAULT, description


@cache
def _drawn() -> set[Key]:
    """The string literals in calls that show them."""
    return set(_all_shown())


@cache
def untranslated() -> set[str]:
    """The string literals that are shown as they are, or as Blender's own catalogue has them."""
    return {
        text
        for called, call in _calls()
        for text in _literals(called, call, SHOWN_AS_IT_IS, LAYOUT_WITHOUT)
        if any(letter.isalpha() for letter in text)
    }


def _all_shown() -> Iterator[Key]:
    for called, call in _calls():
        for text in _literals(called, call, SHOWN, LAYOUT_IN_CONTEXT):
            yield (OPERATOR_CONTEXT if called == "operator" else CONTEXT), text


def _calls() -> Iterator[tuple[str, ast.Call]]:
    for tree in _sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", ""), node


def _literals(called: str, call: ast.Call, positions: Positions, parts: tuple[str, ...]) -> Iterator[str]:
    """The string literals among the arguments of a call that shows them."""
    shown = [call.args[position] for position in positions.get(called, ()) if position < len(call.args)]
    if called in parts:
        shown += [keyword.value for keyword in call.keywords if keyword.arg in ("text", "heading")]
    for argument in shown:
        yield from _choices(argument)


def _gives_refusal(function: ast.FunctionDef, node: ast.AST) -> TypeGuard[ast.Assign | ast.Return]:
    """Whether this statement returns a refusal, or assigns it to a variable of that name."""
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == "refusal" for target in node.targets)
    return isinstance(node, ast.Return) and function.name.endswith("refusal")


def _choices(value: ast.expr | None) -> Iterator[str]:
    """The string literals that an expression can evaluate to."""
    if isinstance(value, ast.IfExp):
        yield from _choices(value.body)
        yield from _choices(value.orelse)
    elif isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value


def _sources() -> tuple[ast.Module, ...]:
    return tuple(_modules().values())


@cache
def _modules() -> dict[str, ast.Module]:
    """The sources by name, such as `compute.model.grid`."""
    paths = sorted(path for path in PACKAGE.rglob("*.py") if path.parent.name != "translations")
    names = [".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in paths]
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in zip(names, paths, strict=True)}
