"""Lists of the lobby that are followed: always rows that the server has shown."""

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypedDict, get_args, get_type_hints

import msgspec
from tavla_protocol import messages as m

from tavla_client.channel import Channel
from tavla_client.connection import log
from tavla_client.errors import ClientError

UNSUBSCRIBE_S = 2.0  # for the server to hear that a list is left; a closed connection says so, too


class Rows(TypedDict, total=False):
    """The rows of each list that is followed: tables and matches by match id, people by name, chat by a number as text,
    higher for what was said later; seekers by a key; tournaments by id, standings by the player's name,
    pairings by a number as text, in the order in which they were made; `tournament` has one row."""

    tables: dict[str, m.Table]
    matches: dict[str, m.Table]
    people: dict[str, m.Person]
    chat: dict[str, m.Line]
    seekers: dict[str, m.Seeker]
    tournaments: dict[str, m.Tournament]
    standings: dict[str, m.Standing]
    pairings: dict[str, m.Pairing]
    tournament: dict[str, m.Tournament]


ROWS = {what: get_args(rows)[1] for what, rows in get_type_hints(Rows).items()}  # by list, as the wire has them
OF_TOURNAMENT = ("standings", "pairings", "tournament")


class Lists:
    """Lists as they are now: `async with client.lobby.lists("tables", "people") as lists`. For one reader.

    rows: what each list shows. total: how many rows each has; of a very long list the first are shown. Both stay as
    they were while the connection is lost, and are replaced when it is back.

    Entering raises ClientError.
    """

    def __init__(self, channel: Channel, followed: "list[Lists]", *what: m.Subject, tournament: str = "") -> None:
        """followed: all that the client follows; these are among them while they are entered. tournament: of
        `standings` and `pairings`.
        """
        self.what, self.tournament = what, tournament
        self.rows: Rows = {}
        self.total: dict[str, int] = {}
        self._rows: dict[str, dict[str, Any]] = self.rows  # type: ignore[assignment] # the same, by any name
        self._seqs: dict[str, int] = {}  # only of lists that are in step
        self._channel, self._followed = channel, followed
        self._changed = asyncio.Event()
        self._error: ClientError | None = None

    async def __aenter__(self) -> Self:
        self._followed.append(self)
        try:
            for what, tournament in self.subjects:
                subscribe = m.Subscribe(id=self._channel.new_id(), what=what, tournament=tournament)
                await self._channel.request(subscribe)
        except BaseException:
            self._followed.remove(self)
            raise
        self._changed.clear()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._followed.remove(self)
        others = {subject for lists in self._followed for subject in lists.subjects}
        with suppress(ClientError, TimeoutError):
            async with asyncio.timeout(UNSUBSCRIBE_S if self._channel.link.online else 0):
                for what, tournament in {*self.subjects} - others:
                    unsubscribe = m.Unsubscribe(id=self._channel.new_id(), what=what, tournament=tournament)
                    await self._channel.request(unsubscribe)

    @property
    def subjects(self) -> list[tuple[m.Subject, str]]:
        """The lists that are followed, each with its tournament, or ""."""
        return [(what, self.tournament if what in OF_TOURNAMENT else "") for what in self.what]

    async def wait_for_change(self) -> None:
        """Wait until a list has changed since this was last asked.

        Raises: ClientError, when the lists can be followed no longer.
        """
        await self._changed.wait()
        if self._error is not None:
            raise self._error
        self._changed.clear()

    # --- what the client's reader does ---

    def on_listing(self, listing: m.Listing) -> None:
        """Take a whole list."""
        if (listing.what, listing.tournament) in self.subjects:
            self._rows[listing.what] = _read(listing.what, listing.rows)
            self._took(listing)

    def on_changes(self, changes: m.Changes) -> bool:
        """Take the next changes. False when some before them are missing: a new listing has to be asked for."""
        seq = self._seqs.get(changes.what) if (changes.what, changes.tournament) in self.subjects else None
        if seq is None or changes.seq <= seq:
            return True  # not ours; or a listing that has them is on its way, or was here
        if changes.seq > seq + 1:
            del self._seqs[changes.what]
            return False
        rows = self._rows[changes.what]
        for key in changes.gone:
            rows.pop(key, None)
        rows |= _read(changes.what, changes.set)
        self._took(changes)
        return True

    def end(self, error: ClientError) -> None:
        """End: no more changes will come."""
        self._error = error
        self._changed.set()

    def _took(self, message: m.Listing | m.Changes) -> None:
        self._seqs[message.what], self.total[message.what] = message.seq, message.total
        self._changed.set()


def _read(what: str, rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Rows as values. One that a newer server fills in another way is left out."""
    read = {}
    for key, row in rows.items():
        try:
            read[key] = msgspec.convert(row, ROWS[what])
        except msgspec.ValidationError as error:
            log.warning("row %s of the list %s cannot be read: %s", key, what, error)
    return read
