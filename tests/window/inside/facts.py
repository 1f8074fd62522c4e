"""The facts that a driver found, for the test to judge."""

FACTS = {}


def note(**found: object) -> None:
    """Record facts by name, with any values that JSON can hold."""
    FACTS.update(found)
