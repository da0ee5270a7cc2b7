"""Quick match: wait for someone who wants the same."""

from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused, TooManyPools
from tavla_server.gateway.connection import Connection, Handler
from tavla_server.gateway.handlers.tables import check_may_play, sitter
from tavla_server.gateway.handlers.terms import read_rules
from tavla_server.lobby.match_queue import POOLS_LIMIT

# What people choose; a preset brings the rest. With more to choose from, hardly two would want the same.
OPTIONS = ("preset", "variant", "length", "cube", "clock", "delay_s", "reserve_s", "rated")


async def seek(connection: Connection, request: m.Seek) -> None:
    """Wait for an opponent; the match begins as soon as there is one."""
    matchmaker, rules = connection.services.matchmaker, _rules(request.rules)
    connection.check_may_follow("")
    await sitter(connection, rules)
    await check_may_play(connection)
    try:
        pairing = await matchmaker.enqueue(connection, rules, request.commitment, request.id, request.seeker)
    except TooManyPools:
        text = f"you seek {POOLS_LIMIT} kinds of match already: give them up first"
        raise Refused(ErrorCode.TOO_MANY, text) from None
    connection.send(m.Ok(id=request.id))
    if pairing is not None:
        await matchmaker.start(pairing)


async def unseek(connection: Connection, request: m.Unseek) -> None:
    """Wait no longer."""
    await connection.services.matchmaker.withdraw(connection)
    connection.send(m.Ok(id=request.id))


def _rules(wanted: dict[str, bool | int | str]) -> Rules:
    if others := wanted.keys() - set(OPTIONS):
        text = f"quick match has no option {min(others)!r:.40}: open a table, or choose from {', '.join(OPTIONS)}"
        raise Refused(ErrorCode.BAD_RULES, text)
    return read_rules(wanted, quick=True)


HANDLERS: dict[type[m.Asked], Handler] = {m.Seek: seek, m.Unseek: unseek}
