"""The contents of the panel and the menu, by a mock layout that records what is drawn."""

import json
import re
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests import shapes
from tests.scene_objects import box, curves_object, link, mesh_object, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve import ui  # noqa: E402
from voxel_carve.compute import plan_grid  # noqa: E402
from voxel_carve.compute.engines.numba.compiler.loading import load_kernels  # noqa: E402
from voxel_carve.compute.forecasts import keep_history  # noqa: E402
from voxel_carve.operators.jobs.history import remember_report  # noqa: E402
from voxel_carve.operators.jobs.progress import seconds_text  # noqa: E402
from voxel_carve.operators.selection.selected import Selection, selection  # noqa: E402
from voxel_carve.settings import scene_settings  # noqa: E402
from voxel_carve.ui import answers, panel  # noqa: E402
from voxel_carve.ui.forecast import COARSE, SMALL, forecast, outlook, stock_boxes, world_bounds, world_boxes  # noqa: E402
from voxel_carve.ui.wording import memory_text, volume_texts  # noqa: E402

# Drawn while a job runs.
CANCEL = "wm.voxel_carve_cancel"


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    """An empty scene, and a panel that shows no compiling, whatever another process compiles meanwhile."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    monkeypatch.setattr(panel, "compiling_part", lambda: None)


class Layout:
    """Records what is drawn in it and in its parts, checked against Blender's own names.

    It has the layout attributes that a panel may set. As in Blender, red and grey are inherited by the parts.
    """

    def __init__(self, whole=None, alert=False, grey=False):
        kinds = "above labels red grey props owners enums operators texts arguments menus icons popovers progress"
        self.whole = whole or SimpleNamespace(**{kind: [] for kind in kinds.split()})
        self.alert, self.active, self.enabled, self.alignment, self.scale_y = alert, True, True, "EXPAND", 1.0
        self.grey = grey
        self.use_property_split, self.use_property_decorate, self.emboss = False, True, "NORMAL"

    def _part(self, align=False, heading="", factor=0.0):
        return Layout(self.whole, self.alert, self.grey or not self.active)

    column = row = box = split = menu_pie = _part

    def label(self, text="", icon="NONE", translate=True):
        self.whole.labels.append(text)
        self._above(text)
        if self.alert:
            self.whole.red.append(text)
        self._icon(icon)

    def prop(self, data, name, text=None, icon="NONE", expand=False):
        assert name in data.bl_rna.properties
        assert not expand or data.bl_rna.properties[name].type == "ENUM"
        self.whole.props.append(name)
        if self.grey or not self.active:
            self.whole.grey.append(name)
        self._above(name)
        self.whole.owners.append(data)
        self._icon(icon)

    def prop_enum(self, data, name, value):
        assert value in data.bl_rna.properties[name].enum_items
        self.whole.enums.append((name, value))

    def prop_search(self, data, name, within, collection):
        assert collection in within.bl_rna.properties
        self.prop(data, name)

    def template_list(self, kind, _key, data, name, active_data, active_name, rows=5):
        assert hasattr(bpy.types, kind) and active_name in active_data.bl_rna.properties
        self.prop(data, name)

    def panel(self, name, default_closed=False):
        return self._part(), self._part()

    def operator(self, name, text=None, icon="NONE", emboss=True, search_weight=0.0):
        module, function = name.split(".")
        assert name == CANCEL or function in dir(getattr(bpy.ops, module))
        self._above(name)
        self.whole.operators.append(name)
        self.whole.texts.append(text)
        self._icon(icon)
        self.whole.arguments.append(SimpleNamespace())
        return self.whole.arguments[-1]

    def progress(self, text="", factor=0.0):
        assert 0 <= factor <= 1
        self.whole.progress.append((text, factor))

    def menu(self, name, text=None):
        assert hasattr(bpy.types, name)
        self.whole.menus.append(name)

    def popover(self, panel, text=None, icon="NONE"):
        assert hasattr(bpy.types, panel)
        self.whole.popovers.append(panel)

    def separator(self):
        pass

    def _above(self, what):
        """Record what is drawn up to the first button."""
        if not self.whole.operators:
            self.whole.above.append(what)

    def _icon(self, icon):
        assert icon in bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items
        self.whole.icons.append(icon)


def drawn(cls=None):
    """The current contents of the panel."""
    layout = Layout()
    bpy.context.view_layer.update()
    (cls or bpy.types.VIEW3D_PT_voxel_carve).draw(SimpleNamespace(layout=layout), bpy.context)
    return layout.whole


def drawn_with_answers():
    """The contents of the panel when all is found out that it asks while it is drawn."""
    drawn()
    while (wait := answers.answer()) is not None:  # as a timer does
        time.sleep(wait)
    return drawn()


def joined(labels):
    """The lines of a wrapped sentence as one text."""
    return " ".join(labels)


def test_the_panel_is_in_the_sidebar_of_the_3d_view():
    cls = bpy.types.VIEW3D_PT_voxel_carve
    assert (cls.bl_space_type, cls.bl_region_type, cls.bl_category) == ("VIEW_3D", "UI", "Voxel Carve")


def test_nothing_selected():
    shown = drawn()
    assert [label for label in shown.labels if label] == [
        "None Selected", "None Selected", "No stock", "Select a mesh or a volume"
    ]  # fmt: skip
    assert shown.operators == ["object.voxel_carve"]


def test_the_objects_and_the_grid_are_shown():
    select(box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)], name="Tool"))
    scene_settings(bpy.context).resolution = 100
    shown = drawn()
    assert [label for label in shown.labels if label][:2] == ["Part", "Tool"]
    # 100 voxels and two on either side, in whole bricks of 8
    assert "104 × 104 × 104 Voxels" in shown.labels
    assert shown.red == []


def test_several_objects_are_counted_and_the_largest_grid_is_shown():
    select(box("One"), box("Two", size=(2, 2, 8)), poly_curve([(0, 0, 0), (1, 0, 0)], name="Tool"))
    settings = scene_settings(bpy.context)
    settings.size_mode, settings.voxel_size = "SIZE", 0.1
    shown = drawn()
    assert [label for label in shown.labels if label][:2] == ["2 Meshes: One, …", "Tool"]
    assert "24 × 24 × 88 Voxels" in shown.labels
    assert "Resolution 80" in shown.labels


def test_chosen_objects_take_precedence_over_selected_ones():
    stock, path = box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)], name="Tool")
    collection = bpy.data.collections.new("Tools")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(path)
    select(box("Other", size=(8, 8, 8)), poly_curve([(0, 0, 0), (1, 0, 0)], name="Wire"))
    settings = scene_settings(bpy.context)
    settings.stock, settings.path_collection = stock, collection
    settings.size_mode, settings.voxel_size = "SIZE", 0.1
    shown = drawn()
    assert next(label for label in shown.labels if label) == "Tool"
    assert not {"Part", "Other", "Wire"} & set(shown.labels)
    assert "24 × 24 × 24 Voxels" in shown.labels


def test_why_carve_cannot_be_pressed():
    select(box("Part"))
    assert "No path Select a curve, a text, strokes or edges as well" in joined(drawn().labels)
    bpy.ops.object.mode_set(mode="EDIT")
    assert "'Part' is in Edit Mode Switch to Object Mode" in joined(drawn().labels)


def test_only_relevant_settings_are_shown():
    select(box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)], name="Tool"))
    settings = scene_settings(bpy.context)
    assert not {"resolution", "voxel_size", "radius"} & set(drawn().props)
    assert {"1.56 cm", "Voxel Size 1.56 cm"} & set(drawn().labels) == {"Voxel Size 1.56 cm"}
    settings.size_mode = "RESOLUTION"
    assert "resolution" in drawn().props and not {"voxel_size", "radius"} & set(drawn().props)
    assert {"1.56 cm", "Voxel Size 1.56 cm"} & set(drawn().labels) == {"Voxel Size 1.56 cm"}
    settings.size_mode, settings.radius_mode = "SIZE", "VALUE"
    assert {"voxel_size", "radius"} <= set(drawn().props) and "resolution" not in drawn().props


def test_every_setting_is_in_a_panel():
    shown = set()
    for radius_mode, size_mode in (("CURVE", "RESOLUTION"), ("VALUE", "SIZE")):
        settings = scene_settings(bpy.context)
        settings.radius_mode, settings.size_mode = radius_mode, size_mode
        names = ("", "_paths", "_surface", "_options", "_advanced")
        shown |= {prop for name in names for prop in drawn(getattr(bpy.types, f"VIEW3D_PT_voxel_carve{name}")).props}
    hidden = {"rna_type", "name", "path_index", "path_settings", "backend_name"}
    assert shown == {prop.identifier for prop in settings.bl_rna.properties} - hidden


def test_the_active_path_of_the_list_is_shown_with_what_it_has():
    panel = bpy.types.VIEW3D_PT_voxel_carve_paths
    settings = scene_settings(bpy.context)
    assert drawn(panel).props == ["paths"]
    settings.paths.add().path = poly_curve([(0, 0, 0), (1, 0, 0)])
    shown = drawn(panel)
    assert shown.props == ["paths", "path", "operation", "use_radius", "radius"]
    assert shown.owners[1] == settings.paths[0]
    assert shown.operators == [f"scene.voxel_carve_list_{name}" for name in ("add", "remove", "move", "move")]
    assert [each.direction for each in shown.arguments[2:]] == ["UP", "DOWN"]


def test_the_radius_of_curves_is_shown():
    stock, plain, beveled = box("Part", size=(4, 2, 2)), *paths_out_of_the_box()
    settings = scene_settings(bpy.context)
    select(stock, plain)
    assert "20 cm" in drawn().labels  # a twentieth of the longest side
    select(stock, plain, beveled)
    # the mean scale of the beveled one is the cube root of 4
    assert f"20 cm to {100 * 0.25 * 4 ** (1 / 3):.1f} cm" in drawn().labels
    settings.radius_factor = 0.5
    select(stock, plain)
    assert "10 cm" in drawn().labels


@pytest.mark.parametrize(
    ("voxel_size", "reason"),
    [
        (0.0, "The voxel size must be more than 0"),
        (50.0, "Voxels are larger than the stock, whose longest side is 2 m"),
        (1e-12, "Voxels are too small for the size of the stock"),
        (1e-4, "That is more memory than the "),
    ],
)
def test_a_voxel_size_that_would_be_refused_is_shown_in_red(voxel_size, reason):
    select(box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)]))
    settings = scene_settings(bpy.context)
    settings.size_mode, settings.voxel_size = "SIZE", voxel_size
    assert reason in joined(drawn().red)
    settings.voxel_size = 0.1
    assert drawn().red == []


def test_memory_is_in_red_only_if_it_is_the_reason():
    select(box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)]))
    settings = scene_settings(bpy.context)
    settings.size_mode, settings.voxel_size, settings.radius_mode, settings.radius = "SIZE", 0.1, "VALUE", 0.0
    assert joined(drawn().red) == "The radius must be more than 0"
    settings.voxel_size = 1e-4
    assert drawn().red[0].startswith("About ")


@pytest.mark.parametrize("voxel_size", [0.0, 50.0])
def test_jobs_shown_in_red_are_refused(voxel_size, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    select(box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)]))
    settings = scene_settings(bpy.context)
    settings.size_mode, settings.voxel_size = "SIZE", voxel_size
    with pytest.raises(RuntimeError, match=r"(?i)voxel size"):
        bpy.ops.object.voxel_carve()


def test_a_tool_thinner_than_a_voxel_is_mentioned_but_not_in_red():
    select(box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)]))
    settings = scene_settings(bpy.context)
    settings.size_mode, settings.voxel_size, settings.radius_mode = "SIZE", 0.1, "VALUE"
    for radius, mentioned in ((0.09, True), (0.11, False)):
        settings.radius = radius
        assert (SMALL in joined(drawn().labels)) is mentioned
        assert drawn().red == []
    settings.radius_factor = 0.5
    assert SMALL in joined(drawn().labels)


def test_voxels_that_fit_the_radius_are_one_click_away():
    """Of two stocks and two paths, the least radius counts, and the longest stock."""
    select(box("Part"), box("Bar", (6, 1, 1)), poly_curve([(0, 0, 0), (1, 0, 0)]))
    settings = scene_settings(bpy.context)
    settings.radius_mode, settings.radius, settings.resolution = "VALUE", 0.1, 110
    assert COARSE in joined(drawn().labels) and drawn().red == []
    assert "Use 120" in drawn().texts
    arguments = next(each for each in drawn().arguments if hasattr(each, "voxel_size"))
    assert bpy.ops.scene.voxel_carve_fit_voxels(**vars(arguments)) == {"FINISHED"}
    assert (settings.size_mode, settings.resolution) == ("RESOLUTION", 120)
    assert not any(text and text.startswith("Use ") for text in drawn().texts)
    assert COARSE not in joined(drawn().labels)
    settings.size_mode, settings.voxel_size = "SIZE", 0.2
    assert SMALL in joined(drawn().labels) and "Use 5 cm" in drawn().texts
    bpy.ops.scene.voxel_carve_fit_voxels(**vars(arguments))
    assert settings.size_mode == "SIZE" and settings.voxel_size == pytest.approx(0.05)
    assert not any(text and text.startswith("Use ") for text in drawn().texts)


@pytest.mark.parametrize(
    ("mode", "other"), [("AUTOMATIC", {"voxel_size": 0.1}), ("RESOLUTION", {}), ("SIZE", {"resolution": 9})]
)
def test_voxels_that_are_not_given_are_refused(mode, other):
    """A script calls the button's operator: only the panel knows what fits."""
    select(box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)]))
    settings = scene_settings(bpy.context)
    settings.resolution, settings.voxel_size, settings.size_mode = 110, 0.3, mode
    with pytest.raises(RuntimeError, match="No voxels are given: pass resolution and voxel_size, or"):
        bpy.ops.scene.voxel_carve_fit_voxels(**other)
    assert (settings.size_mode, settings.resolution, round(settings.voxel_size, 6)) == (mode, 110, 0.3)


def test_voxels_that_memory_does_not_allow_are_not_offered():
    select(box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)]))
    settings = scene_settings(bpy.context)
    settings.radius_mode, settings.radius, settings.resolution = "VALUE", 1e-4, 64
    assert SMALL in joined(drawn().labels)
    assert not any(text and text.startswith("Use ") for text in drawn().texts)


@pytest.mark.parametrize(("radius", "resolution"), [(0.1, 128), (0.02, 200), (1e-4, 1024)])
def test_automatic_voxels_follow_the_least_radius(radius, resolution):
    thick, thin = (poly_curve([(0, 0, 0), (1, 0, 0)]) for _ in range(2))
    thick.data.bevel_depth, thin.data.bevel_depth = 0.3, radius
    select(box("Part"), thick, thin)
    side = 2.0
    assert scene_settings(bpy.context).size_mode == "AUTOMATIC"
    expected = outlook(bpy.context, selection(bpy.context), scene_settings(bpy.context))
    assert expected.resolution == resolution
    assert expected.voxel_sizes == pytest.approx((side / resolution,) * 2)


def test_automatic_voxels_follow_the_radii_of_points(monkeypatch):
    """As an imported toolpath has them: of a bevel of 1, with the radius at each point. A tip of 0 needs no voxels."""
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    path = poly_curve([(-2, 0, 0), (0, 0, 0), (2, 0, 0)], [0.02, 0.01, 0])
    path.data.bevel_depth = 1
    select(box("Part"), path)
    expected = outlook(bpy.context, selection(bpy.context), scene_settings(bpy.context))
    assert expected.radii == pytest.approx((0.02, 0.02)) and expected.voxel_sizes[0] == pytest.approx(0.01)
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    assert json.loads(bpy.context.object["voxel_carve_report"])["voxel_size"] == pytest.approx(0.01)


def test_a_thin_path_that_does_not_reach_the_stock_needs_no_voxels(monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    near, far = poly_curve([(-2, 0, 0), (2, 0, 0)]), poly_curve([(50, 0, 0), (52, 0, 0)])
    near.data.bevel_depth, far.data.bevel_depth = 0.2, 0.004
    select(box("Part"), near, far)
    expected = outlook(bpy.context, selection(bpy.context), scene_settings(bpy.context))
    assert expected.resolution == 128
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    assert json.loads(bpy.context.object["voxel_carve_report"])["voxel_size"] == pytest.approx(2 / 128)


def test_who_gives_voxels_in_one_way_chooses_it(monkeypatch):
    """As a script does, in the scene's settings and in those of a result."""
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    settings = scene_settings(bpy.context)
    settings.resolution = 64
    assert settings.size_mode == "RESOLUTION"
    settings.voxel_size = 0.1
    assert settings.size_mode == "SIZE"
    settings.size_mode = "AUTOMATIC"
    path = poly_curve([(-2, 0, 0), (2, 0, 0)])
    path.data.bevel_depth = 0.2
    select(box("Part"), path)
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    obj = bpy.context.object
    assert obj.voxel_carve.size_mode == "AUTOMATIC"
    obj.voxel_carve.resolution = 32
    assert obj.voxel_carve.size_mode == "RESOLUTION"
    assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
    assert json.loads(obj["voxel_carve_report"])["voxel_size"] == pytest.approx(2 / 32)
    obj.voxel_carve.voxel_size = 0.1
    assert obj.voxel_carve.size_mode == "SIZE"


def test_a_text_is_legible_with_all_defaults(monkeypatch):
    """Its strokes are narrow against the stock; the voxels of the result are those that the panel tells."""
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    text = bpy.data.curves.new("Text", "FONT")
    text.body, text.size = "VOXEL", 0.8
    path, stock = link("Text", text), box("Slab", (5, 1.4, 0.3))
    path.location = (-1.3, -0.3, 0.15)
    select(stock, path)
    expected = outlook(bpy.context, selection(bpy.context), scene_settings(bpy.context))
    assert expected.radii[0] == pytest.approx(2 * expected.voxel_sizes[0])
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    report = json.loads(bpy.context.object["voxel_carve_report"])
    assert report["voxel_size"] == pytest.approx(expected.voxel_sizes[0], rel=1e-6)
    assert not any("radius" in each for each in report["warnings"])


def test_what_a_path_shows_and_is_not_cut_is_in_red():
    path = poly_curve([(0, 0, 0), (1, 0, 0)], name="Tool")
    path.data.extrude, path.data.offset = 0.1, 0.1
    select(box("Part"), path)
    red = joined(drawn().red)
    assert "'Tool' is cut without its extrusion: set Extrude to 0" in red
    assert "'Tool' is cut without its offset: set Offset to 0" in red
    more = [link(f"Tool {number}", path.data) for number in range(2)]
    select(bpy.data.objects["Part"], path, *more)
    assert len([line for line in drawn().red if line.startswith("'Tool")]) == 3
    assert "and 3 more" in drawn().labels


def test_a_path_out_of_reach_is_mentioned_and_in_red_if_nothing_would_be_left(monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    stock, path, settings = box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)]), scene_settings(bpy.context)
    path.location = (0, 0, 5)
    settings.radius_mode, settings.radius, settings.resolution = "VALUE", 3.9, 32
    select(stock, path)
    assert "No path reaches 'Part'" in joined(drawn().labels) and drawn().red == []
    settings.operation = "INTERSECT"
    assert "No path reaches 'Part'" in joined(drawn().red)
    with pytest.raises(RuntimeError, match="do not reach it"):
        bpy.ops.object.voxel_carve()
    settings.radius = 4.1
    assert "No path reaches" not in joined(drawn().labels)


def test_no_path_is_not_said_to_miss_a_stock_nor_is_an_instance_whose_place_is_not_known():
    stock, path = box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)])
    tools = bpy.data.collections.new("Tools")
    tools.objects.link(poly_curve([(0, 0, 0), (1, 0, 0)], name="Tool"))
    instance = link("Instance", None)
    instance.instance_type, instance.instance_collection = "COLLECTION", tools
    path.location = (0, 0, 50)
    for chosen in ([stock], [stock, instance], [stock, instance, path]):
        select(*chosen)
        assert "No path reaches" not in joined(drawn().labels)
    select(stock, path)
    assert "No path reaches" in joined(drawn().labels)


@pytest.fixture
def no_history():
    """Nothing is known of earlier jobs, and nothing afterwards."""
    keep_history(False)
    yield
    keep_history(False)


def told_seconds():
    """The ends of the range of seconds that the panel tells."""
    low, high = re.search(r"iB, ([\d.]+) to ([\d.]+) s", joined(drawn_with_answers().labels)).groups()
    return float(low), float(high)


def test_the_time_is_a_range_that_the_last_jobs_narrow(monkeypatch, no_history):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    stock, path, settings = box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)]), scene_settings(bpy.context)
    settings.resolution = 128
    select(stock, path)
    low, high = told_seconds()
    assert high > 5 * low
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    report = json.loads(bpy.context.object["voxel_carve_report"])
    bpy.data.objects.remove(bpy.context.object)
    stock.hide_set(False)
    select(stock, path)
    keep_history(False)
    seconds = report["seconds"] | {"total": 1040.0, "compile": 1000.0}
    for factor in (0.9, 1.0, 1.0, 1.0, 1.0, 1.2):
        remember_report(report | {"seconds": seconds | {"total": 1000 + 40 * factor}})
    low, high = told_seconds()
    assert 30 <= low < 40 < high <= 50
    settings.adaptivity = 0.05  # another kind of job
    assert told_seconds()[1] < 30
    settings.adaptivity = 0.0
    assert told_seconds() == (low, high)


def test_a_running_job_replaces_the_button(monkeypatch):
    select(box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)]))
    job = SimpleNamespace(stage="Surface", fraction=0.25, elapsed=4.0, remaining=12.2, preemptible=False)
    monkeypatch.setattr(panel, "running_job", lambda: job)
    shown = drawn()
    assert shown.progress == [("Surface, 12 s left", 0.25)]
    assert shown.operators == [CANCEL]
    job.remaining = None
    assert drawn().progress == [("Surface", 0.25)]
    job.preemptible = True
    assert drawn().progress == [("Surface", 0.25)] and "object.voxel_carve" in drawn().operators


def test_a_stock_of_any_transform():
    obj = box(size=(1, 1, 1))
    obj.scale, obj.location = (-2, 3, 4), (10, 20, 30)
    bpy.context.view_layer.update()
    bounds = world_bounds(obj)
    assert bounds.tolist() == [[9, 18.5, 28], [11, 21.5, 32]]
    settings = scene_settings(bpy.context)
    settings.resolution = 64
    x, y, z = forecast(obj, (), settings).voxels
    assert plan_grid(bounds, 4 / 64).shape == (z, y, x)
    obj.scale = (0, 0, 0)
    bpy.context.view_layer.update()
    assert forecast(obj, (), settings) is None


def test_the_voxels_of_a_turned_and_subdivided_stock_are_those_that_are_used(monkeypatch):
    """Blender's bounding boxes are larger: they are turned with the object, and around the mesh before Subsurf."""
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    stock, path, settings = box("Part"), poly_curve([(-9, 0, 0), (9, 0, 0)]), scene_settings(bpy.context)
    stock.modifiers.new("Subsurf", "SUBSURF").levels = 2
    stock.rotation_euler, settings.resolution = (0.3, 0.4, 0.5), 32
    select(stock, path)
    bpy.context.view_layer.update()
    expected = outlook(bpy.context, Selection((stock,), (path,)), settings)
    assert expected.voxel_sizes[0] < 1.8 / 32
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    report = json.loads(bpy.context.object["voxel_carve_report"])
    assert expected.voxel_sizes == (pytest.approx(report["voxel_size"]),) * 2
    assert list(expected.voxels[::-1]) == report["grid_shape"]


def test_a_stock_that_is_too_large_to_be_read_at_every_draw_has_its_bounding_box(monkeypatch):
    stock = box("Part")
    stock.modifiers.new("Subsurf", "SUBSURF").levels = 2
    bpy.context.view_layer.update()
    assert not np.array_equal(stock_boxes([stock]), world_boxes([stock]))
    monkeypatch.setattr("voxel_carve.ui.forecast.MOST_CORNERS", 100)
    assert np.array_equal(stock_boxes([stock]), world_boxes([stock]))


def paths_out_of_the_box():
    """Two paths that stick out of a box of side 2, one of them with a scaled bevel."""
    beveled = poly_curve([(0, -5, 0), (0, 5, 0)], name="Beveled")
    beveled.data.bevel_depth = 0.25
    beveled.scale = (2, 1, 2)
    return poly_curve([(0, 0, 0), (9, 0, 0)], name="Tool"), beveled


def test_a_union_is_as_large_as_the_paths_make_it():
    stock, paths, settings = box("Part"), paths_out_of_the_box(), scene_settings(bpy.context)
    settings.size_mode, settings.voxel_size = "SIZE", 0.1
    settings.radius_mode, settings.radius = "VALUE", 1.5
    select(stock, *paths)
    shown = {}
    for operation in ("SUBTRACT", "INTERSECT", "UNION"):
        settings.operation = operation
        shown[operation] = next(label for label in drawn().labels if label.endswith("Voxels"))
    # from x = -1.5 to 10.5, y = -6 to 6 and z = -1.5 to 1.5, and two voxels on either side, in whole bricks of 8
    assert shown["UNION"] == "128 × 128 × 40 Voxels"
    assert shown["SUBTRACT"] == shown["INTERSECT"] == "24 × 24 × 24 Voxels"


def test_the_resolution_of_a_union_is_that_of_the_stock():
    stock, paths, settings = box("Part"), paths_out_of_the_box(), scene_settings(bpy.context)
    settings.operation, settings.resolution = "UNION", 20
    settings.radius_mode, settings.radius = "VALUE", 1.5
    bpy.context.view_layer.update()
    assert forecast(stock, paths, settings).voxels == (128, 128, 40)
    assert forecast(stock, paths, settings).memory > forecast(stock, (), settings).memory


@pytest.mark.parametrize("kind", ["POLY", "CURVES", "EDGES"])
def test_the_forecast_of_a_union_is_the_grid_of_its_carve(kind, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    line = [(0, 0, 0), (3, 0, 1)]
    if kind == "EDGES":
        path = mesh_object("Tool", line, edges=[(0, 1)])
    else:
        path = poly_curve(line) if kind == "POLY" else curves_object(line)
    stock, settings = box("Part"), scene_settings(bpy.context)
    path.location = (0, 2, 0)
    settings.operation, settings.resolution = "UNION", 32
    settings.radius_mode, settings.radius = "VALUE", 0.5
    select(stock, path)
    bpy.context.view_layer.update()
    x, y, z = forecast(stock, (path,), settings).voxels
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    assert json.loads(bpy.context.object["voxel_carve_report"])["grid_shape"] == [z, y, x]


def test_finer_voxels_take_more_memory():
    obj, settings = box(), scene_settings(bpy.context)
    bpy.context.view_layer.update()
    memory = []
    for resolution in (256, 512, 1024):
        settings.resolution = resolution
        memory.append(forecast(obj, (), settings).memory)
    assert memory[1] > 3 * memory[0] and memory[2] > 3 * memory[1]


def bolt():
    """A rod, and a helix around it whose grooves overlap each other."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=64, radius=1, depth=3)
    angles = np.arange(0, 2 * np.pi * 16, np.pi / 16)
    points = np.stack([np.cos(angles), np.sin(angles), angles / (2 * np.pi) * 0.2 - 1.6], axis=1)
    return bpy.context.object, poly_curve(points.tolist(), name="Thread"), 0.13


def scene_to_forecast(kind):
    """A stock, a path and the radius of its bevel."""
    if kind == "bolt":
        return bolt()
    line = poly_curve([(-2, 0, 0.1), (2, 0, 0.1)])
    if kind == "sphere":
        bpy.ops.mesh.primitive_uv_sphere_add(segments=48, ring_count=24)
        return bpy.context.object, line, 0.05
    if kind == "sheet":
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=8, y_subdivisions=8, size=2)
        return bpy.context.object, line, 0.3
    if kind == "text":
        bpy.ops.object.text_add(location=(-0.9, -0.3, 0.1))
        bpy.context.object.data.body = "Carve"
        bpy.context.object.data.size = 0.8
        return box("Slab", size=(2, 2, 0.2)), bpy.context.object, 0.04
    stock = box(size=(2, 2, 0.2) if kind == "plate" else (2, 2, 2))
    stock.rotation_euler = (0.3, 0.5, 0.2) if kind == "turned" else (0, 0, 0)
    return stock, line, 0.05


@pytest.mark.parametrize("kind", ["box", "turned", "sphere", "plate", "bolt", "sheet", "text"])
@pytest.mark.parametrize("resolution", [64, 128])
def test_the_number_of_faces_is_forecast(kind, resolution, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    load_kernels("exact")
    stock, path, radius = scene_to_forecast(kind)
    settings = scene_settings(bpy.context)
    path.data.bevel_depth, settings.resolution = radius, resolution
    select(stock, path)
    label = next(label for label in drawn_with_answers().labels if label.endswith(" faces"))
    assert label.startswith("About ")
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    faces = json.loads(bpy.context.object["voxel_carve_report"])["faces"]
    assert int(label.split()[1].replace(",", "")) == pytest.approx(faces, rel=0.25)


def test_the_last_number_of_faces_stays_until_the_next_is_known():
    load_kernels("exact")
    settings = scene_settings(bpy.context)
    select(box(), poly_curve([(-2, 0, 0.9), (2, 0, 0.9)]))
    assert not [label for label in drawn().labels if label.endswith(" faces")]
    first = [label for label in drawn_with_answers().labels if label.endswith(" faces")]
    settings.resolution *= 2
    assert [label for label in drawn().labels if label.endswith(" faces")] == first != []
    assert [label for label in drawn_with_answers().labels if label.endswith(" faces")] != first


@pytest.mark.parametrize("moved", ["path", "stock"])
def test_the_number_of_faces_follows_a_point_that_moves_within_the_box(moved):
    """First the path goes by the stock, with its middle point in a corner of its box; then through the stock."""
    load_kernels("exact")
    stock, path = box(), poly_curve([(-2, -2, 2), (2, -2, 2), (2, 2, -2)])
    select(stock, path)
    first = [label for label in drawn_with_answers().labels if label.endswith(" faces")]
    if moved == "path":
        path.data.splines[0].points[1].co = (-1.9, -1.9, 1.9, 1)
    else:
        for vertex in stock.data.vertices:
            vertex.co.z *= 0.2 if vertex.co.x > 0 else 1
        stock.data.update()
    second = [label for label in drawn_with_answers().labels if label.endswith(" faces")]
    assert len(first) == len(second) == 1
    assert first != second


def test_what_is_gone_before_it_is_read_is_not_told():
    load_kernels("exact")
    stock, path = box(), poly_curve([(-2, 0, 0.9), (2, 0, 0.9)])
    select(stock, path)
    drawn()
    bpy.data.objects.remove(path)
    while answers.answer() is not None:
        time.sleep(0.01)
    select(stock, poly_curve([(-2, 0, 0.9), (2, 0, 0.9)]))
    assert [label for label in drawn_with_answers().labels if label.endswith(" faces")]


def test_keep_stock_is_offered_where_it_gives_far_fewer_faces(monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    load_kernels("exact")
    stock, path, settings = box(), poly_curve([(-2, 0, 0.9), (2, 0, 0.9)]), scene_settings(bpy.context)
    path.data.bevel_depth = 0.1
    select(stock, path)
    shown = drawn_with_answers()
    assert shown.enums == [("result", "KEEP")]
    offered = re.search(r"Keep Stock would give about ([\d,]+\d)", joined(shown.labels))
    settings.result = "KEEP"
    shown = drawn_with_answers()
    assert shown.enums == [] and f"About {offered[1]} faces" in shown.labels
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    faces = json.loads(bpy.context.object["voxel_carve_report"])["faces"]
    assert int(offered[1].replace(",", "")) == pytest.approx(faces, rel=0.25)


def test_the_panel_says_what_an_open_stock_is_taken_for(monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    load_kernels("exact")
    settings, path = scene_settings(bpy.context), poly_curve([(-2, 0, 0), (2, 0, 0)])
    path.data.bevel_depth = 0.1
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=8, y_subdivisions=8)
    terrain = bpy.context.object
    ball = shapes.sphere(subdivisions=3)
    heights = ball.corners()[:, :, 2].mean(axis=1)
    ball = shapes.keep_triangles(ball, np.abs(heights) < 0.9, "Ball")
    holed = mesh_object("Ball", ball.points.tolist(), faces=ball.triangles.tolist())
    said = {}
    for stock in (terrain, holed, box()):
        select(stock, path)
        for result, choice in (("REMESH", "AUTOMATIC"), ("KEEP", "AUTOMATIC"), ("REMESH", "FILL"), ("REMESH", "SHEET")):
            settings.result, settings.open_stock = result, choice
            words = re.search(rf"{stock.name}: (.* (faces|filled|stays?))", joined(drawn_with_answers().labels))
            said[stock.name, result, choice] = words[1] if words else ""
    assert said == {
        ("Grid", "REMESH", "AUTOMATIC"): "a sheet, solid behind its faces",
        ("Grid", "KEEP", "AUTOMATIC"): "a sheet, solid behind its faces",
        ("Grid", "REMESH", "FILL"): "a hole, to be filled",
        ("Grid", "REMESH", "SHEET"): "a sheet, solid behind its faces",
        ("Ball", "REMESH", "AUTOMATIC"): "2 holes, to be filled",
        ("Ball", "KEEP", "AUTOMATIC"): "2 holes, which stay",
        ("Ball", "REMESH", "FILL"): "2 holes, to be filled",
        ("Ball", "REMESH", "SHEET"): "a sheet, solid behind its faces",
        ("Box", "REMESH", "AUTOMATIC"): "",
        ("Box", "KEEP", "AUTOMATIC"): "",
        ("Box", "REMESH", "FILL"): "",
        ("Box", "REMESH", "SHEET"): "",
    }


def test_the_panel_says_what_is_too_thin_for_the_voxels_and_what_keeps_it(monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    load_kernels("exact")
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    bars = [shapes.box((-1, y - 0.005, -0.005), (1, y + 0.005, 0.005)) for y in np.linspace(-0.9, 0.9, 10)]
    rack = shapes.joined(*bars)
    stock = mesh_object("Rack", (rack.points @ turn).tolist(), faces=rack.triangles.tolist())
    path, settings = poly_curve([(-2, 0, 0), (2, 0, 0)]), scene_settings(bpy.context)
    path.data.bevel_depth = 0.2
    settings.size_mode, settings.voxel_size = "SIZE", 0.05
    select(stock, path)
    assert "too thin" not in joined(drawn().labels)
    said = re.search(
        r"Up to (\d+)% of 'Rack' is too thin: use voxels of (\S+) cm, or Keep Stock",
        joined(drawn_with_answers().labels),
    )
    assert said, joined(drawn_with_answers().labels)
    assert int(said[1]) > 20
    assert drawn().red == []
    settings.voxel_size = float(said[2]) / 100
    assert "too thin" not in joined(drawn_with_answers().labels)
    settings.voxel_size, settings.result = 0.05, "KEEP"
    assert "too thin" not in joined(drawn_with_answers().labels)
    select(box("Part"), path)
    settings.result = "REMESH"
    assert "too thin" not in joined(drawn_with_answers().labels)


def test_keep_stock_is_not_offered_for_an_open_stock():
    load_kernels("exact")
    stock, path = box(), poly_curve([(-2, 0, 0.9), (2, 0, 0.9)])
    bpy.ops.mesh.primitive_plane_add()
    open_stock = bpy.context.object
    edges = mesh_object("Edges", [(-2, 0, 0.9), (2, 0, 0.9)], edges=[(0, 1)])
    for objs, offered in (((stock, path), True), ((open_stock, path), False), ((stock, edges), True)):
        select(*objs)
        assert bool(drawn_with_answers().enums) is offered


def test_figures_as_text():
    assert memory_text(5 * 2**20) == "5 MiB"
    assert memory_text(int(2.5 * 2**30)) == "2.5 GiB"
    texts = {0.02: "under 0.1 s", 3.14: "3.1 s", 9.97: "10 s", 59.7: "1 min", 90: "1 min 30 s", 3540: "59 min"}
    assert {seconds: seconds_text(seconds) for seconds in texts} == texts
    assert seconds_text(3600 * 2 + 60 * 5) == "2 h 5 min"


def test_lengths_and_volumes_are_in_the_units_of_the_scene():
    stock, settings, units = box("Part"), scene_settings(bpy.context), bpy.context.scene.unit_settings
    settings.resolution = 100
    select(stock)
    labels = {}
    for system, scale in (("METRIC", 1.0), ("METRIC", 0.001), ("NONE", 1.0), ("NONE", 0.001), ("IMPERIAL", 1.0)):
        units.system, units.scale_length = system, scale
        labels[system, scale] = next(label for label in drawn().labels if label.startswith("Voxel Size "))
    assert labels["METRIC", 1.0] == "Voxel Size 2 cm"
    assert labels["METRIC", 0.001].startswith("Voxel Size 20 ")  # micrometres
    assert labels["NONE", 1.0] == labels["NONE", 0.001] == "Voxel Size 0.02"  # fields show no scale there either
    assert labels["IMPERIAL", 1.0].endswith(("thou", '"'))
    units.system, units.scale_length = "METRIC", 0.1
    assert volume_texts(bpy.context.scene, 3000.0) == ("3 m³",)


@pytest.mark.parametrize(
    ("system", "texts"),
    [
        ("METRIC", ("0.0654 m³", "7.93 m³", "0.00000123 m³", "0 m³")),
        ("IMPERIAL", ("0.0856 cu yd", "10.4 cu yd", "0.00000161 cu yd", "0 cu yd")),
        ("NONE", ("0.0654", "7.93", "0.00000123", "0")),
    ],
)
def test_volumes_beside_each_other_have_one_unit(system, texts):
    bpy.context.scene.unit_settings.system = system
    assert volume_texts(bpy.context.scene, 0.065439, 7.93, 1.23e-6, 0.0) == texts


@pytest.mark.parametrize(("largest", "text"), [(123691.96, "124 cm³"), (100449.0, "100 cm³"), (1797.29, "1.8 cm³")])
def test_rounding_the_largest_volume_does_not_change_the_others(largest, text):
    units = bpy.context.scene.unit_settings
    units.system, units.scale_length = "METRIC", 0.001
    assert volume_texts(bpy.context.scene, 433.04, 61.749, largest) == ("0.433 cm³", "0.0617 cm³", text)


def test_no_more_memory_is_told_than_a_machine_can_have():
    assert memory_text(1500 * 2**30) == "1.5 TiB"
    assert memory_text(int(654053.8 * 2**30)) == "638.7 TiB"
    assert memory_text(10**30) == "999+ TiB"


def test_drawing_changes_nothing():
    stock = box("Part")
    select(stock, poly_curve([(0, 0, 0), (1, 0, 0)]))
    before = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "curves", "materials")}
    for cls in ui.CLASSES:
        is_panel = hasattr(cls, "draw") and issubclass(cls, bpy.types.Panel) and "preset" not in cls.__name__
        if is_panel and getattr(cls, "poll", lambda _: True)(bpy.context):
            drawn(cls)
    assert before == {kind: len(getattr(bpy.data, kind)) for kind in before}


@pytest.mark.parametrize(
    "operator", ["voxel_carve", "voxel_carve_voxelize", "voxel_carve_offset", "voxel_carve_boolean"]
)
def test_the_redo_panel_shows_every_property_except_the_unused_size(operator):
    cls = getattr(bpy.types, f"OBJECT_OT_{operator}")
    rna = getattr(bpy.ops.object, operator).get_rna_type()
    names = {prop.identifier for prop in rna.properties if not prop.is_hidden} - {"rna_type"}
    numbers = {"resolution", "voxel_size"}
    for mode, hidden in (("AUTOMATIC", numbers), ("RESOLUTION", {"voxel_size"}), ("SIZE", {"resolution"})):
        layout = Layout()
        properties = SimpleNamespace(
            size_mode=mode, bl_rna=rna, tolerance=0.0, radius_mode="VALUE", result="REMESH", open_stock="AUTOMATIC"
        )
        cls.draw(SimpleNamespace(layout=layout, properties=properties, **vars(properties)), bpy.context)
        shown = layout.whole.props
        assert set(shown) == names - hidden and len(shown) == len(set(shown))


def test_the_redo_panel_has_the_order_and_the_widgets_of_the_panel():
    select(box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)]))
    rna = bpy.ops.object.voxel_carve.get_rna_type()
    values = {
        "size_mode": "AUTOMATIC",
        "tolerance": 0.0,
        "radius_mode": "CURVE",
        "result": "REMESH",
        "open_stock": "FILL",
    }
    redo = Layout()
    bpy.types.OBJECT_OT_voxel_carve.draw(SimpleNamespace(layout=redo, bl_rna=rna, **values), bpy.context)
    names = ("", "_surface", "_options", "_advanced")
    panels = [prop for name in names for prop in drawn(getattr(bpy.types, f"VIEW3D_PT_voxel_carve{name}")).props]
    assert redo.whole.props == [prop for prop in panels if prop in rna.properties]
