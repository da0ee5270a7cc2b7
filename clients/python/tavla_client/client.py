"""Client of one player: its connection, and the ways to a match."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Self

from msgspec.structs import replace
from tavla_engine.claim import is_commitment
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_client.account import Account
from tavla_client.archive import Archive
from tavla_client.callbacks import Callbacks
from tavla_client.challenges import Challenges
from tavla_client.channel import Channel
from tavla_client.connection import Link
from tavla_client.dispatcher import Dispatcher
from tavla_client.errors import PlayStopped, Refused
from tavla_client.friends import Friends
from tavla_client.identity import Identity
from tavla_client.lobby import Lobby
from tavla_client.match import Match
from tavla_client.match_request import give_up, request_match
from tavla_client.moderation import Moderation
from tavla_client.pairing import GoneMatch
from tavla_client.pledges import Counts, Pledge, Pledges
from tavla_client.rules_request import asked_rules
from tavla_client.tournaments import Tournaments

LAG_S = 5.0  # by which a node may be behind another one
CLOCKS_MS = 60_000  # by which the server's clock and ours may differ
GONE_S = 30.0  # for a server that has begun anew to find its matches
GONE = "the server knows nothing more of a match that was not over: it may have disliked the dice"


class Client:
    """A player at a server: `async with Client(url, name="ada") as client`, or `connect` and `close`.

    name: of a new guest, or of an account with its password; without it and a token the client only looks on, at lists
    and matches. token: from an earlier welcome, to be the same player again; it goes before the name.
    bot: I am a program, and all players shall see that.
    on_token: called with each token that the server gives; a program that keeps it can come back.
    on_link: called when the connection is there, when it is lost, and before each attempt to renew it; must not raise.
    pledges: where the seeds are kept that we commit to; a program that may be killed gives a folder.
    rng, sleep: chance and time of the reconnection, for tests.

    me: the player that we are. lobby, friends, challenges, tournaments, archive, account, moderation: other requests,
    by their subjects.

    callbacks: functions to be called when the server tells of something; they may be replaced at any time.
    patience_s: the longest that a request waits for its answer, which a lost connection may hold up; None, as it is at
    first, for as long as it takes. What another player has to answer may always take its time.

    A lost connection is renewed by itself; requests wait meanwhile, and every match goes on where it was. A request
    raises Refused, with the server's sentence, or ConnectionFailed, when the client is closed or it waits too long.

    Each request for a match commits to a seed for its dice, 32 fresh bytes by default. The client reveals it by itself
    when the match has the rules that were asked for and all three commitments, and checks all dice (`Match.dice`).
    """

    def __init__(
        self,
        url: str,
        *,
        name: str | None = None,
        password: str | None = None,
        token: str | None = None,
        bot: bool = False,
        on_token: Callable[[str], None] | None = None,
        on_link: Callable[[Link], None] | None = None,
        pledges: Pledges | None = None,
        rng: random.Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.me = Identity(name, password, token, bot, on_token)
        self._channel = channel = Channel(url, self.me, on_link, rng, sleep)
        self._pledges, self._sleep = pledges or Pledges(), sleep
        self._dispatcher = Dispatcher(channel, self.me, self._pledges)
        self.lobby, self.friends = Lobby(channel, self._dispatcher), Friends(channel, self._dispatcher)
        self.challenges = Challenges(channel, self._dispatcher.pairing, self._pledges)
        self.tournaments = Tournaments(channel, self._dispatcher, self._pledges)
        self.archive, self.account, self.moderation = Archive(channel), Account(channel, self.me), Moderation(channel)

    async def connect(self) -> None:
        """Say hello to the server, and stay connected until `close`.

        Raises: ConnectionFailed, or Refused for a name or token that the server does not take.
        """
        await self._channel.connect(self._dispatcher)

    async def close(self) -> None:
        """Disconnect for good. Requests that wait for an answer raise ConnectionFailed."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def patience_s(self) -> float | None:
        """Seconds that an answer may take; None = any number."""
        return self._channel.patience_s

    @patience_s.setter
    def patience_s(self, seconds: float | None) -> None:
        self._channel.patience_s = seconds

    @property
    def callbacks(self) -> Callbacks:
        """Functions that are called when something happens that nobody asked for; another set may take their place."""
        return self._dispatcher.callbacks

    @callbacks.setter
    def callbacks(self, callbacks: Callbacks) -> None:
        self._dispatcher.callbacks = callbacks

    @property
    def url(self) -> str:
        """The server's address."""
        return self._channel.url

    @property
    def link(self) -> Link:
        """State of the connection: whether the server can be reached now, and why not."""
        return self._channel.link

    @property
    def counts(self) -> Counts:
        """Counts of our matches here that came to nothing, by whose doing, as far as `pledges` go back."""
        return self._pledges.counts

    @property
    def following(self) -> list[Match]:
        """The matches that we follow, without those that a seek or a challenge of ours still waits for."""
        made = self._dispatcher.pairing.made.values()
        return [match for match in self._dispatcher.matches.values() if match.id not in made]

    async def create(
        self,
        name: str | None = None,
        rules: Mapping[str, bool | int | str] | None = None,
        side: m.Side = "either",
        *,
        seed: str | None = None,
        opponent: m.Opponent = "person",
        private: bool = False,
        spectators: bool = True,
    ) -> Match:
        """Open a table and sit down. rules: `preset` and the options that differ from it.

        private: not listed; to join or watch, a player needs the match's `view.code`. spectators: others may watch.
        """
        request = m.Create(
            id=self._channel.new_id(),
            name=name,
            rules=dict(rules or {}),
            side=side,
            commitment=self._pledges.make(seed, asked_rules(rules or {})),
            opponent=opponent,
            private=private,
            spectators=spectators,
        )
        return await self._match_by(request)

    async def join(self, table: str, *, seed: str | None = None, code: str = "") -> Match:
        """Take the free seat of a table, by its name or match id. code: a private table's.

        Its rules have to be those of the match that we watch, or of its row in a list that we follow.
        """
        commitment = self._pledges.make(seed, self._dispatcher.shown_rules(table))
        return await self._match_by(m.Join(id=self._channel.new_id(), table=table, commitment=commitment, code=code))

    async def attach(self, table: str, *, plays: bool = False, code: str = "") -> Match:
        """Follow a match: come back to our own, or watch. plays: send me my legal plays, if the rules allow it.

        code: a private table's, to watch there.
        Raises: Refused. PlayStopped, when the server knows nothing more of a match of ours that is not over.
        """
        match = self._dispatcher.matches.get(table)
        if match is None:
            match = await self._attached(m.Attach(id=self._channel.new_id(), table=table, plays=plays, code=code))
            match.wants_plays = plays
            return match
        match.wants_plays = plays
        return await self._match_by(match.attach_request(self._channel.new_id(), takes_seat=True))

    async def seek(
        self, rules: Mapping[str, bool | int | str] | None = None, *, seed: str | None = None, seeker: str = ""
    ) -> Match:
        """Quick match: wait for an opponent who wants the same rules, and until both of you are there.

        seeker: the key of a row of the list `seekers`: play that one, if it still waits for the same rules.

        A match that is void for want of the opponent's seed is told (`Callbacks.void`), and the seek goes on.
        Raises: NoSeed, when that is so for the second time within an hour. PlayStopped, when the server has closed
        the match.

        Cancel it to give up. A match that was made in that very moment is among `me.matches` then.
        """
        commitment = self._pledges.make(seed, asked_rules(rules or {}, quick=True))
        request = m.Seek(id=self._channel.new_id(), rules=dict(rules or {}), commitment=commitment, seeker=seeker)
        try:
            return await self._match_by(request)
        except GoneMatch as gone:
            return await self.attach(str(gone))
        except asyncio.CancelledError:
            await give_up(self._channel, m.Unseek(id=self._channel.new_id()))
            raise

    async def _attached(self, request: m.Attach) -> Match:
        """A match that we do not follow yet, compared with what the ledger has of it."""
        kept = self._pledges.revealed_for(request.table or "")
        if kept is not None and kept.taken and is_commitment(kept.seed):  # of as many digits
            seeds = (kept.seed, "") if kept.seat == 0 else ("", kept.seed)
            request = replace(request, seed=kept.shown, seeds=seeds)
        try:
            match = await self._match_by(request)
        except Refused as refused:
            if kept is None or refused.code != ErrorCode.NO_SUCH_MATCH:
                raise
            gap = self.me.gone
            if gap is not None and gap[0] - CLOCKS_MS <= kept.seen_ms <= gap[1] + CLOCKS_MS:
                self._pledges.note(kept, replace(kept, end="put_back"))
                raise
            if await self._is_gone(kept):
                self._pledges.note(kept, replace(kept, fault=GONE, end="B"))
                raise PlayStopped(f"{GONE}. {self.counts.text}") from None
            if (found := self._dispatcher.matches.get(kept.match)) is None:
                raise
            return found
        if match.is_behind:
            if match.view.phase != "over":  # else no node can have more of it
                await self._sleep(LAG_S)
                await self._match_by(match.attach_request(self._channel.new_id()))
            match.note_behind()
            match.settle(is_made=False)
        return match

    async def _is_gone(self, kept: Pledge) -> bool:
        """True if the server knows nothing of a match of ours that it should know, and has not for GONE_S."""
        if not self._pledges.is_under_way(kept, self.me.player or ""):
            return False
        for wait_s in (0.0, GONE_S):
            await self._sleep(wait_s)
            for kind in (m.Record, m.Attach):
                try:
                    await self._channel.request(kind(id=self._channel.new_id(), match=kept.match))
                except Refused as refused:
                    if refused.code == ErrorCode.NO_SUCH_MATCH:
                        continue
                return False
        return True

    async def _match_by(self, request: m.RequestBase) -> Match:
        return await request_match(self._channel, self._pledges, request)
