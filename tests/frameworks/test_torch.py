"""The functions for PyTorch: compiled, differentiated and batched, beside `compute` and finite differences."""

import sys
from functools import partial

import numpy as np
import pytest

from tests.frameworks.grooves import GRID, POINTS, RADII, box_field, query, swept_field, voxels
from voxel_carve import compute
from voxel_carve.compute import BackendError, InputError
from voxel_carve.compute.engines.warp.device.device import WarpDevice
from voxel_carve.compute.engines.warp.field import lent
from voxel_carve.frameworks import host
from voxel_carve.torch import operators, sweep, sweep_distance, sweep_field

OPERATIONS = ("subtract", "union", "intersect")


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.fixture
def path(torch):
    """Points and radii in doubles that need their gradients."""
    return [torch.from_numpy(each.astype(np.float64)).requires_grad_() for each in (POINTS, RADII)]


@pytest.fixture
def places(torch):
    return torch.from_numpy(query()).requires_grad_()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_sweep_is_that_of_compute(torch, operation):
    given, expected = torch.from_numpy(voxels(1)), compute.sweep(voxels(1), GRID, (POINTS, RADII), operation)
    found = sweep(given, GRID, torch.from_numpy(POINTS), torch.from_numpy(RADII), operation)
    assert found.dtype == torch.bool
    assert np.array_equal(found, expected)
    assert np.array_equal(given, voxels(1))
    for first, stop in ((0, 5), (5, 10), (13, 24)):
        part = sweep(given[first:stop], GRID, POINTS, RADII, operation, first_layer=first)
        assert np.array_equal(part, expected[first:stop])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_field_is_combined_and_has_derivatives(torch, path, operation):
    field = torch.from_numpy(box_field()).requires_grad_()
    found = torch.compile(sweep_field, fullgraph=True)(field, GRID, *path, operation)
    np.testing.assert_allclose(found.detach(), swept_field(operation), atol=1e-9)
    part = sweep_field(field[5:9], GRID, *path, operation, first_layer=5)
    np.testing.assert_allclose(part.detach(), swept_field(operation)[5:9], atol=1e-9)

    def some(field, points, radii):
        return sweep_field(field, GRID, points, radii, operation, first_layer=5)[:, ::7, ::7]

    assert torch.autograd.gradcheck(some, (field[5:7].detach().requires_grad_(), *path), fast_mode=True)


def test_paths_may_be_cyclic_clouds_of_one_radius_and_single_balls(torch):
    for points, options in ((POINTS, {"cyclic": True}), (POINTS, {"joined": False}), (POINTS[:1], {})):
        expected = compute.Path(points, [2.5], **options)
        found = sweep(torch.from_numpy(voxels(1)), GRID, points, 2.5, **options)
        assert np.array_equal(found, compute.sweep(voxels(1), GRID, expected))
        distance = compute.sweep_distance(query(), expected).distance
        np.testing.assert_allclose(sweep_distance(query(), points, 2.5, **options), distance, atol=1e-12)


def test_a_whole_program_is_compiled(torch, path, places):
    def program(occupancy, query, points, radii, first_layer):
        distance = sweep_distance(query, points, radii)
        return sweep(occupancy, GRID, points, radii, "union", first_layer=first_layer), (distance**2).sum()

    compiled = torch.compile(program, fullgraph=True)
    given = torch.from_numpy(voxels(1))
    for first, stop in ((0, 24), (5, 10), (13, 24)):
        found, loss = compiled(given[first:stop], places, *path, first)
        assert np.array_equal(found, compute.sweep(voxels(1), GRID, (POINTS, RADII), "union")[first:stop])
        loss.backward()
    measured = compute.sweep_distance(query(), (POINTS, RADII))
    assert loss.item() == pytest.approx((measured.distance**2).sum())
    expected = measured.vector_jacobian_product(2 * measured.distance)
    np.testing.assert_allclose(path[0].grad, 3 * expected.d_points)
    np.testing.assert_allclose(path[1].grad, 3 * expected.d_radii)
    np.testing.assert_allclose(places.grad, 3 * 2 * measured.distance[:, None] * measured.d_query)


def test_a_compiled_program_follows_its_grid(torch):
    compiled, given = torch.compile(sweep, fullgraph=True), torch.from_numpy(voxels(1))
    for origin in ([-1.0, 0.5, 2.0], [1.0, 0.5, 2.0]):
        grid = compute.Grid(origin, 0.9, GRID.shape)
        assert np.array_equal(compiled(given, grid, POINTS, RADII), compute.sweep(voxels(1), grid, (POINTS, RADII)))


def test_operators_keep_what_they_promise_to_pytorch(torch, path, places):
    check, operators = torch.library.opcheck, torch.ops.voxel_carve
    given, origin = torch.from_numpy(voxels(1)), torch.from_numpy(GRID.origin.copy())
    check(operators.sweep.default, (given, *path, origin, 0.9, 24, 0, "subtract", False, True))
    fixed = [each.detach() for each in (places[:, 0], places, *path)]
    check(operators.sweep_distance.default, (*fixed[1:], False, True))
    check(operators.sweep_distance.default, (fixed[1][:1], fixed[2][:, None], fixed[3][:, None], False, True))
    check(operators.sweep_distance_derivatives.default, (*fixed, True, True))


@pytest.mark.parametrize("options", [{}, {"cyclic": True}, {"joined": False}], ids=["open", "cyclic", "cloud"])
def test_derivatives_of_distances_are_finite_differences(torch, path, places, options):
    measure = partial(sweep_distance, **options)
    assert torch.autograd.gradcheck(measure, (places, *path))
    radius = torch.tensor(2.5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda places: measure(places, path[0], radius), (places.reshape(5, 8, 3),))


def test_a_batch_is_one_call(torch, counted):
    swept, distances = counted("sweep_each"), counted("distances")
    paths = torch.from_numpy(POINTS + np.random.default_rng(2).uniform(-2, 2, (5, 1, 3)))
    given, widths = torch.from_numpy(voxels(1)), torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    over = torch.func.vmap
    found = over(over(lambda points, radius: sweep(given, GRID, points, radius), (None, 0)), (0, None))(paths, widths)
    away = over(lambda points: sweep_distance(query(), points, 2.0), in_dims=2)(paths.permute(1, 2, 0))
    assert (len(swept), len(distances)) == (1, 1)
    for row, points in enumerate(paths.numpy()):
        np.testing.assert_allclose(away[row], compute.sweep_distance(query(), (points, 2.0)).distance)
        for column, radius in enumerate(widths.numpy()):
            assert np.array_equal(found[row, column], compute.sweep(voxels(1), GRID, (points, radius)))


def test_an_occupancy_has_no_derivatives_and_a_distance_no_second_ones(torch, path, places):
    assert not sweep(torch.from_numpy(voxels(1)), GRID, *path).requires_grad
    first = torch.autograd.grad(sweep_distance(places, *path).sum(), path[0], create_graph=True)[0]
    with pytest.raises(InputError, match="derivatives of distances have none themselves"):
        first.sum().backward()
    with pytest.raises(InputError, match="derivatives of distances have none themselves"):
        torch.func.jacrev(torch.func.grad(lambda points: sweep_distance(query(), points, RADII).sum()))(
            path[0].detach()
        )


def test_functional_derivatives_are_those_of_compute(torch, path, places):
    points, radii = (each.detach() for each in path)
    found = torch.func.jacrev(lambda points: sweep_distance(query(), points, radii))(points)
    measured = compute.sweep_distance(query(), (POINTS, RADII))
    for row, weights in enumerate(np.eye(len(query()))):
        np.testing.assert_allclose(found[row], measured.vector_jacobian_product(weights).d_points, atol=1e-12)
    shifts = torch.tensor([0.0, 0.5, 1.0], dtype=torch.float64)[:, None, None]
    each = torch.func.vmap(torch.func.grad(lambda points: sweep_distance(query(), points, radii).sum()))
    for item, shift in zip(each(points + shifts), shifts.numpy(), strict=True):
        expected = compute.sweep_distance(query(), (POINTS + shift[0], RADII)).vector_jacobian_product(np.ones(40))
        np.testing.assert_allclose(item, expected.d_points, atol=1e-12)


def jacobian(torch, measure, given):
    return torch.func.jacfwd(measure)(given)


def nested(torch, measure, given):
    """An inner tangent that the distances do not depend on, and an outer one that they do."""
    one = torch.ones((), dtype=torch.float64)
    return torch.func.jacfwd(lambda given: torch.func.jvp(lambda by: measure(given) * by, (one,), (one,))[1])(given)


def dual_numbers(torch, measure, given):
    with torch.autograd.forward_ad.dual_level():
        return measure(torch.autograd.forward_ad.make_dual(given, torch.ones_like(given)))


def compiled(torch, measure, given):
    return torch.compile(torch.func.jacfwd(measure))(given)


@pytest.mark.parametrize("ask", [jacobian, nested, dual_numbers, compiled])
def test_forward_mode_is_refused(torch, path, places, ask):
    """PyTorch itself would give zeros."""
    points, radii = (each.detach() for each in path)
    field = torch.from_numpy(box_field())
    for measure, given in (
        (lambda places: sweep_distance(places, points, radii), places.detach()),
        (lambda points: sweep_distance(query(), points, radii), points),
        (lambda radius: sweep_distance(query(), points, radius), radii[0]),
        (lambda points: sweep_field(field, GRID, points, radii), points),
    ):
        with pytest.raises(InputError, match=r"no derivatives in forward mode \(jvp, jacfwd\)"):
            ask(torch, measure, given)


def test_forward_mode_of_what_does_not_move_the_sweep(torch, path):
    points, radii = (each.detach() for each in path)
    scale = torch.tensor(2.0, dtype=torch.float64)
    found = torch.func.jacfwd(lambda scale: scale * sweep_distance(query(), points, radii))(scale)
    np.testing.assert_allclose(found, compute.sweep_distance(query(), (POINTS, RADII)).distance)
    field = torch.from_numpy(box_field())[5:6, ::4, ::4]
    tangent = torch.ones_like(field)
    grid = compute.Grid(GRID.origin, GRID.voxel_size, field.shape)
    _, moved = torch.func.jvp(lambda field: sweep_field(field, grid, points, radii, "union"), (field,), (tangent,))
    assert set(moved.unique().tolist()) <= {0.0, 1.0}


def test_distances_have_the_type_that_the_arguments_have_in_common(torch, path, places):
    half = [each.detach().to(torch.bfloat16) for each in (places, *path)]
    assert sweep_distance(*half).dtype == torch.bfloat16
    assert sweep_distance(half[0], *path).dtype == torch.float64
    assert sweep_distance([[1, 2, 3]], [[1, 2, 5]], 1).tolist() == [1.0]


@pytest.fixture
def fakes(torch):
    """A mode in which tensors have no values, and so may lie on a card that is not there."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    return FakeTensorMode()


def told(*tensors):
    return [(tensor.device.type, tuple(tensor.shape), str(tensor.dtype)) for tensor in tensors]


def test_results_lie_on_the_card_of_what_they_are_made_of(torch, fakes):
    for name in ("sweep", "sweep_distance", "sweep_distance_derivatives"):
        for key in ("CPU", "CUDA"):
            assert torch._C._dispatch_has_kernel_for_dispatch_key(f"voxel_carve::{name}", key)
    with fakes:
        occupancy = torch.empty(GRID.shape, dtype=torch.bool, device="cuda")
        field, query = torch.empty(GRID.shape, device="cuda"), torch.empty((40, 3), device="cuda")
        points, radii = torch.empty((3, 3)), torch.empty(3, device="cuda")
        paths = torch.empty((5, 3, 3), device="cuda")
        batch = torch.func.vmap(lambda points: sweep(occupancy, GRID, points, radii))(paths)
        assert told(sweep(occupancy, GRID, points, 2.0), batch, sweep_field(field, GRID, points, radii)) == [
            ("cuda", GRID.shape, "torch.bool"),
            ("cuda", (5, *GRID.shape), "torch.bool"),
            ("cuda", GRID.shape, "torch.float32"),
        ]
        assert told(sweep_distance(query, points, radii)) == [("cuda", (40,), "torch.float32")]
        found = torch.ops.voxel_carve.sweep_distance_derivatives(query.new_empty(40), query, points, radii, False, True)
        assert told(*found) == told(query, points, radii)


def test_an_occupancy_on_a_card_is_carved_by_the_backend_of_that_card(torch, fakes, monkeypatch):
    calls = []
    monkeypatch.setattr(host, "sweep_each", lambda *given, **options: calls.append((given, options)))
    with fakes:
        occupancy = torch.empty((2, *GRID.shape), dtype=torch.bool, device="cuda:1")
    path = [torch.from_numpy(each) for each in (POINTS, RADII)]
    found = operators._sweep(occupancy, *path, torch.zeros(3), 0.9, 24, 5, "union", False, True)
    assert told(found) == told(occupancy)
    assert found is not occupancy
    ((items, batch, points, radii, first_layer), options) = calls.pop()
    assert (str(items.device), tuple(items.shape), batch) == ("cuda:1", occupancy.shape, (2,))
    assert np.array_equal(points, POINTS)
    assert np.array_equal(radii, RADII)
    assert (first_layer, options["shape"], options["operation"]) == (5, GRID.shape, "union")
    assert options["backend"] == "cuda:1"


def test_distances_on_a_card_are_searched_for_by_the_backend_of_that_card(torch, path, places, monkeypatch):
    pytest.importorskip("warp")
    asked, search = [], host.sweep_distance

    def measure(*given, backend):
        asked.append(backend)
        return search(*given, backend="warp:cpu")

    monkeypatch.setattr(host, "sweep_distance", measure)
    monkeypatch.setattr(operators, "_backend", lambda tensor: {"backend": f"cuda:{tensor.ndim}"})
    (sweep_distance(places, *path) ** 2).sum().backward()
    assert asked == ["cuda:2"] * 2  # of the query points
    measured = compute.sweep_distance(query(), (POINTS, RADII))
    np.testing.assert_allclose(places.grad, 2 * measured.distance[:, None] * measured.d_query)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_tensors_are_carved_where_they_lie_by_a_device_of_warp(torch, monkeypatch, operation):
    """Warp's CPU device stands in for a card, and the memory of the CPU for that of the card."""
    wp = pytest.importorskip("warp")
    uploads, upload = [], WarpDevice.upload
    monkeypatch.setattr(WarpDevice, "upload", lambda *given: uploads.append(given[1].dtype) or upload(*given))
    monkeypatch.setattr(lent, "card_of", lambda array: 0)
    monkeypatch.setattr(wp, "get_cuda_device", lambda number: wp.get_device("cpu"))
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "warp:cpu")
    given = torch.from_numpy(np.stack([voxels(1), voxels(2)]))
    found = torch.func.vmap(lambda occupancy: sweep(occupancy, GRID, POINTS, RADII, operation))(given)
    assert uploads and bool not in uploads
    for item, occupancy in zip(found, (voxels(1), voxels(2)), strict=True):
        assert np.array_equal(item, compute.sweep(occupancy, GRID, (POINTS, RADII), operation, backend="cpu"))


@pytest.mark.cuda
def test_operators_run_on_a_card(torch, path, places):
    if not torch.cuda.is_available():
        pytest.skip("PyTorch without CUDA")
    given = torch.from_numpy(voxels(1)).cuda()
    for operation in OPERATIONS:
        found = sweep(given, GRID, *path, operation)
        assert found.device == given.device
        assert np.array_equal(found.cpu(), compute.sweep(voxels(1), GRID, (POINTS, RADII), operation, backend="cpu"))
    here = [each.detach().cuda().requires_grad_() for each in (places, *path)]
    for arrays in (here, (places, *path)):
        (sweep_distance(*arrays) ** 2).sum().backward()
    for one, other in zip(here, (places, *path), strict=True):
        np.testing.assert_allclose(one.grad.cpu(), other.grad)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda a: sweep(a[1:], GRID, POINTS, RADII), "does not fit .* some layers of it and their first_layer"),
        (lambda a: sweep(a[1:], GRID, POINTS, RADII, first_layer=2), "does not fit .* from layer 2 on"),
        (lambda a: sweep(a * 1.0, GRID, POINTS, RADII), "must be of bool here, and this one is of torch.float32"),
        (lambda a: sweep(a, None, POINTS, RADII), "a grid is a voxel_carve.compute.Grid, and this one is a NoneType"),
        (lambda a: sweep(a, GRID, POINTS, RADII, "minus"), "unknown operation 'minus': choose subtract"),
        (lambda a: sweep(a, GRID, POINTS[:, :2], RADII), r"points of shape \(3, 2\): give \(N, 3\)"),
        (
            lambda a: sweep(a, GRID, POINTS, RADII[1:]),
            r"points of shape \(3, 3\) and radii of shape \(2,\): give one for each",
        ),
        (lambda a: sweep(a, GRID, POINTS, -RADII), "3 points whose radius is not a positive number"),
        (lambda a: sweep(a.to("meta"), GRID, POINTS, RADII), r"on the device meta: pass tensor.cpu\(\)"),
        (lambda a: sweep_field(a, GRID, POINTS, RADII), "a distance field must be of floating-point numbers"),
        (lambda a: sweep_field(a[1:] * 1.0, GRID, POINTS, RADII), "a distance field of shape .* does not fit"),
        (lambda a: sweep_distance(RADII[:2], POINTS, RADII), r"points of shape \(2,\) have no distances"),
    ],
)
def test_bad_arguments_are_refused_with_our_message(torch, ask, message):
    with pytest.raises(InputError, match=message):
        ask(torch.from_numpy(voxels(1)))


def test_without_pytorch_a_call_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    for ask in (lambda: sweep(voxels(1), GRID, POINTS, RADII), lambda: sweep_distance(query(), POINTS, RADII)):
        with pytest.raises(BackendError, match=r"PyTorch cannot be imported .*pip install 'voxel-carve\[torch\]'"):
            ask()
