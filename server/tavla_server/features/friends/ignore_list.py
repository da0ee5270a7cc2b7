"""Ignore lists: whom players do not want to hear of, a set of player ids for each."""

from tavla_protocol import messages as m

from tavla_server.cluster.feed import IGNORED
from tavla_server.delivery.outbox import IGNORES_NOBODY
from tavla_server.features.lists.listings import Listings
from tavla_server.gateway.core import Core
from tavla_server.store import keys
from tavla_server.store.client import text

ON, OFF = b"1", b"0"


class IgnoreLists:
    """The ignore lists of all players. A change is published to all nodes: it holds at once on all connections."""

    def __init__(self, core: Core, listings: Listings) -> None:
        self._redis, self._feed, self._presence, self._listings = core.redis, core.feed, core.presence, listings
        self._most, self._add = core.limits.ignored, core.redis.script("add_to_list")
        core.feed.listen(IGNORED, self._row_changed)

    async def by(self, player: str) -> frozenset[str]:
        """The ids of those whom a player ignores."""
        ids = await self._redis.smembers(keys.PLAYER_IGNORED(player))
        return frozenset(map(text, ids)) if ids else IGNORES_NOBODY

    async def set(self, player: str, other: str, on: bool) -> bool:
        """Ignore another player, and follow it no longer; or take that back. False when the list is full."""
        lists = [keys.PLAYER_IGNORED(player), keys.PLAYER_FRIENDS(player), keys.PLAYER(player)]
        if not on:
            await self._redis.srem(lists[0], other)
        elif not await self._add(keys=lists, args=[other, self._most, 1]):
            return False
        self._apply(player, other, on)
        await self._feed.writer.announce(IGNORED, f"{player}:{other}", ON if on else OFF)
        return True

    def _row_changed(self, key: str, before: bytes | None, after: bytes | None) -> None:
        if after is not None:
            player, _, other = key.partition(":")
            self._apply(player, other, after == ON)

    def _apply(self, player: str, other: str, on: bool) -> None:
        for recipient in self._presence.connections_of(player):
            outbox = recipient.outbox
            ignored = outbox.ignored | {other} if on else outbox.ignored - {other}
            if outbox.ignored != ignored:
                outbox.ignored = ignored
                if outbox in (chat := self._listings.of("chat")).outboxes:  # other rows are hidden there now
                    outbox.send(chat.listing(outbox))
        if on:
            self._hide_tables(player, other)

    def _hide_tables(self, maker: str, watcher: str) -> None:
        """Show a watcher no more of an open table whose maker ignores it from now on: asked for, it is not there."""
        for recipient in self._presence.connections_of(watcher):
            for session in recipient.following.sessions:
                record = session.record
                if record.open and record.seat_of(maker) is not None:
                    recipient.following.remove([session])
                    newer = record.id, record.epoch, session.seq + 1, 0  # so that the client asks for it
                    recipient.send(m.Heartbeat(matches=[newer]))
