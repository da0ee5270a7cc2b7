"""The lobby's lists: asked for, and kept as the specification tells a client to."""

from typing import Any

import msgspec
from tavla_protocol import messages as m

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.plain import Player, unique, within

Rows = dict[str, dict[str, Any]]


async def opened(player: Player, **fields: object) -> str:
    """A new table of a player; its match id."""
    snapshot = await player.get(m.Snapshot, m.Create, **{"name": unique("t"), **fields})
    return snapshot.match


class Watch:
    """A connection that follows lists. rows: by list, what it would show now."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.rows: dict[str, Rows] = {}
        self.seqs: dict[str, int] = {}
        self.changes: list[m.Changes] = []

    async def follow(self, what: str) -> Rows:
        """Subscribe to a list; its rows."""
        listing = await self.player.get(m.Listing, m.Subscribe, what=what)
        assert (listing.what, listing.total) == (what, len(listing.rows))
        self.rows[what], self.seqs[what] = dict(listing.rows), listing.seq
        return self.rows[what]

    def take(self, changes: m.Changes) -> None:
        """Take over the next changes of a list."""
        assert changes.seq == self.seqs[changes.what] + 1, "none is missing"
        assert changes.set or changes.gone, "something has changed"
        self.seqs[changes.what] = changes.seq
        self.changes.append(changes)
        rows = self.rows[changes.what]
        for key in changes.gone:
            del rows[key]
        rows |= changes.set
        assert len(rows) == changes.total

    async def until(self, what: str, wanted: Any, timeout_s: float = PATIENCE_S) -> Rows:
        """Wait until the rows of a list are as wanted: a function of them, or exactly these keys."""
        known = wanted if callable(wanted) else lambda rows: rows.keys() == wanted
        return await within(self._until(what, known), timeout_s)

    async def _until(self, what: str, wanted: Any) -> Rows:
        while not wanted(self.rows[what]):
            message = await self.player.find(_is_news)
            if isinstance(message, m.Changes):
                self.take(message)
            elif isinstance(message, m.Listing):  # in the place of changes that came faster than they were read
                self.rows[message.what], self.seqs[message.what] = dict(message.rows), message.seq
        return self.rows[what]


def _is_news(message: object) -> bool:
    """True if it tells of a list unasked."""
    return isinstance(message, m.Changes) or (isinstance(message, m.Listing) and message.id is None)


async def listed(player: Player, match: str, what: str = "tables") -> m.Table | None:
    """The lobby's row of a match, if there is one."""
    listing = await player.get(m.Listing, m.List, what=what)
    return msgspec.convert(listing.rows[match], m.Table) if match in listing.rows else None


async def until_listed(player: Player, match: str, what: str | None) -> None:
    """Wait until a match is in this list, or in none."""

    async def lists() -> list[str]:
        return [name for name in ("tables", "matches") if await listed(player, match, name)]

    await ask_until(lists, lambda found: found == ([what] if what else []))
