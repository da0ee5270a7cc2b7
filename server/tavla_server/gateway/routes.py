"""Routes: what each type of request leads to, how often it may be made, and who may make it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused, too_often
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.costs import CHEAP
from tavla_server.player import Player
from tavla_server.telemetry.metrics import LIMITS
from tavla_server.token_bucket import Rate

UseToken = Callable[[Player, str], Awaitable[bool]]  # of its first use it may live for weeks; False = it is bad
Handler = Callable[[Connection, Any], Awaitable[None]]


class AnyRoute:
    """A route of any kind of request: its handler, which answers or raises, and its rates."""

    def __init__(
        self, kind: type[m.RequestBase], handle: Handler, rates: Sequence[Rate], is_open: bool, cost: float
    ) -> None:
        """is_open: an onlooker may ask it, too. cost: in ms of the loop, see `costs`."""
        self.kind, self.handle, self.rates, self.is_open, self.cost = kind, handle, rates, is_open, cost


R = TypeVar("R", bound=m.RequestBase)


class Route(AnyRoute, Generic[R]):
    """A route whose handler takes requests of its kind, which mypy checks."""

    def __init__(
        self,
        kind: type[R],
        handle: Callable[[Connection, R], Awaitable[None]],
        *rates: Rate,
        is_open: bool = False,
        cost: float = CHEAP,
    ) -> None:
        super().__init__(kind, handle, rates, is_open, cost)


Routes = Sequence[AnyRoute]


def by_player(connection: Connection, request: m.RequestBase) -> str:
    """The key of what is counted for each player."""
    return connection.player.id


def by_account_or_address(connection: Connection, request: m.RequestBase) -> str:
    """The key of what guests of one address share: a new guest is had for the asking."""
    player = connection.player
    return player.id if player.rating is not None else connection.address or player.id


async def answer(
    routes: Mapping[type[m.RequestBase], AnyRoute], use: UseToken, connection: Connection, request: m.Request
) -> None:
    """Have a request answered by its route, when its cost is paid. Raises: as the handler, and Refused."""
    route = routes[type(request)]
    await connection.pay(route.cost)
    if not connection.player.id:
        _check_open(connection, request, route)
    if connection.is_new and not isinstance(request, m.Hello):
        if not await use(connection.player, connection.token):
            raise Refused(ErrorCode.BAD_TOKEN, "your token was revoked or has expired: connect again with a name")
        connection.is_new = False
    for rate in route.rates:
        who = rate.key(connection, request)
        if who and (wait_s := connection.core.rates.spend(rate, who)):
            LIMITS.add(rate.name)
            raise too_often(rate.text, wait_s)
    await route.handle(connection, request)


def _check_open(connection: Connection, request: m.Request, route: AnyRoute) -> None:
    """Raises: Refused for what a client without a name may not ask."""
    if not (connection.watching or isinstance(request, m.Hello)):
        raise Refused(ErrorCode.HELLO_FIRST, "say hello first")
    if not route.is_open or _is_own(request):
        raise Refused(ErrorCode.HELLO_FIRST, "you only look on: say hello with a name first")


def _is_own(request: m.Request) -> bool:
    """True if it asks for what is the client's own."""
    match request:
        case m.List(what="mine") | m.History(name=None):
            return True
    return False
