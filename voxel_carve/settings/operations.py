"""How a stock and the volume that a tool sweeps can be combined."""

OPERATIONS = (
    ("SUBTRACT", "Subtract", "Take what the tool sweeps along the paths out of the stock: grooves, slots, holes"),
    ("UNION", "Union", "Add what the tool sweeps along the paths to the stock: ribs, weld seams, cables"),
    ("INTERSECT", "Intersect", "Keep what the stock and the swept volume share"),
)
