"""Moderators, as an operator makes them."""

from tavla_protocol import messages as m
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import Feed
from tavla_server.features.sanctions.ledger import Ledger
from tavla_server.store.client import Client, connection_to
from tavla_server.store.topology import find_topology

from tests.support.patience import ask_until
from tests.support.players.accounts import SECRET
from tests.support.players.plain import Player


async def ledger_on(redis: Client, url: str) -> Ledger:
    """The ledger of the store at this URL, to write to."""
    return Ledger(Feed(redis, await find_topology(url)), Clock())


async def appointed(player: Player, store_url: str) -> Player:
    """The same player, who gets an account if need be, and a moderator on the node it is connected to."""
    await player.ask(m.Register, password=SECRET)
    await _set_role(player, store_url, True)
    return player


async def dismissed(player: Player, store_url: str) -> None:
    """The player is no moderator any more, as soon as the node that it is connected to has heard of it."""
    await _set_role(player, store_url, False)


async def _set_role(player: Player, store_url: str, on: bool) -> None:
    async with connection_to(store_url) as redis:
        await (await ledger_on(redis, store_url)).appoint(player.id, on)
    await ask_until(lambda: player.ask(m.Reports), lambda found: isinstance(found, m.Reported) == on)
