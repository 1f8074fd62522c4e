"""Arrays of other libraries: read where they lie, and results in the kind that came in."""

from .foreign import given_back, host_array
from .layers import Layers, Occupancy

__all__ = ["Layers", "Occupancy", "given_back", "host_array"]
