"""The position of the day, and what is chosen there."""

from tavla_engine.xgid import xgid
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.handlers.records import PAGES
from tavla_server.gateway.routes import Route, Routes, by_account_or_address


async def daily(connection: Connection, request: m.Daily) -> None:
    """The position of the day; to a choice, what it was worth, and what others have chosen."""
    found = connection.services.daily
    if found is None:
        raise Refused(ErrorCode.NO_ARCHIVE, "this server keeps no finished matches to take a position from")
    day, problem = await found.today()
    if problem is None:
        connection.send(m.Puzzle(id=request.id, day=day))
        return
    position = m.Puzzle(id=request.id, day=day, xgid=xgid(problem.at))
    if request.choice:
        choices = await found.choose(problem, by_account_or_address(connection, request), request.choice)
        _, match, _, finding, by = problem
        position = m.Puzzle(
            id=request.id, day=day, xgid=position.xgid, choices=choices, match=match, finding=finding, by=by
        )
    connection.send(position)


ROUTES: Routes = {m.Daily: Route(daily, PAGES, is_open=True)}
