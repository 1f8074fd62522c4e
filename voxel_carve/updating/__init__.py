"""Results that are carved again by themselves: after changes, and at every frame."""
