"""Standings and pairings as lists: what has changed in them is shown a slice at a time."""

import asyncio
from collections.abc import Iterable
from itertools import islice

from tavla_protocol.codec import pack

from tavla_server.features.lists.listings import Listings
from tavla_server.features.tournaments.session import TournamentSession
from tavla_server.features.tournaments.state import Entrant, Tournament
from tavla_server.features.tournaments.views import pairing_of, row_of, standing_of

SLICE = 100  # rows: half a millisecond


class TournamentLists:
    """Keeps the lists of each tournament in step with its state."""

    def __init__(self, listings: Listings) -> None:
        self._listings = listings
        self._unshown: dict[str, dict[str, Entrant]] = {}  # by tournament and player
        self._renamed: dict[str, set[str]] = {}  # by tournament: names that are nobody's there any more
        self._unshown_pairs: dict[str, set[int]] = {}  # by tournament: the numbers

    def note(self, session: TournamentSession, before: Tournament) -> None:
        """Note which rows a change of a tournament has changed."""
        after = session.state
        unshown = self._unshown.setdefault(session.id, {})
        unshown |= {id_: one for id_, one in after.entrants.items() if before.entrants.get(id_) is not one}
        left = {one.player.name for one in before.entrants.values()} - {e.player.name for e in after.entrants.values()}
        self._renamed.setdefault(session.id, set()).update(left)
        if after.round:
            self._note_round(session, before, bool(left))

    def _note_round(self, session: TournamentSession, before: Tournament, renamed: bool) -> None:
        """Note what else a round changes: its pairs, and the standing of all whose opponents have a result."""
        after, unshown = session.state, self._unshown[session.id]
        known = before.pairs
        changed = [at for at, pair in enumerate(after.pairs) if renamed or at >= len(known) or known[at] is not pair]
        self._unshown_pairs.setdefault(session.id, set()).update(changed)
        if after.round != before.round or after.rounds != before.rounds:
            unshown |= after.entrants
            return
        for number in changed:
            for player in filter(None, after.pairs[number].players):
                opponents = after.opponents(after.entrants[player])
                unshown |= {other.player.id: other for _, other in opponents}

    async def show(self, session: TournamentSession) -> None:
        """Show what has changed, a slice at a time: a first pairing changes everyone's row."""
        id_ = session.id
        self._listings.set_rows("tournament", id_, {id_: pack(row_of(session.state))})
        pairs = sorted(self._unshown_pairs.pop(id_, set()))
        await self._show_rows("pairings", id_, ((str(at), pack(pairing_of(id_, session.state, at))) for at in pairs))
        changed = [*self._unshown.pop(id_, {}).values()]
        if left := self._renamed.pop(id_, set()):
            self._listings.set_rows("standings", id_, dict.fromkeys(left))
        plays = ((one, pack(standing_of(id_, session.state, one)) if one.plays else None) for one in changed)
        await self._show_rows("standings", id_, ((one.player.name, row) for one, row in plays))

    async def _show_rows(self, what: str, tournament: str, rows: Iterable[tuple[str, bytes | None]]) -> None:
        rest = iter(rows)
        while some := dict(islice(rest, SLICE)):
            self._listings.set_rows(what, tournament, some)
            await asyncio.sleep(0)

    def drop(self, tournament: str) -> None:
        """A tournament is listed no longer."""
        for noted in (self._unshown, self._renamed, self._unshown_pairs):
            noted.pop(tournament, None)
        self._listings.drop_rows(tournament)
