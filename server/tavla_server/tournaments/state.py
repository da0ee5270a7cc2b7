"""A tournament as its journal has made it: a value, and the one function that moves it. Pure."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec.structs import replace
from tavla_engine.values import Value

from tavla_server.player import Player
from tavla_server.record.rating import START_RATING
from tavla_server.tournaments.events import (
    Added,
    Closed,
    Directed,
    Entered,
    Entry,
    Extended,
    Halted,
    Left,
    Opened,
    Paired,
    Removed,
    Renamed,
    Scored,
)

POINTS = 2  # of a win; twice as many after STREAK wins in a row
STREAK = 2
# The tangent of the formula of ratings at even chances, for a match of one point: all wins are worth so much more than
# as many wins as losses.
PERFORMANCE = 4000 / math.log(10)


class Result(NamedTuple):
    """A match as one player sees it. opponent: the rating. played: it began; else the opponent was not there."""

    number: int
    won: bool
    opponent: float
    played: bool = True


class Score(NamedTuple):
    """What a player's results are worth. streak: of the last wins. performance: None = nothing was played."""

    points: int = 0
    wins: int = 0
    streak: int = 0
    performance: float | None = None


class Entrant(Value, frozen=True):
    """A player of a tournament.

    commitment: for the next match; "" = the player does not wait for one. since_ms: when the wait began. number: of the
    match that is being played, None = none is. last: the last opponent. results: in the order of their coming. score:
    what these are worth. removed: by the director; not in the standings.
    """

    player: Player
    commitment: str = ""
    since_ms: int = 0
    number: int | None = None
    last: str = ""
    results: tuple[Result, ...] = ()
    score: Score = Score()
    removed: bool = False

    @property
    def rating(self) -> float:
        """The rating by which others are measured on this player."""
        return START_RATING if self.player.rating is None else self.player.rating


class Pair(NamedTuple):
    """A match. players: ids by seat. commitments: to their seeds. since_ms: when it was made. scored: by what."""

    players: tuple[str, str]
    commitments: tuple[str, str]
    since_ms: int
    scored: Scored | None = None


class Ruling(NamedTuple):
    """What was decided by hand, and when."""

    time_ms: int
    directed: Directed


class Tournament(Value, frozen=True):
    """A tournament. opened: None = it is not there yet. entrants: by the players' ids. pairs: by number, from 0.

    playing: the numbers of matches that are not over. paired_ms: when the last ones were made. closed_ms: when the
    table became final; 0 = it is not. halted: nobody is paired now. rulings: of its director and of moderators.
    """

    opened: Opened | None = None
    entrants: Mapping[str, Entrant] = {}
    pairs: tuple[Pair, ...] = ()
    playing: frozenset[int] = frozenset()
    paired_ms: int = 0
    closed_ms: int = 0
    halted: bool = False
    rulings: tuple[Ruling, ...] = ()

    def waiting(self) -> list[Entrant]:
        """Those who wait for a match, the longest waiting first."""
        found = [entrant for entrant in self.entrants.values() if entrant.commitment]
        return sorted(found, key=lambda entrant: entrant.since_ms)


def score_of(results: Iterable[Result], length: int) -> Score:
    """Points of results, in order; a win after STREAK others counts twice. length: of the matches."""
    points = wins = streak = 0
    played = []
    for result in results:
        if result.won:
            points += POINTS * (1 + (streak >= STREAK))
            wins, streak = wins + 1, streak + 1
        else:
            streak = 0
        if result.played:
            played.append(result.opponent + (PERFORMANCE / math.sqrt(length)) * (1 if result.won else -1))
    return Score(points, wins, streak, sum(played) / len(played) if played else None)


def standings(state: Tournament) -> list[Entrant]:
    """All players, the first first: by points, then performance, then the rating they came with."""
    listed = [entrant for entrant in state.entrants.values() if not entrant.removed]
    return sorted(listed, key=lambda entrant: (place(entrant), entrant.player.id))


def place(entrant: Entrant) -> tuple[float, float, float]:
    """What players are ordered by; the lowest is the first."""
    points, _, _, performance = entrant.score
    return -points, math.inf if performance is None else -performance, -entrant.rating


def apply(state: Tournament, entry: Entry) -> Tournament:
    """The tournament after an entry. Replaying a journal gives its state again."""
    entrants, pairs, playing = dict(state.entrants), list(state.pairs), set(state.playing)
    opened, paired_ms, closed_ms, halted = state.opened, state.paired_ms, state.closed_ms, state.halted
    rulings = state.rulings
    for event in entry.events:
        match event:
            case Opened():
                opened = event
            case Entered(player, commitment):
                known = entrants.get(player.id, Entrant(player))
                since_ms = known.since_ms if known.commitment else entry.time_ms
                entrants[player.id] = replace(known, player=player, commitment=commitment, since_ms=since_ms)
            case Left(player_id):
                entrants[player_id] = replace(entrants[player_id], commitment="")
            case Paired(players):
                pair = Pair(players, _commitments(entrants, players), entry.time_ms)
                for seat, id_ in enumerate(players):
                    entrants[id_] = replace(entrants[id_], commitment="", number=len(pairs), last=players[1 - seat])
                playing.add(len(pairs))
                pairs.append(pair)
                paired_ms = entry.time_ms
            case Scored(number):
                pair = pairs[number]
                assert opened is not None, "it has begun"
                _score(entrants, pair, event, opened.rules.length)
                pairs[number] = pair._replace(scored=event)
                playing.discard(number)
            case Closed():
                closed_ms = entry.time_ms
            case Halted(on):
                halted = on
            case Extended(ends_ms):
                assert opened is not None, "it has begun"
                opened = replace(opened, ends_ms=ends_ms)
            case Removed(player_id):
                entrants[player_id] = replace(entrants[player_id], commitment="", removed=True)
            case Added(player):
                known = entrants.get(player.id, Entrant(player))
                entrants[player.id] = replace(known, removed=False)
            case Directed():
                rulings = (*rulings, Ruling(entry.time_ms, event))
            case Renamed(player_id, to):
                assert opened is not None, "it was made"
                if opened.by.id == player_id:
                    opened = replace(opened, by=to)
                if player_id in entrants and (player_id == to.id or to.id not in entrants):
                    entrants = _renamed(entrants, player_id, to)
                    pairs = [pair._replace(players=_with_id(pair.players, player_id, to.id)) for pair in pairs]
    return Tournament(opened, entrants, tuple(pairs), frozenset(playing), paired_ms, closed_ms, halted, rulings)


def replay(entries: Iterable[Entry]) -> Tournament:
    """The tournament that a journal tells of."""
    state = Tournament()
    for entry in entries:
        state = apply(state, entry)
    return state


def _renamed(entrants: Mapping[str, Entrant], player: str, to: Player) -> dict[str, Entrant]:
    """All entrants, one of them under another name or id; the rating is that of the one who came."""
    found = {id_: replace(one, last=to.id) if one.last == player else one for id_, one in entrants.items()}
    known = found.pop(player)
    return {**found, to.id: replace(known, player=known.player._replace(id=to.id, name=to.name, kind=to.kind))}


def _with_id(players: tuple[str, str], player: str, to: str) -> tuple[str, str]:
    one, other = (to if id_ == player else id_ for id_ in players)
    return one, other


def _commitments(entrants: Mapping[str, Entrant], players: tuple[str, str]) -> tuple[str, str]:
    return entrants[players[0]].commitment, entrants[players[1]].commitment


def _score(entrants: dict[str, Entrant], pair: Pair, event: Scored, length: int) -> None:
    """Give both players of a match its result, in the place of the one that it had, if it had one."""
    for seat in (0, 1):
        entrant = entrants[pair.players[seat]]
        results = entrant.results
        if event.winner is None:
            results = tuple(result for result in results if result.number != event.number)
        else:
            opponent = entrants[pair.players[1 - seat]].rating
            new = Result(event.number, event.winner == seat, opponent, not event.absent)
            known = [result.number for result in results]
            if event.number in known:
                at = known.index(event.number)
                results = (*results[:at], new, *results[at + 1 :])
            else:
                results = (*results, new)
        number = None if entrant.number == event.number else entrant.number
        commitment = "" if seat in event.absent else entrant.commitment
        new_score = score_of(results, length)
        entrants[entrant.player.id] = replace(
            entrant, results=results, number=number, commitment=commitment, score=new_score
        )
