"""Challenges and rematches: offered, answered, withdrawn."""

import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from tavla_engine.errors import Reason
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import ArchiveUnavailable, Refused
from tavla_server.feature import Feature
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.archive.archive import Archive
from tavla_server.features.challenges.challenge_pair import Challenge, same_as
from tavla_server.features.challenges.open_challenges import OpenChallenges
from tavla_server.features.friends.ignore_list import IgnoreLists
from tavla_server.features.tables.requests import TableRequests
from tavla_server.features.tables.tables import Tables
from tavla_server.features.tables.terms import new_code, read_rules, seat_for
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.places import Places, Share
from tavla_server.gateway.routes import Route, by_player
from tavla_server.match import ids as match_ids
from tavla_server.match.session import Session
from tavla_server.player import Player
from tavla_server.record.state import Record
from tavla_server.sweeps import Sweep
from tavla_server.token_bucket import Rate


class Challenges(Feature):
    """Challenges of a player by another, rematches among them."""

    def __init__(
        self,
        core: Core,
        accounts: Accounts,
        archive: Archive | None,
        tables: Tables,
        table_requests: TableRequests,
        ignored: IgnoreLists,
    ) -> None:
        self._table_requests = table_requests
        self._core, self._accounts, self._archive, self._tables = core, accounts, archive, tables
        self._ignored = ignored
        self._places = Places(core.redis, core.clock, "open-challenges")
        self._unheard: dict[str, Challenge] = {}  # by id: those of players whom the other one ignores
        self.open_challenges = OpenChallenges(core, tables, accounts, self._places)
        self.routes = [
            Route(m.Challenge, self.challenge, CHALLENGES, cost=costs.A_CHANGE),
            Route(m.Answer, self.answer, cost=costs.A_CHANGE),
            Route(m.Withdraw, self.withdraw, cost=costs.A_CHANGE),
            Route(m.Rematch, self.rematch, CHALLENGES._replace(key=self._asker), cost=costs.A_CHANGE),
        ]
        self.sweeps = [Sweep("challenges", core.timings.sweep_s, self.open_challenges.sweep)]
        self.lanes = [self.open_challenges.lane]

    def greet(self, connection: Connection) -> None:
        """Send the open challenges."""
        for challenge in self.open_challenges.of(connection.player.id):
            connection.send(self.open_challenges.as_message(challenge))

    async def challenge(self, connection: Connection, request: m.Challenge) -> None:
        """Challenge someone who is online."""
        rules = read_rules(request.rules)
        other = await self._accounts.player_of_name(request.player)
        if other.id == connection.player.id:
            raise Refused(ErrorCode.NO_SUCH_PLAYER, "you cannot challenge yourself")
        player = await self._table_requests.current_player(connection, rules)
        if rules.rated and other.rating is None:
            raise Refused(ErrorCode.ACCOUNT_NEEDED, f"{other.name} is a guest, and rated matches are for accounts")
        id_, now_ms = match_ids.of_request(player.id, request.id), self._core.clock.now_ms()
        seat, commitments = seat_for(request.side), (request.commitment, "")
        offered = Challenge(id_, player, other, rules, seat, commitments, now_ms, request.side)
        await self._offer(connection, request.id, offered)

    async def _offer(self, connection: Connection, id: int, offered: Challenge) -> None:  # noqa: A002 - the field's name on the wire
        """Challenge someone, or accept what this player asks for already."""
        other = offered.to
        connection.following.check_room(offered.id)
        session = await self._core.registry.find(offered.id) or await self._begun(offered)
        if session is not None:  # accepted while the connection was lost
            connection.following.add(session, id)
            return
        await self._table_requests.check_may_play(connection)
        if not await self._core.presence.is_anywhere(other.id):
            raise Refused(ErrorCode.NOT_ONLINE, f"{other.name} is not here now")
        known = self.open_challenges.of(offered.by.id)
        known += [one for one in self._unheard.values() if one.by.id == offered.by.id]
        theirs = tuple(one for one in known if other.id in (one.by.id, one.to.id))
        if same_as(theirs, offered) is None:
            await self._take_place(offered)
        if offered.by.id in await self._ignored.by(other.id):
            connection.send(self.open_challenges.as_message(self._unheard_of(connection, offered), id))
            return
        found = await self.open_challenges.offer(offered, connection)
        if not found.verdict and (session := await self._core.registry.find(found.id)) is not None:
            await self.open_challenges.end(found, "withdrawn")  # its match had begun since we looked
            connection.following.add(session, id)
        elif found.verdict:
            await self._begin(connection, id, found)
        else:
            connection.send(self.open_challenges.as_message(found, id))

    async def _take_place(self, offered: Challenge) -> None:
        """Raises: Refused for more open challenges than a player may have."""
        most, timings = self._core.limits.open_challenges, self._core.timings
        text = f"{most} of your challenges wait for an answer: withdraw one first"
        lapses_s = timings.challenge_s + timings.left_over_s
        await self._places.take(offered.id, lapses_s, Share(offered.by.id, most, text))

    async def _begun(self, offered: Challenge) -> Session | None:
        """The match to which a challenge has led that was sent before: the other one had asked for the same."""
        for match in await self._tables.played.of(offered.by.id):
            session = await self._core.registry.find(match)
            if session is not None and offered.commitments[0] in session.record.commitments:
                return session
        return None

    async def _begin(self, connection: Connection, id: int, accepted: Challenge) -> None:  # noqa: A002
        """Take both players to the match of an accepted challenge."""
        session = await self.open_challenges.open(accepted)
        session.attendance.reserve_seat(connection.outbox)  # both are present in the first view
        self.open_challenges.waiting.attach(accepted, session)
        await self.open_challenges.drop(accepted)
        connection.following.add(session, id)

    def _unheard_of(self, connection: Connection, offered: Challenge) -> Challenge:
        """A challenge of which the other one hears nothing, since it ignores the challenger: declined in time."""
        theirs = tuple(one for one in self._unheard.values() if one.by == offered.by and one.to.id == offered.to.id)
        if (known := same_as(theirs, offered)) is not None:
            return known
        self._unheard[offered.id] = offered

        def decline() -> None:
            if self._unheard.pop(offered.id, None) is not None:
                connection.send(m.Unchallenged(challenge=offered.id, why="declined"))
                self.open_challenges.lane.put(offered.id, partial(self._places.free, offered.id))

        self._core.clock.call_later(random.uniform(*self._core.timings.decline_delay_s), decline)
        return offered

    async def answer(self, connection: Connection, request: m.Answer) -> None:
        """Accept or decline a challenge."""
        session = await self._core.registry.find(request.challenge)
        if session is not None and session.record.seat_of(connection.player.id) is not None:
            connection.following.add(session, request.id)  # answered before
            return
        offered = await self._found(request.challenge, lambda one: one.to, connection.player)
        if request.accept:
            if request.commitment is None:
                raise Refused(ErrorCode.BAD_COMMITMENT, "to accept takes a commitment to a fresh seed for the dice")
            await self._accept(connection, request.id, offered, request.commitment)
        elif await self.open_challenges.end(offered, "declined"):
            connection.send(m.Ok(id=request.id))
        else:
            raise _too_late()

    async def _accept(self, connection: Connection, id: int, offered: Challenge, commitment: str) -> None:  # noqa: A002
        connection.following.check_room(offered.id)
        await self._table_requests.check_may_play(connection)
        if not await self._core.presence.is_anywhere(offered.by.id):
            raise Refused(ErrorCode.NOT_ONLINE, f"{offered.by.name} has gone")
        player = await self._table_requests.current_player(connection, offered.rules)
        accepted = await self.open_challenges.accept(offered, player, commitment)
        if accepted is None:
            raise _too_late()
        await self._begin(connection, id, accepted)

    async def withdraw(self, connection: Connection, request: m.Withdraw) -> None:
        """Take back a challenge of one's own."""
        unheard = self._unheard.get(request.challenge)
        if unheard is not None and unheard.by.id == connection.player.id:
            del self._unheard[request.challenge]
            await self._places.free(request.challenge)
            connection.send(m.Unchallenged(challenge=request.challenge, why="withdrawn"))
            connection.send(m.Ok(id=request.id))
            return
        offered = await self._found(request.challenge, lambda one: one.by, connection.player)
        if not await self.open_challenges.end(offered, "withdrawn"):
            raise _too_late()
        connection.send(m.Ok(id=request.id))

    async def rematch(self, connection: Connection, request: m.Rematch) -> None:
        """Ask for another match like the last one; the second request accepts."""
        old = (await self._table_requests.find(connection, request.match)).record
        seat = old.seat_of(connection.player.id)
        if seat is None:
            raise Refused(ErrorCode.NOT_SEATED, "you did not play this match")
        opponent = old.players[1 - seat]
        if not old.over or opponent is None or old.cancelled:
            raise Refused(Reason.WRONG_PHASE, "a rematch can be had when the match is over")
        player = await self._table_requests.current_player(connection, old.match.rules)
        id_, now_ms = await self._id_of_rematch(old.id), self._core.clock.now_ms()
        offered = _again(id_, old, player, opponent, request.commitment, now_ms)
        await self._offer(connection, request.id, offered)

    async def _id_of_rematch(self, match: str) -> str:
        """The id of a rematch, of which a store that was brought back knows nothing, but a newer archive may."""
        archive, id_ = self._archive, match_ids.of_rematch(match)
        with suppress(ArchiveUnavailable):
            while archive is not None and await self._core.registry.find(id_) is None:
                if not await archive.archived_ids([id_]):
                    break
                id_ = match_ids.of_rematch(id_)
        return id_

    async def _found(self, id_: str, whose: Callable[[Challenge], Player], player: Player) -> Challenge:
        """A challenge that is up to a player. Raises: Refused."""
        found = await self.open_challenges.find(id_)
        if found is None or whose(found).id != player.id:
            raise _too_late()
        return found

    def _asker(self, connection: Connection, request: m.Rematch) -> str:
        """The player who asks for a rematch; "" when the opponent has asked: to accept costs nothing."""
        known = self.open_challenges.of(connection.player.id)
        return "" if any(challenge.rematch == request.match for challenge in known) else connection.player.id


def _again(id_: str, old: Record, player: Player, opponent: Player, commitment: str, now_ms: int) -> Challenge:
    seat = old.seat_of(player.id)
    assert seat is not None, "only a player of the match asks"
    won = list(old.terms.series)
    if old.match.outcome is not None and old.match.outcome.winner is not None:
        won[old.match.outcome.winner] += 1
    terms = old.terms._replace(code=new_code() if old.terms.code else "", series=(won[0], won[1]), tournament=None)
    side: m.Side = "black" if seat else "white"
    return Challenge(id_, player, opponent, old.match.rules, seat, (commitment, ""), now_ms, side, terms, old.id)


def _too_late() -> Refused:
    return Refused(ErrorCode.NO_SUCH_CHALLENGE, "there is no such challenge any more")


CHALLENGES = Rate(0.2, 10.0, "challenges", by_player, "you challenge too often")
