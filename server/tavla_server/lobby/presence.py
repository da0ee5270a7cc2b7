"""Who is here: the people connected to this node, told to all nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Container
from typing import TYPE_CHECKING

import msgpack
import msgspec
import structlog
from msgspec.structs import replace
from redis.exceptions import RedisError
from tavla_protocol.messages import Person

from tavla_server.cluster.clock import Clock
from tavla_server.lobby.feed import PEOPLE, Change, News

if TYPE_CHECKING:
    from tavla_server.gateway.connection import Visit

FLUSH_S = 0.05  # those who come and go within it are told together
AT_ONCE = 500  # changes in one command

log = structlog.get_logger()


class People:
    """The visits on this node by player, and who is online anywhere."""

    def __init__(self, news: News, clock: Clock, node: str) -> None:
        self._news, self._clock, self._node = news, clock, node
        self._visits: dict[str, set[Visit]] = {}
        self._since: dict[str, int] = {}
        self._untold: set[str] = set()  # players who came or went
        self._wake = asyncio.Event()
        self._nodes_of: dict[str, set[str]] = {}
        news.listen(self._heard)

    def arrive(self, visit: Visit) -> None:
        """Someone has said hello."""
        player = visit.peer.player.id
        self._since.setdefault(player, self._clock.now_ms())
        self._visits.setdefault(player, set()).add(visit)
        self.tell(player)

    def depart(self, visit: Visit) -> None:
        """A connection has ended."""
        player = visit.peer.player.id
        visits = self._visits.get(player, set())
        visits.discard(visit)
        if not visits:
            self._visits.pop(player, None)
            self._since.pop(player, None)
        if not visits or visit.available is not None:
            self.tell(player)

    def is_online(self, player: str) -> bool:
        """Whether someone is connected to any node, as far as this one knows."""
        return player in self._visits or player in self._nodes_of

    def visits_of(self, player: str) -> list[Visit]:
        """The connections of a player to this node."""
        return list(self._visits.get(player, ()))

    # --- told to all nodes ---

    def tell(self, player: str) -> None:
        """Tell all nodes how someone is now."""
        self._untold.add(player)
        self._wake.set()

    async def run(self) -> None:
        """Tell who comes and goes. Runs until it is cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                await self._flush()
            except (RedisError, OSError) as error:
                log.warning("people_not_told", error=str(error))
                self._wake.set()
            await asyncio.sleep(FLUSH_S)

    async def _flush(self) -> None:
        while self._untold:
            players = list(self._untold)[:AT_ONCE]
            self._untold.difference_update(players)
            try:
                changes = [Change(PEOPLE, f"{self._node}:{player}", self._row(player)) for player in players]
                await self._news.put(*changes)
            except BaseException:
                self._untold.update(players)
                raise

    def _row(self, player: str) -> bytes | None:
        visits = self._visits.get(player)
        if not visits:
            return None
        who = next(iter(visits)).peer.player
        rating = None if who.rating is None else round(who.rating)
        person = Person(kind=who.kind, rating=rating, since=self._since[player] // 1000)
        said = max((visit.available for visit in visits if visit.available), key=lambda a: a.places, default=None)
        if said is not None and said.places:
            person = replace(person, places=said.places, level=said.level, rules=said.rules)
        packed: bytes = msgpack.packb((who.name, msgspec.to_builtins(person)))
        return packed

    async def bury(self, dead: Container[str]) -> None:
        """Take the people of dead nodes out.

        Raises: redis.exceptions.RedisError, OSError.
        """
        left = [Change(PEOPLE, key, None) for key in self._news.rows(PEOPLE) if node_of(key) in dead]
        for start in range(0, len(left), AT_ONCE):
            await self._news.put(*left[start : start + AT_ONCE])

    async def close(self) -> None:
        """Nobody is connected any more: tell it.

        Raises: redis.exceptions.RedisError, OSError.
        """
        await self._flush()

    # --- told by all nodes ---

    def _heard(self, name: str, key: str, before: bytes | None, after: bytes | None) -> None:
        if name != PEOPLE:
            return
        node, _, player = key.partition(":")
        if node == self._node and (after is not None) != (player in self._visits):
            self.tell(player)  # taken out by a node that took us for dead, or they have gone meanwhile
        if after is not None:
            self._nodes_of.setdefault(player, set()).add(node)
        elif player in self._nodes_of:
            self._nodes_of[player].discard(node)
            if not self._nodes_of[player]:
                del self._nodes_of[player]


def node_of(key: str) -> str:
    """The node that has put a row."""
    return key.partition(":")[0]


def unpack(row: bytes) -> tuple[str, Person]:
    """A person's name, and what the lobby shows, from a row."""
    return msgspec.convert(msgpack.unpackb(row), tuple[str, Person])
