"""The job type of Flamenco: compiled by node with the API that Flamenco documents, and its commands run."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import trimesh

from tests.command_line import BOX_VOLUME, CAPSULE_VOLUME, MAKE_SCENE, ROOT, in_blender, run

JOB_TYPE = ROOT / "voxel_carve" / "farm" / "voxel_carve.js"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="no node on PATH")

# Compiles a job with `author`, `frameChunker` and the job, as Flamenco gives them, and prints the tasks.
COMPILE = """
const fs = require("fs"), vm = require("vm");
const [file, settings] = process.argv.slice(1);
const tasks = [];
const around = {
    author: {
        Task: (name, type) => {
            const task = { name, type, commands: [], addCommand: (command) => task.commands.push(command) };
            return task;
        },
        Command: (name, parameters) => ({ name, parameters }),
    },
    frameChunker: (frames, size) => {
        const all = frames.split(",").flatMap((part) => {
            const [first, last] = part.trim().split("-").map(Number);
            return Array.from({ length: (last || first) - first + 1 }, (_, step) => first + step);
        });
        const chunks = [];
        for (let at = 0; at < all.length; at += size) {
            const runs = [];
            for (const frame of all.slice(at, at + size)) {
                if (runs.length && runs[runs.length - 1][1] === frame - 1) runs[runs.length - 1][1] = frame;
                else runs.push([frame, frame]);
            }
            chunks.push(runs.map(([first, last]) => first === last ? `${first}` : `${first}-${last}`).join(","));
        }
        return chunks;
    },
    print: () => {},
};
const type = vm.runInNewContext(`${fs.readFileSync(file, "utf8")}; ({ JOB_TYPE, compileJob })`, around);
const given = Object.fromEntries(type.JOB_TYPE.settings.map((setting) => [setting.key, setting.default]));
const job = { settings: { ...given, ...JSON.parse(settings) }, addTask: (task) => tasks.push(task) };
type.compileJob(job);
console.log(JSON.stringify({ type: type.JOB_TYPE, tasks }));
"""


def compiled(**settings):
    done = subprocess.run(
        [NODE, "-e", COMPILE, str(JOB_TYPE), json.dumps(settings)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def settings(**more):
    given = {"stock": "Box", "paths": "Tool", "frames": "1-3", "blendfile": "scene.blend", "output": "{frame:02}.ply"}
    return {**given, "resolution": 24, **more}


@needs_node
def test_settings_have_what_the_sidebar_shows():
    shown = compiled(**settings())["type"]
    assert shown["label"] == "Voxel Carve Frames"
    for setting in shown["settings"]:
        assert setting["type"] in ("string", "int32", "float", "bool")
        assert setting["description"]
        assert setting.get("required") or "default" in setting
        compile(setting.get("eval", "None"), setting["key"], "eval")
        assert setting.get("visible", "submission") in ("submission", "web", "hidden", "visible")


@needs_node
def test_frames_become_tasks_in_chunks():
    tasks = compiled(**settings(frames="1-5, 9, 12-13", chunk_size=3))["tasks"]
    assert [(task["name"], task["type"]) for task in tasks] == [
        ("carve-1-3", "blender"),
        ("carve-4-5,9", "blender"),
        ("carve-12-13", "blender"),
    ]
    frames = [[command["parameters"]["args"][-1] for command in task["commands"]] for task in tasks]
    assert frames == [["--frames=1:3"], ["--frames=4:5", "--frames=9:9"], ["--frames=12:13"]]
    assert {command["name"] for task in tasks for command in task["commands"]} == {"exec"}
    assert {command["parameters"]["exe"] for task in tasks for command in task["commands"]} == {"{blender}"}


@needs_node
def test_settings_that_make_no_sense_are_refused():
    for more, message in (
        ({"stock": ""}, "Stock is empty"),
        ({"paths": " , "}, "Paths is empty"),
        ({"resolution": 0}, "give either Resolution or Voxel Size"),
    ):
        words = [NODE, "-e", COMPILE, str(JOB_TYPE), json.dumps(settings(**more))]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert message in done.stderr


@needs_node
@pytest.mark.blender
def test_the_commands_carve(tmp_path):
    in_blender(MAKE_SCENE, tmp_path / "scene.blend")
    chosen = settings(blendfile=str(tmp_path / "scene.blend"), paths="Tool, Thin", radius=0.25, chunk_size=2)
    for task in compiled(**chosen)["tasks"]:
        for command in task["commands"]:
            words = command["parameters"]["args"]
            assert words[:2] == ["--command", "voxel_carve"]
            done = run(words[2:], tmp_path)
            assert done.status == 0, done.err
    assert sorted(file.name for file in tmp_path.glob("*.ply")) == ["01.ply", "02.ply", "03.ply"]
    assert trimesh.load_mesh(tmp_path / "01.ply").volume == pytest.approx(BOX_VOLUME - CAPSULE_VOLUME, rel=0.02)


def test_the_command_writes_the_job_type(tmp_path):
    done = run(["farm", "--flamenco", tmp_path], tmp_path)
    assert (done.status, done.err) == (0, "")
    assert (tmp_path / "voxel_carve.js").read_bytes() == JOB_TYPE.read_bytes()
    assert done.out == f"{tmp_path / 'voxel_carve.js'}: written\n"
    again = run(["farm", "--flamenco", tmp_path], tmp_path)
    assert again.status == 2
    assert "exists already" in again.err
    assert run(["farm", "--flamenco", Path(tmp_path), "--overwrite", "--quiet"], tmp_path).status == 0
