"""The CPU backend: all kernels are compiled, just once, and give the same bytes for any threads and runs."""

import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

from tests.compute.engines.two_kernels import add_all, look_up
from tests.shapes import box, hemisphere, joined, lidless_box, sphere
from voxel_carve.compute import Backend, BackendError, Path, Sweep, carve, get_backend
from voxel_carve.compute.engines.numba.backend import NumbaBackend
from voxel_carve.compute.engines.numba.compiler import loading as numba_loading
from voxel_carve.compute.engines.numba.compiler import store
from voxel_carve.compute.engines.numba.compiler.decorators import MarkedKernel
from voxel_carve.compute.engines.numba.compiler.signatures import FILE, SETS, Kernel, json_text, kernels_of
from voxel_carve.compute.engines.numba.compiler.store import name_of

RNG = np.random.default_rng(4)
STOCKS = {
    "box": box((-1.1, -0.9, -1.0), (1.2, 1.0, 0.8)),
    "sphere": sphere(1.2, subdivisions=4),
    "crossing": joined(sphere(0.9, subdivisions=3), sphere(0.8, (0.7, 0.2, 0.1), subdivisions=3)),
    "hemisphere": hemisphere(1.2, subdivisions=3),
    "lidless box": lidless_box(),
}
WALK = Sweep.from_paths([Path(np.cumsum(RNG.normal(0, 0.2, (60, 3)), axis=0), RNG.uniform(0.02, 0.3, 60))])
VOXEL_SIZE = 1 / 24
COMPUTE = FILE.parents[3]
MODULES = [
    import_module(".".join(["voxel_carve.compute", *path.relative_to(COMPUTE).with_suffix("").parts]))
    for room in ("engines/numba", "adaptivity", "attributes", "exact", "losses")
    for path in sorted((COMPUTE / room).rglob("*.py"))
    if path.name != "__init__.py"
]
RUNS = [(module, run) for module in MODULES for run in vars(module) if run.endswith("_PER_RUN")]


@pytest.fixture(scope="module")
def compiled():
    return NumbaBackend()


@pytest.mark.compiled
def test_every_kernel_is_listed_with_its_types():
    """A script calls all kernels in its own process. The modules have no kernel that it does not call."""
    script = COMPUTE.parents[1] / "scripts" / "kernels" / "signatures.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    listed = {name: {kernel.function for kernel in kernels_of(name)} for name in SETS}
    assert len(listed["carve"]) > 20
    assert {name.split(".")[1] for name in listed["merge"]} == {"adaptivity"}
    assert {name.split(".")[1] for name in listed["write"]} == {"attributes"}
    assert {name.split(".")[1] for name in listed["exact"]} == {"exact", "losses"}
    values = [value for module in MODULES for value in vars(module).values()]
    there = {name_of(value.function) for value in values if isinstance(value, MarkedKernel)}
    assert there == set().union(*listed.values())


def test_a_job_calls_no_kernel_that_is_not_listed():
    """It runs in its own process, because other tests request more kernels in this one."""
    script = """
import numpy as np
from tests.compute.engines.test_numba import SETS, STOCKS, VOXEL_SIZE, WALK, kernels_of
from tests.shapes import hemisphere, joined
from voxel_carve.compute import Grid, carve, get_backend, prepare, verify
from voxel_carve.compute.engines.numba.compiler import store
backend = get_backend("cpu")
narrow_gap = joined(hemisphere(1.0), hemisphere(1.0 - 0.8 * VOXEL_SIZE))
for stock in (*STOCKS.values(), narrow_gap):
    for operation in ("subtract", "union", "intersect"):
        tolerance = VOXEL_SIZE / 10 if operation == "union" else 0.0
        stock_there = prepare(stock, VOXEL_SIZE, backend)
        carve(stock_there, WALK, VOXEL_SIZE, operation=operation, tolerance=tolerance, backend=backend)
    grid = Grid(np.full(3, -1.5), 1 / 20, (61, 55, 60))
    backend.subtract_sweep(backend.voxelize_mesh(stock, grid), grid, WALK)
assert len(store.requested()) > 20
verify(stock, stock, WALK, VOXEL_SIZE)
assert set(store.requested()) <= {kernel for name in SETS for kernel in kernels_of(name)}
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["sphere", "hemisphere"])
def test_same_bytes_for_any_threads_and_runs(compiled, monkeypatch, name):
    def made():
        surface = carve(STOCKS[name], WALK, VOXEL_SIZE, backend=compiled).surface
        return surface.points.tobytes() + surface.faces.tobytes()

    whole = made()
    for threads, size in ((1, None), (3, None), (2, 700), (5, 40)):
        monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda threads=threads: threads)
        for module, run in RUNS if size else ():
            monkeypatch.setattr(module, run, size)
        assert made() == whole


def test_kernels_run_without_numba():
    """In a process of its own, kernels that are there are called without numba, by our own threads alone."""
    script = """
import sys, threading
from tests.shapes import hemisphere
from voxel_carve.compute import carve
carve(hemisphere(), ([[-2.0, 0.0, 0.5], [2.0, 0.3, 0.1]], 0.3), 0.05, backend="cpu")
assert "numba" not in sys.modules
others = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
assert all(name.startswith("voxel_carve") for name in others), others
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_is_a_backend(compiled):
    assert isinstance(compiled, Backend)
    assert get_backend("cpu").name == "cpu"
    assert compiled.compile_seconds() > 0


def test_missing_numba_is_named(monkeypatch):
    monkeypatch.setattr(numba_loading, "_loaded", set())
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(BackendError, match=r"numba is not installed.*pip install numba"):
        get_backend("cpu")


@pytest.mark.parametrize("name", ["cpu", "warp:cpu"])
def test_a_damaged_installation_is_named(monkeypatch, name):
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    with pytest.raises(BackendError, match=r"numba does not start.*pip install numba"):
        get_backend(name)


def test_kernels_refuse_what_they_cannot_read(compiled):
    with pytest.raises(TypeError, match="byte order"):
        add_all(np.zeros(3, dtype=">f8"), 1.0)
    with pytest.raises(TypeError, match="no str"):
        add_all(np.zeros(3), "1")


def test_code_with_addresses_of_a_process_is_refused(compiled):
    """Another process would read from anywhere."""
    with pytest.raises(TypeError, match=r"look_up needs what only this process has"):
        look_up(3)


def test_a_kernel_listed_with_another_number_of_arguments_is_left_out(compiled, caplog):
    """A developer has given it a further argument. The list is then written anew, without the old entry."""
    kernel = Kernel(name_of(add_all.function), json_text(["array(float64, 1d, C)"]))
    store.load(kernel)
    assert "add_all is listed wrongly: run dev.py kernels" in caplog.text
    assert kernel not in store.requested()


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("package", ["", "bl_ext.user_default.voxel_carve."])
def test_two_first_starts_at_once_share_what_a_third_process_compiles(tmp_path, package):
    """In an extension, the modules have other names. The cached kernels must be found all the same."""
    script = f"""
import importlib, sys, types
outer = {package!r}.split('.')[:-1]
for depth in range(len(outer)):
    module = types.ModuleType('.'.join(outer[:depth + 1]))
    module.__path__ = [{str(FILE.parents[5])!r}]
    sys.modules[module.__name__] = module
sys.path.append({str(FILE.parents[5])!r})
cache = importlib.import_module({package!r} + 'voxel_carve.compute.runtime.cache')
cache.set_cache_folder({str(tmp_path / "kernels")!r})
backend = importlib.import_module({package!r} + 'voxel_carve.compute.engines.numba.backend').NumbaBackend()
store = importlib.import_module({package!r} + 'voxel_carve.compute.engines.numba.compiler.store')
assert store.compiled_count() == 0 and not backend.notes
"""
    both = [subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for process in both:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
