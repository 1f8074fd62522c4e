"""A list of jobs as a bundle for render farms: Open Job Description, 2023-09, as AWS Deadline Cloud reads it.

A template has three kinds of steps: the list is checked, jobs are carved in chunks, and their reports are collected.
Jobs that wait for others are in a step of their own after those.
"""

import re
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

from ..batch import Task
from ..clashes import files_read, refuse_spoiled_inputs
from ..compute import InputError
from ..formats import check_output, identity, is_file
from ..headless import write_json
from ..jobs import Job
from .order import predecessors
from .places import places_text

TEMPLATE, VALUES, FILES = "template.json", "parameter_values.json", "asset_references.json"
CHUNK = 10
# Of the specification.
MOST_STEPS, LONGEST_NAME = 100, 64
JOBS, REPORTS, COMMAND = "{{Param.JobsFile}}", "{{Param.ReportFolder}}", "{{Param.Command}}"


def write_bundle(folder: Path, tasks: Sequence[Task], jobs_file: Path, overwrite: bool) -> list[Path]:
    """Write the files of a bundle into a folder, which is made if need be, and return them.

    Args:
        tasks: from `plan`.
        jobs_file: the list that they are from.

    Raises:
        InputError: a file exists and `overwrite` is not set, it cannot be written, jobs read it, or they wait for each
            other in more steps than a template may have.
    """
    reports = (folder / "reports").absolute()
    content = {
        TEMPLATE: template(tasks, jobs_file),
        VALUES: {
            "parameterValues": [
                {"name": "JobsFile", "value": str(jobs_file.absolute())},
                {"name": "ReportFolder", "value": str(reports)},
            ]
        },
        FILES: _files(tasks, jobs_file, reports),
    }
    try:
        reports.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("{folder} cannot be made ({fault})", folder=folder, fault=error.strerror) from error
    read: dict[Hashable, str] = {identity(jobs_file): "the jobs file"}
    for task in tasks:
        if isinstance(task.job, Job):
            read |= files_read(task.job, f"job {task.number}")
    refuse_spoiled_inputs({f"--openjd {name}": folder / name for name in content}, read)
    for name in content:
        check_output(folder / name, overwrite)
    for name, value in content.items():
        write_json(folder / name, value, overwrite)
    return [folder / name for name in content]


def template(tasks: Sequence[Task], jobs_file: Path) -> dict[str, Any]:
    """The template: what runs, with the places of the jobs as the parameter of tasks."""
    waves = _waves(tasks)
    if len(waves) > MOST_STEPS - 2:
        raise InputError(
            "jobs wait for each other {steps} times in a row, and a template has at most {most} steps: make "
            "several lists",
            steps=len(waves),
            most=MOST_STEPS,
        )
    names = ["Carve" if len(waves) == 1 else f"Carve {number}" for number in range(1, len(waves) + 1)]
    prepare = _step("Prepare", ["farm", JOBS, "--check"])
    steps = [prepare]
    for name, places in zip(names, waves, strict=True):
        chunks = {"defaultTaskCount": "{{Param.ChunkSize}}", "rangeConstraint": "CONTIGUOUS"}
        part = {"name": "Jobs", "type": "CHUNK[INT]", "range": places_text(places), "chunks": chunks}
        report = f"{REPORTS}/{{{{Task.Param.Jobs}}}}.json"
        # What is there is not made again: with --resume, reports alone are replaced.
        words = ["--jobs", JOBS, "--only", "{{Task.Param.Jobs}}", "--resume", "--overwrite", "--report", report]
        carve = _step(name, words, steps[-1]["name"])
        steps.append(carve | {"parameterSpace": {"taskParameterDefinitions": [part]}})
    collect = ["farm", JOBS, "--collect", REPORTS, "--report", f"{REPORTS}/summary.json", "--overwrite"]
    steps.append(_step("Collect", collect, steps[-1]["name"]))
    return {
        "specificationVersion": "jobtemplate-2023-09",
        "extensions": ["TASK_CHUNKING"],
        # The specification reads braces in a name, and refuses control characters.
        "name": re.sub(r"[^A-Za-z0-9 ._-]", "_", f"Voxel Carve {jobs_file.stem}")[:LONGEST_NAME].strip(),
        "parameterDefinitions": [
            {
                "name": "JobsFile",
                "type": "PATH",
                "objectType": "FILE",
                "dataFlow": "IN",
                "description": "The list of jobs.",
            },
            {
                "name": "ReportFolder",
                "type": "PATH",
                "objectType": "DIRECTORY",
                "dataFlow": "INOUT",
                "description": "For the reports of chunks, and the summary.",
            },
            {
                "name": "ChunkSize",
                "type": "INT",
                "minValue": 1,
                "default": CHUNK,
                "description": "Jobs that one process does.",
            },
            {
                "name": "Command",
                "type": "STRING",
                "default": "voxel-carve",
                "description": "The command of the installed package, with its folder where that is not on PATH.",
            },
        ],
        "steps": steps,
    }


def _waves(tasks: Sequence[Task]) -> list[list[int]]:
    """The places of the jobs from 1 on, in groups: each waits for jobs of the groups before it alone."""
    waves: list[list[int]] = []
    numbers: list[int] = []
    for place, waits in enumerate(predecessors(tasks), 1):
        number = max((numbers[other] + 1 for other in waits), default=0)
        numbers.append(number)
        if number == len(waves):
            waves.append([])
        waves[number].append(place)
    return waves


def _step(name: str, words: Sequence[str], after: str = "") -> dict[str, Any]:
    step = {"name": name, "script": {"actions": {"onRun": {"command": COMMAND, "args": list(words)}}}}
    return step | ({"dependencies": [{"dependsOn": after}]} if after else {})


def _files(tasks: Sequence[Task], jobs_file: Path, reports: Path) -> dict[str, Any]:
    """The files and folders that the farm has to carry to where jobs run, and back."""
    jobs = [task.job for task in tasks if isinstance(task.job, Job)]
    read = {jobs_file.absolute(), *(file.absolute() for job in jobs for file in job.inputs() if is_file(file))}
    written = {reports, *(file.absolute().parent for job in jobs for file in job.outputs().values())}
    return {
        "assetReferences": {
            "inputs": {"filenames": sorted(map(str, read)), "directories": []},
            "outputs": {"directories": sorted(map(str, written))},
            "referencedPaths": [],
        }
    }
