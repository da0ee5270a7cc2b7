"""Matches on their way to the archive."""

import asyncio
from collections.abc import Callable
from typing import Any

from tavla_protocol import messages as m
from tavla_server.store.client import Client

from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.players.accounts import registered
from tests.support.players.matches import new_match
from tests.support.players.plain import Player
from tests.support.stores.journals import unsettled


async def until(wanted: Callable[[], Any]) -> None:
    """Ask again and again."""
    async with asyncio.timeout(PATIENCE_S):
        while not await wanted():  # noqa: ASYNC110 - no event tells
            await asyncio.sleep(PAUSE_S)


async def played(url: str, rules: dict[str, bool | int | str], **create: Any) -> tuple[str, Player, Player]:
    """A match that is over by a forfeit, and its players."""
    white, black = Player(url), Player(url)
    for player in (white, black):
        await player.open()
        if rules.get("rated"):
            await registered(player)
    match = await new_match(white, black, rules, **create)
    await black.act(m.Forfeit, match)
    await white.until(match, lambda view: view.phase == "over")
    return match, white, black


async def empty(redis: Client) -> bool:
    return not await unsettled(redis)
