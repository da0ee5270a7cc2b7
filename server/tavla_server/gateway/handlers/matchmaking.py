"""Quick match: wait for an opponent with the same rules."""

import math

from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import HeldBack, Refused, TooManyPools
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.handlers.tables import check_may_play, current_player
from tavla_server.gateway.handlers.terms import read_rules
from tavla_server.gateway.routes import Route, Routes
from tavla_server.lobby.match_queue import POOLS_LIMIT

# Options that people choose; a preset brings the rest. With more to choose from, hardly two would want the same.
OPTIONS = ("preset", "variant", "length", "cube", "clock", "delay_s", "reserve_s", "rated")

OWED_LIMIT = 4  # matches that wait for the player's seed, on this node: a program's come within milliseconds
OWED_S = 1.0  # until it may ask again


async def seek(connection: Connection, request: m.Seek) -> None:
    """Wait for an opponent; the match begins as soon as there is one."""
    matchmaker, rules = connection.services.matchmaker, _rules(request.rules)
    connection.following.check_room()
    await current_player(connection, rules)
    await check_may_play(connection)
    await _check_owes_little(connection)
    try:
        pairing = await matchmaker.enqueue(connection, rules, request.commitment, request.id, request.seeker)
    except TooManyPools:
        text = f"you seek {POOLS_LIMIT} kinds of match already: give them up first"
        raise Refused(ErrorCode.TOO_MANY, text) from None
    except HeldBack as held:
        raise _held_back(held) from None
    connection.send(m.Ok(id=request.id))
    if pairing is not None:
        await matchmaker.start(pairing)


async def unseek(connection: Connection, request: m.Unseek) -> None:
    """Wait no longer."""
    await connection.services.matchmaker.withdraw(connection)
    connection.send(m.Ok(id=request.id))


async def _check_owes_little(connection: Connection) -> None:
    """Raises: Refused for a player who would leave many opponents waiting at a time, each for a seed."""
    services, player = connection.services, connection.player.id
    sessions = [services.registry.live.get(match) for match in await services.tables.played.of(player)]
    records = [session.record for session in sessions if session is not None and not session.record.over]
    if sum(record.seat_of(player) in record.unrevealed for record in records) >= OWED_LIMIT:
        text = f"{OWED_LIMIT} matches of yours wait for a seed of yours for the dice: reveal it first"
        raise Refused(ErrorCode.UNREVEALED, text, OWED_S)


def _held_back(held: HeldBack) -> Refused:
    why = []
    if held.voids:
        matches = "a match was" if held.voids == 1 else f"{held.voids} matches were"
        why.append(f"{matches} void, since no seed for the dice came from you")
    if held.left > 1 or not held.voids:
        why.append(f"you have left {held.left} matches, or let your time run out")
    text = f"quick match takes you again in {math.ceil(held.wait_s)} s: {'; '.join(why)}"
    code = ErrorCode.UNREVEALED if held.voids else ErrorCode.LEFT_MATCHES
    return Refused(code, text, math.ceil(10 * held.wait_s) / 10)


def _rules(wanted: dict[str, bool | int | str]) -> Rules:
    if others := wanted.keys() - set(OPTIONS):
        text = f"quick match has no option {min(others)!r:.40}: open a table, or choose from {', '.join(OPTIONS)}"
        raise Refused(ErrorCode.BAD_RULES, text)
    return read_rules(wanted, quick=True)


ROUTES: Routes = {m.Seek: Route(seek), m.Unseek: Route(unseek)}
