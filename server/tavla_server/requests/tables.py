"""Tables: opened, joined, followed, left, listed, cancelled."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from tavla_engine import actions as a
from tavla_engine.rules import BadRules, Rules, preset
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.ask import Decide, Refused, engine_decide
from tavla_server.meeting import arrive
from tavla_server.record import Cancelled, Created, Event, Player, Record, Seated, apply_all
from tavla_server.session import Session

if TYPE_CHECKING:
    from tavla_server.visit import Visit

TABLES_LIMIT = 32  # a player's, not over
MATCH_ID = re.compile(r"[a-z2-7]{8}")
CLAIM_S = 60.0  # a name whose table was never opened is free again


async def create(visit: Visit, request: m.Create) -> None:
    """Open a table and sit down."""
    tables = visit.services.tables
    changes: dict[str, Any] = dict(request.rules)
    try:
        rules = preset(str(changes.pop("preset", "tournament")), changes)
    except BadRules as error:
        raise Refused(ErrorCode.BAD_RULES, str(error)) from None
    player = await sitter(visit, rules)
    id_ = _match_id(player, request.id)
    visit.check_may_follow(id_)
    session = await visit.services.sessions.get(id_)
    if session.seq == 0:
        if len(await tables.played_by(player.id)) >= TABLES_LIMIT and not await _prune(visit):
            raise Refused(ErrorCode.TOO_MANY, f"you have {TABLES_LIMIT} tables: finish or cancel one first")
        name = request.name or player.name
        await tables.enter(id_, player.id, visit.services.clock.now_ms())
        await _claim(visit, name, id_)
        created = Created(name, rules, secrets.token_bytes(32))
        seat = secrets.randbelow(2) if request.side == "either" else ("white", "black").index(request.side)
        await visit.ask(session, request.id, _open(created, Seated(seat, player, request.seed)))
    visit.follow(session, request.id)


async def _prune(visit: Visit) -> bool:
    """Take out of a player's list what is over or never began; whether there was any. A crash may leave such lines."""
    tables, player = visit.services.tables, visit.peer.player
    gone = []
    for match in await tables.played_by(player.id):
        session = await visit.services.sessions.get(match)
        if session.record.over or (session.seq == 0 and await tables.age_s(match) > CLAIM_S):
            gone.append(match)
            await tables.drop(match, [player.id])
    return bool(gone)


async def _claim(visit: Visit, name: str, match: str) -> None:
    """Take a table's name, from a table that is over or never came to be if need be."""
    tables = visit.services.tables
    if await tables.claim(name, match):
        return
    holder = await tables.find(name)
    if holder is not None:
        session = await visit.services.sessions.get(holder)
        abandoned = session.seq == 0 and await tables.age_s(holder) > CLAIM_S
        if session.record.over or abandoned:
            await tables.release(name, holder)
            if await tables.claim(name, match):
                return
    await tables.drop(match, [visit.peer.player.id])
    raise Refused(ErrorCode.NAME_TAKEN, f"there is a table called {name}: choose another name for yours")


async def join(visit: Visit, request: m.Join) -> None:
    """Take the free seat."""
    session, player = await find(visit, request.table), visit.peer.player
    visit.check_may_follow(session.record.id)
    if session.record.seat_of(player.id) is None:
        if not session.record.open:
            raise Refused(ErrorCode.TABLE_FULL, "this table has no free seat: you can watch it")
        player = await sitter(visit, session.record.match.rules)
        await visit.services.tables.enter(session.record.id, player.id, visit.services.clock.now_ms())
        session.expect(visit.peer)
        try:
            await visit.ask(session, request.id, _sit(player, request.seed))
        except Refused:
            session.unexpect(visit.peer)
            await visit.services.tables.leave(session.record.id, player.id)
            raise
    visit.follow(session, request.id)


async def sitter(visit: Visit, rules: Rules) -> Player:
    """Who is about to sit down, rated as of this moment: the journal keeps that, and results count from there.

    To sit at a rated table is to agree that the result counts, with a program, too.
    Raises: Refused for guests at a rated table.
    """
    player = await visit.services.accounts.player(visit.peer.player.id)
    if player is None:
        raise Refused(ErrorCode.BAD_TOKEN, "your token was revoked or has expired: connect again with a name")
    if rules.rated and player.rating is None:
        raise Refused(ErrorCode.ACCOUNT_NEEDED, "rated tables are for accounts: register first, or play unrated")
    visit.peer.player = player
    return player


async def attach(visit: Visit, request: m.Attach) -> None:
    """Follow a match, as a player of it or as a watcher."""
    session = await find(visit, request.table)
    visit.check_may_follow(session.record.id)
    visit.follow(session, request.id, request.epoch, request.seq, request.plays)
    arrive(session, visit.peer.player.id)


async def detach(visit: Visit, request: m.Detach) -> None:
    """Follow a match no longer."""
    session = visit.followed.pop(request.match, None)
    if session is None:
        raise Refused(ErrorCode.NOT_ATTACHED, "you do not follow this match")
    session.detach(visit.peer)
    visit.services.sessions.forget_later(session)
    visit.send(m.Ok(id=request.id))


async def cancel(visit: Visit, request: m.Cancel) -> None:
    """Close one's own table before anyone joined it."""
    session = visit.followed.get(request.match) or await find(visit, request.match)
    if session.record.seat_of(visit.peer.player.id) is None:
        raise Refused(ErrorCode.NOT_SEATED, "this is not your table")
    await visit.ask(session, request.id, _cancel)
    visit.send(m.Ok(id=request.id, seq=session.seq))


async def find(visit: Visit, table: str) -> Session:
    """The session of a match, by its id or else by its table's name: nobody's name may hide another's match."""
    sessions = visit.services.sessions
    for match in (table if MATCH_ID.fullmatch(table) else None, await visit.services.tables.find(table)):
        if match is not None:
            session = await sessions.get(match)
            if session.seq:
                return session
            sessions.forget_empty(session)
    raise Refused(ErrorCode.NO_SUCH_MATCH, f"there is no table called {table}")


async def list_tables(visit: Visit, request: m.List) -> None:
    """What the lobby shows."""
    visit.send(m.Tables(id=request.id, tables=await visit.services.tables.lines()))


def _open(created: Created, seated: Seated) -> Decide:
    def decide(record: Record) -> tuple[list[Event], Record]:
        if record.name:
            raise Refused(ErrorCode.NAME_TAKEN, "this match id is in use: send the request again with another id")
        return [created, seated], apply_all(record, (created, seated))

    return decide


def _sit(player: Player, seed: str) -> Decide:
    """Take the free seat; the match begins at once."""

    def decide(record: Record) -> tuple[list[Event], Record]:
        if record.seat_of(player.id) is not None:
            return [], record
        if not record.open:
            raise Refused(ErrorCode.TABLE_FULL, "this table has no free seat: you can watch it")
        seated = Seated(record.players.index(None), player, seed)
        events, record = engine_decide(a.Ready(0), a.Ready(1))(apply_all(record, (seated,)))
        return [seated, *events], record

    return decide


def _cancel(record: Record) -> tuple[list[Event], Record]:
    if record.cancelled:
        return [], record
    if not record.open:
        raise Refused(ErrorCode.TABLE_FULL, "your opponent has sat down: you may forfeit the match")
    return [Cancelled()], record._replace(cancelled=True)


def _match_id(player: Player, request_id: int) -> str:
    """The same for the same request, so that one sent again after a lost connection opens no second table."""
    digest = hashlib.sha256(f"{player.id}:{request_id}".encode()).digest()
    return base64.b32encode(digest[:5]).decode().lower()


HANDLERS: dict[type[m.Asked], Callable[[Visit, Any], Awaitable[None]]] = {
    m.Create: create,
    m.Join: join,
    m.Attach: attach,
    m.Detach: detach,
    m.List: list_tables,
    m.Cancel: cancel,
}
