"""Features: the parts of a server that plug into its core. The core knows none of them; `wiring.py` lists them all."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from tavla_protocol import messages as m

from tavla_server.chores import Chore
from tavla_server.gateway.connection import Connection, Handlers
from tavla_server.gateway.http import Path
from tavla_server.gateway.match_actions import act
from tavla_server.gateway.routes import AnyRoute, Routes, UseToken, answer
from tavla_server.match.effects import Lane
from tavla_server.sweeps import Sweep
from tavla_server.telemetry.metrics import Metric
from tavla_server.telemetry.snapshots import Readings

Question = tuple[str, ...]  # a command that reads the store


class Feature:
    """A feature: a part of the server that plugs into its core. Each hook may be left out; only the last two wait."""

    routes: Routes = ()  # the requests that it answers
    sweeps: Sequence[Sweep] = ()  # what it sets right at intervals
    lanes: Sequence[Lane] = ()  # of what follows from what happens
    chores: Sequence[Chore] = ()  # background tasks that are no sweeps
    paths: Sequence[Path] = ()  # of HTTP
    gauges: Mapping[Metric, Callable[[], float | Mapping[str, float]]] = MappingProxyType({})

    def asks(self, player: str) -> Sequence[Question]:
        """Questions about a player who says hello: those of all features go in one round trip."""
        return ()

    def arrive(self, connection: Connection, answers: Sequence[object]) -> None:
        """Take in a player who has said hello, before anybody knows of it. answers: to what this feature asks."""

    def greet(self, connection: Connection) -> None:
        """Tell a player who has been welcomed what waits for it."""

    def closed(self, connection: Connection, on_purpose: bool) -> None:
        """Give up what needs the connection: it is lost, or closed. on_purpose: its client wanted it so."""

    def leave(self, connection: Connection) -> None:
        """Forget the connection, which holds no seat any more: later than `closed` while clients are moved."""

    def resync(self, connection: Connection) -> None:
        """Show anew what was left out while the client did not read: it has caught up."""

    def trouble(self) -> str:
        """Say what this node does without meanwhile, in a few words for `/readyz`; "" = nothing."""
        return ""

    async def read_gauges(self) -> Readings:
        """Read gauges that take a round trip."""
        return {}

    async def close(self) -> None:
        """Finish, when all connections are closed: before the core does. Raises: StoreUnavailable."""


def handlers_of(features: Sequence[Feature], use: UseToken) -> Handlers:
    """The handlers of a connection: each hook of all features, in their order. use: of a token, for the first time."""
    routes: dict[type[m.RequestBase], AnyRoute] = {}
    for feature in features:
        for route in feature.routes:
            assert route.kind not in routes, f"{route.kind.__name__} is answered by one feature"
            routes[route.kind] = route

    def arrive(connection: Connection, answers: Sequence[Sequence[object]]) -> None:
        for feature, answers_to_it in zip(features, answers, strict=True):
            feature.arrive(connection, answers_to_it)

    def greet(connection: Connection) -> None:
        for feature in features:
            feature.greet(connection)

    def closed(connection: Connection, on_purpose: bool) -> None:
        for feature in features:
            feature.closed(connection, on_purpose)

    def leave(connection: Connection) -> None:
        for feature in features:
            feature.leave(connection)

    def resync(connection: Connection) -> None:
        for feature in features:
            feature.resync(connection)

    return Handlers(act, partial(answer, routes, use), arrive, greet, closed, leave, resync)
