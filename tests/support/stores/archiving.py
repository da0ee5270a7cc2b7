"""Matches on their way to the archive."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from tavla_protocol import messages as m
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.store.client import Client

from tests.support.players.accounts import registered
from tests.support.players.matches import new_match
from tests.support.players.plain import Player
from tests.support.stores.journals import unsettled


@contextlib.asynccontextmanager
async def archive_at(url: str) -> AsyncIterator[Archive]:
    """The archive at a URL; its database is closed at the end."""
    database = Database(url)
    try:
        yield Archive(database)
    finally:
        await database.close()


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
