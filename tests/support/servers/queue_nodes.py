"""Nodes of the match queue, with time passed in."""

import secrets

from tavla_engine.rules import preset
from tavla_server.features.quick_match.match_queue import (
    OPEN_S,
    MatchQueue,
    Pairing,
    Ticket,
    Void,
)
from tavla_server.player import Player
from tavla_server.store import keys
from tavla_server.store.client import Client

from tests.support.players.plain import unique

RULES = preset("tournament")
OPEN_MS = round(1000 * OPEN_S)
Answers = list[Pairing | str | None]


class Node:
    """A node and its tickets, in a pool of the test's own. now_ms: what its clock shows."""

    def __init__(self, redis: Client, pool: str) -> None:
        self.now_ms = 1_700_000_000_000
        self.redis, self.pool = redis, pool
        self.queue = MatchQueue(redis, unique("node"))

    def ticket(self, player: str, rating: float = 1500.0, pool: str = "", waited_ms: int = 0) -> Ticket:
        """A ticket of a seeker who has waited for so long."""
        return Ticket(
            id=secrets.token_hex(8),
            pool=f"{self.pool}{pool}",
            node=self.queue.node,
            player=Player(f"{self.pool}-{player}", player),
            rating=rating,
            since_ms=self.now_ms - waited_ms,
            match=secrets.token_hex(4),
            rules=RULES,
        )

    async def enqueue(self, player: str, rating: float = 1500.0, pool: str = "", waited_ms: int = 0) -> Pairing | None:
        """Let a player begin to wait."""
        return await self.queue.enqueue(self.ticket(player, rating, pool, waited_ms), self.now_ms)

    async def renew(self, *waiting: Ticket) -> Answers:
        """Renew some tickets, put in those that are new, and return what has become of each."""
        return list(await self.queue.renew(waiting, self.now_ms))

    async def dies(self) -> None:
        """Let a node renew nothing for too long."""
        await self.redis.delete(keys.QUEUE_NODE(self.queue.node))


def names(pairing: Pairing | str | None) -> tuple[str, str]:
    """The names of a pair, the one that waited longer first."""
    assert isinstance(pairing, Pairing), pairing
    return pairing.tickets[0].player.name, pairing.tickets[1].player.name


async def void(node: Node, late: str, victim: str, match: str = "") -> None:
    """A match of two was void just now."""
    ids = f"{node.pool}-{late}", f"{node.pool}-{victim}"
    await node.queue.hold_back(Void(match or unique("m"), ids, ids[:1], node.now_ms))
