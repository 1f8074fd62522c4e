"""What the package for plain Python leaves out, and what else it brings.

It leaves out the rooms of Blender's interface, which nothing else in it reaches. It brings the kernels that
`scripts/kernels/lower.py build/lowered` has written, if it has. All else about it stands in pyproject.toml.
"""

from pathlib import Path
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
LOWERED = Path("build", "lowered")
LOWERED_FOLDER = Path("voxel_carve/compute/engines/numba/compiler/lowered")


class BuildPackage(build_py):
    """Leaves these modules out, and adds the kernels."""

    def run(self) -> None:
        """Copy what goes into the package to the folder that the wheel is made from."""
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib) / LOWERED_FOLDER
            for file in sorted(LOWERED.glob("*.bc")):
                self.mkpath(str(target))
                self.copy_file(str(file), str(target))

    def find_package_modules(self, package: str, package_dir: str) -> list[Any]:
        """The modules of a package, as (package, module, file)."""
        return [
            found for found in super().find_package_modules(package, package_dir) if found[:2] not in INTERFACE_MODULES
        ]


setup(cmdclass={"build_py": BuildPackage})
