"""What the package for plain Python leaves out: the rooms of Blender's interface, which nothing else in it reaches.

All else about the package stands in pyproject.toml.
"""

from typing import Any

from setuptools import setup
from setuptools.command.build_py import build_py

# Folders of the interface are left out by pyproject.toml; these are its modules in folders that stay.
INTERFACE_MODULES = {
    ("voxel_carve", "former_backends"),
    ("voxel_carve", "preferences"),
    ("voxel_carve", "registration"),
    ("voxel_carve.scene.writing", "reports"),
}


class BuildWithoutInterface(build_py):
    """Leaves these modules out."""

    def find_package_modules(self, package: str, package_dir: str) -> list[Any]:
        """The modules of a package, as (package, module, file)."""
        return [
            found for found in super().find_package_modules(package, package_dir) if found[:2] not in INTERFACE_MODULES
        ]


setup(cmdclass={"build_py": BuildWithoutInterface})
