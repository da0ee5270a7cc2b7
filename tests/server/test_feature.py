"""Features and the core they plug into."""

import pkgutil
from collections.abc import Sequence
from importlib import import_module
from typing import Any, get_type_hints

import pytest
from tavla_protocol import messages as m
from tavla_server import features
from tavla_server.feature import Feature, handlers_of
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.routes import Route
from tavla_server.token_bucket import Rate

CONNECTION: Any = object()


def test_the_core_is_small_and_no_feature_is_in_it() -> None:
    homes = {field: kind.__module__ for field, kind in get_type_hints(Core).items()}
    assert len(homes) <= 16
    assert not [field for field, home in homes.items() if home.startswith(features.__name__)]


async def pong(connection: Connection, request: m.Ping) -> None:
    """Answer nothing."""


class Noted(Feature):
    """A feature that notes which of its hooks was called."""

    def __init__(self, name: str, calls: list[tuple[object, ...]]) -> None:
        self._name, self._calls = name, calls

    def arrive(self, connection: Connection, answers: Sequence[object]) -> None:
        self._calls.append((self._name, "arrive", *answers))

    def greet(self, connection: Connection) -> None:
        self._calls.append((self._name, "greet"))

    def closed(self, connection: Connection, on_purpose: bool) -> None:
        self._calls.append((self._name, "closed", on_purpose))

    def leave(self, connection: Connection) -> None:
        self._calls.append((self._name, "leave"))

    def resync(self, connection: Connection) -> None:
        self._calls.append((self._name, "resync"))


async def fresh(*_: object) -> bool:
    return True


def test_hooks_are_called_in_the_order_of_features() -> None:
    calls = list[tuple[object, ...]]()
    handlers = handlers_of([Noted("a", calls), Feature(), Noted("b", calls)], fresh)
    handlers.arrive(CONNECTION, [["x"], [], ["y", "z"]])
    handlers.greet(CONNECTION)
    handlers.closed(CONNECTION, True)
    handlers.leave(CONNECTION)
    handlers.resync(CONNECTION)
    assert calls == [
        *[("a", "arrive", "x"), ("b", "arrive", "y", "z")],
        *[("a", "greet"), ("b", "greet")],
        *[("a", "closed", True), ("b", "closed", True)],
        *[("a", "leave"), ("b", "leave")],
        *[("a", "resync"), ("b", "resync")],
    ]


def test_a_request_is_answered_by_one_feature() -> None:
    one, other = Feature(), Feature()
    one.routes = other.routes = [Route(m.Ping, pong)]
    with pytest.raises(AssertionError, match="Ping"):
        handlers_of([one, other], fresh)


def test_whatever_is_limited_may_be_done_again_after_a_while() -> None:
    found = [module.name for module in pkgutil.walk_packages(features.__path__, "tavla_server.features.")]
    modules = [import_module(name) for name in found if ".migrations." not in name]  # those run when imported
    rates = [value for module in modules for value in vars(module).values() if isinstance(value, Rate)]
    assert len(rates) > 5
    assert all(rate.per_s > 0 and rate.burst >= 1 for rate in rates)
