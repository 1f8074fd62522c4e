"""The body that a path sweeps from one point to the next: today a round cone. The rest of the program reads it here.

Another body needs a module with these names, and a choice between the two here.

- `value`, `distance`: signed distance, with and without its gradient. `lowest`, `highest`: its bounding box.
- `side_normal`, `lean`: the gradient that the body would have without ends, and how far its own leans toward one.
- `anchor`, `distance_from`: NUMBERS float32 numbers, and the distances in one brick that follow from them.
"""

from .round_cone import NUMBERS, anchor, distance, distance_from, highest, lean, lowest, side_normal, value

__all__ = ["NUMBERS", "anchor", "distance", "distance_from", "highest", "lean", "lowest", "side_normal", "value"]
