"""The client: what one player can ask of a server."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Literal, Self

import msgspec
from tavla_protocol import messages as m

from tavla_client.channel import Channel
from tavla_client.connection import Link
from tavla_client.dispatcher import Dispatcher
from tavla_client.errors import ClientError, Refused
from tavla_client.identity import Identity
from tavla_client.lists import Lists
from tavla_client.match import Match
from tavla_client.pledges import Pledges
from tavla_client.record import fetch, patiently

GIVE_UP_S = 2.0  # for the server to hear that a seek is given up; a closed connection says so, too


class Client:
    """A player at a server: `async with Client(url, name="ada") as client`, or `connect` and `close`.

    name: of a new guest, or of an account with its password; without it and a token one looks on, at lists and matches,
    and is nobody. token: from an earlier welcome, to be the same player
    again; it goes before the name. bot: I am a program, and everyone shall see that.
    on_token: called with each token that the server gives; who keeps it can come back.
    on_link: called when the connection is there, when it is lost, and before each attempt to renew it; must not raise.
    pledges: where the seeds are kept that we commit to; a program that may be killed gives a folder.
    rng, sleep: chance and time of the reconnection, for tests.

    patience_s: the longest that a request waits for its answer, which a lost connection may hold up; None, as it is at
    first, for as long as it takes. What another player has to answer may always take its time.

    A lost connection is renewed by itself; requests wait meanwhile, and every match goes on where it was.

    Whatever leads to a match commits to a seed for its dice, a fresh one by default; `seed=""` declines. The client
    reveals it by itself when both players' and the server's commitments are there, and checks all dice (`Match.dice`).
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
        self._identity = Identity(name, password, token, bot, on_token)
        self._channel = Channel(url, self._identity, on_link, rng, sleep)
        self._pledges = pledges or Pledges()
        self._dispatcher = Dispatcher(self._channel, self._identity, self._pledges)
        self._pairing = self._dispatcher.pairing

    async def connect(self) -> None:
        """Say hello to the server, and stay connected until `close`.

        Raises: ConnectionFailed, or Refused for a name or token that the server does not take.
        """
        await self._channel.connect(self._dispatcher)

    async def close(self) -> None:
        """Disconnect for good. Whoever waits for something gets ConnectionFailed."""
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
        """See above."""
        return self._channel.patience_s

    @patience_s.setter
    def patience_s(self, seconds: float | None) -> None:
        self._channel.patience_s = seconds

    # --- what is known ---

    @property
    def url(self) -> str:
        """The server's address."""
        return self._channel.url

    @property
    def link(self) -> Link:
        """Whether the server can be reached now, and why not."""
        return self._channel.link

    @property
    def online(self) -> bool:
        """Whether the server can be reached now."""
        return self._channel.link.online

    @property
    def name(self) -> str | None:
        """Our name; None before the first welcome, unless we asked for one, and for one who looks on."""
        return self._identity.name

    @property
    def player(self) -> str | None:
        """The server's id for us; None before the first welcome."""
        return self._identity.player

    @property
    def kind(self) -> str:
        """guest, account or bot."""
        return self._identity.kind

    @property
    def rating(self) -> float | None:
        """Our rating as of the last welcome; None without an account."""
        return self._identity.rating

    @property
    def token(self) -> str | None:
        """What makes us the same player again; keep it secret."""
        return self._identity.token

    @property
    def matches(self) -> list[str]:
        """Ids of our matches that were not over at the last welcome, or were made for us since."""
        return self._identity.matches

    def can(self, feature: str) -> bool:
        """Whether the server says that it can do something that not every server can, see `codes.Feature`."""
        return feature in self._identity.features

    @property
    def ended(self) -> list[str]:
        """Ids of our matches that ended while we were away, as of the last welcome; attach to see how."""
        return self._identity.ended

    @property
    def on_seated(self) -> Callable[[m.Seated], None] | None:
        """Set it to be called when somebody sits down at a table that we have opened."""
        return self._dispatcher.tell_seated

    @on_seated.setter
    def on_seated(self, call: Callable[[m.Seated], None] | None) -> None:
        self._dispatcher.tell_seated = call

    @property
    def on_ended(self) -> Callable[[m.Ended], None] | None:
        """Set it to be called when a match of ours is over that none of our connections follows."""
        return self._dispatcher.tell_ended

    @on_ended.setter
    def on_ended(self, call: Callable[[m.Ended], None] | None) -> None:
        self._dispatcher.tell_ended = call

    @property
    def on_notice(self) -> Callable[[m.Notice], None] | None:
        """Set it to be called when those who run the server have something to say."""
        return self._dispatcher.tell_notice

    @on_notice.setter
    def on_notice(self, call: Callable[[m.Notice], None] | None) -> None:
        self._dispatcher.tell_notice = call

    @property
    def role(self) -> str:
        """`moderator`, or "" for everybody else; as of the last welcome."""
        return self._identity.role

    @property
    def voids(self) -> tuple[int, int]:
        """How many matches are void at the server, and of how many, as of the last welcome; (0, 0) = not counted."""
        return self._identity.voids

    @property
    def on_void(self) -> Callable[[Match], None] | None:
        """Set it to be called when a match that a seek of ours led to is void for want of a seed; the seek goes on."""
        return self._pairing.tell_void

    @on_void.setter
    def on_void(self, call: Callable[[Match], None] | None) -> None:
        self._pairing.tell_void = call

    @property
    def following(self) -> list[Match]:
        """The matches that we follow, without those that a seek or a challenge of ours still waits for."""
        return [match for match in self._dispatcher.matches.values() if match.id not in self._pairing.made]

    @property
    def challenges(self) -> dict[str, m.Challenged]:
        """The open challenges, by us and to us, by their ids."""
        return self._pairing.challenges

    @property
    def on_challenge(self) -> Callable[[m.Challenged], None] | None:
        """Set it to be called when someone challenges us."""
        return self._pairing.tell_challenge

    @on_challenge.setter
    def on_challenge(self, call: Callable[[m.Challenged], None] | None) -> None:
        self._pairing.tell_challenge = call

    @property
    def on_unchallenged(self) -> Callable[[m.Challenged, str], None] | None:
        """Set it to be called when a challenge to us is open no longer, with the verdict."""
        return self._pairing.tell_verdict

    @on_unchallenged.setter
    def on_unchallenged(self, call: Callable[[m.Challenged, str], None] | None) -> None:
        self._pairing.tell_verdict = call

    # --- matches ---

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

        private: not listed; whoever is to join or watch needs the match's `view.code`. spectators: others may watch.
        """
        request = m.Create(
            id=self._new_id(),
            name=name,
            rules=dict(rules or {}),
            side=side,
            commitment=self._pledges.make(seed),
            opponent=opponent,
            private=private,
            spectators=spectators,
        )
        return await self._match_by(request)

    async def join(self, table: str, *, seed: str | None = None, code: str = "") -> Match:
        """Take the free seat of a table, by its name or match id. code: a private table's."""
        return await self._match_by(
            m.Join(id=self._new_id(), table=table, commitment=self._pledges.make(seed), code=code)
        )

    async def attach(self, table: str, *, plays: bool = False, code: str = "") -> Match:
        """Follow a match: come back to our own, or watch. plays: send me my legal plays, if the rules allow it.

        code: a private table's, to watch there.
        """
        match = self._dispatcher.matches.get(table)
        if match is None:
            match = await self._match_by(m.Attach(id=self._new_id(), table=table, plays=plays, code=code))
            match.wants_plays = plays
            return match
        match.wants_plays = plays
        return await self._match_by(match.attach_request(self._new_id()))

    async def seek(
        self, rules: Mapping[str, bool | int | str] | None = None, *, seed: str | None = None, seeker: str = ""
    ) -> Match:
        """Quick match: wait for an opponent who wants the same rules, and until both of you are there.

        seeker: the key of a row of the list `seekers`: play that one, if it still waits for the same rules.

        Cancel it to give up. A match that was made in that very moment is among `matches` then.
        """
        request = m.Seek(id=self._new_id(), rules=dict(rules or {}), commitment=self._pledges.make(seed), seeker=seeker)
        try:
            return await self._match_by(request)
        except asyncio.CancelledError:
            await self._give_up(m.Unseek(id=self._new_id()))
            raise

    async def challenge(
        self,
        player: str,
        rules: Mapping[str, bool | int | str] | None = None,
        side: m.Side = "either",
        *,
        seed: str | None = None,
    ) -> Match:
        """Challenge someone who is online, and wait for the answer, a minute at most. Cancel it to take it back.

        Raises: Refused, with the code `declined`, `withdrawn` or `expired` when nothing comes of it.
        """
        request = m.Challenge(
            id=self._new_id(), player=player, rules=dict(rules or {}), side=side, commitment=self._pledges.make(seed)
        )
        return await self._challenged(request)

    async def rematch(self, match: str, *, seed: str | None = None) -> Match:
        """Another match like one that is over, if the opponent wants it too. Waits, and raises, as `challenge` does."""
        return await self._challenged(m.Rematch(id=self._new_id(), match=match, commitment=self._pledges.make(seed)))

    async def _challenged(self, request: m.Challenge | m.Rematch) -> Match:
        try:
            return await self._match_by(request)
        except asyncio.CancelledError:
            challenge = self._pairing.challenge_of(request)
            if challenge is not None:
                await self._give_up(m.Withdraw(id=self._new_id(), challenge=challenge))
            raise

    async def accept(self, challenge: str, *, seed: str | None = None) -> Match:
        """Accept one of `challenges`, and play."""
        request = m.Answer(id=self._new_id(), challenge=challenge, accept=True, commitment=self._pledges.make(seed))
        return await self._match_by(request)

    async def decline(self, challenge: str) -> None:
        """Decline one of `challenges`."""
        await self._channel.request(m.Answer(id=self._new_id(), challenge=challenge, accept=False))

    async def available(
        self, places: int, level: str = "", rules: Mapping[str, Sequence[bool | int | str]] | None = None
    ) -> None:
        """As a bot: everyone shall see that we play so many more of those who ask, until we say something else.

        level: how well. rules: options, and which of their values we play. See `on_challenge` and `challenges`.
        """
        conditions = {option: list(values) for option, values in (rules or {}).items()}
        offer = self._dispatcher.offer = m.Available(id=self._new_id(), places=places, level=level, rules=conditions)
        await self._channel.request(offer)

    async def ignore(self, player: str, on: bool = True) -> None:
        """Hear nothing more of someone; on=False takes it back."""
        await self._channel.request(m.Ignore(id=self._new_id(), player=player, on=on))

    async def chat(self, text: str = "", *, phrase: m.Phrase | None = None) -> None:
        """Say something in the lobby, with a fixed phrase or in our own words. We must follow the list `chat`."""
        await self._channel.request(m.Chat(id=self._new_id(), text=text, phrase=phrase))

    async def report(self, player: str, reason: str, match: str = "") -> None:
        """Tell the moderators of someone. match: where it happened, by its id."""
        await self._channel.request(m.Report(id=self._new_id(), player=player, reason=reason, match=match))

    # --- for moderators ---

    async def reports(
        self, about: str | None = None, by: str | None = None, *, closed: bool = False, after: str | None = None
    ) -> m.Reported:
        """A page of open reports, or of closed ones, the newest first. after: `next` of the page before."""
        return await self._channel.request(m.Reports(id=self._new_id(), about=about, by=by, closed=closed, after=after))

    async def resolve(self, report: str, reason: str) -> None:
        """Close a report. reason: what was decided; it is kept with the report."""
        await self._channel.request(m.Resolve(id=self._new_id(), report=report, reason=reason))

    async def inspect(self, player: str) -> m.Inspected:
        """What there is to know of someone before one decides."""
        return await self._channel.request(m.Inspect(id=self._new_id(), player=player))

    async def sanction(
        self,
        player: str,
        what: Literal["kick", "mute", "ban"],
        reason: str,
        *,
        minutes: int = 60,
        addresses: bool = False,
    ) -> None:
        """Kick, mute or ban someone. addresses: those from which the player is connected now, too."""
        request = m.Sanction(
            id=self._new_id(), player=player, what=what, reason=reason, minutes=minutes, addresses=addresses
        )
        await self._channel.request(request)

    async def pardon(self, player: str, what: Literal["mute", "ban"], reason: str) -> None:
        """End a mute or a ban."""
        await self._channel.request(m.Pardon(id=self._new_id(), player=player, what=what, reason=reason))

    async def adjudicate(self, match: str, verdict: m.Verdict, reason: str) -> None:
        """End a match, by its id or its table, for a side; or void it."""
        await self._channel.request(m.Adjudicate(id=self._new_id(), match=match, verdict=verdict, reason=reason))

    # --- what there is ---

    async def tables(self, what: Literal["tables", "matches", "mine"] = "tables") -> dict[str, m.Table]:
        """The open tables, the live matches, or those that we play, by match id."""
        listing = await self._channel.request(m.List(id=self._new_id(), what=what))
        return msgspec.convert(listing.rows, dict[str, m.Table])

    async def people(self) -> dict[str, m.Person]:
        """Who is online, by name."""
        listing = await self._channel.request(m.List(id=self._new_id(), what="people"))
        return msgspec.convert(listing.rows, dict[str, m.Person])

    def lists(self, *what: m.Subject) -> Lists:
        """Lists that stay as the server shows them: `async with client.lists("tables", "people") as lists`."""
        return Lists(self._channel, self._dispatcher.lists, *what)

    async def register(self, password: str) -> None:
        """Turn the guest that we are into an account, with the same name, id, token and matches."""
        await self._channel.request(m.Register(id=self._new_id(), password=password))
        career = await self.profile(self.name or "")
        self._identity.kind, self._identity.rating = career.kind, career.rating

    async def change_password(self, old: str, new: str) -> None:
        """Another password for our account; everyone else who is logged in with it is not any more."""
        await self._channel.request(m.Password(id=self._new_id(), old=old, new=new))

    async def logout(self, everywhere: bool = False) -> None:
        """Revoke our token, or all of our account's. A guest is forgotten. This client is of no more use then."""
        await self._channel.request(m.Logout(id=self._new_id(), everywhere=everywhere))
        self._identity.token = None

    async def profile(self, name: str) -> m.Career:
        """What is known of a player: rating, experience, and rated results."""
        return await self._channel.request(m.Profile(id=self._new_id(), name=name))

    async def close_account(self, password: str) -> None:
        """Close our account for good; in others' matches we become `someone`. This client is of no more use then."""
        await self._channel.request(m.CloseAccount(id=self._new_id(), password=password))
        self._identity.token = None

    async def history(self, name: str | None = None) -> AsyncIterator[m.Finished]:
        """The matches that someone has played to their end, newest first; our own without a name.

        They are asked for page by page, as fast as the server allows: stop when you have enough.
        """
        after: str | None = ""
        while after is not None:
            asked = m.History(id=self._new_id(), name=name, after=after)
            page = await patiently(self._channel, asked)
            for match in page.matches:
                yield match
            if page.next == after:
                raise ClientError("the server tells the same page again")
            after = page.next

    async def record(self, match: str, *, after: int = 0, code: str = "") -> m.Recorded:
        """What has happened in a match so far, finished or live, from its start. code: a private table's.

        after: only what came later than this seq; the view is left out then.
        """
        return await fetch(self._channel, match, after, code)

    async def top(self) -> list[m.Leader]:
        """The players with the highest ratings."""
        reply = await self._channel.request(m.Top(id=self._new_id()))
        return reply.leaders

    def _new_id(self) -> int:
        return self._channel.new_id()

    async def _match_by(self, request: m.RequestBase) -> Match:
        """The match that a request leads to, now or later."""
        try:
            match = await self._channel.request(request)
        except Refused:
            self._pledges.forget(getattr(request, "commitment", ""))
            raise
        assert isinstance(match, Match), f"{request} is answered with a match"
        return match

    async def _give_up(self, request: m.RequestBase) -> None:
        """Tell the server that we wait no longer, if it hears us soon."""
        with suppress(ClientError, TimeoutError):
            async with asyncio.timeout(GIVE_UP_S):
                await self._channel.request(request)
