"""Arrays of other libraries: read where they lie, and results in the kind that came in."""

from .cards import CURRENT_CARD, card_of, check_lendable, current_stream, no_stream_here, stream_handle
from .equality import EqualByValue
from .foreign import given_back, host_array
from .layers import Layers, Occupancy, check_occupancy_kind, not_zero_and_one

__all__ = [
    "CURRENT_CARD",
    "EqualByValue",
    "Layers",
    "Occupancy",
    "card_of",
    "check_lendable",
    "check_occupancy_kind",
    "current_stream",
    "given_back",
    "host_array",
    "no_stream_here",
    "not_zero_and_one",
    "stream_handle",
]
