"""Sweeps inside programs of PyTorch: functions to be compiled and differentiated.

Where PyTorch is installed, importing this tells it of the operators: a compiler must know them before it reads a call.
"""

from .functions import sweep, sweep_distance, sweep_field

__all__ = ["sweep", "sweep_distance", "sweep_field"]
