"""A tournament as its journal has made it: a value, and the one function that moves it. Pure."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace
from tavla_engine.actions import Seat
from tavla_engine.values import Value

from tavla_server.features.tournaments.events import (
    ARENA,
    Added,
    Away,
    Begun,
    Closed,
    Curtailed,
    Directed,
    Entered,
    Extended,
    Halted,
    Left,
    Opened,
    Paired,
    Removed,
    Renamed,
    Round,
    Scored,
    TournamentEntry,
)
from tavla_server.player import Player
from tavla_server.record.rating import START_RATING

POINTS = 2  # of a win in an arena; twice as many after STREAK wins in a row
STREAK = 2
# The tangent of the formula of ratings at even chances, for a match of one point: all wins are worth so much more than
# as many wins as losses.
PERFORMANCE = 4000 / math.log(10)


class Result(NamedTuple):
    """The result of a match as one player sees it.

    opponent: the rating. played: it began; else no opponent was there.
    """

    number: int
    won: bool
    opponent: float
    played: bool = True


class Score(NamedTuple):
    """The score: worth of a player's results. streak: of the last wins. performance: None = nothing was played."""

    points: int = 0
    wins: int = 0
    streak: int = 0
    performance: float | None = None


class Entrant(Value, frozen=True):
    """An entrant: a player of a tournament.

    commitment: for the next match; "" = the player does not wait for one. since_ms: when the wait began. number: of the
    match that is being played, None = none is. last: the last opponent. results: in the order of their coming. score:
    what these are worth. removed: by the director; not in the standings. gone: left, or did not come: rounds begin
    without the player.
    """

    player: Player
    commitment: str = ""
    since_ms: int = 0
    number: int | None = None
    last: str = ""
    results: tuple[Result, ...] = ()
    score: Score = Score()
    removed: bool = False
    gone: bool = False

    @property
    def rating(self) -> float:
        """The rating by which others are measured on this player."""
        return START_RATING if self.player.rating is None else self.player.rating


class Pair(NamedTuple):
    """A match, or a bye. players: ids by seat. commitments: to their seeds. since_ms: when it was made.

    scored: by what. round: from 1; 0 = it is of an arena. bracket: as in `Paired`.
    """

    players: tuple[str, str]
    commitments: tuple[str, str]
    since_ms: int
    scored: Scored | None = None
    round: int = 0
    bracket: int = 0

    @property
    def is_played(self) -> bool:
        """A match is opened for it."""
        return all(self.commitments)


class Ruling(NamedTuple):
    """A ruling, and its time."""

    time_ms: int
    directed: Directed


class Tournament(Value, frozen=True):
    """A tournament. opened: None = it is not there yet. entrants: by the players' ids. pairs: by number, from 0.

    playing: the numbers of matches that are not over. paired_ms: when the last ones were made. closed_ms: when the
    table became final; 0 = it is not. halted: nobody is paired now. rulings: of its director and of moderators.
    round: the last that has begun, of so many `rounds`; 0 = none has. scored_ms: when the last result came, or it was
    halted or resumed.
    """

    opened: Opened | None = None
    entrants: Mapping[str, Entrant] = {}
    pairs: tuple[Pair, ...] = ()
    playing: frozenset[int] = frozenset()
    paired_ms: int = 0
    closed_ms: int = 0
    halted: bool = False
    rulings: tuple[Ruling, ...] = ()
    round: int = 0
    rounds: int = 0
    scored_ms: int = 0

    def waiting(self) -> list[Entrant]:
        """The players who wait for a match, the longest waiting first."""
        found = [entrant for entrant in self.entrants.values() if entrant.commitment]
        return sorted(found, key=lambda entrant: entrant.since_ms)

    def opponents(self, entrant: Entrant) -> list[tuple[Result, Entrant]]:
        """A player's results, each with whom it was against; without byes."""
        own, found = entrant.player.id, []
        for result in entrant.results:
            one, other = self.pairs[result.number].players
            if other:  # else a bye
                found.append((result, self.entrants[other if one == own else one]))
        return found


def score_of(results: Iterable[Result], length: int, is_arena: bool = True) -> Score:
    """Points of results, in order; in an arena a win after STREAK others counts twice. length: of the matches.

    Two draws against START_RATING are added to the performance: else one match alone makes it 3,200, or -200.
    """
    points = wins = streak = 0
    played = []
    for result in results:
        if result.won:
            points += POINTS * (1 + (streak >= STREAK)) if is_arena else 1
            wins, streak = wins + 1, streak + 1
        else:
            streak = 0
        if result.played:
            played.append(result.opponent + (PERFORMANCE / math.sqrt(length)) * (1 if result.won else -1))
    return Score(points, wins, streak, (sum(played) + 2 * START_RATING) / (len(played) + 2) if played else None)


def by_performance(entrant: Entrant) -> tuple[float, float]:
    """Order of players who are equal else; the lowest is the first."""
    performance = entrant.score.performance
    return math.inf if performance is None else -performance, -entrant.rating


def apply(state: Tournament, entry: TournamentEntry) -> Tournament:
    """The tournament after an entry. Replaying a journal gives its state again."""
    entrants, pairs, playing = dict(state.entrants), list(state.pairs), set(state.playing)
    opened, now_ms, changes, round_ = state.opened, entry.time_ms, dict[str, Any](), state.round
    for event in entry.events:
        match event:
            case Opened():
                opened = event
                continue
            case Entered() | Left() | Away() | Removed() | Added():
                entrants |= _entrant_after(entrants, event, now_ms)
                continue
        assert opened is not None, "it was made"
        match event:
            case Paired(players, bracket, absent):
                scored = result_of(len(pairs), None, absent) if absent else None
                pairs.append(Pair(players, _commitments(entrants, players), now_ms, scored, round_, bracket))
                changes["paired_ms"] = now_ms
                if scored is not None:
                    _score(entrants, pairs[-1], opened)
                else:
                    _seat(entrants, playing, pairs)
            case Scored(number):
                pairs[number] = pairs[number]._replace(scored=event)
                _score(entrants, pairs[number], opened)
                playing.discard(number)
                changes["scored_ms"] = now_ms
            case Closed():
                changes["closed_ms"] = now_ms
            case Halted(on):
                changes |= {"halted": on, "scored_ms": now_ms}
            case Extended(ends_ms):
                opened = replace(opened, ends_ms=ends_ms)
            case Round(ends_ms, of):
                opened, round_ = replace(opened, ends_ms=ends_ms), round_ + 1
                changes["rounds"] = of
            case Curtailed():
                changes["rounds"] = round_
            case Begun():
                opened = replace(opened, starts_ms=now_ms, ends_ms=opened.ends_ms - opened.starts_ms + now_ms)
            case Directed():
                changes["rulings"] = (*changes.get("rulings", state.rulings), Ruling(now_ms, event))
            case Renamed(player_id, to):
                if opened.by.id == player_id:
                    opened = replace(opened, by=to)
                if player_id in entrants and (player_id == to.id or to.id not in entrants):
                    entrants = _renamed(entrants, player_id, to)
                    pairs = [pair._replace(players=_with_id(pair.players, player_id, to.id)) for pair in pairs]
    changes |= {"pairs": tuple(pairs), "playing": frozenset(playing), "round": round_}
    return replace(state, opened=opened, entrants=entrants, **changes)


def result_of(number: int, winner: Seat | None, absent: tuple[Seat, ...]) -> Scored:
    """The result of a match. absent: the seats from which no seed came: then the point is the opponent's."""
    if len(absent) == 1:
        winner = 1 - absent[0]
    return Scored(number, winner, absent)


def replay(entries: Iterable[TournamentEntry]) -> Tournament:
    """The tournament that a journal tells of."""
    state = Tournament()
    for entry in entries:
        state = apply(state, entry)
    return state


def _entrant_after(
    entrants: Mapping[str, Entrant], event: Entered | Left | Away | Removed | Added, now_ms: int
) -> dict[str, Entrant]:
    """The player of whom an event tells, after it, by the id."""
    match event:
        case Entered(player, commitment):
            known = entrants.get(player.id, Entrant(player))
            since_ms = known.since_ms if known.commitment else now_ms
            return {player.id: replace(known, player=player, commitment=commitment, since_ms=since_ms, gone=False)}
        case Added(player):
            return {player.id: replace(entrants.get(player.id, Entrant(player)), removed=False)}
        case Left(player_id):
            return {player_id: replace(entrants[player_id], commitment="", gone=True)}
        case Away(player_id):
            return {player_id: replace(entrants[player_id], commitment="")}
        case Removed(player_id):
            return {player_id: replace(entrants[player_id], commitment="", removed=True, gone=True)}


def _seat(entrants: dict[str, Entrant], playing: set[int], pairs: Sequence[Pair]) -> None:
    """Let two players play the last of the matches."""
    number, players = len(pairs) - 1, pairs[-1].players
    playing.add(number)
    for seat, id_ in enumerate(players):
        entrants[id_] = replace(entrants[id_], commitment="", number=number, last=players[1 - seat])


def _renamed(entrants: Mapping[str, Entrant], player: str, to: Player) -> dict[str, Entrant]:
    """All entrants, one of them under another name or id; the rating is that of the one who came."""
    found = {id_: replace(one, last=to.id) if one.last == player else one for id_, one in entrants.items()}
    known = found.pop(player)
    return {**found, to.id: replace(known, player=known.player._replace(id=to.id, name=to.name, kind=to.kind))}


def _with_id(players: tuple[str, str], player: str, to: str) -> tuple[str, str]:
    one, other = (to if id_ == player else id_ for id_ in players)
    return one, other


def _commitments(entrants: Mapping[str, Entrant], players: tuple[str, str]) -> tuple[str, str]:
    one, other = (entrants[id_].commitment if id_ else "" for id_ in players)
    return one, other


def _score(entrants: dict[str, Entrant], pair: Pair, opened: Opened) -> None:
    """Give both players of a match its result, in the place of the one that it had, if it had one."""
    event = pair.scored
    assert event is not None, "it has a result"
    for seat, id_ in enumerate(pair.players):
        if not id_:
            continue
        entrant, other = entrants[id_], entrants.get(pair.players[1 - seat])
        results = entrant.results
        if event.winner is None:
            results = tuple(result for result in results if result.number != event.number)
        else:
            opponent = other.rating if other is not None else START_RATING
            new = Result(event.number, event.winner == seat, opponent, not event.absent)
            known = [result.number for result in results]
            if event.number in known:
                at = known.index(event.number)
                results = (*results[:at], new, *results[at + 1 :])
            else:
                results = (*results, new)
        is_absent = seat in event.absent
        entrants[id_] = replace(
            entrant,
            results=results,
            number=None if entrant.number == event.number else entrant.number,
            commitment="" if is_absent else entrant.commitment,
            gone=is_absent or entrant.gone,
            score=score_of(results, opened.rules.length, opened.format == ARENA),
        )
