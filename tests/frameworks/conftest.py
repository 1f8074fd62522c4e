"""A fixture for the tests of all frameworks."""

from collections.abc import Callable
from typing import Any

import pytest

from voxel_carve.frameworks import host


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """A list that grows with each call of a function of the host, or by it."""

    def watch(name: str) -> list[str]:
        calls, function = [], getattr(host, name)

        def called(*given: Any, **options: Any) -> Any:
            calls.append(name)
            return function(*given, **options)

        monkeypatch.setattr(host, name, called)
        return calls

    return watch
