"""3MF packages, written and read by hand: nothing of the code under test is used."""

import io
import xml.etree.ElementTree as ElementTree
import zipfile

import numpy as np
import trimesh

CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
PRODUCTION = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
MODEL = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
RELATIONSHIPS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Target="/3D/3dmodel.model" Id="r0" Type="{MODEL}"/></Relationships>'
)
TETRAHEDRON = (
    "<mesh><vertices>"
    '<vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/>'
    '</vertices><triangles><triangle v1="0" v2="2" v3="1" pid="5"/><triangle v1="0" v2="1" v3="3"/>'
    '<triangle v1="0" v2="3" v3="2"/><triangle v1="1" v2="2" v3="3"/></triangles></mesh>'
)


def model(resources="", build="", attributes=""):
    """The XML of a model."""
    spaces = f'xmlns="{CORE}" xmlns:p="{PRODUCTION}"'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><model {spaces} {attributes}>'
        f"<resources>{resources}</resources><build>{build}</build></model>"
    )


def solid(number=1, more=""):
    """The XML of an object with a mesh."""
    return f'<object id="{number}" type="model"{more}>{TETRAHEDRON}</object>'


def package(parts, relationships=RELATIONSHIPS, method=zipfile.ZIP_DEFLATED):
    """The bytes of a package: of its model, or of parts by their names."""
    if isinstance(parts, str | bytes):
        parts = {"3D/3dmodel.model": parts}
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", method) as out:
        for name, content in {"_rels/.rels": relationships, **parts}.items():
            out.writestr(name, content)
    return whole.getvalue()


def load(file):
    """The unit of a package and its placed objects, as one mesh whose equal points are joined."""
    with zipfile.ZipFile(file) as whole:
        assert whole.testzip() is None
        assert {"[Content_Types].xml", "_rels/.rels"} <= set(whole.namelist())
        relations = ElementTree.fromstring(whole.read("_rels/.rels"))
        (target,) = (relation.get("Target") for relation in relations if relation.get("Type") == MODEL)
        tree = ElementTree.fromstring(whole.read(target.lstrip("/")))
    meshes = {}
    for each in tree.iter(f"{{{CORE}}}object"):
        points = [[float(vertex.get(axis)) for axis in "xyz"] for vertex in each.iter(f"{{{CORE}}}vertex")]
        faces = [[int(face.get(corner)) for corner in ("v1", "v2", "v3")] for face in each.iter(f"{{{CORE}}}triangle")]
        meshes[each.get("id")] = trimesh.Trimesh(np.array(points), np.array(faces))
    placed = [meshes[item.get("objectid")] for item in tree.iter(f"{{{CORE}}}item")]
    return tree.get("unit"), trimesh.util.concatenate(placed)
