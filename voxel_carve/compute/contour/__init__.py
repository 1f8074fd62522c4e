"""What both engines share of dual contouring: cell tables, and constants of placing and snapping vertices."""
