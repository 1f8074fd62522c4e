"""What both engines know of a surface made of cells: tables, and what becomes of vertices."""
