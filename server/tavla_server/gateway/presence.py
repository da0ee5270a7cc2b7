"""Presence: the players connected to this node, published to all nodes."""

import asyncio
from collections import Counter
from collections.abc import Container

import msgspec
import structlog
from msgspec.structs import replace
from tavla_protocol.codec import pack
from tavla_protocol.messages import Person

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import NODES, PEOPLE, Feed, RowUpdate
from tavla_server.errors import StoreUnavailable
from tavla_server.gateway.client_address import network_of
from tavla_server.gateway.recipient import Recipient

FLUSH_S = 0.05  # those who come and go within it are published together
AT_ONCE = 100  # changes in one command: the store does nothing else meanwhile, for half a millisecond


class _PersonRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The row of a person online. network: of the address, see `client_address`; nobody is shown it."""

    name: str
    person: Person
    network: str = ""


_rows = msgspec.msgpack.Decoder(_PersonRow)

log = structlog.get_logger()


class Presence:
    """The presence of players: the connections to this node by player, and the players online anywhere."""

    def __init__(self, feed: Feed, clock: Clock, node: str) -> None:
        self._feed, self._clock, self._node = feed, clock, node
        self._connections: dict[str, tuple[Recipient, ...]] = {}  # mostly one; a set takes five times as much
        self._since: dict[str, int] = {}
        self._unpublished: set[str] = set()  # players who came or went
        self._wake = asyncio.Event()
        self._people = feed.rows(PEOPLE)
        self.people_at: Counter[str] = Counter()  # how many players are at each node
        feed.listen(PEOPLE, self._row_changed)

    def arrive(self, recipient: Recipient) -> None:
        """Add a connection that has said hello."""
        player = recipient.player.id
        self._since.setdefault(player, self._clock.now_ms())
        self._connections[player] = (*self._connections.get(player, ()), recipient)
        self.publish(player)

    def depart(self, recipient: Recipient) -> None:
        """A connection has ended."""
        player = recipient.player.id
        connections = tuple(other for other in self._connections.get(player, ()) if other is not recipient)
        if connections:
            self._connections[player] = connections
        else:
            self._connections.pop(player, None)
            self._since.pop(player, None)
        if not connections or recipient.available is not None:
            self.publish(player)

    def is_online(self, player: str) -> bool:
        """True if someone is connected to any node, as far as this one knows."""
        return player in self._connections or self._people.of(player) > 0

    def is_elsewhere(self, player: str) -> bool:
        """True if someone is connected to another node, as far as this one knows."""
        return self._people.of(player) > (f"{self._node}:{player}" in self._people)

    async def is_anywhere(self, player: str) -> bool:
        """True if someone is connected to any node, also to one of whose people this one is still reading the rows.

        Raises: StoreUnavailable.
        """
        if self.is_online(player):
            return True
        rows = (self._feed.find(PEOPLE, f"{node}:{player}") for node in self._feed.rows(NODES))
        return any(await asyncio.gather(*rows))

    def network(self, player: str) -> str:
        """The network of an online player, as limits count it; "" = unknown, or this machine itself."""
        if (own := self._connections.get(player)) is not None:
            return network_of(own[0].address)
        rows = (self._people.get(f"{node}:{player}") for node in self.people_at)
        return next((_rows.decode(row).network for row in rows if row is not None), "")

    def connections_of(self, player: str) -> list[Recipient]:
        """The connections of a player to this node."""
        return list(self._connections.get(player, ()))

    # --- published to all nodes ---

    def publish(self, player: str) -> None:
        """Let all nodes know how someone is now."""
        self._unpublished.add(player)
        self._wake.set()

    async def run(self) -> None:
        """Publish arrivals and departures. Runs until it is cancelled.

        No `Sweep`: who comes is shown at once, and thousands who come together in one go.
        """
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                await self._flush()
            except StoreUnavailable as error:
                log.warning("presence_not_published", error=str(error))
            await asyncio.sleep(FLUSH_S)

    async def _flush(self) -> None:
        while self._unpublished:
            players = list(self._unpublished)[:AT_ONCE]
            self._unpublished.difference_update(players)
            try:
                changes = [RowUpdate(PEOPLE, f"{self._node}:{player}", self._row(player)) for player in players]
                await self._feed.writer.put(*changes)
            except BaseException:
                self._unpublished.update(players)
                self._wake.set()
                raise

    def _row(self, player: str) -> bytes | None:
        connections = self._connections.get(player)
        if not connections:
            return None
        who = connections[0].player
        rating = None if who.rating is None else round(who.rating)
        person = Person(kind=who.kind, rating=rating, since=self._since[player] // 1000)
        said = max(
            (recipient.available for recipient in connections if recipient.available),
            key=lambda a: a.places,
            default=None,
        )
        if said is not None and said.places:
            person = replace(person, places=said.places, level=said.level, rules=said.rules)
        return pack(_PersonRow(who.name, person, network_of(connections[0].address)))

    async def evict_dead_nodes(self, dead: Container[str]) -> None:
        """Take out those who were connected to dead nodes. Raises: StoreUnavailable."""
        left = [RowUpdate(PEOPLE, key, None) for key in self._people if node_of(key) in dead]
        for start in range(0, len(left), AT_ONCE):
            await self._feed.writer.put(*left[start : start + AT_ONCE])

    async def close(self) -> None:
        """Publish that this node has no connections any more. Raises: StoreUnavailable."""
        await self._flush()

    # --- published by all nodes ---

    def _row_changed(self, key: str, before: bytes | None, after: bytes | None) -> None:
        node, _, player = key.partition(":")
        if node == self._node and (after is not None) != (player in self._connections):
            self.publish(player)  # taken out by a node that took us for dead, or they have gone meanwhile
        self.people_at[node] += (after is not None) - (before is not None)
        if not self.people_at[node]:
            del self.people_at[node]


def node_of(key: str) -> str:
    """The node that has put a row."""
    return key.partition(":")[0]


def unpack(row: bytes) -> tuple[str, Person]:
    """A person's name, and what the lobby shows, from a row."""
    known = _rows.decode(row)
    return known.name, known.person
