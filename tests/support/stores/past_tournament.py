"""A tournament of many matches, in an archive as servers leave it."""

import random

from tavla_engine.rules import Rules
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.tournaments import KeptTournament
from tavla_server.features.tournaments import events as e
from tavla_server.features.tournaments.journal import entries
from tavla_server.features.tournaments.state import replay
from tavla_server.features.tournaments.views import match_of, row_of
from tavla_server.player import Player

from tests.support.stores.finished import journal_of, match_id, player, put_into

DIFFERENT = 5  # matches; the others are played like these
EACH = 10  # matches between the same two


async def add_tournament(archive: Archive, rng: random.Random, matches: int) -> str:
    """Add an arena that is over, with so many matches; its id."""
    id_, rules = match_id(rng), Rules(length=1, reserve_s=60)
    players = [player(rng, f"p{number}", 1500.0) for number in range(2 * max(1, matches // EACH))]
    told: list[e.Event] = [e.Opened("many", players[0], rules, 0, 5_000, bytes(16))]
    for number in range(matches):
        pair = pair_of(players, number)
        told += [*(e.Entered(one, "0f") for one in pair), e.Paired((pair[0].id, pair[1].id)), e.Scored(number, 0)]
    rows = [e.TournamentEntry(1_000 + number, (event,)) for number, event in enumerate([*told, e.Closed()])]
    journal = [e.encode_entry(row) for row in rows]
    state = replay(entries(id_, journal))
    played = [journal_of(rng, "", pair_of(players, 0)) for _ in range(min(DIFFERENT, matches))]
    for number in range(matches):
        match, known = match_of(id_, state, number), played[number % len(played)]
        assert await put_into(archive, match, known)
    ids = [one.id for one in players]
    assert await archive.tournaments.put(KeptTournament(id_, rows[-1].time_ms, True, row_of(state), ids, journal))
    return id_


def pair_of(players: list[Player], number: int) -> tuple[Player, Player]:
    """The two who play a match, by its number."""
    at = 2 * (number % (len(players) // 2))
    return players[at], players[at + 1]
