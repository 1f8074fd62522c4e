"""The text for a bug report: versions, machine, backend, settings and figures, but no names or folders."""

import json
import os
import platform
import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ..backend_status import capitalized, check_backend, cuda_devices, free_memory, in_words, known_status
from ..compute.engines import ENVIRONMENT_VARIABLE
from ..compute.runtime import resident_bytes
from ..preferences import limits
from ..printing import printable
from ..scene.writing.reports import object_report
from ..settings import scene_settings
from ..translations import report_text
from .jobs.history import last_report
from .jobs.running import running_job
from .presets import preset_properties
from .selection.selected import active_object

MANIFEST = Path(__file__).resolve().parents[2] / "blender_manifest.toml"
DISTRIBUTIONS = {"SciPy": "scipy", "Numba": "numba", "Warp": "warp-lang"}


class WM_OT_voxel_carve_copy_diagnostics(bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Copy the text for a bug report."""

    bl_idname = "wm.voxel_carve_copy_diagnostics"
    bl_label = "Copy Diagnostics"
    bl_description = (
        "Copy versions, hardware, backend, settings and the last result's figures to the clipboard, for a bug report. "
        "Names of objects and folders are left out"
    )
    bl_options = {"INTERNAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Copy the text to the clipboard."""
        manager: Any = context.window_manager
        manager.clipboard = diagnostics(context)
        self.report({"INFO"}, printable(report_text("Diagnostics copied to the clipboard")))
        return {"FINISHED"}


def diagnostics(context: bpy.types.Context) -> str:
    """The text: a line for each item, then the last report as JSON."""
    figures = object_report(active_object(context)) or last_report()
    lines = [*_versions(), *_machine(), *_backend(context), *_settings(context)]
    lines.append("Last result: " + (json.dumps(figures) if figures else "none"))
    return _without_names("\n".join(lines)) + "\n"


def _versions() -> list[str]:
    manifest = tomllib.loads(MANIFEST.read_text(encoding="utf-8"))
    lines = [f"Voxel Carve {manifest['version']}", f"Blender {bpy.app.version_string}"]
    lines.append(f"Python {platform.python_version()}, NumPy {np.__version__}")
    for title, distribution in DISTRIBUTIONS.items():
        try:
            lines.append(f"{title} {metadata.version(distribution)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{title}: not installed")
    return lines


def _machine() -> list[str]:
    free, taken = free_memory() / 2**30, resident_bytes() / 2**30
    lines = [
        f"{platform.platform()}, {platform.machine()}, {os.cpu_count()} CPUs",
        f"Memory: {free:.1f} GiB free, {taken:.1f} GiB taken by Blender",
    ]
    if not bpy.app.background:
        import gpu

        lines.append(f"GPU of the window: {gpu.platform.renderer_get()}, {gpu.platform.version_get()}")
    return lines


def _backend(context: bpy.types.Context) -> list[str]:
    """The backend that a carve would use, tried now unless a job is running."""
    asked = scene_settings(context).backend
    found = limits(context, asked)
    status = known_status(found.backend) if running_job() else check_backend(found.backend)
    lines = [f"Backend asked for: {asked} (scene), {found.backend or 'auto'} (with the preferences)"]
    if ENVIRONMENT_VARIABLE in os.environ:
        lines.append(f"{ENVIRONMENT_VARIABLE}={os.environ[ENVIRONMENT_VARIABLE]}")
    lines.append(f"Backend: {in_words(status) if status else 'a job is running'}")
    lines += [capitalized(note) for note in (status.notes if status else ())]
    lines += [f"{alias}: {name}, {free / 2**30:.1f} GiB free" for alias, name, free in cuda_devices()]
    limit = "half of the free memory" if found.memory_limit is None else f"{found.memory_limit / 2**30:.1f} GiB"
    return [*lines, f"Memory limit: {limit}; another process: {found.use_process}"]


def _settings(context: bpy.types.Context) -> list[str]:
    settings: Any = scene_settings(context)
    values = [f"{name}={_plain(getattr(settings, name))}" for name in preset_properties()]
    picked = [name for name in ("stock", "path_collection", "cut_material") if getattr(settings, name)]
    units: Any = context.scene.unit_settings if context.scene else None
    return [
        f"Settings: {', '.join(values)}",
        f"Chosen: {', '.join(picked) or 'none'}",
        f"Units: {units.system}, scale {units.scale_length:g}" if units else "Units: none",
    ]


def _plain(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _without_names(text: str) -> str:
    """Remove texts in single quotes, which are names of objects, and the user's home folder."""
    return re.sub(r"(?<!\w)'[^'\n]*'(?!\w)", "'...'", text.replace(str(Path.home()), "~"))
