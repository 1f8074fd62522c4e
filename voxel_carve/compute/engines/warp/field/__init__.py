"""From binning to the combined field on Warp devices, and the dense operations."""
