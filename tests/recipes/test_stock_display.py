"""A stock is hidden while there is a result of it, and shows again as before when the last one is deleted."""

from typing import Any

import pytest

from tests.scene_objects import box, poly_curve, select

bpy: Any = pytest.importorskip("bpy")

from voxel_carve.recipes.stock_display import hide_stocks_again, settle_stocks  # noqa: E402

pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]


@pytest.fixture(autouse=True)
def empty_scene(registered):
    bpy.ops.wm.read_factory_settings(use_empty=True)


def carved(stock, path):
    select(stock, path)
    bpy.context.view_layer.update()
    assert bpy.ops.object.voxel_carve(resolution=16, radius=0.3, backend="CPU") == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def shown(obj):
    return not obj.hide_get(), not obj.hide_render


def deleted(obj):
    bpy.data.objects.remove(obj)
    settle_stocks()


def test_the_stock_comes_back_with_the_last_result():
    stock, path = box(), poly_curve([(-2, 0, 0), (2, 0, 0)])
    first = carved(stock, path)
    assert shown(stock) == (False, False)
    stock.hide_set(False)  # to select it
    second = carved(stock, path)
    deleted(first)
    assert shown(stock) == (False, False)
    deleted(second)
    assert shown(stock) == (True, True)
    # And from the start again.
    deleted(carved(stock, path))
    assert shown(stock) == (True, True)


def test_what_the_user_changed_meanwhile_stays():
    stock, path = box(), poly_curve([(-2, 0, 0), (2, 0, 0)])
    stock.hide_render = True
    obj = carved(stock, path)
    deleted(obj)
    assert shown(stock) == (True, False)
    obj = carved(stock, path)
    stock.hide_set(False)
    settle_stocks()
    assert shown(stock) == (True, False)


def test_an_applied_result_leaves_its_stock_hidden():
    stock, path = box(), poly_curve([(-2, 0, 0), (2, 0, 0)])
    obj = carved(stock, path)
    select(obj)
    assert bpy.ops.object.voxel_carve_apply() == {"FINISHED"}
    settle_stocks()
    assert shown(stock) == (False, False)
    deleted(obj)
    assert shown(stock) == (False, False)


def test_a_stock_whose_result_came_back_by_undo_is_hidden_again():
    """Undo leaves it alone: no undo step knows that it was shown."""
    stock, path = box(), poly_curve([(-2, 0, 0), (2, 0, 0)])
    carved(stock, path)
    stock.voxel_carve_stock_display.property_unset("is_kept")
    stock.hide_set(False)
    stock.hide_render = False
    hide_stocks_again()
    assert shown(stock) == (False, False)
    hide_stocks_again()
    for obj in [each for each in bpy.data.objects if each not in (stock, path)]:
        deleted(obj)
    assert shown(stock) == (True, True)
