"""What redis-py returns, with the type it has: its stubs cannot know that responses are not decoded."""

from typing import Any


def text(value: Any) -> str:
    """An ASCII reply as text."""
    assert isinstance(value, bytes), "responses are not decoded"
    return value.decode("ascii")
