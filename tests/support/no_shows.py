"""Opponents who are paired and do not come."""

import time

from tavla_engine.rules import preset
from tavla_server.lobby import match_ids
from tavla_server.lobby.match_queue import MatchQueue, Pairing, Ticket, pool_of
from tavla_server.player import Player as Person
from tavla_server.store.client import Client

from tests.support.players import Player, unique


class NoShow:
    """A node that lets players be paired, and then is not heard of again."""

    def __init__(self, redis: Client, rules: dict[str, bool | int | str]) -> None:
        self.rules = preset("tournament", rules)
        self.queue = MatchQueue(redis, unique("node"))

    async def enqueue(self, player: Player | None = None) -> Pairing | None:
        """Wait, as somebody who is not there or as one who will come later."""
        now_ms = round(1000 * time.time())
        ticket = Ticket(
            id=unique("t"),
            pool=pool_of(self.rules),
            node=self.queue.node,
            player=Person(player.id, player.name or "") if player else Person(unique("id"), "nobody"),
            rating=1500.0,
            since_ms=now_ms,
            match=match_ids.drawn(),
            rules=self.rules,
        )
        return await self.queue.enqueue(ticket, now_ms)
