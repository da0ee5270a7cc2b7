"""An opening roll that the player asks for. It was rolled, and the opponent has seen it: only showing it waits."""

import asyncio
from contextlib import suppress

from tavla_client import Change, Match
from tavla_protocol.view import View

from tavla_cli.input.terminal import Terminal
from tavla_cli.settings import SettingsFile

FIRST_S = 3.0  # until it is shown without a key, as in the page


class OpeningRoll:
    """Waits for the player, where they want to roll for first themselves."""

    def __init__(self, match: Match, terminal: Terminal, settings: SettingsFile) -> None:
        self._match, self._terminal, self._settings = match, terminal, settings
        self._wanted: asyncio.Event | None = None

    @property
    def waits(self) -> bool:
        """True while the player may roll for first."""
        return self._wanted is not None

    def roll(self) -> None:
        """Show it now."""
        if self._wanted is not None:
            self._wanted.set()

    async def ask(self, change: Change, before: View | None) -> bool:
        """Wait for the player, if a game begins by a roll. Returns: whether they were asked."""
        if before is None or not self._settings.now.first or self._match.seat is None:
            return False
        if change.what != "update" or change.view.game == before.game or not is_rolled_for(change.view):
            return False
        self._wanted = asyncio.Event()
        self._terminal.refresh()
        with suppress(TimeoutError):
            async with asyncio.timeout(FIRST_S):
                await self._wanted.wait()
        self._wanted = None
        return True


def is_rolled_for(view: View) -> bool:
    """True if a game has just begun with a die of each player, and waiting costs nobody any of their reserve."""
    opening = view.rules.get("opening")
    rolled = opening == "roll_off" or (opening == "winner" and view.game == 1)
    has_room = view.clock is None or view.clock[2] >= 2000 * FIRST_S
    return rolled and bool(view.dice) and not view.last and has_room
