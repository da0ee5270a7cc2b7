"""A tournament with rounds that is played by lot, and what holds of it whatever happens. Without a server."""

import contextlib
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from tavla_engine.rules import Rules
from tavla_server.errors import Refused
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments import events as e
from tavla_server.features.tournaments.formats import format_of
from tavla_server.features.tournaments.matching import match_all
from tavla_server.features.tournaments.state import Tournament, apply, replay, result_of
from tavla_server.features.tournaments.waiting import Question
from tavla_server.player import Player

PLAYERS = [Player(f"p{number:02}", f"p{number:02}", "guest", 2000.0 - number) for number in range(40)]
MINUTE_MS = 60_000


def no_outage(since_ms: int, now_ms: int) -> int:
    """The server was never away."""
    return 0


class Club:
    """A tournament that is played by lot, each decision made twice, as by a node that does not know. Time goes on."""

    def __init__(self, format_: str, players: int, rounds: int = 0, seed: int = 0) -> None:
        self.rng = random.Random(seed)
        self.state, self.entries, self.now_ms = Tournament(), list[e.TournamentEntry](), 0
        rules, ends_ms = Rules(length=1, reserve_s=60), 1000 + MINUTE_MS
        of_rounds: dict[str, Any] = {"format": format_, "rounds": rounds, "round_ms": MINUTE_MS}
        opened = e.Opened("friday", PLAYERS[0], rules, 1000, ends_ms, bytes(16), **of_rounds)
        self.submit(decider.opening(opened))
        self.enter(*PLAYERS[:players])
        self.now_ms = 1000

    def submit(self, decide: decider.Decide) -> None:
        """Have it in the journal."""
        events = decide(self.state, self.now_ms)
        if events:
            self.entries.append(e.TournamentEntry(self.now_ms, tuple(events)))
            self.state = apply(self.state, self.entries[-1])
        assert not decide(self.state, self.now_ms), "made again, it changes nothing"
        check(self.state)

    def enter(self, *players: Player) -> None:
        """Enter, or be told why not."""
        for player in players:
            with contextlib.suppress(Refused):
                self.submit(decider.entry(player, f"{self.now_ms}-{player.id}", 99))

    def pair(self) -> bool:
        """Pair, if it is time; true if it was."""
        self.submit(decider.again(no_outage))
        if not decider.is_due(self.state, self.now_ms, no_outage):
            return False
        waiting = self.state.waiting()
        found = format_of(self.state).pairing(self.state, waiting, self.now_ms)
        if isinstance(found, Question):
            found = [*map(e.Paired, match_all(found.waiting))]
        ids = frozenset(entrant.player.id for entrant in waiting)
        before = self.state
        self.submit(decider.round_begins(self.state.round + 1, ids, found))
        check_round(before, self.state)
        return True

    def score(self, number: int, winner: int | None, absent: tuple[int, ...] = ()) -> None:
        """A match is over."""
        self.submit(decider.score(result_of(number, winner, absent)))

    def score_all(self, winner: int = 0) -> None:
        """All matches of the round are over."""
        for number in sorted(self.state.playing):
            self.score(number, winner)

    def play(self, steps: list[tuple[str, int]]) -> None:
        """Whatever happens; then to the end."""
        for what, at in steps:
            self.now_ms += 1000
            if what == "enter":
                self.enter(PLAYERS[at])
            elif what == "leave":
                self.submit(decider.leave([PLAYERS[at].id]))
            elif what == "remove" and PLAYERS[at].id in self.state.entrants:
                self.submit(decider.removal(PLAYERS[at].id))
            elif what == "pair":
                self.pair()
            elif what == "break":
                self.now_ms += decider.BREAK_MS
                self.pair()
            elif self.state.playing and what in ("score", "void", "absent", "neither"):
                number = sorted(self.state.playing)[at % len(self.state.playing)]
                absent = {"absent": (at % 2,), "neither": (0, 1)}.get(what, ())
                self.score(number, at % 2 if what == "score" else None, absent)
        self.finish()

    def finish(self, comes: Callable[[Player], bool] = lambda _: True) -> None:
        """Play to the end. comes: who enters again after each match."""
        for _ in range(200):
            for number in sorted(self.state.playing):
                self.score(number, self.rng.randrange(2))
            for entrant in list(self.state.entrants.values()):
                if not entrant.gone and comes(entrant.player):
                    self.enter(entrant.player)
            self.submit(decider.again(no_outage))
            self.submit(decider.closing)
            if self.state.closed_ms:
                break
            if not self.pair():
                self.now_ms += decider.BREAK_MS
        assert self.state.closed_ms, "it ends"
        assert replay(e.decode_entry(e.encode_entry(entry)) for entry in self.entries) == self.state
        assert not self.state.playing
        assert not self.state.again

    def of_round(self, round_: int, bracket: int = 0) -> list[set[str]]:
        """The pairs of a round, byes too."""
        pairs = [pair for pair in self.state.pairs if (pair.round, pair.bracket) == (round_, bracket)]
        return [{*filter(None, pair.players)} for pair in pairs]


def check(state: Tournament) -> None:
    """What holds of a tournament at any time."""
    assert not state.again & state.playing
    busy = [player for number in state.playing | state.again for player in state.pairs[number].players]
    assert len({*busy}) == len(busy), "nobody plays twice at a time"
    paired = [id_ for pair in state.pairs if pair.round == state.round for id_ in pair.players if id_]
    assert len({*paired}) == len(paired), "nobody is paired twice in one round"
    wins = Counter(
        pair.players[pair.scored.winner] for pair in state.pairs if pair.scored and pair.scored.winner in (0, 1)
    )
    for id_, entrant in state.entrants.items():
        assert entrant.number is None or entrant.number in state.playing
        assert not (entrant.commitment and entrant.number is not None), "who plays does not wait"
        assert entrant.score.wins == entrant.score.points == wins[id_], "each result counts once"
        numbers = [result.number for result in entrant.results]
        assert len({*numbers}) == len(numbers)
        assert all(id_ in state.pairs[number].players for number in numbers)


def check_round(before: Tournament, after: Tournament) -> None:
    """Nobody who waited and has a next match was forgotten."""
    if after.round == before.round:
        return
    assert before.opened is not None
    paired = {id_ for pair in after.pairs if pair.round == after.round for id_ in pair.players}
    for entrant in before.waiting():
        refusal = format_of(before).refusal(before, entrant.player.id, 0)
        is_alone = before.opened.format == "knock-out" and format_of(after).refusal(after, entrant.player.id, 0)
        assert entrant.player.id in paired or refusal or is_alone, "nobody is forgotten"
