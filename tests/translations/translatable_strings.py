"""Every string of the extension that Blender translates, found in the registered classes and in the sources."""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard

import bpy

import voxel_carve
from voxel_carve import registration
from voxel_carve.preferences import VoxelCarvePreferences
from voxel_carve.ui.forecast import ROUGH
from voxel_carve.ui.panel_children import STAGES

PACKAGE = Path(voxel_carve.__file__).parent
DEFAULT = bpy.app.translations.contexts.default
OPERATOR = bpy.app.translations.contexts.operator_default

# The name of the extension, and of its operator.
CARVE = (OPERATOR, "Voxel Carve")
# Strings that are the same in every language.
NAMES = {"Voxel Carve", "CPU", "CUDA", "X", "Y", "Z"}

# Functions that show a string, and the indices of the arguments with it.
SHOWN = {
    "interface_text": (0,),
    "report_text": (0,),
    "poll_message_set": (0,),
    "report": (1,),
    "progress_range": (2,),
    "draw_note": (1,),
    "draw_sentence": (2,),
    "_draw_pair": (1, 2),
    "_line": (1,),
}

Key = tuple[str, str]


def keys() -> set[Key]:
    """(context, English) of all strings."""
    named = (ROUGH, *(stage.capitalize() for stage in STAGES))
    found = {*_registered(), *_drawn(), *((DEFAULT, text) for text in (*named, *refusals()))}
    return {(context, text) for context, text in found if text.strip() and text not in NAMES} | {CARVE}


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
        yield (OPERATOR if issubclass(cls, bpy.types.Operator) else DEFAULT), label
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
    yield prop.translation_context, prop.description
    for item in prop.enum_items_static if prop.type == "ENUM" else ():
        yield prop.translation_context, item.name
        yield DEFAULT, item.description


def _of_annotation(keywords: dict[str, Any]) -> Iterator[Key]:
    if "HIDDEN" in keywords.get("options", ()):
        return
    yield DEFAULT, keywords["name"]
    yield DEFAULT, keywords["description"]
    items = keywords.get("items", ())
    for _, name, description, *_ in items if isinstance(items, tuple) else ():
        yield DEFAULT, name
        yield DEFAULT, description


@cache
def _drawn() -> set[Key]:
    """The string literals in calls that show them."""
    return set(_all_shown())


def _all_shown() -> Iterator[Key]:
    for tree in _sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                yield from _shown(called, node)


def _shown(called: str, call: ast.Call) -> Iterator[Key]:
    positions = SHOWN.get(called, ())
    shown = [call.args[position] for position in positions if position < len(call.args)]
    if called in ("label", "prop", "operator", "menu", "progress", "column", "row"):
        shown += [keyword.value for keyword in call.keywords if keyword.arg in ("text", "heading")]
    for argument in shown:
        for text in _choices(argument):
            yield (OPERATOR if called == "operator" else DEFAULT), text


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


@cache
def _sources() -> tuple[ast.Module, ...]:
    paths = sorted(path for path in PACKAGE.rglob("*.py") if path.parent.name != "translations")
    return tuple(ast.parse(path.read_text(encoding="utf-8")) for path in paths)
