"""The least and the most that a request may hold: both are read, and nothing beyond."""

from collections.abc import Callable
from typing import Any

import pytest
from tavla_protocol.codec import MAX_ITEMS, BadFrame, BadMessage, decode_request, pack
from tavla_protocol.messages import REQUESTS

EXAMPLES: dict[str, dict[str, Any]] = {  # what else these requests need
    "register": {},
    "password": {"old": "secret", "new": "long enough"},
    "available": {"places": 1},
    "answer": {"accept": True},
    "create": {"commitment": "0f" * 32},
    "join": {"commitment": "0f" * 32},
    "say": {"match": "m", "to": "players"},
    "resign": {"match": "m", "seq": 1},
    "move": {"match": "m", "seq": 1, "moves": []},
    "attach": {"table": "sofa"},
    "reveal": {"match": "m", "seq": 1, "seed": "aa" * 32, "binding": "bb" * 32},
}


def number(n: int) -> int:
    return n


def letters(n: int) -> str:
    return "a" * n


def options(n: int) -> dict[str, list[int]]:
    return {str(name): [] for name in range(n)}


LIMITS: list[tuple[str, str, Callable[[int], Any], int, int]] = [  # type, field, its value of some size, least, most
    ("list", "id", number, 0, 2**63 - 1),
    ("hello", "name", letters, 2, 20),
    ("hello", "password", letters, 1, 128),
    ("hello", "token", letters, 1, 64),
    ("register", "password", letters, 8, 128),
    ("password", "old", letters, 1, 128),
    ("password", "new", letters, 8, 128),
    ("profile", "name", letters, 2, 20),
    ("create", "name", letters, 1, 120),
    ("reveal", "seed", lambda n: "aa" * n, 32, 32),
    ("reveal", "binding", lambda n: "aa" * n, 32, 32),
    ("join", "table", letters, 1, 120),
    ("attach", "code", letters, 0, 8),
    ("attach", "epoch", number, 0, 2**63 - 1),
    ("attach", "seq", number, 0, 2**63 - 1),
    ("attach", "checksum", number, 0, 2**32 - 1),
    ("detach", "match", letters, 1, 16),
    ("answer", "challenge", letters, 1, 16),
    ("available", "places", number, 0, 1000),
    ("available", "level", letters, 0, 20),
    ("available", "rules", options, 0, 20),
    ("available", "rules", lambda n: {letters(n): []}, 0, 30),
    ("available", "rules", lambda n: {"length": [1] * n}, 0, 20),
    ("available", "rules", lambda n: {"variant": [letters(n)]}, 0, 20),
    ("say", "text", letters, 0, 200),
    ("chat", "text", letters, 0, 200),
    ("move", "moves", lambda n: [(6, 5)] * n, 0, 4),
    ("move", "moves", lambda n: [(n, 5)], 0, 25),
    ("move", "moves", lambda n: [(25, n)], 0, 25),
    ("resign", "value", number, 1, 3),
]


def read(type_: str, field: str, value: object) -> None:
    decode_request(pack({"type": type_, "id": 1, **EXAMPLES.get(type_, {}), field: value}))


@pytest.mark.parametrize(("type_", "field", "of_size", "least", "most"), LIMITS)
def test_a_field_has_a_least_and_a_most(
    type_: str, field: str, of_size: Callable[[int], Any], least: int, most: int
) -> None:
    assert type_ in REQUESTS
    read(type_, field, of_size(least))
    read(type_, field, of_size(most))
    beyond = [most + 1] if least == 0 and of_size is not number else [least - 1, most + 1]
    for size in beyond:
        with pytest.raises(BadMessage, match=rf"`\$\.{field}"):
            read(type_, field, of_size(size))


def test_a_request_has_a_most_of_items() -> None:
    def items(count: int) -> list[int]:
        return [0] * count

    read("list", "more", items(MAX_ITEMS))  # a field that nobody knows
    with pytest.raises(BadFrame):
        read("list", "more", items(MAX_ITEMS + 1))
