// SPDX-License-Identifier: GPL-3.0-or-later

// The job type of Voxel Carve for Flamenco 3: one mesh file for each frame of an animation, in chunks of frames.
// Its place is the folder `scripts` beside the program flamenco-manager.

const JOB_TYPE = {
    label: "Voxel Carve Frames",
    description: "Carve the volume that a round tool sweeps along animated paths out of a mesh, one file for each frame",
    settings: [
        { key: "stock", type: "string", required: true, eval: "C.active_object.name if C.active_object else ''",
          evalInfo: { showLinkButton: true, description: "The active object" },
          description: "Name of the mesh to carve" },
        { key: "paths", type: "string", required: true,
          eval: "', '.join(o.name for o in C.selected_objects if o != C.active_object)",
          evalInfo: { showLinkButton: true, description: "The other selected objects" },
          description: "Names of the paths, with commas between them" },
        { key: "frames", type: "string", required: true, eval: "f'{C.scene.frame_start}-{C.scene.frame_end}'",
          evalInfo: { showLinkButton: true, description: "Scene frame range" },
          description: "Frames to carve. Examples: '47', '1-30', '3, 5-10, 47-327'" },
        { key: "chunk_size", type: "int32", default: 10, propargs: { min: 1 }, visible: "submission",
          description: "Number of frames that one Blender carves" },
        { key: "resolution", type: "int32", default: 256, propargs: { min: 0 },
          description: "Voxels along the longest side of the stock; 0 takes Voxel Size" },
        { key: "voxel_size", type: "float", default: 0, propargs: { min: 0 },
          description: "Edge of a voxel, where Resolution is 0" },
        { key: "radius", type: "float", default: 0, propargs: { min: 0 },
          description: "Radius of paths that have none of their own; 0 gives them none" },
        { key: "operation", type: "string", choices: ["subtract", "union", "intersect"], default: "subtract",
          description: "How the tool is combined with the stock" },
        { key: "result", type: "string", choices: ["remesh", "keep"], default: "remesh",
          description: "Remesh all, or keep the faces of the stock that no path touches" },
        { key: "output", type: "string", subtype: "file_path", required: true,
          eval: "str(Path(abspath('//')) / 'carved_{frame:04}.ply')",
          evalInfo: { showLinkButton: true, description: "Beside the .blend" },
          description: "File for each frame: .ply .stl .obj .glb .3mf; {frame:04} is the number of the frame" },
        { key: "overwrite", type: "bool", default: false,
          description: "Replace files. Otherwise frames whose file exists are skipped" },

        // Set by the add-on.
        { key: "blendfile", type: "string", required: true, visible: "web",
          description: "Path of the .blend with the stock and the paths" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    const words = carvingWords(settings);
    for (const chunk of frameChunker(settings.frames, settings.chunk_size)) {
        const task = author.Task(`carve-${chunk}`, "blender");
        for (const frames of contiguous(chunk)) {
            task.addCommand(author.Command("exec", {
                exe: "{blender}",
                args: ["--command", "voxel_carve"].concat(words, [`--frames=${frames}`]),
            }));
        }
        job.addTask(task);
    }
}

// The options of the command line that all frames share.
function carvingWords(settings) {
    const names = settings.paths.split(",").map((name) => name.trim()).filter((name) => name !== "");
    if (!settings.stock) throw new Error("Stock is empty: name the mesh to carve");
    if (names.length === 0) throw new Error("Paths is empty: name the objects where the tool goes");
    if (!settings.resolution && !settings.voxel_size) throw new Error("give either Resolution or Voxel Size");
    // With the sign between them, a name may begin with a dash.
    const words = [`--blend=${settings.blendfile}`, `--stock=${settings.stock}`];
    for (const name of names) words.push(`--path=${name}`);
    if (settings.resolution) words.push("--resolution", String(settings.resolution));
    else words.push("--voxel-size", String(settings.voxel_size));
    if (settings.radius) words.push("--radius", String(settings.radius));
    words.push("--operation", settings.operation, "--result", settings.result, `--output=${settings.output}`);
    words.push(settings.overwrite ? "--overwrite" : "--resume");
    return words;
}

// The parts of a chunk without gaps, as the command line takes frames: "3,5-7" becomes "3:3" and "5:7".
function contiguous(chunk) {
    return chunk.split(",").map((part) => {
        const match = /^\s*(-?\d+)\s*(?:-\s*(-?\d+)\s*)?$/.exec(part);
        if (match === null) throw new Error(`these are no frames: ${part}`);
        return `${match[1]}:${match[2] === undefined ? match[1] : match[2]}`;
    });
}
