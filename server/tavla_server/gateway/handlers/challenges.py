"""Challenges and rematches: offered, answered, withdrawn; and the blocklist."""

import random

from tavla_engine.errors import Reason
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.handlers.tables import check_may_play, current_player, find
from tavla_server.gateway.handlers.terms import read_rules, seat_for
from tavla_server.gateway.routes import RequestRate, Route, Routes, by_player
from tavla_server.lobby import match_ids
from tavla_server.lobby.challenges import Challenge
from tavla_server.player import Player
from tavla_server.record.state import Record
from tavla_server.token_bucket import Rate


async def challenge(connection: Connection, request: m.Challenge) -> None:
    """Challenge someone who is online."""
    rules = read_rules(request.rules)
    other = await connection.services.accounts.named(request.player)
    if other.id == connection.player.id:
        raise Refused(ErrorCode.NO_SUCH_PLAYER, "you cannot challenge yourself")
    player = await current_player(connection, rules)
    if rules.rated and other.rating is None:
        raise Refused(ErrorCode.ACCOUNT_NEEDED, f"{other.name} is a guest, and rated matches are for accounts")
    seat, now_ms = seat_for(request.side), connection.services.clock.now_ms()
    offered = Challenge(player, other, rules, seat, (request.commitment, ""), now_ms)
    await _offer(connection, request.id, match_ids.of_request(player.id, request.id), offered)


async def _offer(connection: Connection, id: int, id_: str, offered: Challenge) -> None:  # noqa: A002 - the field's name on the wire
    challenges, other = connection.services.challenges, offered.to
    connection.following.check_room(id_)
    session = await connection.services.registry.find(id_)
    if session is not None:  # accepted while the connection was lost
        connection.following.add(session, id)
        return
    await check_may_play(connection)
    if not await connection.services.presence.is_anywhere(other.id):
        raise Refused(ErrorCode.NOT_ONLINE, f"{other.name} is not here now")
    most = connection.services.limits.open_challenges
    if sum(known.by.id == offered.by.id for _, known in challenges.of(offered.by.id)) >= most:
        raise Refused(ErrorCode.TOO_MANY, f"{most} of your challenges wait for an answer: withdraw one first")
    if offered.by.id in await connection.services.blocklist.by(other.id):
        _decline_later(connection, id_)
    elif not await challenges.offer(id_, offered, connection):
        known = await _found(connection, id_, offered.by.id)
        if known.to.id == offered.by.id:  # both asked for a rematch at the same moment
            await _accept(connection, id, id_, known, offered.commitments[0])
            return
        offered = known
    connection.send(challenges.shown(id_, offered, id))


def _decline_later(connection: Connection, id_: str) -> None:
    """Decline in the name of one who ignores the challenger, and hears nothing of it."""
    declined = m.Unchallenged(challenge=id_, why="declined")
    services = connection.services
    services.clock.call_later(random.uniform(*services.timings.decline_delay_s), lambda: connection.send(declined))


async def answer(connection: Connection, request: m.Answer) -> None:
    """Accept or decline a challenge."""
    session = await connection.services.registry.find(request.challenge)
    if session is not None and session.record.seat_of(connection.player.id) is not None:
        connection.following.add(session, request.id)  # answered before
        return
    offered = await _found(connection, request.challenge, connection.player.id)
    if offered.to.id != connection.player.id:
        raise _too_late()
    if request.accept:
        await _accept(connection, request.id, request.challenge, offered, request.commitment)
    elif await connection.services.challenges.end(request.challenge, offered, "declined"):
        connection.send(m.Ok(id=request.id))
    else:
        raise _too_late()


async def _accept(connection: Connection, id: int, id_: str, offered: Challenge, commitment: str) -> None:  # noqa: A002
    connection.following.check_room(id_)
    await check_may_play(connection)
    if not await connection.services.presence.is_anywhere(offered.by.id):
        raise Refused(ErrorCode.NOT_ONLINE, f"{offered.by.name} has gone")
    player = await current_player(connection, offered.rules)
    session = await connection.services.challenges.accept(id_, offered, player, commitment)
    if session is None:
        raise _too_late()
    session.attendance.reserve_seat(connection.outbox)  # both are present in the first view
    connection.services.challenges.attach_challenger(id_, session)
    connection.following.add(session, id)
    await connection.services.challenges.drop(id_)


async def withdraw(connection: Connection, request: m.Withdraw) -> None:
    """Take back a challenge of one's own."""
    offered = await _found(connection, request.challenge, connection.player.id)
    if offered.by.id != connection.player.id:
        raise _too_late()
    if not await connection.services.challenges.end(request.challenge, offered, "withdrawn"):
        raise _too_late()
    connection.send(m.Ok(id=request.id))


async def rematch(connection: Connection, request: m.Rematch) -> None:
    """Ask for another match like the last one; the second request accepts."""
    old = (await find(connection, request.match)).record
    seat = old.seat_of(connection.player.id)
    if seat is None:
        raise Refused(ErrorCode.NOT_SEATED, "you did not play this match")
    opponent = old.players[1 - seat]
    if not old.over or opponent is None or old.cancelled:
        raise Refused(Reason.WRONG_PHASE, "a rematch can be had when the match is over")
    id_ = match_ids.of_rematch(old.id)
    waiting = await connection.services.challenges.find(id_)
    if waiting is not None and waiting.to.id == connection.player.id:
        await _accept(connection, request.id, id_, waiting, request.commitment)
        return
    player = await current_player(connection, old.match.rules)
    offered = _again(old, player, opponent, request.commitment, connection.services.clock.now_ms())
    await _offer(connection, request.id, id_, offered)


def _again(old: Record, player: Player, opponent: Player, commitment: str, now_ms: int) -> Challenge:
    seat = old.seat_of(player.id)
    assert seat is not None, "only a player of the match asks"
    won = list(old.terms.series)
    if old.match.outcome is not None and old.match.outcome.winner is not None:
        won[old.match.outcome.winner] += 1
    terms = old.terms._replace(series=(won[0], won[1]))
    return Challenge(player, opponent, old.match.rules, seat, (commitment, ""), now_ms, terms, old.id)


async def ignore(connection: Connection, request: m.Ignore) -> None:
    """Hear nothing more of someone."""
    other = await connection.services.accounts.named(request.player)
    if not await connection.services.blocklist.set(connection.player.id, other.id, request.on):
        most = connection.services.limits.ignored
        raise Refused(ErrorCode.TOO_MANY, f"you ignore {most} people: listen to one of them first")
    connection.send(m.Ok(id=request.id))


async def _found(connection: Connection, id_: str, player: str) -> Challenge:
    """A challenge by or to a player. Raises: Refused."""
    found = await connection.services.challenges.find(id_)
    if found is None or player not in (found.by.id, found.to.id):
        raise _too_late()
    return found


def _too_late() -> Refused:
    return Refused(ErrorCode.NO_SUCH_CHALLENGE, "there is no such challenge any more")


def _asker(connection: Connection, request: m.Rematch) -> str:
    """The player who asks for a rematch; "" when the opponent has asked: to accept costs nothing."""
    known, id_ = connection.services.challenges.of(connection.player.id), match_ids.of_rematch(request.match)
    return "" if any(challenge == id_ for challenge, _ in known) else connection.player.id


CHALLENGES = RequestRate("challenges", Rate(0.2, 10.0), by_player, "you challenge too often")
REMATCHES = CHALLENGES._replace(key=_asker)

ROUTES: Routes = {
    m.Challenge: Route(challenge, CHALLENGES),
    m.Answer: Route(answer),
    m.Withdraw: Route(withdraw),
    m.Rematch: Route(rematch, REMATCHES),
    m.Ignore: Route(ignore),
}
