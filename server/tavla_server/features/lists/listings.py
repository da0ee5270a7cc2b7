"""All lists of the lobby and of tournaments, made from this node's copy of the lobby feed."""

from collections import defaultdict
from collections.abc import Callable
from functools import partial

import msgspec
from tavla_protocol.messages import Pairing, Standing, Tournament

from tavla_server.cluster.feed import LISTS, PEOPLE, TOURNAMENTS
from tavla_server.cluster.packed_rows import PackedRows
from tavla_server.feature import Feature
from tavla_server.features.lists.live_list import NO_VEIL, LiveList, Shown, Veil
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.presence import unpack as unpack_person


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


class Listings(Feature):
    """The listings of the lobby and of tournaments: shown, followed, and kept up to date."""

    def __init__(self, core: Core) -> None:
        self._core, self._people = core, core.feed.rows(PEOPLE)
        self._lists: dict[tuple[str, str], LiveList] = {}  # by what they list, and tournament
        self._made_of: defaultdict[str, list[LiveList]] = defaultdict(list)  # by list of the feed
        self.add("people", PEOPLE, lambda row: unpack_person(row)[1])
        self.add("tournaments", TOURNAMENTS, _listed_tournament)
        for name in LISTS:
            core.feed.listen(name, partial(self._row_changed, name))

    def add(
        self,
        what: str,
        source: str,
        show: Callable[[bytes], Shown | None],
        veil: Callable[[bytes], Veil] = lambda _: NO_VEIL,
    ) -> None:
        """Add a list, made of a list of the feed. show: None = nothing of that row. veil: from whom it is hidden."""
        list_ = self._lists[what, ""] = LiveList(self._core, what, self._core.feed.rows(source), show, veil=veil)
        self._made_of[source].append(list_)

    def of(self, what: str, tournament: str = "") -> LiveList:
        """A list, of the lobby or of a tournament."""
        if what not in OF_TOURNAMENT:
            return self._lists[what, ""]
        if (found := self._lists.get((what, tournament))) is None:
            found = LiveList(self._core, what, PackedRows(), OF_TOURNAMENT[what], tournament)
            self._lists[what, tournament] = found
        return found

    def set_rows(self, what: str, tournament: str, rows: dict[str, bytes | None]) -> None:
        """Change rows of a list of a tournament."""
        list_ = self.of(what, tournament)
        for key, row in rows.items():
            list_.change(key, list_.rows.change(key, row), row)

    def drop_rows(self, tournament: str) -> None:
        """A tournament is listed no longer."""
        for what in OF_TOURNAMENT:
            self._lists.pop((what, tournament), None)

    def leave(self, connection: Connection) -> None:
        """Show it no changes any more."""
        for list_ in self._lists.values():
            list_.discard(connection.outbox)

    def resync(self, connection: Connection) -> None:
        """Show whole lists in place of the changes that were left out."""
        for list_ in self._lists.values():
            list_.resync(connection.outbox)

    def _row_changed(self, name: str, key: str, before: bytes | None, after: bytes | None) -> None:
        again = name == PEOPLE and self._people.of(key.partition(":")[2]) > (after is not None)
        for list_ in self._made_of.get(name, ()):
            list_.change(key, before, after, again)


def _listed_tournament(row: bytes) -> Tournament | None:
    shown = unpack_row(row).shown
    return None if shown.private else shown
