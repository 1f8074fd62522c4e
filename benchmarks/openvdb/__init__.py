"""The second peer: the same job by OpenVDB's own tools in C++, on all cores.

`carve.cpp` is the program; `program.py` builds and runs it.
"""
