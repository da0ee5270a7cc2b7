"""Tournaments: made, entered, left, and their standings."""

import asyncio
import unicodedata
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Literal

import msgspec
from msgspec.structs import replace
from tavla_protocol import messages as m

from tavla_client.channel import Channel
from tavla_client.dispatcher import Dispatcher
from tavla_client.errors import ClientError, Refused
from tavla_client.lists import Lists
from tavla_client.match import Match
from tavla_client.match_request import give_up, request_match
from tavla_client.pledges import Pledges
from tavla_client.record import ENDLESS, pages
from tavla_client.rules_request import whole_rules

MAX_PAIRINGS = 1_000_000  # ten hours of 1,000 players, who play a match in less than a minute each


class Tournaments:
    """The tournaments of a server; `client.lobby.lists("tournaments")` lists them.

    Raises, each request: Refused, ConnectionFailed.
    """

    def __init__(self, channel: Channel, dispatcher: Dispatcher, pledges: Pledges) -> None:
        self._channel, self._dispatcher, self._pledges = channel, dispatcher, pledges
        self._known: dict[str, dict[str, bool | int | str]] = {}  # tournament -> every option of its matches

    async def create(
        self,
        name: str,
        rules: Mapping[str, bool | int | str] | None = None,
        *,
        starts: int = 0,
        minutes: int = 60,
        format: m.Format = "arena",  # noqa: A002 - the field's name on the wire
        rounds: int = 0,
        private: bool = False,
        min_rating: int = 0,
        max_rating: int = 0,
    ) -> str:
        """Make a tournament; its id. See `CreateTournament`."""
        request = m.CreateTournament(
            id=self._channel.new_id(),
            name=name,
            rules=dict(rules or {}),
            starts=starts,
            minutes=minutes,
            format=format,
            rounds=rounds,
            private=private,
            min_rating=min_rating,
            max_rating=max_rating,
        )
        return (await self._channel.ask(request, m.Organised)).tournament

    async def enter(self, tournament: str, *, seed: str | None = None) -> Match:
        """Wait for a match of a tournament, until both players are there; after it, for the next one by another call.

        Cancel it to wait no longer. Raises: Refused, `tournament_over` when no more matches are made.
        """
        id_, commitment = self._channel.new_id(), self._pledges.make(seed, await self._rules(tournament))
        request = m.EnterTournament(id=id_, tournament=tournament, commitment=commitment)
        try:
            return await request_match(self._channel, self._pledges, request)
        except asyncio.CancelledError:
            await give_up(self._channel, m.LeaveTournament(id=self._channel.new_id(), tournament=tournament))
            raise

    async def _rules(self, tournament: str) -> dict[str, bool | int | str]:
        """Every option of a tournament's matches, as it is listed now."""
        if tournament not in self._known:
            with suppress(Refused, KeyError):  # there is none, which the entry is told
                self._known[tournament] = whole_rules((await self.row(tournament)).rules)
        return self._known.get(tournament, {})

    @property
    def calls(self) -> dict[str, m.Called]:
        """The tournaments that call us to a round now; `Callbacks.called` hears of each change."""
        return self._dispatcher.calls

    async def leave(self, tournament: str, *, returns: bool = False) -> None:
        """Wait for a match no longer; points stay. returns: we are called to the next round."""
        request = m.LeaveTournament(id=self._channel.new_id(), tournament=tournament, returns=returns)
        await self._channel.request(request)

    async def direct(
        self,
        tournament: str,
        what: Literal["begin", "halt", "resume", "extend", "remove", "add", "rename", "cancel"],
        reason: str,
        *,
        minutes: int = 0,
        player: str | None = None,
        name: str | None = None,
    ) -> None:
        """Direct a tournament that we made: see `DirectTournament`. extend: by so many minutes; 0 = it ends now."""
        id_ = self._channel.new_id()
        request = m.DirectTournament(
            id=id_, tournament=tournament, what=what, reason=reason, minutes=minutes, player=player, name=name
        )
        await self._channel.request(request)

    async def all(self) -> dict[str, m.Tournament]:
        """Tournaments that are to come, go on, or were over lately, by their ids."""
        listing = await self._channel.ask(m.List(id=self._channel.new_id(), what="tournaments"), m.Listing)
        return msgspec.convert(listing.rows, dict[str, m.Tournament])

    async def find(self, wanted: str) -> str:
        """The id of a tournament, by that or by its name; of several of a name, the last to begin.

        What is in no list is taken for an id, as of a private one.
        """
        known = await self.all()
        return wanted if wanted in known else next(iter(self.ids_of(wanted, known)), wanted)

    @staticmethod
    def ids_of(name: str, rows: Mapping[str, m.Tournament]) -> list[str]:
        """The ids of those rows that are called so, the last to begin first. Names are composed, and have no case."""
        found = [id_ for id_, row in rows.items() if _name_key(row.name) == _name_key(name)]
        return sorted(found, key=lambda id_: -rows[id_].starts)

    async def row(self, tournament: str) -> m.Tournament:
        """The row of a tournament that is not over, also of a private one."""
        request = m.List(id=self._channel.new_id(), what="tournament", tournament=tournament)
        listing = await self._channel.ask(request, m.Listing)
        return msgspec.convert(listing.rows[tournament], m.Tournament)

    async def past(self) -> AsyncIterator[tuple[str, m.Tournament]]:
        """Tournaments that are over, newest first, with their ids: stop when you have enough.

        Raises: ClientError, for pages that have no end.
        """
        async for held in pages(self._channel, m.PastTournaments(id=self._channel.new_id()), m.Held):
            for one in held.tournaments.items():
                yield one

    async def record(self, tournament: str) -> m.TournamentRecorded:
        """All that was played in a tournament, also in one that was over long ago, or so far.

        Raises: ClientError, for pages that have no end.
        """
        whole: m.TournamentRecorded | None = None
        request = m.TournamentRecord(id=self._channel.new_id(), tournament=tournament)
        async for page in pages(self._channel, request, m.TournamentRecorded):
            if (page.next or 0) > MAX_PAIRINGS:
                raise ClientError(ENDLESS)
            whole = page if whole is None else replace(whole, pairings=whole.pairings + page.pairings, next=None)
        assert whole is not None, "there is a first page"
        return whole

    def standings(self, tournament: str) -> Lists:
        """The standings as they are now: `async with client.tournaments.standings(id) as lists`."""
        return Lists(self._channel, self._dispatcher.lists, "standings", tournament=tournament)

    def rounds(self, tournament: str) -> Lists:
        """The standings, and the pairings of all rounds, likewise."""
        return Lists(self._channel, self._dispatcher.lists, "standings", "pairings", tournament=tournament)


def _name_key(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
