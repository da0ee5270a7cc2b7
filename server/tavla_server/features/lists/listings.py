"""All lists of the lobby and of tournaments, made from this node's copy of the lobby feed."""

from collections import defaultdict
from collections.abc import Callable
from functools import partial

import msgspec
from tavla_protocol.messages import Pairing, Standing, Tournament

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import LISTS, PEOPLE, TOURNAMENTS, Feed
from tavla_server.cluster.packed_rows import PackedRows
from tavla_server.delivery.outbox import Outbox
from tavla_server.features.lists.live_list import NO_VEIL, LiveList, Shown, Veil
from tavla_server.gateway.presence import unpack as unpack_person
from tavla_server.limits import DEFAULT_LIMITS, Limits


class TournamentRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The row of a tournament in the feed.

    seq: of its journal, from where nodes read on. until_ms: it is over, the archive has it, and nothing is left to be
    done but to list it so long; 0 = there is.
    """

    seq: int
    shown: Tournament
    until_ms: int = 0


unpack_row = msgspec.msgpack.Decoder(TournamentRow).decode
# The lists that each tournament has.
OF_TOURNAMENT: dict[str, Callable[[bytes], Shown]] = {
    "standings": msgspec.msgpack.Decoder(Standing).decode,
    "pairings": msgspec.msgpack.Decoder(Pairing).decode,
    "tournament": msgspec.msgpack.Decoder(Tournament).decode,  # of its one row
}


class Listings:
    """The listings: all lists, and the clients that follow them."""

    def __init__(self, feed: Feed, clock: Clock, every_ms: int, limits: Limits = DEFAULT_LIMITS) -> None:
        """every_ms: between two changes of a list, at least."""
        self._people = feed.rows(PEOPLE)
        self._feed = feed
        self._listings: dict[str, LiveList] = {}
        self._made_of: defaultdict[str, list[LiveList]] = defaultdict(list)  # by list of the feed
        self._of_tournaments: dict[tuple[str, str], tuple[LiveList, PackedRows]] = {}  # by list and tournament
        self._context = clock, every_ms, limits
        self.add("people", PEOPLE, lambda row: unpack_person(row)[1])
        self.add("tournaments", TOURNAMENTS, _listed_tournament)
        for name in LISTS:
            feed.listen(name, partial(self._row_changed, name))

    def add(
        self,
        what: str,
        source: str,
        show: Callable[[bytes], Shown | None],
        veil: Callable[[bytes], Veil] = lambda _: NO_VEIL,
    ) -> None:
        """Add a list, made of a list of the feed. show: None = nothing of that row. veil: from whom it is hidden."""
        clock, every_ms, limits = self._context
        rows = self._feed.rows(source)
        list_ = self._listings[what] = LiveList(what, rows, clock, every_ms, show, limits, veil=veil)
        self._made_of[source].append(list_)

    def listing(self, what: str, outbox: Outbox, id: int, tournament: str = "") -> bytes:  # noqa: A002 - the field's name on the wire
        """The message that shows a list as it is now, as the answer to request `id`."""
        return self._list(what, tournament).listing(outbox, id)

    def subscribe(self, what: str, outbox: Outbox, id: int, tournament: str = "") -> None:  # noqa: A002
        """Show a list, and from now on its changes."""
        outbox.send(self.listing(what, outbox, id, tournament))
        self._list(what, tournament).add(outbox)

    def show_again(self, what: str, outbox: Outbox) -> None:
        """Show the whole list, if it is followed, to one for whom other rows are hidden now."""
        if self.follows(what, outbox):
            outbox.send(self._listings[what].listing(outbox))

    def follows(self, what: str, outbox: Outbox) -> bool:
        """True if a list's changes are shown there."""
        return outbox in self._listings[what].outboxes

    def unsubscribe(self, what: str, outbox: Outbox, tournament: str = "") -> None:
        """Show its changes no longer."""
        self._list(what, tournament).discard(outbox)

    def set_rows(self, what: str, tournament: str, rows: dict[str, bytes | None]) -> None:
        """Change rows of a list of a tournament."""
        list_, known = self._of_tournament(what, tournament)
        for key, row in rows.items():
            list_.change(key, known.change(key, row), row)

    def drop_rows(self, tournament: str) -> None:
        """A tournament is listed no longer."""
        for what in OF_TOURNAMENT:
            self._of_tournaments.pop((what, tournament), None)

    def _list(self, what: str, tournament: str) -> LiveList:
        return self._of_tournament(what, tournament)[0] if what in OF_TOURNAMENT else self._listings[what]

    def _of_tournament(self, what: str, tournament: str) -> tuple[LiveList, PackedRows]:
        if (found := self._of_tournaments.get((what, tournament))) is None:
            clock, every_ms, limits = self._context
            rows = PackedRows()
            list_ = LiveList(what, rows, clock, every_ms, OF_TOURNAMENT[what], limits, tournament)
            found = self._of_tournaments[what, tournament] = list_, rows
        return found

    @property
    def _all(self) -> list[LiveList]:
        return [*self._listings.values(), *(list_ for list_, _ in self._of_tournaments.values())]

    def leave(self, outbox: Outbox) -> None:
        """Unsubscribe from everything."""
        for list_ in self._all:
            list_.discard(outbox)

    def resync(self, outbox: Outbox) -> None:
        """Send the lists of which changes were dropped again, to a client that has caught up."""
        for list_ in self._all:
            list_.resync(outbox)

    def _row_changed(self, name: str, key: str, before: bytes | None, after: bytes | None) -> None:
        again = name == PEOPLE and self._people.of(key.partition(":")[2]) > (after is not None)
        for list_ in self._made_of.get(name, ()):
            list_.change(key, before, after, again)


def _listed_tournament(row: bytes) -> Tournament | None:
    shown = unpack_row(row).shown
    return None if shown.private else shown
