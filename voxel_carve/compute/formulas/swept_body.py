"""The body that a path sweeps from one point to the next, as the rest of the program knows it: today a round cone.

Another body brings a module with these names, and a choice between the two here.

- `value`, `distance`: signed distance, with and without its gradient. `lowest`, `highest`: its box.
- `anchor`, `distance_from`: NUMBERS that float32 holds, from which distances in one brick are computed.
"""

from .round_cone import NUMBERS, anchor, distance, distance_from, highest, lowest, value

__all__ = ["NUMBERS", "anchor", "distance", "distance_from", "highest", "lowest", "value"]
