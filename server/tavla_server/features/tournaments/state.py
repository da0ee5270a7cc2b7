"""A tournament as its journal has made it: a value, and the one function that moves it. Pure."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace
from tavla_engine.actions import Seat
from tavla_engine.values import Value

from tavla_server.features.tournaments import events as e
from tavla_server.features.tournaments.scores import Result, Score, score_of
from tavla_server.player import Player
from tavla_server.record.rating import START_RATING


class Entrant(Value, frozen=True):
    """An entrant: a player of a tournament.

    commitment: for the next match; "" = the player does not wait for one. since_ms: when the wait began. number: of the
    match that is being played, None = none is. last: the last opponent. results: in the order of their coming. score:
    what these are worth. removed: by the director. gone: left, or did not come: rounds begin without the player.
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
    def plays(self) -> bool:
        """True for a player who came, or may come yet, and was not removed: the standings have these."""
        return not self.removed and (not self.gone or bool(self.results) or self.number is not None)

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
    scored: e.Scored | None = None
    round: int = 0
    bracket: int = 0

    @property
    def is_played(self) -> bool:
        """A match is opened for it."""
        return all(self.commitments)


class Ruling(NamedTuple):
    """A ruling, and its time."""

    time_ms: int
    directed: e.Directed


class Tournament(Value, frozen=True):
    """A tournament. opened: None = it is not there yet. entrants: by the players' ids. pairs: by number, from 0.

    playing: the numbers of matches that are not over. paired_ms: when the last ones were made. closed_ms: when the
    table became final; 0 = it is not. halted: nobody is paired now. rulings: of its director and of moderators.
    round: the last that has begun, of so many `rounds`; 0 = none has. scored_ms: when the last result came, or it was
    halted or resumed. again: the numbers of matches of this round that are to be played again.
    """

    opened: e.Opened | None = None
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
    again: frozenset[int] = frozenset()

    @property
    def plan(self) -> e.Opened:
        """Name, rules, times and format, as they stand now: of a tournament that is there."""
        assert self.opened is not None, "it was made"
        return self.opened

    @property
    def cancelled(self) -> bool:
        """True if it was called off before its first match: it ends before it starts."""
        return self.plan.ends_ms < self.plan.starts_ms

    def waiting(self) -> list[Entrant]:
        """The players who wait for a match, the longest waiting first."""
        found = [entrant for entrant in self.entrants.values() if entrant.commitment]
        return sorted(found, key=lambda entrant: entrant.since_ms)

    def playing_ids(self) -> set[str]:
        """The ids of those who play in it."""
        return {one.player.id for one in self.entrants.values() if one.plays}

    def opponents(self, entrant: Entrant) -> list[tuple[Result, Entrant]]:
        """A player's results, each with whom it was against; without byes."""
        own, found = entrant.player.id, []
        for result in entrant.results:
            one, other = self.pairs[result.number].players
            if other:  # else a bye
                found.append((result, self.entrants[other if one == own else one]))
        return found


def by_performance(entrant: Entrant) -> tuple[float, float]:
    """Order of players who are equal else; the lowest is the first."""
    performance = entrant.score.performance
    return math.inf if performance is None else -performance, -entrant.rating


def apply(state: Tournament, entry: e.TournamentEntry) -> Tournament:
    """The tournament after an entry. Replaying a journal gives its state again."""
    entrants, pairs, playing, again = dict(state.entrants), list(state.pairs), set(state.playing), state.again
    opened, now_ms, changes, round_ = state.opened, entry.time_ms, dict[str, Any](), state.round
    rulings = state.rulings
    for event in entry.events:
        match event:
            case e.Opened():
                opened = event
                continue
            case e.Entered() | e.Left() | e.Away() | e.Removed() | e.Added():
                entrants |= _entrant_after(entrants, event, now_ms)
                continue
        assert opened is not None, "it was made"
        match event:
            case e.Paired(players, bracket, absent):
                scored = result_of(len(pairs), None, absent) if absent else None
                pairs.append(Pair(players, _commitments(entrants, players), now_ms, scored, round_, bracket))
                changes["paired_ms"] = now_ms
                _seat(entrants, playing, pairs, len(pairs) - 1)
                _score(entrants, pairs[-1], opened)
            case e.Scored(number):
                pairs[number] = pairs[number]._replace(scored=event)
                _score(entrants, pairs[number], opened)
                playing.discard(number)
                again = again - {number} | ({number} if _is_played_again(event, opened.format) else set())
                changes["scored_ms"] = now_ms
            case e.Again(number):
                again, commitments = again - {number}, _commitments(entrants, pairs[number].players)
                pairs[number] = pairs[number]._replace(commitments=commitments, since_ms=now_ms, scored=None)
                _seat(entrants, playing, pairs, number)
            case e.Closed():
                changes["closed_ms"] = now_ms
            case e.Halted(on):
                changes |= {"halted": on, "scored_ms": now_ms}
            case e.Round(ends_ms, of):
                opened, round_, changes["rounds"] = replace(opened, ends_ms=ends_ms), round_ + 1, of
            case e.Curtailed():
                changes["rounds"] = round_
            case e.Extended() | e.Begun() | e.Retitled():
                opened = _changed(opened, event, now_ms)
            case e.Directed():
                rulings = (*rulings, Ruling(now_ms, event))
            case e.Renamed(player_id, to):
                opened = replace(opened, by=to) if opened.by.id == player_id else opened
                rulings = tuple(_named_after(ruling, player_id, to) for ruling in rulings)
                entrants, pairs = _renamed(entrants, pairs, player_id, to)
    changes |= {"pairs": tuple(pairs), "playing": frozenset(playing), "again": again, "round": round_}
    return replace(state, opened=opened, entrants=entrants, rulings=rulings, **changes)


def _is_played_again(scored: e.Scored, format_: str) -> bool:
    """True if a match is played again in its round. In an arena its players are paired anew by themselves."""
    return scored.winner is None and (format_ == "knock-out" or (scored.again and format_ != e.ARENA))


def result_of(
    number: int, winner: Seat | None, absent: tuple[Seat, ...], unplayed: bool = False, again: bool = False
) -> e.Scored:
    """The result of a match. absent: the seats from which no seed came: then the point is the opponent's."""
    if len(absent) == 1:
        winner = 1 - absent[0]
    return e.Scored(number, winner, absent, unplayed, again)


def replay(entries: Iterable[e.TournamentEntry]) -> Tournament:
    """The tournament that a journal tells of."""
    state = Tournament()
    for entry in entries:
        state = apply(state, entry)
    return state


def _entrant_after(
    entrants: Mapping[str, Entrant], event: e.Entered | e.Left | e.Away | e.Removed | e.Added, now_ms: int
) -> dict[str, Entrant]:
    """The player of whom an event tells, after it, by the id."""
    match event:
        case e.Entered(player, commitment):
            known = entrants.get(player.id, Entrant(player))
            since_ms = known.since_ms if known.commitment else now_ms
            return {player.id: replace(known, player=player, commitment=commitment, since_ms=since_ms, gone=False)}
        case e.Added(player):
            return {player.id: replace(entrants.get(player.id, Entrant(player)), removed=False)}
        case e.Left(player_id):
            return {player_id: replace(entrants[player_id], commitment="", gone=True)}
        case e.Away(player_id):
            return {player_id: replace(entrants[player_id], commitment="")}
        case e.Removed(player_id):
            return {player_id: replace(entrants[player_id], commitment="", removed=True, gone=True)}


def _changed(opened: e.Opened, event: e.Extended | e.Begun | e.Retitled, now_ms: int) -> e.Opened:
    """The tournament with other times, or another name."""
    if isinstance(event, e.Retitled):
        return replace(opened, name=event.name)
    if isinstance(event, e.Extended):
        return replace(opened, ends_ms=event.ends_ms)
    return replace(opened, starts_ms=now_ms, ends_ms=opened.ends_ms - opened.starts_ms + now_ms)


def _seat(entrants: dict[str, Entrant], playing: set[int], pairs: Sequence[Pair], number: int) -> None:
    """Let two players play a match, unless it has its result."""
    players = pairs[number].players
    if pairs[number].scored is not None:
        return
    playing.add(number)
    for seat, id_ in enumerate(players):
        entrants[id_] = replace(entrants[id_], commitment="", number=number, last=players[1 - seat])


def _renamed(
    entrants: dict[str, Entrant], pairs: list[Pair], player: str, to: Player
) -> tuple[dict[str, Entrant], list[Pair]]:
    """Entrants and pairs, with one player under another name or id; the rating is that of the one who came."""
    if player not in entrants or (player != to.id and to.id in entrants):
        return entrants, pairs
    found = {id_: replace(one, last=to.id) if one.last == player else one for id_, one in entrants.items()}
    known = found.pop(player)
    found[to.id] = replace(known, player=known.player._replace(id=to.id, name=to.name, kind=to.kind))
    return found, [pair._replace(players=_with_id(pair.players, player, to.id)) for pair in pairs]


def _named_after(ruling: Ruling, player: str, to: Player) -> Ruling:
    """A ruling in which a player is called otherwise."""
    one = ruling.directed
    by, about = (to if who is not None and who.id == player else who for who in (one.by, one.about))
    return ruling if (by, about) == (one.by, one.about) else ruling._replace(directed=replace(one, by=by, about=about))


def _with_id(players: tuple[str, str], player: str, to: str) -> tuple[str, str]:
    one, other = (to if id_ == player else id_ for id_ in players)
    return one, other


def _commitments(entrants: Mapping[str, Entrant], players: tuple[str, str]) -> tuple[str, str]:
    one, other = (entrants[id_].commitment if id_ else "" for id_ in players)
    return one, other


def _score(entrants: dict[str, Entrant], pair: Pair, opened: e.Opened) -> None:
    """Give both players of a match its result, if there is one, in the place of the one that it had."""
    if (event := pair.scored) is None:
        return
    is_gift = opened.format == e.ARENA and (event.unplayed or bool(event.absent))  # whoever ended it loses all the same
    for seat, id_ in enumerate(pair.players):
        if not id_:
            continue
        entrant, other = entrants[id_], entrants.get(pair.players[1 - seat])
        results = entrant.results
        if event.winner is None or (is_gift and event.winner == seat):
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
            score=score_of(results, opened.rules.length, opened.format == e.ARENA),
        )
