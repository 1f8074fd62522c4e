"""The Blender of the window tests: one with the extension installed, and one without."""

import shutil

import pytest

from tests.real_blender import build_for, empty_place, python_of


@pytest.fixture(scope="session")
def extension_zip(real_blender, tmp_path_factory):
    return build_for(python_of(real_blender), tmp_path_factory.mktemp("zip"))


@pytest.fixture(scope="session")
def installed(real_blender, extension_zip):
    """A user folder with the extension; no scenario saves preferences in it."""
    place = empty_place(real_blender)
    place.install(extension_zip)
    yield place
    shutil.rmtree(place.folder)


@pytest.fixture
def bare(real_blender, extension_zip):
    """An empty user folder, and the zip in a separate folder."""
    place = empty_place(real_blender)
    (place.folder / "zip").mkdir()
    (place.folder / "user").mkdir()
    shutil.copy(extension_zip, place.folder / "zip")
    yield place
    shutil.rmtree(place.folder)
