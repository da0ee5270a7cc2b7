"""Lobby: lists of tables and players, and words to all of them."""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from tavla_protocol import messages as m

from tavla_client.channel import Channel
from tavla_client.dispatcher import Dispatcher
from tavla_client.lists import Lists


class Lobby:
    """A server's lobby, with or without a seat at any of its tables.

    Raises, each request: Refused, ConnectionFailed.
    """

    def __init__(self, channel: Channel, dispatcher: Dispatcher) -> None:
        self._channel, self._dispatcher = channel, dispatcher

    def lists(self, *what: m.Subject) -> Lists:
        """Lists that stay as the server shows them: `async with client.lobby.lists("tables", "people") as lists`."""
        return Lists(self._channel, self._dispatcher.lists, *what)

    async def tables(self, what: Literal["tables", "matches", "mine"] = "tables") -> dict[str, m.Table]:
        """The open tables, the live matches, or those that we play, by match id."""
        listing = await self._channel.ask(m.List(id=self._channel.new_id(), what=what), m.Listing)
        return msgspec.convert(listing.rows, dict[str, m.Table])

    async def people(self) -> dict[str, m.Person]:
        """Players who are online, by name."""
        listing = await self._channel.ask(m.List(id=self._channel.new_id(), what="people"), m.Listing)
        return msgspec.convert(listing.rows, dict[str, m.Person])

    async def available(
        self, places: int, level: str = "", rules: Mapping[str, Sequence[bool | int | str]] | None = None
    ) -> None:
        """Show, as a bot, that we play so many more of those who ask, until we say something else.

        level: how well. rules: options, and which of their values we play. See `Callbacks.challenge` and `Challenges`.
        """
        conditions = {option: list(values) for option, values in (rules or {}).items()}
        id_ = self._channel.new_id()
        offer = self._dispatcher.offer = m.Available(id=id_, places=places, level=level, rules=conditions)
        await self._channel.request(offer)

    async def chat(self, text: str = "", *, phrase: m.Phrase | None = None) -> None:
        """Say something in the lobby, with a fixed phrase or in our own words. We must follow the list `chat`."""
        await self._channel.request(m.Chat(id=self._channel.new_id(), text=text, phrase=phrase))

    async def ignore(self, player: str, on: bool = True) -> None:
        """Hear nothing more of a player; on=False takes it back."""
        await self._channel.request(m.Ignore(id=self._channel.new_id(), player=player, on=on))

    async def report(self, player: str, reason: str, match: str = "") -> None:
        """Report a player to the moderators. match: where it happened, by its id."""
        await self._channel.request(m.Report(id=self._channel.new_id(), player=player, reason=reason, match=match))
