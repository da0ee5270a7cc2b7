"""Routes: what each type of request leads to, how often it may be made, and who may make it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused, too_often
from tavla_server.gateway.connection import Connection
from tavla_server.token_bucket import Rate

Handler = Callable[[Connection, Any], Awaitable[None]]


class RequestRate(NamedTuple):
    """The rate at which a request may be made.

    name: of the limit in metrics; routes of the same name share their allowances. key: whose allowance a request
    spends; "" = it spends none. text: what a client is told that is too fast.
    """

    name: str
    rate: Rate
    key: Callable[[Connection, Any], str]
    text: str


class Route:
    """A handler, which answers a request or raises, and its rates. is_open: an onlooker may ask it, too."""

    def __init__(self, handle: Handler, *rates: RequestRate, is_open: bool = False) -> None:
        self.handle, self.rates, self.is_open = handle, rates, is_open


Routes = Mapping[type[m.RequestBase], Route]


def by_player(connection: Connection, request: m.RequestBase) -> str:
    """The key of what is counted for each player."""
    return connection.player.id


def by_account_or_address(connection: Connection, request: m.RequestBase) -> str:
    """The key of what guests of one address share: a new guest is had for the asking."""
    player = connection.player
    return player.id if player.rating is not None else connection.address or player.id


async def answer(routes: Routes, connection: Connection, request: m.Request) -> None:
    """Have a request answered by its route. Raises: as the handler, and Refused."""
    route = routes[type(request)]
    if not connection.player.id:
        _check_open(connection, request, route)
    if connection.is_new and not isinstance(request, m.Hello):
        if not await connection.services.accounts.use(connection.player, connection.token):
            raise Refused(ErrorCode.BAD_TOKEN, "your token was revoked or has expired: connect again with a name")
        connection.is_new = False
    for name, rate, key, text in route.rates:
        who = key(connection, request)
        if who and (wait_s := connection.services.allowances.spend(name, rate, who)):
            raise too_often(text, wait_s)
    await route.handle(connection, request)


def _check_open(connection: Connection, request: m.Request, route: Route) -> None:
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
