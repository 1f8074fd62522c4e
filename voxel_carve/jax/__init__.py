"""Sweeps inside programs of JAX: functions to be traced, batched, differentiated and sharded.

JAX is imported when a function is called.
"""

from .functions import sweep, sweep_distance, sweep_field

__all__ = ["sweep", "sweep_distance", "sweep_field"]
