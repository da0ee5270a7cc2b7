"""The live data of the lobby: lists that the server keeps up to date, and private tables of the user."""

import asyncio
import time
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

from tavla_client import Client, ClientError, Lists
from tavla_protocol import messages as m

from tavla_cli.screens.full_screen import FullScreen
from tavla_cli.screens.lobby_selection import Selection
from tavla_cli.screens.lobby_state import Choice, Lobby

PRIVATE_POLL_S = 5.0  # between two looks at private tables of one's own, which no list shows


class LobbyFeed:
    """The feed of a lobby: its lists, followed as long as the screen is shown.

    lists: tables, matches, people, seekers. stack: for the list of what is said.
    """

    def __init__(self, client: Client, lists: Lists, stack: AsyncExitStack, screen: FullScreen) -> None:
        self._client, self._lists, self._stack, self._screen = client, lists, stack, screen
        self._chat: Lists | None = None  # not yet heard
        self._old = 0  # the last line that was said while the user was not here
        self._private: dict[str, m.Table] = {}  # one's own
        self._muted: set[str] = set()  # from here

    async def listen(self) -> None:
        """Hear what is said in the lobby from now on; all before is old."""
        if self._chat is None:
            self._chat = await self._stack.enter_async_context(self._client.lobby.lists("chat"))
        self._old = max(map(int, self._chat.rows["chat"]), default=0)

    def followers(self) -> list[Coroutine[Any, Any, None]]:
        """The work that keeps the screen up to date."""
        lists = filter(None, (self._lists, self._chat))
        return [*(self._follow(each) for each in lists), self._poll_private_tables()]

    async def mute(self, name: str, on: bool) -> None:
        """Hear nothing more of a person, or hear them again."""
        await self._client.lobby.ignore(name, on)
        self._muted ^= {name}

    def lobby(self, selection: Selection, notice: str, waiting: bool) -> Lobby:
        """The lobby as it is now."""
        rows, client = self._lists.rows, self._client
        lobby = Lobby(
            you=client.me.name or "",
            server=client.url,
            tables=rows["tables"] | {id_: table for id_, table in self._private.items() if None in table.players},
            matches=rows["matches"] | {id_: table for id_, table in self._private.items() if None not in table.players},
            people=rows["people"],
            seekers=rows.get("seekers", {}),
            now=int(time.time()),
            people_total=self._lists.total["people"],
            notice=notice if client.link.online else " connection lost, trying again",
            page=selection.page,
            wanted=selection.wanted,
            lines=self._chat.rows["chat"] if self._chat is not None else None,
            old=self._old,
            challenges=[known for known in client.challenges.open.values() if known.by != client.me.name],
            waiting=waiting,
            muted=self._muted,
            moderates=client.me.role != "",
        )
        chosen = selection.chosen  # one's own table may have become a match only now
        if chosen and chosen.what == "tables" and chosen.id in lobby.matches and lobby.mine(lobby.matches[chosen.id]):
            selection.chosen = Choice("matches", chosen.id)
        return replace(lobby, chosen=selection.settle(lobby.choices))

    async def _follow(self, lists: Lists) -> None:
        while True:
            try:
                await lists.wait_for_change()
            except ClientError as error:
                self._screen.end(error)
                return
            self._screen.redraw()

    async def _poll_private_tables(self) -> None:
        """Private tables of one's own, as long as there are any."""
        while True:
            try:
                mine = await self._client.lobby.tables("mine")
            except ClientError:
                return  # the lists tell of it
            self._private = {id_: table for id_, table in mine.items() if table.private}
            self._screen.redraw()
            if not self._private:
                return
            await asyncio.sleep(PRIVATE_POLL_S)
