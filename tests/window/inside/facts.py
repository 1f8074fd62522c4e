"""What a driver found out, for the test to judge."""

FACTS = {}


def note(**found: object) -> None:
    """Facts by name, anything that JSON can say."""
    FACTS.update(found)
