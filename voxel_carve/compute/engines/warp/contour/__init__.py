"""From the field to a closed mesh on Warp devices."""
