"""Opponents who are paired and do not come, or come and do not reveal their seed."""

import secrets
import time

from tavla_engine.dice import commitment
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_server.features.quick_match.match_queue import MatchQueue, Pairing, Ticket, pool_of
from tavla_server.match import ids as match_ids
from tavla_server.player import Player as Person
from tavla_server.store.client import Client

from tests.support.players.plain import Player, unique


class NoShow:
    """A node that lets players be paired, and then is not heard of again."""

    def __init__(self, redis: Client, rules: dict[str, bool | int | str]) -> None:
        self.rules = preset("tournament", rules)
        self.queue = MatchQueue(redis, unique("node"))

    async def enqueue(self, player: Player | None = None) -> Pairing | None:
        """Wait, as a player who is not there or will come later."""
        now_ms = round(1000 * time.time())
        ticket = Ticket(
            id=unique("t"),
            pool=pool_of(self.rules),
            node=self.queue.node,
            player=Person(player.id, player.name or "") if player else Person(unique("id"), "nobody"),
            rating=1500.0,
            since_ms=now_ms,
            match=match_ids.new_id(),
            rules=self.rules,
        )
        return await self.queue.enqueue(ticket, now_ms)


class NoReveal(Player):
    """A player whom quick match brings to one match after the other, and who never reveals a seed."""

    async def seek(self, rules: dict[str, bool | int | str]) -> str:
        """Wait for an opponent; the match, when its snapshot is here."""
        committed = commitment(secrets.token_bytes(32))
        await self.get(m.Ok, m.Seek, rules=rules, commitment=committed)
        match = (await self.next(m.Matched)).match
        await self.find(lambda message: isinstance(message, m.Snapshot) and message.match == match)
        return match
