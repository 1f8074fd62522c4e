"""Live Update: a curve is dragged in Edit Mode, and the result follows."""

import json

import bpy
import numpy as np
from inside.facts import note
from inside.places import find_operator, open_sidebar, rectangle
from inside.scenes import objects, open_edges, suzanne_and_curve
from inside.user import click, glide, look, move, press, until

PAUSE_S = 3.0


def steps():
    yield from suzanne_and_curve()
    bpy.context.scene.voxel_carve.resolution = 64
    sidebar = yield from open_sidebar("Voxel Carve")
    carve = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar)
    yield from click(*carve)
    yield from until(lambda: "Suzanne Carved" in objects(), 60, "a result")
    result, curve = bpy.data.objects["Suzanne Carved"], bpy.data.objects["BézierCurve"]
    result.voxel_carve.live = True
    result.select_set(False)
    bpy.context.view_layer.objects.active = curve
    first = shape()

    start, end = rectangle().at(0.3, 0.6), rectangle().at(0.42, 0.5)
    yield from move(*start)
    yield from press("Tab")
    note(mode=bpy.context.mode)
    yield from press("g")
    seen = [first]
    yield from watched(glide(start, end, steps=60), seen)
    yield from look("1_dragging")
    yield from watched(rest(), seen)
    note(shapes_while_dragging=len(seen) - 1)
    yield from click(*end)
    yield from watched(rest(), seen)
    yield from look("2_dropped")
    yield from press("Tab")
    yield PAUSE_S
    result = bpy.data.objects["Suzanne Carved"]
    followed, edges = shape(), open_edges(result)
    note(open_edges=edges, changed=followed != first, report=json.loads(result["voxel_carve_report"]))

    with bpy.context.temp_override(**rectangle().context):
        bpy.context.view_layer.objects.active = result
        bpy.ops.object.voxel_carve_update()
    note(as_carved_anew=shape() == followed)


def shape():
    """The vertex positions of the result, in a form that can be compared."""
    vertices = bpy.data.objects["Suzanne Carved"].data.vertices
    positions = np.empty(3 * len(vertices), dtype=np.float32)
    vertices.foreach_get("co", positions)
    return positions.tobytes()


def watched(steps, seen):
    """Take steps, and add each new shape to `seen`."""
    for seconds in steps:
        yield seconds
        if (now := shape()) != seen[-1]:
            seen.append(now)


def rest():
    for _ in range(round(PAUSE_S / 0.1)):
        yield 0.1
