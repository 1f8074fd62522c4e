"""The cases R1 to R5: meshes such as users bring, with sixty straight runs across each. Their stocks need bpy.

`stocks` models the meshes, `closing` makes closed triangles of them, and `crossing` lays the runs.
"""
