"""The viewport overlay: the grid's bounds, voxels of true size on the stock, and the sweep, before a carve.

Blender's handlers only count changes. Lines are read, and uploaded to the GPU, when a view is drawn and they are out of
date.
"""

import logging
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix

from ..compute import CarveError
from ..operators.selection.selected import Selection
from ..operators.selection.target import target
from ..settings import scene_settings
from ..translations import interface_text
from ..translations.telling import told
from .overlay_read import (
    OverlayLines,
    PatchPlace,
    evaluated_stock,
    overlay_key,
    overlay_lines,
    patch_lines,
    patch_place,
    watched,
)
from .overlay_shapes import Lines, drawn_nearer, outline_lines

log = logging.getLogger(__name__)

# Fraction of the distance to the viewer by which lines are drawn nearer, so that they win against the surface below.
_NEARER = 5e-4
# Opacity factor of a line behind a surface.
_HIDDEN = 0.3
# From this many segments on, outlines are thin, so that lines behind them stay visible.
_MANY = 3_000
_NO_LINES: Lines = np.empty((0, 3), dtype=np.float32)


@dataclass
class _Drawn:
    """The state of the last drawing.

    Attributes:
        key: the `overlay_key` of the lines; None if they have to be read.
        watched: the data-blocks whose geometry is shown.
        changes: how often their geometry has changed.
        lines: None if there is nothing to show.
        batches: the GPU batches of these lines, by name.
        place: where the patch of voxels is; None for none.
        viewer: the viewer for whom the outlines of the sweep were made.
        message: why nothing is shown; empty if there is no reason to tell.
        failed: whether drawing has failed; it is not tried again until the overlay is switched on again.
        handle: Blender's handle of the draw callback.
    """

    key: Hashable = None
    watched: frozenset[int] = frozenset()
    changes: int = 0
    lines: OverlayLines | None = None
    batches: dict[str, Any] = field(default_factory=dict)
    place: PatchPlace | None = None
    viewer: tuple[float, ...] = ()
    message: str = ""
    failed: bool = False
    handle: Any = None

    def forget(self) -> None:
        """Drop everything that was drawn, on the GPU too."""
        self.key, self.watched, self.lines, self.message = None, frozenset(), None, ""
        self.place, self.viewer = None, ()
        self.batches.clear()


_drawn = _Drawn()


def add_overlay() -> None:
    """Let Blender draw the overlay in scenes whose settings enable it."""
    for name, handler in _HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)
    _drawn.handle = cast(Any, bpy.types.SpaceView3D).draw_handler_add(_draw_view, (), "WINDOW", "POST_VIEW")
    cast(Any, bpy.types).VIEW3D_PT_overlay_object.append(draw_overlay_entry)


def remove_overlay() -> None:
    """The opposite of `add_overlay`."""
    cast(Any, bpy.types).VIEW3D_PT_overlay_object.remove(draw_overlay_entry)
    cast(Any, bpy.types.SpaceView3D).draw_handler_remove(_drawn.handle, "WINDOW")
    _drawn.handle = None
    if bpy.app.timers.is_registered(_switch_off):
        bpy.app.timers.unregister(_switch_off)
    for name, handler in reversed(_HANDLERS):
        getattr(bpy.app.handlers, name).remove(handler)
    _drawn.forget()
    _drawn.failed = False


def overlay_message() -> str:
    """Why the overlay shows nothing although it is on; empty if there is no reason to tell."""
    return _drawn.message


def draw_overlay_entry(panel: bpy.types.Panel, context: bpy.types.Context) -> None:
    """Add a check box to the popover of viewport overlays."""
    cast(bpy.types.UILayout, panel.layout).prop(scene_settings(context), "show_overlay", text="Carve Grid and Sweep")


def refresh(context: bpy.types.Context) -> OverlayLines | None:
    """The lines to show, read again if they are out of date. `overlay_message` then says what cannot be read."""
    chosen = target(context)
    settings, found = chosen.settings, chosen.objects
    key = (overlay_key(context, found, settings), _drawn.changes)
    if key != _drawn.key:
        _drawn.forget()
        _drawn.key, _drawn.watched = key, watched(found)
        try:
            if found.stocks:
                _drawn.lines = overlay_lines(found, context.evaluated_depsgraph_get(), settings)
        except CarveError as error:
            _drawn.message = told(error)
    return _drawn.lines


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _note_changes(_: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Count a change of the geometry shown, and read nothing."""
    if _drawn.watched and any(
        update.is_updated_geometry and cast(Any, update.id).original.session_uid in _drawn.watched
        for update in depsgraph.updates
    ):
        _drawn.changes += 1


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _forget(*_: object) -> None:
    """Drop everything after loading or undo."""
    _drawn.forget()


_HANDLERS = (
    ("depsgraph_update_post", _note_changes),
    ("frame_change_post", _note_changes),
    ("undo_post", _forget),
    ("redo_post", _forget),
    ("load_post", _forget),
)


def _draw_view() -> None:
    """Draw in the current view. An error is reported once, not at every redraw."""
    context = bpy.context
    if not scene_settings(context).show_overlay:
        if _drawn.key is not None or _drawn.failed:
            _drawn.forget()
            _drawn.failed = False
        return
    if _drawn.failed or not cast(bpy.types.SpaceView3D, context.space_data).overlay.show_overlays:
        return
    try:
        lines = refresh(context)
        if lines is not None:
            _draw(context, lines, target(context).objects)
    except Exception:
        log.exception("The overlay Grid and Sweep could not be drawn, and is switched off")
        _drawn.failed = True
        bpy.app.timers.register(_switch_off)


def _switch_off() -> None:
    """Switch the overlay off, which is not possible during drawing, and tell the user."""
    for scene in bpy.data.scenes:
        cast(Any, scene).voxel_carve.show_overlay = False
    manager = cast(bpy.types.WindowManager, bpy.context.window_manager)
    with cast(Any, bpy.context).temp_override(window=manager.windows[0]):
        cast(Any, manager).popup_menu(_draw_failure, title="Voxel Carve", icon="ERROR")


def _draw_failure(menu: bpy.types.UIPopupMenu, _: bpy.types.Context) -> None:
    sentence = interface_text("Grid and Sweep could not be drawn: see the console")
    cast(bpy.types.UILayout, menu.layout).label(text=sentence)


def _draw(context: bpy.types.Context, lines: OverlayLines, found: Selection) -> None:
    import gpu

    view = cast(bpy.types.RegionView3D, context.region_data)
    region = cast(bpy.types.Region, context.region)
    _make_missing(context, lines, found.stocks[0], view)
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    shader.bind()
    shader.uniform_float("viewportSize", (region.width, region.height))
    width = cast(bpy.types.Preferences, context.preferences).system.ui_scale
    state = cast(Any, gpu.state)
    before = state.depth_test_get(), state.depth_mask_get(), state.blend_get()
    state.blend_set("ALPHA")
    state.depth_mask_set(False)
    projection = drawn_nearer(cast(Any, gpu.matrix.get_projection_matrix()), _NEARER, view.view_distance)
    gpu.matrix.push_projection()
    gpu.matrix.load_projection_matrix(Matrix(projection.tolist()))
    try:
        for test, part in (("GREATER", _HIDDEN), ("LESS_EQUAL", 1.0)):
            state.depth_test_set(test)
            for name, color, alpha, thickness in _styles(context, many=len(lines.tubes) > _MANY):
                if name in _drawn.batches:
                    shader.uniform_float("color", (*color, alpha * part))
                    shader.uniform_float("lineWidth", thickness * width)
                    _drawn.batches[name].draw(shader)
    finally:
        gpu.matrix.pop_projection()
        state.depth_test_set(before[0])
        state.depth_mask_set(before[1])
        state.blend_set(before[2])


def _styles(context: bpy.types.Context, many: bool) -> tuple[tuple[str, tuple[float, ...], float, float], ...]:
    """Name, colour, alpha and line width of each batch, in the theme's colours for gizmos."""
    theme = cast(Any, context.preferences).themes[0].user_interface
    return (
        ("box", tuple(theme.gizmo_view_align), 0.5, 1.0),
        ("rings", tuple(theme.gizmo_secondary), 0.3, 1.0),
        ("outlines", tuple(theme.gizmo_secondary), 0.5 if many else 0.9, 1.0 if many else 1.5),
        ("patch", tuple(theme.gizmo_primary), 0.8, 1.0),
    )


def _make_missing(
    context: bpy.types.Context, lines: OverlayLines, stock: bpy.types.Object, view: bpy.types.RegionView3D
) -> None:
    """Make the missing batches, and remake those that depend on the view if it has changed."""
    if "box" not in _drawn.batches:
        _make_batch("box", lines.box)
        _make_batch("rings", lines.rings)
    camera = np.array(view.view_matrix.inverted(), dtype=np.float64)
    eye, look = camera[:3, 3], -camera[:3, 2] / np.linalg.norm(camera[:3, 2])
    viewer = np.append(eye, 1.0) if view.is_perspective else np.append(-look, 0.0)
    if tuple(viewer) != _drawn.viewer:
        _drawn.viewer = tuple(viewer)
        _make_batch("outlines", outline_lines(lines.tubes, viewer))
    place, evaluated = None, evaluated_stock(stock, context.evaluated_depsgraph_get())
    if stock.mode != "EDIT":
        place = patch_place(evaluated, np.append(eye, viewer[3]), look)
    if place != _drawn.place:
        _drawn.place = place
        _make_batch("patch", _NO_LINES if place is None else patch_lines(evaluated, lines.grid.voxel_size, place))


def _make_batch(name: str, points: Lines) -> None:
    _drawn.batches.pop(name, None)
    if len(points):
        import gpu
        from gpu_extras.batch import batch_for_shader

        shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
        _drawn.batches[name] = batch_for_shader(shader, "LINES", {"pos": cast(Any, points)})
