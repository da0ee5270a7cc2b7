"""Notices of what friends do, the players whom a player follows. Nobody is told who follows whom.

Each connection that has asked for notices is entered here under every friend of
its player, so that an event looks up its own player alone: where nobody follows, it costs one look.
"""

import asyncio
import itertools
from collections.abc import Iterable
from functools import partial
from typing import Literal

from msgspec.structs import replace
from tavla_protocol.codec import encode
from tavla_protocol.messages import Followed, Friend

from tavla_server.cluster.feed import FRIENDS, IGNORED, PEOPLE, TABLES
from tavla_server.delivery.fanout import FanOut
from tavla_server.delivery.frames import frame_of
from tavla_server.delivery.outbox import Outbox
from tavla_server.features.friends.friend_store import HUSHED, OFF, TOLD, FriendStore, KnownFriend
from tavla_server.features.friends.ignore_list import ON
from tavla_server.features.tables.tables import Note, Tables
from tavla_server.features.tables.tables import unpack as unpack_note
from tavla_server.gateway.core import Core
from tavla_server.gateway.presence import unpack as unpack_person
from tavla_server.telemetry.metrics import count_sent

FORGOTTEN = 2  # old times looked at when one is noted: more than are noted


class _Friend:
    """A player with followers on this node. outboxes: theirs. hushed: of those whom the friend ignores.

    is_shy: it does not want to be followed.
    """

    __slots__ = ("fanout", "hushed", "is_shy", "outboxes")

    def __init__(self) -> None:
        self.outboxes: dict[Outbox, None] = {}
        self.hushed: set[Outbox] = set()
        self.is_shy = False
        self.fanout = FanOut(_write)


class _Reading:
    """A list that is being read for a connection. stale: it is to be read anew, for something of it has changed."""

    def __init__(self, player: str) -> None:
        self.player, self.stale = player, True


class FriendNotices:
    """The notices of friends, and the connections to this node that get them."""

    def __init__(self, core: Core, store: FriendStore, tables: Tables) -> None:
        feed = self._feed = core.feed
        self._clock, self._presence, self._store, self._tables = core.clock, core.presence, store, tables
        self._quiet_ms = int(1000 * core.timings.friend_quiet_s)
        self._begun_ms = core.clock.now_ms()
        self._friends: dict[str, _Friend] = {}
        # Of players, a moment ago: when each was last there ("came"), and when which notice of it was last sent; the
        # oldest first. Whoever went with a node that was stopped has not come, also for followers who were there, too.
        self._last_ms: dict[tuple[str, str], int] = {}
        self._lists: dict[Outbox, set[str]] = {}  # of connections that get notices
        self._readings: list[_Reading] = []
        self._people = feed.rows(PEOPLE)
        for name in (FRIENDS, IGNORED):
            feed.listen(name, partial(self._list_changed, name))
        feed.listen(PEOPLE, self._person_changed)
        feed.listen(TABLES, self._table_changed)

    async def follow_list(self, player: str, outbox: Outbox, notices: bool) -> dict[str, Followed]:
        """A player's list, by name; and from now on its notices on this connection, or no longer.

        Raises: StoreUnavailable.
        """
        reading = _Reading(player)
        self._readings.append(reading)
        try:
            while reading.stale:
                reading.stale = False
                known = await self._store.known_to(player)
            self.leave(outbox)
            if notices:
                self._enter(outbox, known)
        finally:
            self._readings.remove(reading)
        rows = await asyncio.gather(*map(self._row, known))
        return {friend.player.name: row for friend, row in zip(known, rows, strict=True)}

    def leave(self, outbox: Outbox) -> None:
        """Send this connection no notices any more."""
        for id_ in self._lists.pop(outbox, ()):
            self._drop(outbox, id_)

    # --- lists ---

    async def _row(self, known: KnownFriend) -> Followed:
        friend = known.player
        rating = None if friend.rating is None else round(friend.rating)
        row = Followed(kind=friend.kind, rating=rating, shy=known.is_shy)
        if not self._presence.is_online(friend.id):
            return row
        listed = [(match, note) for match, note in await self._tables.of(friend.id) if note.listed]
        playing = next((match for match, note in listed if not note.open), "")
        return replace(row, online=True, match=playing, table=next((id_ for id_, note in listed if _waits(note)), ""))

    def _enter(self, outbox: Outbox, known: Iterable[KnownFriend]) -> None:
        self._lists[outbox] = {one.player.id for one in known}
        for player, is_shy, ignores in known:
            friend = self._follow(outbox, player.id, ignores)
            friend.is_shy = is_shy

    def _follow(self, outbox: Outbox, id_: str, is_hushed: bool) -> _Friend:
        friend = self._friends.setdefault(id_, _Friend())
        friend.outboxes[outbox] = None
        (friend.hushed.add if is_hushed else friend.hushed.discard)(outbox)
        return friend

    def _drop(self, outbox: Outbox, id_: str) -> None:
        friend = self._friends[id_]
        friend.outboxes.pop(outbox, None)
        friend.hushed.discard(outbox)
        if not friend.outboxes:
            del self._friends[id_]

    # --- what all nodes are told ---

    def _list_changed(self, name: str, key: str, before: bytes | None, value: bytes | None) -> None:
        if value is None:
            return
        player, _, other = key.partition(":")
        for reading in self._readings:
            reading.stale = reading.stale or not other or reading.player in (player, other)
        if name == FRIENDS and not other:
            if player in self._friends:
                self._friends[player].is_shy = value == TOLD
            return
        if name == FRIENDS or value == ON:  # to ignore a friend ends that, too
            state = value if name == FRIENDS else OFF
            for outbox in self._told(player):
                if state != OFF:
                    self._lists[outbox].add(other)
                    self._follow(outbox, other, state == HUSHED)
                elif other in self._lists[outbox]:
                    self._lists[outbox].remove(other)
                    self._drop(outbox, other)
        if name == IGNORED:
            for outbox in self._told(other):
                if player in self._lists[outbox]:
                    self._follow(outbox, player, value == ON)

    def _told(self, player: str) -> list[Outbox]:
        """The player's connections that get notices."""
        outboxes = (recipient.outbox for recipient in self._presence.connections_of(player))
        return [outbox for outbox in outboxes if outbox in self._lists]

    def _person_changed(self, key: str, before: bytes | None, after: bytes | None) -> None:
        player = key.partition(":")[2]
        if self._people.of(player) > (after is not None):
            return
        if after is None:
            self._note(player, "came")
        elif before is None and player in self._friends and not self._feed.loading:
            self._tell(player, Friend(name=unpack_person(after)[0], what="came"))

    def _note(self, player: str, what: str) -> None:
        now_ms = self._clock.now_ms()
        self._last_ms.pop((player, what), None)
        self._last_ms[player, what] = now_ms
        for key, ms in [*itertools.islice(self._last_ms.items(), FORGOTTEN)]:
            if now_ms - ms >= self._quiet_ms:
                del self._last_ms[key]

    def _table_changed(self, match: str, before: bytes | None, after: bytes | None) -> None:
        if not self._friends or after is None or self._feed.loading:
            return
        note = unpack_note(after)
        what = _event(unpack_note(before) if before else None, note)
        if what is None or note.table is None or self._friends.keys().isdisjoint(note.players):
            return
        told = {recipient.outbox for player in note.players for recipient in self._presence.connections_of(player)}
        names = [name for name in note.table.players if name is not None]
        for id_, name in zip(note.players, names, strict=True):
            if id_ in self._friends:
                opponent = next((other for other in names if other != name), None)
                told.update(self._tell(id_, Friend(name=name, what=what, match=match, opponent=opponent), told))

    def _tell(self, player: str, notice: Friend, but: Iterable[Outbox] = ()) -> Iterable[Outbox]:
        """Send a notice to the followers of a player, unless there was the same a moment ago. Returns to whom."""
        friend, now_ms = self._friends[player], self._clock.now_ms()
        # Those who come back after a start of this node have not come.
        never_ms = self._begun_ms if notice.what == "came" else now_ms - self._quiet_ms
        last_ms = self._last_ms.get((player, notice.what), never_ms)
        if friend.is_shy or now_ms - last_ms < self._quiet_ms:
            return ()
        self._note(player, notice.what)
        crowd = friend.outboxes.copy()
        for outbox in (*friend.hushed, *but):
            crowd.pop(outbox, None)
        friend.fanout.write_by_and_by(frame_of(encode(notice)), crowd)
        return crowd


def _event(was: Note | None, note: Note) -> Literal["plays", "opened"] | None:
    """The event that makes a difference between two rows of a table, for its players' followers."""
    if not note.listed or note.awaited:
        return None
    if note.open:
        return "opened" if _waits(note) and (was is None or was.table is None) else None
    return "plays" if was is None or was.table is None or was.open or was.awaited else None


def _waits(note: Note) -> bool:
    """True if anybody may sit down there."""
    return note.open and note.table is not None and note.table.opponent == "person"


def _write(outbox: Outbox, frame: bytes) -> None:
    if not outbox.write(frame):  # else it has much to read, and does not miss this
        count_sent(frame)
