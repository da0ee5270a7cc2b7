"""The client: what one player can ask of a server."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal

import msgspec
from tavla_protocol import messages as m

from tavla_client.channel import Channel
from tavla_client.errors import ClientError
from tavla_client.lists import Lists
from tavla_client.match import Match

GIVE_UP_S = 2.0  # for the server to hear that a seek is given up; a closed connection says so, too
SEED_BYTES = 16  # of our own randomness in each match's dice


class Client(Channel):
    """A player at a server: `async with Client(url, name="ada") as client`.

    See `Channel` for what it takes, and for what happens when the connection is lost.
    """

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
            id=self.new_id(),
            name=name,
            rules=dict(rules or {}),
            side=side,
            seed=_seed(seed),
            opponent=opponent,
            private=private,
            spectators=spectators,
        )
        return await self.request(request)

    async def join(self, table: str, *, seed: str | None = None, code: str = "") -> Match:
        """Take the free seat of a table, by its name or match id. code: a private table's."""
        return await self.request(m.Join(id=self.new_id(), table=table, seed=_seed(seed), code=code))

    async def attach(self, table: str, *, plays: bool = False, code: str = "") -> Match:
        """Follow a match: come back to our own, or watch. plays: send me my legal plays, if the rules allow it.

        code: a private table's, to watch there.
        """
        match = self.inbox.matches.get(table)
        if match is None:
            match = await self.request(m.Attach(id=self.new_id(), table=table, plays=plays, code=code))
            match.wants_plays = plays
            return match
        match.wants_plays = plays
        await self.request(match.attach_request(self.new_id()), match)
        return match

    async def seek(self, rules: Mapping[str, bool | int | str] | None = None, *, seed: str | None = None) -> Match:
        """Quick match: wait for an opponent who wants the same rules, and until both of you are there.

        Cancel it to give up. A match that was made in that very moment is among `matches` then.
        """
        request = m.Seek(id=self.new_id(), rules=dict(rules or {}), seed=_seed(seed))
        try:
            return await self.request(request)
        except asyncio.CancelledError:
            with suppress(ClientError, TimeoutError):
                async with asyncio.timeout(GIVE_UP_S):
                    await self.request(m.Unseek(id=self.new_id()))
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
        request = m.Challenge(id=self.new_id(), player=player, rules=dict(rules or {}), side=side, seed=_seed(seed))
        return await self._challenged(request)

    async def rematch(self, match: str, *, seed: str | None = None) -> Match:
        """Another match like one that is over, if the opponent wants it too. Waits, and raises, as `challenge` does."""
        return await self._challenged(m.Rematch(id=self.new_id(), match=match, seed=_seed(seed)))

    async def _challenged(self, request: m.Challenge | m.Rematch) -> Match:
        try:
            return await self.request(request)
        except asyncio.CancelledError:
            for challenge in [key for key, id_ in self.inbox.opponents.challenging.items() if id_ == request.id]:
                with suppress(ClientError, TimeoutError):
                    async with asyncio.timeout(GIVE_UP_S):
                        await self.request(m.Withdraw(id=self.new_id(), challenge=challenge))
            raise

    async def accept(self, challenge: str, *, seed: str | None = None) -> Match:
        """Accept one of `challenges`, and play."""
        request = m.Answer(id=self.new_id(), challenge=challenge, accept=True, seed=_seed(seed))
        match = await self.request(request)
        assert isinstance(match, Match), "the server answers with the match"
        return match

    async def decline(self, challenge: str) -> None:
        """Decline one of `challenges`."""
        await self.request(m.Answer(id=self.new_id(), challenge=challenge, accept=False))

    async def available(
        self, places: int, level: str = "", rules: Mapping[str, Sequence[bool | int | str]] | None = None
    ) -> None:
        """As a bot: everyone shall see that we play so many more of those who ask, until we say something else.

        level: how well. rules: options, and which of their values we play. See `on_challenge` and `challenges`.
        """
        conditions = {option: list(values) for option, values in (rules or {}).items()}
        self.offer = m.Available(id=self.new_id(), places=places, level=level, rules=conditions)
        await self.request(self.offer)

    async def ignore(self, player: str, on: bool = True) -> None:
        """Hear nothing more of someone; on=False takes it back."""
        await self.request(m.Ignore(id=self.new_id(), player=player, on=on))

    async def chat(self, text: str = "", *, phrase: m.Phrase | None = None) -> None:
        """Say something in the lobby, with a fixed phrase or in our own words. We must follow the list `chat`."""
        await self.request(m.Chat(id=self.new_id(), text=text, phrase=phrase))

    async def tables(self, what: Literal["tables", "matches", "mine"] = "tables") -> dict[str, m.Table]:
        """The open tables, the live matches, or those that we play, by match id."""
        listing = await self.request(m.List(id=self.new_id(), what=what))
        return msgspec.convert(listing.rows, dict[str, m.Table])

    async def people(self) -> dict[str, m.Person]:
        """Who is online, by name."""
        listing = await self.request(m.List(id=self.new_id(), what="people"))
        return msgspec.convert(listing.rows, dict[str, m.Person])

    def lists(self, *what: m.Subject) -> Lists:
        """Lists that stay as the server shows them: `async with client.lists("tables", "people") as lists`."""
        return Lists(self, *what)

    async def register(self, password: str) -> None:
        """Turn the guest that we are into an account, with the same name, id, token and matches."""
        await self.request(m.Register(id=self.new_id(), password=password))
        career = await self.profile(self.name or "")
        self.kind, self.rating = career.kind, career.rating

    async def change_password(self, old: str, new: str) -> None:
        """Another password for our account; everyone else who is logged in with it is not any more."""
        await self.request(m.Password(id=self.new_id(), old=old, new=new))

    async def logout(self, everywhere: bool = False) -> None:
        """Revoke our token, or all of our account's. A guest is forgotten. This client is of no more use then."""
        await self.request(m.Logout(id=self.new_id(), everywhere=everywhere))
        self.token = None

    async def profile(self, name: str) -> m.Career:
        """What is known of a player: rating, experience, and rated results."""
        return await self.request(m.Profile(id=self.new_id(), name=name))

    async def top(self) -> list[m.Leader]:
        """The players with the highest ratings."""
        reply = await self.request(m.Top(id=self.new_id()))
        return reply.leaders


def _seed(seed: str | None) -> str:
    return secrets.token_hex(SEED_BYTES) if seed is None else seed
