"""Recipes: what results were carved from, kept with their objects, and which results depend on which objects."""
