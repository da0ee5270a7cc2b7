"""Challenges between two players, rematches among them: rows of the lobby feed, each for a minute at most.

A challenge is open, then it gets one verdict, the first; then it goes. All between the same two stand in one row, which
changes by compare-and-set: so whatever they ask for at the same moment, on whichever nodes, leads to one match, with
the id of its challenge. It is opened through the match's journal, so it does not matter which node does it, or if two
do.
"""

import secrets
from functools import partial

import msgspec
from tavla_protocol import messages as m
from tavla_protocol.codec import encode, pack

from tavla_server.cluster.feed import ABSENT, CHALLENGES, RowUpdate
from tavla_server.errors import Refused
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.challenges import challenge_pair as pair
from tavla_server.features.challenges.challenge_pair import Challenge, Change, Verdict
from tavla_server.features.tables.tables import Tables
from tavla_server.gateway.core import Core
from tavla_server.gateway.places import Places
from tavla_server.gateway.recipient import Recipient
from tavla_server.match.effects import Lane
from tavla_server.match.lifecycle import opening, sitting, submit_and_wait
from tavla_server.match.session import Session
from tavla_server.player import Player
from tavla_server.record.projection import changed_options

VERSION_BITS = 52  # of a row: drawn, so that no change is made to a row that has gone and come again


class ChallengeRow(msgspec.Struct, frozen=True, array_like=True):
    """The row of all challenges between two players."""

    version: int
    challenges: pair.Challenges


_decode = msgspec.msgpack.Decoder(ChallengeRow).decode


def _unpack(row: bytes | None) -> ChallengeRow:
    return _decode(row) if row else ChallengeRow(ABSENT, ())


def _key_of(challenge: Challenge) -> str:
    return pair.key_of(challenge.by.id, challenge.to.id)


class WaitingChallengers(dict[tuple[str, str], Recipient]):
    """The connections of this node that wait for an answer, by challenge and challenger."""

    def attach(self, accepted: Challenge, session: Session) -> None:
        """Attach the waiting player to the match, if he is on this node and not attached yet."""
        waiting = self.get((accepted.id, accepted.by.id))
        if waiting is not None and not waiting.closed and waiting.following.of(accepted.id) is None:
            waiting.send(m.Matched(match=accepted.id))
            waiting.following.add(session)


class OpenChallenges:
    """The open challenges. waiting: those who have made them, and are connected to this node."""

    def __init__(self, core: Core, tables: Tables, accounts: Accounts, places: Places) -> None:
        """places: that open challenges of a player take."""
        self._feed, self._presence, self._registry = core.feed, core.presence, core.registry
        self._clock, self._timings, self._tables, self._accounts = core.clock, core.timings, tables, accounts
        self._places, self.lane = places, Lane("challenges")  # for what accepted challenges lead to
        self.waiting = WaitingChallengers()
        self._keys: dict[str, str] = {}  # of rows, by challenge
        core.feed.listen(CHALLENGES, self._row_changed)

    # --- what players do ---

    async def offer(self, offered: Challenge, recipient: Recipient) -> Challenge:
        """Challenge someone; `recipient` is taken to the match.

        Returns: the challenge that now stands for it: accepted, if the other one has asked for the same.
        Raises: Refused for the other one's commitment.
        """
        waits = offered.id, offered.by.id
        is_first = waits not in self.waiting
        if is_first:
            self.waiting[waits] = recipient  # before the feed tells of it, which may be faster than the store
        self._keys[offered.id] = _key_of(offered)
        try:
            found = pair.same_as(await self._change(offered, pair.offer(offered)), offered)
        except Refused:
            del self._keys[offered.id]
            if is_first:
                del self.waiting[waits]
            raise
        assert found is not None, "it was added, or there is one that stands for it"
        if found.by == offered.by and found.commitments[0] == offered.commitments[0]:
            self.waiting[waits] = recipient  # sent again on another connection, it may be
        elif is_first:
            del self.waiting[waits]
        if found.id != offered.id:
            del self._keys[offered.id]
            await self._places.free(offered.id)
        return found

    async def find(self, id_: str) -> Challenge | None:
        """A challenge that has not gone yet."""
        key = self._keys.get(id_)
        return pair.with_id(_unpack(await self._feed.fetch(CHALLENGES, key)).challenges, id_) if key else None

    def of(self, player: str) -> list[Challenge]:
        """The open challenges by and to a player, as far as this node knows."""
        rows = [row for key, row in self._feed.rows(CHALLENGES).items() if player in key]
        known = [challenge for row in rows for challenge in _unpack(row).challenges]
        return [one for one in known if player in (one.by.id, one.to.id) and not one.verdict]

    async def end(self, challenge: Challenge, verdict: Verdict) -> bool:
        """Decline, withdraw or expire; False when it has another verdict already."""
        judged = pair.with_id(await self._change(challenge, pair.judge(challenge.id, verdict)), challenge.id)
        if judged is None or judged.verdict != verdict:
            return False
        await self.drop(challenge)
        return True

    async def accept(self, challenge: Challenge, player: Player, commitment: str) -> Challenge | None:
        """Accept as `player`. Returns: the challenge whose match begins, which may be another one of this moment.

        `open` the match then. None when there is none, since it has another verdict already.
        """
        return pair.accepted_one(await self._change(challenge, pair.accept(challenge.id, player, commitment)))

    async def open(self, accepted: Challenge) -> Session:
        """Open the match of an accepted challenge, unless it is open.

        `drop` the challenge then, when both are attached to the match.

        Raises: Refused.
        """
        session = await self._registry.get(accepted.id)
        if session.seq == 0:
            by, to = accepted.by, accepted.to
            await self._tables.enter(accepted.id, by.id, to.id)
            by = await self._accounts.player(by.id) or by  # rated as of this moment
            ours, theirs = accepted.commitments
            seated = sitting(accepted.seat, by, ours), sitting(1 - accepted.seat, to, theirs)
            met = await self._tables.meetings.count(accepted.id, accepted.rules, by.id, to.id)
            await submit_and_wait(session, opening(accepted.id, accepted.rules, accepted.terms, *seated, met=met))
        return session

    async def drop(self, challenge: Challenge) -> None:
        """Take a challenge out that has its verdict, and of which everything has come that will.

        Raises: StoreUnavailable.
        """
        await self._change(challenge, pair.drop(challenge.id))

    async def _change(self, challenge: Challenge, change: Change) -> pair.Challenges:
        """Change the challenges of the same two players, who may both be at it. Returns: what became of them."""
        key = _key_of(challenge)
        while True:
            before = _unpack(await self._feed.fetch(CHALLENGES, key))
            after = change(before.challenges)
            if after == before.challenges:
                return after
            version = secrets.randbits(VERSION_BITS)
            row = pack(ChallengeRow(version, after)) if after else None
            if await self._feed.writer.put(RowUpdate(CHALLENGES, key, row, version, before.version, before.version)):
                for id_ in pair.open_ids(before.challenges) - pair.open_ids(after):
                    await self._places.free(id_)
                return after

    # --- what time does ---

    async def sweep(self) -> None:
        """Let old challenges expire, and open matches that a dying node has left unopened. Raises: StoreUnavailable."""
        rows = list(self._feed.rows(CHALLENGES).values())
        for challenge in (one for row in rows for one in _unpack(row).challenges):
            age_s = (self._clock.now_ms() - challenge.since) / 1000
            if not challenge.verdict and age_s > self._timings.challenge_s:
                await self.end(challenge, "expired")
            elif age_s > self._timings.challenge_s + self._timings.left_over_s:
                # The node with the verdict died before it opened the match.
                if challenge.verdict == "accepted":
                    await self.open(challenge)
                await self.drop(challenge)

    # --- what players see ---

    def as_message(self, challenge: Challenge, id: int | None = None) -> m.Challenged:  # noqa: A002
        """The message to both players. id: of the request that it answers."""
        return m.Challenged(
            id=id,
            challenge=challenge.id,
            by=challenge.by.name,
            to=challenge.to.name,
            rules=changed_options(challenge.rules),
            seat=challenge.seat,
            rematch=challenge.rematch or None,
            expires=max(0, round(self._timings.challenge_s - (self._clock.now_ms() - challenge.since) / 1000)),
        )

    def _row_changed(self, key: str, before: bytes | None, after: bytes | None) -> None:
        old, new = ({one.id: one for one in _unpack(row).challenges} for row in (before, after))
        for id_, challenge in new.items():
            self._keys[id_] = key
            if challenge != old.get(id_):
                self._announce(challenge)
        for id_ in old.keys() - new.keys():
            self._keys.pop(id_, None)
            if old[id_].verdict in ("", "accepted"):  # without a verdict, if we have missed it
                self.lane.put(id_, partial(self._announce_start, old[id_]))

    def _announce(self, challenge: Challenge) -> None:
        """A challenge has come, or has got its verdict."""
        if not challenge.verdict:
            waiting = self.waiting.get((challenge.id, challenge.by.id))
            self._send(challenge, self.as_message(challenge), but=waiting)
        elif challenge.verdict != "accepted":
            self.waiting.pop((challenge.id, challenge.by.id), None)
            self._send(challenge, m.Unchallenged(challenge=challenge.id, why=challenge.verdict))

    async def _announce_start(self, challenge: Challenge) -> None:
        """The match has begun: attach the challenger, and tell all others whom it concerns."""
        session = await self._registry.get(challenge.id)
        if session.seq:
            self.waiting.attach(challenge, session)
        waiting = self.waiting.pop((challenge.id, challenge.by.id), None)
        if not session.seq:
            self._send(challenge, m.Unchallenged(challenge=challenge.id, why="withdrawn"))
            return
        self._send(challenge, m.Unchallenged(challenge=challenge.id, why="accepted"), but=waiting)
        if challenge.rematch:
            old = await self._registry.get(challenge.rematch)
            rematched = encode(m.Rematched(match=old.record.id, next=challenge.id, code=challenge.terms.code))
            for outbox in old.audience.outboxes:
                if old.record.seat_of(outbox.player.id) is None:
                    outbox.send(rematched)
        self._registry.unused.forget_later(session)

    def _send(self, challenge: Challenge, message: m.Message, but: Recipient | None = None) -> None:
        for player in (challenge.by, challenge.to):
            for recipient in self._presence.connections_of(player.id):
                if recipient is not but:
                    recipient.send(message)
