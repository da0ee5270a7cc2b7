"""Tournaments without a server: their players, and what becomes of them by decisions."""

from tavla_engine.rules import Rules
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments import events as e
from tavla_server.features.tournaments.state import Tournament, apply
from tavla_server.player import Player

MINUTE_MS = 60_000
ADA, BOB, EVE, DAN = (
    Player(name, name, "account", rating) for name, rating in zip("abed", (1700.0, 1600.0, 1500.0, 1400.0), strict=True)
)
OPENED = e.Opened("friday", ADA, Rules(length=1, reserve_s=60), 0, 60 * MINUTE_MS, bytes(16))


def decided(state: Tournament, decide: decider.Decide, now_ms: int = 1000) -> Tournament:
    """The tournament after a decision."""
    return apply(state, e.TournamentEntry(now_ms, tuple(decide(state, now_ms))))


def playing(*players: Player) -> Tournament:
    """Two play each other, the first with seat 0."""
    state = decided(Tournament(), decider.opening(OPENED))
    for player in players:
        state = decided(state, decider.entry(player, player.id * 2, 99))
    return apply(state, e.TournamentEntry(1000, (e.Paired((players[0].id, players[1].id)),)))


def of(matches: list[tuple[Player, Player, int]]) -> Tournament:
    """A tournament of these matches, each with its winner."""
    state = decided(Tournament(), decider.opening(OPENED))
    for number, (one, other, winner) in enumerate(matches):
        for player in (one, other):
            state = decided(state, decider.entry(player, f"x-{player.id}", 99))
        state = apply(state, e.TournamentEntry(1000, (e.Paired((one.id, other.id)), e.Scored(number, winner))))
    return state
