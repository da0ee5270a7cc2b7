"""Deeper looks at single decisions of matches that are over, for players with an account.

A process of its own looks, one at a time on each node and as politely as it can: three plies, then a rollout as far as
the time goes. It ends when its client does.
"""

import asyncio
from functools import partial
from typing import TypedDict

import msgspec
import structlog
from tavla_engine.xgid import xgid
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_protocol.messages import Finding

from tavla_server.errors import Refused
from tavla_server.feature import Feature
from tavla_server.features.analysis.daily import before, choice_of
from tavla_server.features.analysis.judge import Judge, JudgeFailed
from tavla_server.features.analysis.turns import Turns
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.summary import replay
from tavla_server.features.records.records import PAGES, Records
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.routes import Route

PROGRAM = "tavla_bots.deeper"  # we know its input and its output alone
LIMIT_S = 10.0  # of a look: a second to start, two for three plies, three for a rollout, on a core that others use, too
WAITING = 8  # looks: so the last one is answered within a minute
RETRY_S = 60.0  # by then all who wait have been answered

log = structlog.get_logger()


class _Found(TypedDict):
    """A look as the program tells it."""

    by: str
    choices: list[tuple[str, float, float | None]]


class DeeperLooks(Feature):
    """The deeper looks of a node. archive: None = there are no matches to look at."""

    def __init__(self, core: Core, records: Records, archive: Archive | None) -> None:
        self._core, self._records = core, records
        self._archive = archive if core.options.analysis else None
        self._judge, self._turns = Judge(PROGRAM, core.options.judge, limit_s=LIMIT_S), Turns(WAITING, RETRY_S)
        self.routes = (Route(m.LookDeeper, self.look, PAGES, cost=costs.A_PAGE),)

    async def look(self, connection: Connection, request: m.LookDeeper) -> None:
        """Have a decision looked at; the answer comes when it is found."""
        archive, player, limits = self._archive, connection.player, self._core.limits
        if archive is None:
            raise Refused(ErrorCode.NO_ARCHIVE, "this server judges no matches")
        if player.rating is None:
            raise Refused(ErrorCode.ACCOUNT_NEEDED, "register first: this is for players with an account")
        self._turns.check_room()
        task = await self._task(archive, connection, request)
        await self._core.quotas.take("looks", player.id, limits.looks)
        await self._core.quotas.take_from("looks-by-address", connection.address, limits.looks_by_address)
        self._turns.check_room()
        self._turns.begin(connection, partial(self._answer, connection, request.id, task))

    async def _task(self, archive: Archive, connection: Connection, request: m.LookDeeper) -> bytes:
        """A decision as the program reads it. Raises: Refused."""
        journal = await archive.journal(request.match)
        if journal is None:
            raise Refused(ErrorCode.NO_SUCH_MATCH, f"no match {request.match} is over: look at it then")
        await self._records.check_may_look_back(connection, await replay(request.match, journal), request.code)
        done = request.done
        finding = Finding(request.game, request.turn, request.seat, done, done, 0.0)
        at = await asyncio.to_thread(before, journal, finding)
        if at is None:
            raise Refused(
                ErrorCode.BAD_MESSAGE, "there is no such decision, or no XGID can tell the rules of the match"
            )
        choice = choice_of(at, done, done)
        return msgspec.json.encode({"xgid": xgid(at), "made": choice if at.dice else ""}) + b"\n"

    def closed(self, connection: Connection, on_purpose: bool) -> None:
        """Look no longer for a client that has gone."""
        self._turns.end(connection)

    async def close(self) -> None:
        """Look no longer for anybody."""
        await self._turns.close()

    async def _answer(self, connection: Connection, id_: int, task: bytes) -> None:
        try:
            found = msgspec.json.decode(await self._judge.last_line(task), type=_Found)
        except (JudgeFailed, OSError, msgspec.MsgspecError) as error:  # OSError: no process can be started
            log.warning("look_failed", error=str(error))
            text = "the judge has found nothing in time: try again in a minute"
            connection.send(m.Error(id=id_, code=ErrorCode.TOO_MANY, text=text, retry_after=RETRY_S))
            return
        rows = [
            (choice, round(equity, 3), None if error is None else round(error, 3))
            for choice, equity, error in found["choices"]
        ]
        connection.send(m.DeeperLook(id=id_, by=found["by"], choices=rows))
