"""Challenges between two players, rematches among them: rows of the lobby feed, each for a minute at most.

A challenge is open, then it gets one verdict, the first; then its row goes. An accepted one leads to a match
of the same id. It is opened through the match's journal, so it does not matter which node does it, or if two do.
"""

from functools import partial
from typing import Literal

import msgspec
from msgspec.structs import replace
from tavla_engine.actions import Seat
from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.codec import encode, pack

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import ABSENT, CHALLENGES, Feed, RowUpdate
from tavla_server.lobby.ports import Recipient
from tavla_server.lobby.presence import Presence
from tavla_server.lobby.tables import Tables
from tavla_server.match.effects import Lane
from tavla_server.match.lifecycle import opened, submit_and_wait
from tavla_server.match.registry import Registry
from tavla_server.match.session import Session
from tavla_server.player import Player
from tavla_server.players.accounts import Accounts
from tavla_server.record.events import Seated, Terms
from tavla_server.record.projection import changed_options
from tavla_server.timings import DEFAULTS, Timings

Verdict = Literal["", "accepted", "declined", "withdrawn", "expired"]


class Challenge(msgspec.Struct, frozen=True, array_like=True):
    """by challenges to. seat: of by. commitments: to their seeds. since: in ms since 1970. rematch: of which match."""

    by: Player
    to: Player
    rules: Rules
    seat: Seat
    commitments: tuple[str, str]
    since: int
    terms: Terms = Terms()
    rematch: str = ""
    verdict: Verdict = ""


_unpack = msgspec.msgpack.Decoder(Challenge).decode


class Challenges:
    """All challenges, and on this node the connections that wait for an answer."""

    def __init__(
        self,
        feed: Feed,
        presence: Presence,
        tables: Tables,
        registry: Registry,
        accounts: Accounts,
        clock: Clock,
        lane: Lane,
        timings: Timings = DEFAULTS,
    ) -> None:
        """lane: for what accepted challenges lead to."""
        self._feed, self._presence, self._tables, self._registry = feed, presence, tables, registry
        self._accounts, self._clock, self._lane, self._timings = accounts, clock, lane, timings
        self._waiting: dict[str, Recipient] = {}
        feed.listen(self._row_changed)

    # --- what players do ---

    async def offer(self, id_: str, challenge: Challenge, recipient: Recipient) -> bool:
        """Challenge someone; `recipient` is taken to the match. False when there is a challenge of this id already."""
        self._waiting[id_] = recipient
        return bool(await self._feed.put(RowUpdate(CHALLENGES, id_, pack(challenge), most=ABSENT)))

    async def find(self, id_: str) -> Challenge | None:
        """A challenge that has not gone yet."""
        row = await self._feed.fetch(CHALLENGES, id_)
        return _unpack(row) if row else None

    def of(self, player: str) -> list[tuple[str, Challenge]]:
        """The open challenges by and to a player, as far as this node knows."""
        known = [(id_, _unpack(row)) for id_, row in self._feed.rows(CHALLENGES).items()]
        return [(id_, c) for id_, c in known if player in (c.by.id, c.to.id) and not c.verdict]

    async def end(self, id_: str, challenge: Challenge, verdict: Verdict) -> bool:
        """Decline, withdraw or expire; False when it has another verdict already."""
        if not await self._judge(id_, replace(challenge, verdict=verdict)):
            return False
        await self.drop(id_)
        return True

    async def accept(self, id_: str, challenge: Challenge, player: Player, commitment: str) -> Session | None:
        """Accept as `player`, open the match and give its session; None when it has another verdict already.

        `drop` the challenge then, when both are attached to the match.

        Raises: Refused.
        """
        if not challenge.verdict:
            commitments = challenge.commitments[0], commitment
            challenge = replace(challenge, to=player, commitments=commitments, verdict="accepted")
            if not await self._judge(id_, challenge):
                return None
        return await self._open(id_, challenge) if challenge.verdict == "accepted" else None

    async def _judge(self, id_: str, judged: Challenge) -> bool:
        """Give a challenge its verdict, unless it has one."""
        return bool(await self._feed.put(RowUpdate(CHALLENGES, id_, pack(judged), version=1, least=0, most=0)))

    async def _open(self, id_: str, accepted: Challenge) -> Session:
        """Open the match of an accepted challenge, unless it is open."""
        session = await self._registry.get(id_)
        if session.seq == 0:
            by, to = accepted.by, accepted.to
            await self._tables.enter(id_, by.id, to.id)
            by = await self._accounts.player(by.id) or by  # rated as of this moment
            ours, theirs = accepted.commitments
            seated = Seated(accepted.seat, by, commitment=ours), Seated(1 - accepted.seat, to, commitment=theirs)
            await submit_and_wait(session, opened(id_, accepted.rules, accepted.terms, *seated))
        return session

    def attach_challenger(self, id_: str, session: Session) -> None:
        """Attach the waiting player to the match, if he is on this node and not attached yet."""
        waiting = self._waiting.get(id_)
        if waiting is not None and not waiting.closed and waiting.following.of(id_) is None:
            waiting.send(m.Matched(match=id_))
            waiting.following.add(session)

    async def drop(self, id_: str) -> None:
        """Take a challenge out that has its verdict, and of which everything has come that will.

        Raises: StoreUnavailable.
        """
        await self._feed.put(RowUpdate(CHALLENGES, id_, None))

    # --- what time does ---

    async def sweep(self) -> None:
        """Let old challenges expire, and open matches that a dying node has left unopened. Raises: StoreUnavailable."""
        for id_, row in list(self._feed.rows(CHALLENGES).items()):
            challenge = _unpack(row)
            age_s = (self._clock.now_ms() - challenge.since) / 1000
            if not challenge.verdict and age_s > self._timings.challenge_s:
                await self.end(id_, challenge, "expired")
            elif age_s > self._timings.challenge_s + self._timings.left_over_s:
                # The node with the verdict died before it opened the match.
                if challenge.verdict == "accepted":
                    await self._open(id_, challenge)
                await self.drop(id_)

    # --- what players see ---

    def greet(self, recipient: Recipient) -> None:
        """Send a new connection the open challenges."""
        for id_, challenge in self.of(recipient.player.id):
            recipient.send(self.shown(id_, challenge))

    def shown(self, id_: str, challenge: Challenge, id: int | None = None) -> m.Challenged:  # noqa: A002
        """The message to both players. id: of the request that it answers."""
        return m.Challenged(
            id=id,
            challenge=id_,
            by=challenge.by.name,
            to=challenge.to.name,
            rules=changed_options(challenge.rules),
            seat=challenge.seat,
            rematch=challenge.rematch or None,
            expires=max(0, round(self._timings.challenge_s - (self._clock.now_ms() - challenge.since) / 1000)),
        )

    def _row_changed(self, name: str, key: str, before: bytes | None, after: bytes | None) -> None:
        if name != CHALLENGES:
            return
        challenge = _unpack(after or before or b"")
        if after is None:
            if challenge.verdict in ("", "accepted"):  # without a verdict, if we have missed it
                self._lane.put(key, partial(self._announce_start, key, challenge))
        elif not challenge.verdict:
            self._send(challenge, self.shown(key, challenge), but=self._waiting.get(key))
        elif challenge.verdict != "accepted":
            self._waiting.pop(key, None)
            self._send(challenge, m.Unchallenged(challenge=key, why=challenge.verdict))

    async def _announce_start(self, id_: str, challenge: Challenge) -> None:
        """The match has begun: attach the challenger, and tell all others whom it concerns."""
        session = await self._registry.get(id_)
        if session.seq == 0:
            self._waiting.pop(id_, None)
            self._send(challenge, m.Unchallenged(challenge=id_, why="withdrawn"))
            return
        self.attach_challenger(id_, session)
        waiting = self._waiting.pop(id_, None)
        self._send(challenge, m.Unchallenged(challenge=id_, why="accepted"), but=waiting)
        if challenge.rematch:
            old = await self._registry.get(challenge.rematch)
            rematched = encode(m.Rematched(match=old.record.id, next=id_))
            for outbox in old.audience.outboxes:
                if old.record.seat_of(outbox.player.id) is None:
                    outbox.send(rematched)
        self._registry.forget_later(session)

    def _send(self, challenge: Challenge, message: m.Message, but: Recipient | None = None) -> None:
        for player in (challenge.by, challenge.to):
            for recipient in self._presence.connections_of(player.id):
                if recipient is not but:
                    recipient.send(message)
