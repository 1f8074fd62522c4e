"""Derivatives by the points and radii of paths: of distances, and of the removed volume; and paths fitted by them."""
