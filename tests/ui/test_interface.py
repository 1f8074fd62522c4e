"""Other parts of the interface: menus, adding a path, presets, the manual, a pie, diagnostics; and chosen objects."""

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.scene_objects import box, mesh_object, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

import voxel_carve  # noqa: E402
from tests.ui.test_panel import Layout, drawn  # noqa: E402
from voxel_carve.operators.diagnostics import diagnostics  # noqa: E402
from voxel_carve.operators.presets import preset_properties  # noqa: E402
from voxel_carve.operators.selection.selected import carve_refusal, selected, selection  # noqa: E402
from voxel_carve.settings import scene_settings  # noqa: E402
from voxel_carve.ui.manual import FOLDER, PAGES  # noqa: E402
from voxel_carve.ui.menu import ADDED  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
# Properties of Blender's own base classes.
BLENDERS_OWN = {"rna_type", "name", "remove_name", "remove_active", "align", "location", "rotation"}
MANUAL = {
    "index.md",
    "carve.md",
    "recipe.md",
    "voxel_tools.md",
    "advanced.md",
    "last_result.md",
    "preferences.md",
    "batch.md",
}


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture
def presets(tmp_path, monkeypatch):
    """A folder for the user's presets."""
    monkeypatch.setattr(bpy.utils, "user_resource", lambda *_, path="", create=False: _made(tmp_path / path))
    shipped = bpy.utils.preset_paths("voxel_carve")
    monkeypatch.setattr(bpy.utils, "preset_paths", lambda name: [str(tmp_path / "presets" / name), *shipped])
    return tmp_path / "presets" / "voxel_carve"


@pytest.fixture
def load_preset(monkeypatch):
    """Load a preset as the menu does. Blender renames the menu and its panel, which is undone for other tests."""
    for cls in (bpy.types.VOXEL_CARVE_MT_presets, bpy.types.VIEW3D_PT_voxel_carve_presets):
        monkeypatch.setattr(cls, "bl_label", cls.bl_label)
    return lambda file: bpy.ops.script.execute_preset(filepath=str(file), menu_idname="VOXEL_CARVE_MT_presets")


def _made(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


def menu(name):
    """Our additions to one of Blender's menus."""
    layout = Layout()
    dict(ADDED)[name](SimpleNamespace(layout=layout), bpy.context)
    return layout.whole


def collection_of(*objs, name="Tools"):
    made = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(made)
    for obj in objs:
        made.objects.link(obj)
    return made


# Menus


def test_the_object_menu_has_a_submenu_with_the_operators():
    assert menu("VIEW3D_MT_object").menus == ["OBJECT_MT_voxel_carve"]
    shown = drawn(bpy.types.OBJECT_MT_voxel_carve)
    assert shown.operators == [
        "object.voxel_carve",
        "object.voxel_carve_update",
        "object.voxel_carve_apply",
        "object.voxel_carve_bake",
        "object.voxel_carve_voxelize",
        "object.voxel_carve_offset",
        "object.voxel_carve_boolean",
        "curve.voxel_carve_fit_path",
        "curve.voxel_carve_path_add",
    ]
    assert shown.menus == ["VOXEL_CARVE_MT_presets"]


def test_the_search_of_menus_lists_everything_once():
    """Blender's search (F3) draws each menu in a context that says so. It finds the pie by its keymap entry."""
    context = SimpleNamespace(is_menu_search=True, scene=bpy.context.scene)
    found = []
    for name in ("OBJECT_MT_voxel_carve", "VIEW3D_MT_voxel_carve_pie"):
        layout = Layout()
        getattr(bpy.types, name).draw(SimpleNamespace(layout=layout), context)
        found += [*layout.whole.operators, *layout.whole.props]
    added = [*menu("VIEW3D_MT_curve_add").operators, *menu("TOPBAR_MT_file_import").operators]
    assert len(found) > 5 and len(added) > 2
    assert len({*found, *added}) == len(found) + len(added)


def test_the_context_menu_has_carve_if_it_can_start():
    stock, path = box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)])
    select(stock, path)
    assert menu("VIEW3D_MT_object_context_menu").operators == ["object.voxel_carve"]
    for objs in ((stock,), (path,), (stock, box("Other")), ()):
        select(*objs)
        assert menu("VIEW3D_MT_object_context_menu").operators == []


def test_the_add_menu_has_paths():
    assert menu("VIEW3D_MT_curve_add").operators == ["curve.voxel_carve_path_add", "curve.voxel_carve_from_annotation"]


def test_blender_draws_what_we_add():
    for name, draw in ADDED:
        assert draw in getattr(bpy.types, name)._dyn_ui_initialize()


def test_the_pie_has_every_operator_and_an_entry_in_the_keymap_without_a_key():
    shown = drawn(bpy.types.VIEW3D_MT_voxel_carve_pie)
    assert len(shown.operators) == 5 and shown.props == ["show_overlay"]
    keymap = bpy.context.window_manager.keyconfigs.addon.keymaps["3D View"]
    items = [item for item in keymap.keymap_items if item.idname == "wm.call_menu_pie"]
    assert [(item.type, item.properties.name) for item in items] == [("NONE", "VIEW3D_MT_voxel_carve_pie")]


def test_everything_registered_is_unregistered():
    def state():
        return (
            len(bpy.utils.preset_paths("voxel_carve")),
            len(list(bpy.utils.manual_map())),
            [len(getattr(bpy.types, name)._dyn_ui_initialize()) for name, _ in ADDED],
            len(bpy.context.window_manager.keyconfigs.addon.keymaps["3D View"].keymap_items),
        )

    here = state()
    voxel_carve.unregister()
    gone = state()
    assert gone == (here[0] - 1, here[1] - 1, [count - 1 for count in here[2]], here[3] - 1)
    voxel_carve.register()
    assert state() == here


# The path


def test_an_added_path_fits_the_stock():
    part = box("Part", size=(4, 2, 1))
    select(part)
    bpy.context.scene.cursor.location = (1, 2, 3)
    assert bpy.ops.curve.voxel_carve_path_add() == {"FINISHED"}
    path = bpy.context.object
    assert path.type == "CURVE" and tuple(path.location) == (1, 2, 3) and path.select_get()
    assert path.data.bevel_depth == pytest.approx(4 / 20)
    (spline,) = path.data.splines
    xs = [point.co.x for point in spline.points]
    assert spline.type == "POLY" and xs == pytest.approx([-2.4, -0.8, 0.8, 2.4])


def test_a_path_can_be_added_without_a_stock():
    bpy.ops.curve.voxel_carve_path_add()
    assert bpy.context.object.data.bevel_depth == pytest.approx(0.1)


def test_a_path_can_be_added_with_given_sizes():
    bpy.ops.curve.voxel_carve_path_add(radius=0.3, length=9, points=7, location=(0, 0, 5), rotation=(0, 0, math.pi / 2))
    path = bpy.context.object
    assert path.data.bevel_depth == pytest.approx(0.3) and len(path.data.splines[0].points) == 7
    ends = [path.matrix_world @ path.data.splines[0].points[end].co.xyz for end in (0, -1)]
    assert tuple(ends[0]) == pytest.approx((0, -4.5, 5), abs=1e-5)
    assert tuple(ends[1]) == pytest.approx((0, 4.5, 5), abs=1e-5)


def test_no_path_is_added_in_edit_mode():
    select(box())
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.curve.voxel_carve_path_add.poll()


def test_the_path_added_carves_the_stock():
    stock = box("Part")
    select(stock)
    bpy.ops.curve.voxel_carve_path_add()
    stock.select_set(True)
    scene_settings(bpy.context).resolution = 64
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    removed = json.loads(bpy.context.object["voxel_carve_report"])["removed_volume"]
    assert removed == pytest.approx(math.pi * 0.1**2 * 2, rel=0.05)


# Chosen objects


def test_chosen_objects_are_carved_selected_or_not():
    stock, path = box("Part"), poly_curve([(-2, 0, 0), (2, 0, 0)], name="Tool")
    settings = scene_settings(bpy.context)
    settings.stock, settings.path_collection = stock, collection_of(path)
    settings.resolution = 48
    other = box("Other")
    select(other)
    assert carve_refusal(bpy.context) is None
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    assert bpy.context.object.name == "Part Carved"
    assert stock.hide_get() and not other.hide_get()
    # once more, now that the stock is hidden
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    assert "voxel_carve_report" in bpy.context.object and bpy.context.object is not other


def test_a_collection_gives_the_visible_paths_in_its_children():
    seen, hidden, inner, edges = (poly_curve([(0, 0, 0), (1, 0, 0)], name=name) for name in ("A", "B", "C", "D"))
    bpy.data.objects.remove(edges)
    edges = mesh_object("D", [(0, 0, 0), (1, 0, 0)], edges=[(0, 1)])
    collection = collection_of(seen, hidden, edges, box("Not a Path"))
    child = bpy.data.collections.new("Inner")
    collection.children.link(child)
    child.objects.link(inner)
    hidden.hide_set(True)
    select(box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)], name="Selected"))
    scene_settings(bpy.context).path_collection = collection
    assert {obj.name for obj in selection(bpy.context).paths} == {"A", "C", "D"}
    assert [obj.name for obj in selected(bpy.context).paths] == ["Selected"]


def test_why_chosen_objects_cannot_be_carved():
    settings, plane = scene_settings(bpy.context), mesh_object("Wire", [(0, 0, 0), (1, 0, 0)], edges=[(0, 1)])
    part = box("Part")
    select(part, poly_curve([(0, 0, 0), (1, 0, 0)]))
    settings.stock = plane
    assert carve_refusal(bpy.context) == "No stock: 'Wire' has no faces"
    settings.stock = part
    settings.path_collection = collection_of(box("Block"), name="Blocks")
    assert "'Blocks' holds no curve" in carve_refusal(bpy.context)
    settings.path_collection = None
    assert carve_refusal(bpy.context) is None
    bpy.context.scene.collection.objects.unlink(part)
    bpy.context.view_layer.update()
    assert carve_refusal(bpy.context) == "No stock: 'Part' is not in this view layer"
    assert not bpy.ops.object.voxel_carve.poll()


def test_voxel_tools_use_only_selected_objects():
    settings = scene_settings(bpy.context)
    settings.stock, settings.resolution = box("Chosen"), 8
    select(box("Selected"))
    assert bpy.ops.object.voxel_carve_voxelize() == {"FINISHED"}
    assert bpy.context.object.name == "Selected Voxels"


# Presets


def test_a_preset_stores_every_setting_except_the_chosen_objects(presets, load_preset):
    settings = scene_settings(bpy.context)
    assert set(preset_properties()) == set(settings.bl_rna.properties.keys()) - {
        "rna_type", "name", "stock", "path_collection", "cut_material", "show_overlay", "paths", "path_index"
    }  # fmt: skip
    settings.stock = box("Part")
    settings.resolution, settings.radius, settings.operation = 77, 0.375, "UNION"
    assert bpy.ops.wm.voxel_carve_preset_add(name="My Preset") == {"FINISHED"}
    (file,) = presets.iterdir()
    settings.resolution, settings.radius, settings.operation, settings.stock = 9, 0.5, "SUBTRACT", None
    assert load_preset(file) == {"FINISHED"}
    assert (settings.resolution, settings.radius, settings.operation) == (77, 0.375, "UNION")
    assert settings.stock is None
    assert bpy.ops.wm.voxel_carve_preset_add(name="My Preset", remove_name=True) == {"FINISHED"}
    assert list(presets.iterdir()) == []


def test_a_preset_file_holds_what_listed_paths_have_by_their_place(presets, load_preset):
    paths = scene_settings(bpy.context).paths
    for number in range(3):
        paths.add().path = poly_curve([(-2, 0, number), (2, 0, number)], name=f"Path {number}")
    paths[0].operation, paths[1].use_radius, paths[1].radius = "UNION", True, 0.1
    assert bpy.ops.wm.voxel_carve_preset_add(name='Paths\' "own"') == {"FINISHED"}
    (file,) = presets.iterdir()
    paths.move(2, 0)
    for item in paths:
        item.operation, item.use_radius, item.radius = "INTERSECT", True, 0.5
    assert load_preset(file) == {"FINISHED"}
    assert [item.path.name for item in paths] == ["Path 2", "Path 0", "Path 1"]
    assert [(item.operation, item.use_radius) for item in paths] == [
        ("UNION", False),
        ("SETTINGS", True),
        ("SETTINGS", False),
    ]
    assert paths[1].radius == pytest.approx(0.1)
    paths.clear()
    assert load_preset(file) == {"FINISHED"} and not paths


def test_shipped_presets_are_listed_and_set_their_values(load_preset):
    (folder,) = bpy.utils.preset_paths("voxel_carve")
    files = {bpy.path.display_name(file.name): file for file in Path(folder).glob("*.py")}
    assert set(files) == {"Draft", "Fine", "CNC Finish"}
    settings, resolutions = scene_settings(bpy.context), {}
    for name, file in files.items():
        settings.radius = 0.25
        assert load_preset(file) == {"FINISHED"}
        resolutions[name] = settings.resolution
        assert settings.radius == 0.25
    assert resolutions["Draft"] < 128 < resolutions["Fine"] < resolutions["CNC Finish"]


def test_the_panel_has_the_button_of_the_presets():
    layout = Layout()
    bpy.types.VIEW3D_PT_voxel_carve.draw_header_preset(SimpleNamespace(layout=layout), bpy.context)
    assert layout.whole.popovers == ["VIEW3D_PT_voxel_carve_presets"]


# The manual


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("bpy.types.VoxelCarveSettings.radius", "carve.md"),
        ("bpy.types.VoxelCarveSettings.backend", "advanced.md"),
        ("bpy.types.VoxelCarvePreferences.memory_limit", "preferences.md"),
        ("bpy.ops.object.voxel_carve", "carve.md"),
        ("bpy.ops.object.voxel_carve_offset", "voxel_tools.md"),
        ("bpy.ops.object.voxel_carve_bake", "recipe.md"),
        ("bpy.ops.curve.voxel_carve_path_add", "carve.md"),
        ("bpy.ops.wm.voxel_carve_clear_kernels", "preferences.md"),
    ],
)
def test_online_manual_leads_to_a_page(name, page):
    url = bpy.types.WM_OT_doc_view_manual._lookup_rna_url(name, verbose=False)
    assert url == (ROOT / "docs" / "manual" / page).as_uri()


def test_every_operator_and_setting_has_a_page():
    assert {page for _, page in PAGES} <= MANUAL
    assert FOLDER == ROOT / "docs" / "manual"
    properties = scene_settings(bpy.context).bl_rna.properties
    names = [f"bpy.types.VoxelCarveSettings.{prop.identifier}" for prop in properties]
    names += [f"bpy.ops.{module}.{name}" for module, name in operators()]
    for name in names:
        assert bpy.types.WM_OT_doc_view_manual._lookup_rna_url(name, verbose=False).startswith("file:"), name


# Diagnostics


def test_diagnostics_have_what_a_bug_report_needs_and_no_names():
    select(box("Secret Part", size=(2, 2, 2)), poly_curve([(0, 0, 0), (1, 0, 0)], name="Secret Tool"))
    settings = scene_settings(bpy.context)
    settings.resolution = 32
    mesh = bpy.data.objects["Secret Part"].data
    mesh.flip_normals()
    bpy.ops.object.voxel_carve()
    settings.stock = bpy.data.objects["Secret Part"]
    assert bpy.ops.wm.voxel_carve_copy_diagnostics() == {"FINISHED"}
    text = diagnostics(bpy.context)
    for part in (
        "Voxel Carve 0.1.0\n",
        f"Blender {bpy.app.version_string}\n",
        "NumPy ",
        "SciPy ",
        "Numba",
        "Warp",
        "GiB free",
        "Backend: CPU on ",
        "resolution=32",
        "Chosen: stock\n",
        "normals inverted",
    ):
        assert part in text, part
    assert "Secret" not in text and str(Path.home()) not in text
    report = json.loads(text.rpartition("Last result: ")[2])
    assert report["grid_shape"] == [40, 40, 40]


def test_diagnostics_of_a_new_file():
    text = diagnostics(bpy.context)
    assert "Last result: " in text and "Chosen: none" in text


# The last result


def result(**changes):
    """An object with the report of a real carve, with changes."""
    select(box("Part"), poly_curve([(-2, 0, 0), (2, 0, 0)]))
    scene_settings(bpy.context).resolution = 32
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    obj = bpy.context.object
    obj["voxel_carve_report"] = json.dumps(json.loads(obj["voxel_carve_report"]) | changes)
    return obj


def test_the_last_result_of_the_active_object_is_shown():
    panel = bpy.types.VIEW3D_PT_voxel_carve_last_result
    assert not panel.poll(bpy.context)
    result(
        removed_volume=0.065439,
        volume=7.93,
        faces=12345,
        seconds={"surface": 1.5, "total": 2.04},
        warnings=["mind the gap"],
    )
    assert panel.poll(bpy.context)
    labels = drawn(panel).labels
    for name, value in (
        ("Removed", "0.0654 m³"),
        ("Total Volume", "7.93 m³"),
        ("Faces", "12,345"),
        ("Surface", "1.50 s"),
        ("Time", "2.0 s"),
    ):
        assert labels[labels.index(name) + 1] == value
    assert "Mind the gap" in labels


def test_added_volume_is_shown_as_such():
    result(removed_volume=-3.0)
    labels = drawn(bpy.types.VIEW3D_PT_voxel_carve_last_result).labels
    assert labels[labels.index("Added") + 1] == "3 m³"


def test_a_report_with_accuracy_shows_it():
    scene_settings(bpy.context).verify = True
    result()
    labels = drawn(bpy.types.VIEW3D_PT_voxel_carve_last_result).labels
    assert labels[labels.index("Off Surface") + 1].endswith(" RMS")


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "null", 7])
def test_an_unreadable_report_is_no_error(text):
    obj = box("Part")
    select(obj)
    obj["voxel_carve_report"] = text
    assert not bpy.types.VIEW3D_PT_voxel_carve_last_result.poll(bpy.context)


# Texts


def operators():
    """Our operators, as module and name."""
    modules = ("object", "wm", "curve")
    return [(module, name) for module in modules for name in dir(getattr(bpy.ops, module)) if "voxel_carve" in name]


def test_every_property_and_operator_has_a_description():
    things = [getattr(getattr(bpy.ops, module), name).get_rna_type() for module, name in operators()]
    assert len(things) >= 9 and all(rna.name and rna.description for rna in things)
    for rna in (*things, scene_settings(bpy.context).bl_rna):
        for prop in rna.properties:
            if prop.identifier not in BLENDERS_OWN:
                assert prop.description and not prop.description.endswith("."), f"{rna.identifier}.{prop.identifier}"
