"""The position of the day, and what is chosen there."""

from tavla_engine.xgid import xgid
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.feature import Feature
from tavla_server.features.analysis.daily import Daily
from tavla_server.features.archive.archive import Archive
from tavla_server.features.records.records import PAGES
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.routes import Route, by_account_or_address


class Puzzles(Feature):
    """The puzzle of each day. archive: None = there are no matches to take one from."""

    def __init__(self, core: Core, archive: Archive | None) -> None:
        self._daily = None if archive is None else Daily(core.redis, archive, core.clock)
        self.routes = (Route(m.Daily, self.daily, PAGES, is_open=True),)

    async def daily(self, connection: Connection, request: m.Daily) -> None:
        """The position of the day; to a choice, what it was worth, and what others have chosen."""
        found = self._daily
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
