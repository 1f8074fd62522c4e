"""The surface cell by cell, on a Warp device: see `compute.contouring`."""
