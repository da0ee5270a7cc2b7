"""Changes of a match, one after the other, for any number of readers."""

import asyncio
from collections.abc import AsyncIterator
from typing import Literal, NamedTuple

from tavla_protocol import messages as m
from tavla_protocol.view import View

from tavla_client.errors import ClientError

What = Literal["snapshot", "update", "plays", "presence", "replaced", "said", "watchers", "rematched", "odd"]


class Change(NamedTuple):
    """The match after something changed.

    what: `snapshot` (anything may differ), `update` (one step), `plays` (legal plays have come), `presence`
    (a player's connection was lost or is back), `replaced` (another connection of ours plays now; this one watches),
    `said` (see `Change.said`), `watchers` (others watch than before), `rematched` (see `Match.next`),
    `odd` (`Match.oddities` has one more).
    """

    what: What
    seq: int
    view: View
    online: tuple[bool, bool]
    said: m.Said | None = None


class Changes:
    """A chain of changes that each reader walks at its own pace, holding only what is unread.

    error: why no more will come.
    """

    def __init__(self, first: Change) -> None:
        self.error: ClientError | None = None
        self._last = _Link(first)

    def add(self, change: Change) -> None:
        """Add the change that has just happened."""
        if not self._last.next.done():
            link = _Link(change)
            self._last.next.set_result(link)
            self._last = link

    def end(self, error: ClientError | None) -> None:
        """End the chain: no more changes will come."""
        if not self._last.next.done():
            self.error = error
            self._last.next.set_result(None)

    async def next(self) -> Change | None:
        """Wait for the next change; None when no more will come. Raises: ClientError, when that is an error."""
        link = await self._after(self._last)
        return link.change if link is not None else None

    def walk(self, newest: bool) -> AsyncIterator[Change]:
        """The last change as a `snapshot`, then every one from now on; see `Match.changes`."""
        return self._walk(self._last, newest)

    async def _walk(self, link: "_Link", newest: bool) -> AsyncIterator[Change]:
        yield link.change._replace(what="snapshot", said=None)
        while (after := await self._after(link)) is not None:
            link = after
            while newest and link.next.done() and (after := link.next.result()) is not None:
                link = after
            yield link.change

    async def _after(self, link: "_Link") -> "_Link | None":
        after = await asyncio.shield(link.next)  # shielded: one reader that gives up must not end the others
        if after is None and self.error is not None:
            raise self.error
        return after


class _Link:
    """Change and, later, the next one."""

    __slots__ = ("change", "next")

    def __init__(self, change: Change) -> None:
        self.change = change
        self.next: asyncio.Future[_Link | None] = asyncio.get_running_loop().create_future()
