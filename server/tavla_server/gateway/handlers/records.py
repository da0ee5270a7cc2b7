"""Matches to look back at: what someone has played, and what happened in one match."""

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import fields

from tavla_server.errors import Refused, too_often
from tavla_server.gateway.connection import Connection, Handler
from tavla_server.gateway.handlers.tables import check_may_watch
from tavla_server.match.transcript import told

PAGE = 400  # entries of a journal in one answer: some 20 KB
PAGES_PER_S, PAGES_BURST = 2.0, 40.0  # of a player


async def history(connection: Connection, request: m.History) -> None:
    """The matches that someone has played to their end."""
    _spend(connection)
    raise Refused(ErrorCode.NO_ARCHIVE, "this server keeps no list of finished matches: ask for one by its id")


async def record(connection: Connection, request: m.Record) -> None:
    """What has happened in a match so far."""
    _spend(connection)
    services = connection.services
    session = await services.registry.current(request.match)
    if not session.seq:
        services.registry.forget_empty(session)
        raise Refused(ErrorCode.NO_SUCH_MATCH, f"there is no match {request.match}")
    check_may_watch(connection, session.record, request.code)
    entries = await services.journal.read(request.match, request.after, PAGE)
    seq = entries[-1][0] if entries else request.after
    connection.send(
        m.Recorded(
            id=request.id,
            match=request.match,
            epoch=session.record.epoch,
            seq=seq,
            view={} if request.after else fields(session.view),
            events=[event for number, entry in entries for event in told(number, entry)],
            next=seq if len(entries) == PAGE else None,
        )
    )


def _spend(connection: Connection) -> None:
    """Raises: Refused."""
    if wait_s := connection.services.pages.spend(connection.player.id):
        raise too_often("you look back too fast", wait_s)


HANDLERS: dict[type[m.Asked], Handler] = {m.History: history, m.Record: record}
