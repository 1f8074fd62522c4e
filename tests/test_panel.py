"""What the panel and the menu show, by a layout that only remembers what is drawn."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from tests.scene_objects import box, curves_object, mesh_object, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import voxel_carve  # noqa: E402
from voxel_carve.compute import plan_grid  # noqa: E402
from voxel_carve.settings import scene_settings  # noqa: E402
from voxel_carve.ui.forecast import forecast, world_bounds  # noqa: E402
from voxel_carve.ui.menu import draw_object_menu  # noqa: E402
from voxel_carve.ui.panel import memory_text  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def registered():
    voxel_carve.register()
    yield
    voxel_carve.unregister()


@pytest.fixture(autouse=True)
def empty_scene(registered):
    bpy.ops.wm.read_factory_settings(use_empty=True)


class Layout:
    """Remembers labels, properties, operators and menus, checked against Blender's own names."""

    def __init__(self, whole=None):
        self.whole = whole or SimpleNamespace(labels=[], props=[], operators=[], menus=[], icons=[])

    def _part(self, **options):
        return Layout(self.whole)

    column = row = box = split = _part

    def label(self, text="", icon="NONE"):
        self.whole.labels.append(text)
        self._icon(icon)

    def prop(self, data, name, icon="NONE", **options):
        assert name in data.bl_rna.properties
        self.whole.props.append(name)
        self._icon(icon)

    def operator(self, name, text=None, icon="NONE"):
        module, function = name.split(".")
        assert function in dir(getattr(bpy.ops, module))
        self.whole.operators.append(name)
        self._icon(icon)

    def menu(self, name):
        assert hasattr(bpy.types, name)
        self.whole.menus.append(name)

    def separator(self):
        pass

    def _icon(self, icon):
        assert icon in bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items
        self.whole.icons.append(icon)


def drawn(cls=None):
    """What the panel shows now."""
    layout = Layout()
    bpy.context.view_layer.update()
    (cls or bpy.types.VIEW3D_PT_voxel_carve).draw(SimpleNamespace(layout=layout), bpy.context)
    return layout.whole


def test_the_panel_is_in_the_sidebar_of_the_3d_view():
    cls = bpy.types.VIEW3D_PT_voxel_carve
    assert (cls.bl_space_type, cls.bl_region_type, cls.bl_category) == ("VIEW_3D", "UI", "Voxel Carve")


def test_nothing_selected():
    shown = drawn()
    assert shown.labels == ["Stock: None Selected", "Path: None Selected", "No stock", "Select a mesh with faces"]
    assert shown.operators[0] == "object.voxel_carve" and len(shown.operators) == 4


def test_stock_and_path_are_named_and_the_grid_is_told():
    select(box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)], name="Tool"))
    scene_settings(bpy.context).resolution = 100
    shown = drawn()
    assert shown.labels[:2] == ["Stock: Part", "Path: Tool"]
    # 100 voxels and two on either side, in whole bricks of 8
    assert shown.labels[2].startswith("About 104 × 104 × 104 Voxels, ")
    assert len(shown.labels) == 3


def test_several_are_counted_and_the_largest_grid_counts():
    select(box("One"), box("Two", size=(2, 2, 8)), poly_curve([(0, 0, 0), (1, 0, 0)], name="Tool"))
    settings = scene_settings(bpy.context)
    settings.size_mode, settings.voxel_size = "SIZE", 0.1
    shown = drawn()
    assert shown.labels[:2] == ["2 Stocks: One, ...", "Path: Tool"]
    assert shown.labels[2].startswith("About 24 × 24 × 88 Voxels")


def test_why_carve_cannot_be_pressed():
    select(box("Part"))
    assert drawn().labels[-2:] == ["No path", "Select a curve, a text or edges as well"]
    bpy.ops.object.mode_set(mode="EDIT")
    assert drawn().labels[-2:] == ["'Part' is in Edit Mode", "Switch to Object Mode"]


def test_the_size_that_counts_is_shown():
    settings = scene_settings(bpy.context)
    assert "resolution" in drawn().props and "voxel_size" not in drawn().props
    settings.size_mode = "SIZE"
    assert "voxel_size" in drawn().props and "resolution" not in drawn().props
    assert {"radius", "operation", "backend", "replace", "size_mode"} <= set(drawn().props)


@pytest.mark.parametrize("voxel_size", [0.0, 50.0, 1e-12])
def test_a_voxel_size_that_makes_no_grid_is_told(voxel_size):
    select(box("Part"))
    settings = scene_settings(bpy.context)
    settings.size_mode, settings.voxel_size = "SIZE", voxel_size
    assert "The voxel size makes no grid" in drawn().labels


def test_a_stock_of_any_transform():
    thing = box(size=(1, 1, 1))
    thing.scale, thing.location = (-2, 3, 4), (10, 20, 30)
    bpy.context.view_layer.update()
    bounds = world_bounds(thing)
    assert bounds.tolist() == [[9, 18.5, 28], [11, 21.5, 32]]
    settings = scene_settings(bpy.context)
    settings.resolution = 64
    x, y, z = forecast(thing, (), settings).voxels
    assert plan_grid(bounds, 4 / 64).shape == (z, y, x)
    thing.scale = (0, 0, 0)
    bpy.context.view_layer.update()
    assert forecast(thing, (), settings) is None


def paths_out_of_the_box():
    """Two paths that stick out of a box of side 2, and the radius that reaches as far as they say."""
    beveled = poly_curve([(0, -5, 0), (0, 5, 0)], name="Beveled")
    beveled.data.bevel_depth = 0.25
    beveled.scale = (2, 1, 2)
    return poly_curve([(0, 0, 0), (9, 0, 0)], name="Tool"), beveled


def test_a_union_is_as_large_as_the_paths_make_it():
    stock, paths, settings = box("Part"), paths_out_of_the_box(), scene_settings(bpy.context)
    settings.size_mode, settings.voxel_size, settings.radius = "SIZE", 0.1, 1.5
    select(stock, *paths)
    shown = {}
    for operation in ("SUBTRACT", "INTERSECT", "UNION"):
        settings.operation = operation
        shown[operation] = drawn().labels[2]
    # from x = -1.5 to 10.5, y = -5 to 5 and z = -1.5 to 1.5, and two voxels on either side, in whole bricks of 8
    assert shown["UNION"].startswith("About 128 × 104 × 40 Voxels, ")
    assert shown["SUBTRACT"] == shown["INTERSECT"] and shown["SUBTRACT"].startswith("About 24 × 24 × 24 Voxels, ")


def test_the_resolution_of_a_union_is_that_of_the_stock():
    stock, paths, settings = box("Part"), paths_out_of_the_box(), scene_settings(bpy.context)
    settings.operation, settings.resolution, settings.radius = "UNION", 20, 1.5
    bpy.context.view_layer.update()
    assert forecast(stock, paths, settings).voxels == (128, 104, 40)
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
    thing, settings = box(), scene_settings(bpy.context)
    bpy.context.view_layer.update()
    memory = []
    for resolution in (64, 128, 256):
        settings.resolution = resolution
        memory.append(forecast(thing, (), settings).memory)
    assert memory[1] > 3 * memory[0] and memory[2] > 3 * memory[1]


def test_memory_is_told_in_words():
    assert memory_text(5 * 2**20) == "5 MB"
    assert memory_text(int(2.5 * 2**30)) == "2.5 GB"


def test_the_object_menu_has_a_submenu_with_the_operators():
    layout = Layout()
    draw_object_menu(SimpleNamespace(layout=layout), bpy.context)
    assert layout.whole.menus == ["OBJECT_MT_voxel_carve"]
    assert len(drawn(bpy.types.OBJECT_MT_voxel_carve).operators) == 4


def test_drawing_changes_nothing():
    stock = box("Part")
    select(stock, poly_curve([(0, 0, 0), (1, 0, 0)]))
    before = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "curves", "materials")}
    drawn()
    assert before == {kind: len(getattr(bpy.data, kind)) for kind in before}


@pytest.mark.parametrize(
    "operator", ["voxel_carve", "voxel_carve_voxelize", "voxel_carve_offset", "voxel_carve_boolean"]
)
def test_the_redo_panel_shows_every_property_but_the_size_that_does_not_count(operator):
    cls = getattr(bpy.types, f"OBJECT_OT_{operator}")
    rna = getattr(bpy.ops.object, operator).get_rna_type()
    names = {prop.identifier for prop in rna.properties} - {"rna_type"}
    for mode, hidden in (("RESOLUTION", "voxel_size"), ("SIZE", "resolution")):
        shown: list[str] = []
        layout = SimpleNamespace(
            prop=lambda data, name, shown=shown: shown.append(name),
            prop_search=lambda data, name, within, collection, shown=shown: shown.append(name),
        )
        properties = SimpleNamespace(size_mode=mode, bl_rna=rna)
        cls.draw(SimpleNamespace(layout=layout, properties=properties), bpy.context)
        assert set(shown) == names - {hidden} and len(shown) == len(set(shown))
