"""Results that are carved again automatically: after changes, and at every frame."""
