"""Decisions of a tournament: each is a function of its state, and done again it changes nothing. Pure."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Concatenate, ParamSpec

from msgspec.structs import replace
from tavla_engine.errors import Reason
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.features.tournaments import events as e
from tavla_server.features.tournaments.formats import format_of
from tavla_server.features.tournaments.formats.rounds import OVER, no_more
from tavla_server.features.tournaments.lots import draw
from tavla_server.features.tournaments.state import Entrant, Pair, Tournament, result_of
from tavla_server.player import Player
from tavla_server.record.commitments import check_differs

BREAK_MS = 60_000  # before a round at most, for players who are called to it
FINAL_BREAK_MS = 180_000  # likewise before a final: of all matches this one is to be played
CALL_MS = 60_000  # before the first round players are called so early
SECOND_MS = 1000  # clients are told seconds
CANCELLED = "the director has cancelled this tournament"

Decide = Callable[[Tournament, int], list[e.Event]]  # the state, and the time in ms; raises Refused
Outage = Callable[[int, int], int]  # how much of the time between two, in ms, the server was away
P = ParamSpec("P")  # what a decision is about


def decision(decide: Callable[Concatenate[Tournament, int, P], list[e.Event]]) -> Callable[P, Decide]:
    """A decision by what it is about; the state and the time come later, and as often as others change the state."""

    def about(*args: P.args, **kwargs: P.kwargs) -> Decide:
        return lambda state, now_ms: decide(state, now_ms, *args, **kwargs)

    return about


@decision
def opening(state: Tournament, now_ms: int, event: e.Opened) -> list[e.Event]:
    """The tournament is made."""
    return [] if state.opened else [event]


@decision
def entry(state: Tournament, now_ms: int, player: Player, commitment: str, most: int) -> list[e.Event]:
    """A player comes, or returns, and waits for a match. most: players that a tournament takes."""
    known = state.entrants.get(player.id)
    if known is not None and known.number is not None:
        return []
    if refusal := format_of(state).refusal(state, player.id, now_ms):
        raise Refused(ErrorCode.TOURNAMENT_OVER, refusal)
    if known is not None and known.removed:
        raise Refused(ErrorCode.NOT_ALLOWED, "the director has removed you from this tournament")
    if known is None:
        _check_room(state, most)
        _check_band(state.plan, player)
    if known is not None and known.commitment == commitment:
        return []
    check_differs(commitment, *(one.commitment for one in state.entrants.values()))
    return [e.Entered(player, commitment)]


def _check_room(state: Tournament, most: int) -> None:
    takes = min(most, format_of(state).MOST)
    if len(state.entrants) >= takes:
        raise Refused(ErrorCode.TOO_MANY, f"this tournament is full: it takes {takes} players")


def _check_band(opened: e.Opened, player: Player) -> None:
    """Raises: Refused for a rating with which one may not come. Whom the director adds has come before."""
    least, most = opened.band
    if player.rating is None:
        if least or most:
            raise Refused(ErrorCode.ACCOUNT_NEEDED, "this tournament asks for a rating: register first")
    elif not (least or 0) <= round(player.rating) <= (most or math.inf):
        whose = f"from {least}" * bool(least) + " " * bool(least and most) + f"to {most}" * bool(most)
        text = f"this tournament is for ratings {whose}, and yours is {player.rating:.0f}: its director may add you"
        raise Refused(ErrorCode.NOT_ALLOWED, text)


@decision
def addition(state: Tournament, now_ms: int, player: Player, most: int) -> list[e.Event]:
    """The director lets a player in, who then enters as all do. most: players that a tournament takes."""
    known = state.entrants.get(player.id)
    if state.closed_ms:
        raise Refused(ErrorCode.TOURNAMENT_OVER, OVER)
    if known is not None and not known.removed:
        return []
    _check_room(state, most + (known is not None))
    return [e.Added(player)]


@decision
def leave(state: Tournament, now_ms: int, players: Iterable[str], returning: bool = False) -> list[e.Event]:
    """Players wait no longer. returning: and are called to the next round."""
    known = [state.entrants[player] for player in players if player in state.entrants]
    if returning:
        return [e.Away(entrant.player.id) for entrant in known if entrant.commitment]
    return [e.Left(entrant.player.id) for entrant in known if not entrant.gone]


@decision
def pairing(state: Tournament, now_ms: int, pairs: Iterable[e.Paired]) -> list[e.Event]:
    """Players who wait in an arena are paired, as far as both still do."""
    found: list[e.Event] = []
    for pair in pairs:
        waiting = all(state.entrants[id_].commitment for id_ in pair.players)
        if waiting and now_ms < state.plan.ends_ms:
            found.append(_by_seat(state, len(state.pairs) + len(found), pair))
    return found


@decision
def round_begins(
    state: Tournament, now_ms: int, number: int, waiting: frozenset[str], pairs: Sequence[e.Paired]
) -> list[e.Event]:
    """The next round begins, if those wait still who did when it was paired; or none does, if nobody can play.

    Who does not wait now loses what there is to lose, and is not waited for before the next round.
    """
    if state.round + 1 != number or state.halted or state.again or no_more(state, now_ms):
        return []
    if waiting != frozenset(entrant.player.id for entrant in state.waiting()):
        return []
    if not pairs:
        return [e.Curtailed()]
    rounds = state.rounds or format_of(state).rounds(len(waiting), state.plan.rounds)
    late = (e.Left(id_) for id_, entrant in state.entrants.items() if _is_waited_for(state, entrant, now_ms))
    made = (_by_seat(state, at, pair) for at, pair in enumerate(pairs, len(state.pairs)))
    return [e.Round(now_ms + state.plan.round_ms, rounds), *late, *made]


def _by_seat(state: Tournament, number: int, pair: e.Paired) -> e.Paired:
    """A pair with its seats by lot; with those whose players do not wait."""
    white = draw(state.plan.seed, str(number))[0] & 1
    if not pair.players[1]:
        return replace(pair, absent=(1,))
    players = pair.players[white], pair.players[1 - white]
    absent = tuple(seat for seat, id_ in enumerate(players) if not state.entrants[id_].commitment)
    if len(absent) == 2 and state.plan.format == "knock-out":
        absent = (1,)  # one of them goes on
    return replace(pair, players=players, absent=absent)


@decision
def score(state: Tournament, now_ms: int, result: e.Scored, ruling: e.Directed | None = None) -> list[e.Event]:
    """A match is over, or has another result now. ruling: by which it is."""
    pair, new = state.pairs[result.number], result
    if result.again and pair.scored is not None:
        return []  # who has not come to the match that is played again has lost it
    if result.winner is None and state.plan.format == "knock-out":
        new = _in_knock_out(state, pair, result)
    ruled = any(known.directed == ruling for known in state.rulings)
    events: list[e.Event] = [] if pair.scored == new else [new]
    return [*events, *([ruling] if ruling is not None and not ruled else [])]


def _in_knock_out(state: Tournament, pair: Pair, result: e.Scored) -> e.Scored:
    """The result of a match that nobody has won: it is played again in its round, and later stands as it was."""
    if len(result.absent) == 2:
        return replace(result, winner=0)  # by lot, as the seat was: one of them goes on
    if pair.round == state.round and not state.closed_ms:
        return result
    return replace(result, winner=0) if pair.scored is None else pair.scored


@decision
def again(state: Tournament, now_ms: int, outage: Outage) -> list[e.Event]:
    """Matches that are to be played again begin, if both wait; who has not come after the break has lost."""
    found: list[e.Event] = []
    for number in sorted(state.again):
        players = state.pairs[number].players
        absent = tuple(seat for seat, id_ in enumerate(players) if not state.entrants[id_].commitment)
        if not absent:
            found.append(e.Again(number))
        elif not missing_players(state, now_ms, outage):
            found.append(result_of(number, 0, (1,) if len(absent) == 2 else absent))
    return found


@decision
def halt(state: Tournament, now_ms: int, on: bool) -> list[e.Event]:
    """The director halts the pairing, or lets it go on."""
    return [] if state.halted == on or state.closed_ms else [e.Halted(on)]


def resumption(state: Tournament, now_ms: int) -> list[e.Event]:
    """Pairing goes on that a director has halted who is gone; what a moderator has halted stays so."""
    halts = [ruling.directed for ruling in state.rulings if ruling.directed.what == "halt"]
    if not halts or halts[-1].judge != "director":
        return []
    resumed = halt(False)(state, now_ms)
    return [*resumed, e.Directed(None, "resume", None, "its director is gone", "server")] if resumed else []


@decision
def extension(state: Tournament, now_ms: int, ends_ms: int) -> list[e.Event]:
    """The director lets the time be over at another time."""
    if state.closed_ms:
        raise Refused(ErrorCode.TOURNAMENT_OVER, "this tournament is over: its table is final")
    return [] if state.plan.ends_ms == ends_ms else [e.Extended(ends_ms)]


@decision
def retitling(state: Tournament, now_ms: int, name: str) -> list[e.Event]:
    """The tournament gets another name."""
    if state.closed_ms:
        raise Refused(ErrorCode.TOURNAMENT_OVER, OVER)
    return [] if state.plan.name == name else [e.Retitled(name)]


def cancellation(state: Tournament, now_ms: int) -> list[e.Event]:
    """The tournament is called off. Raises: Refused, when a match was made."""
    if state.pairs:
        raise Refused(Reason.WRONG_PHASE, "matches have begun: end it instead, and those that are played count")
    return [] if state.cancelled else extension(min(now_ms, state.plan.starts_ms - SECOND_MS))(state, now_ms)


def curtailment(state: Tournament, now_ms: int) -> list[e.Event]:
    """The director lets no more rounds begin."""
    return [] if no_more(state, now_ms) else [e.Curtailed()]


def ending(state: Tournament, now_ms: int) -> list[e.Event]:
    """The director or a moderator ends it: no more matches begin, and those that are played count."""
    return curtailment(state, now_ms) if state.round else extension(now_ms)(state, now_ms)


def beginning(state: Tournament, now_ms: int) -> list[e.Event]:
    """The director begins before the time. Raises: Refused, while there are no two players."""
    if now_ms >= state.plan.starts_ms:
        return []
    here = sum(not (one.gone or one.removed) for one in state.entrants.values())
    if here < 2:
        text = "only one player is here" if here else "no player is here yet"
        raise Refused(Reason.WRONG_PHASE, f"{text}: a tournament begins with two at least")
    return [e.Begun()]


@decision
def removal(state: Tournament, now_ms: int, player: str) -> list[e.Event]:
    """The director removes a player."""
    known = state.entrants.get(player)
    if known is None:
        raise Refused(ErrorCode.NO_SUCH_PLAYER, "this player is not in the tournament")
    return [] if known.removed else [e.Removed(player)]


@decision
def ruling_of(state: Tournament, now_ms: int, decide: Decide, ruling: e.Directed) -> list[e.Event]:
    """A decision by hand, and whose it was, if it changes anything."""
    events = decide(state, now_ms)
    return [*events, ruling] if events else []


def closing(state: Tournament, now_ms: int) -> list[e.Event]:
    """The tournament ends, if its time or its last round is over and all matches are."""
    if state.closed_ms or state.playing or state.again:
        return []
    is_over = now_ms >= state.plan.ends_ms if state.plan.format == e.ARENA else no_more(state, now_ms)
    return [e.Closed()] if is_over else []


def is_due(state: Tournament, now_ms: int, outage: Outage) -> bool:
    """True if those who wait are to be paired now: in an arena always; else when all have come for the next round."""
    if state.halted or now_ms < state.plan.starts_ms:
        return False
    if state.plan.format == e.ARENA:
        return now_ms < state.plan.ends_ms
    if state.playing or state.again or no_more(state, now_ms):
        return False
    if not state.round and len(state.waiting()) < 2:
        return False
    return not missing_players(state, now_ms, outage)


def missing_players(state: Tournament, now_ms: int, outage: Outage) -> dict[str, int]:
    """Players without whom the next round, or a match that is played again, does not begin yet, and for how many ms."""
    since_ms = max(state.paired_ms, state.scored_ms) if state.round else state.plan.starts_ms
    left_ms = since_ms + outage(min(since_ms, now_ms), now_ms) - now_ms
    known = [id_ for number in state.again for id_ in state.pairs[number].players] or state.entrants
    found = [entrant for id_ in known if _is_waited_for(state, entrant := state.entrants[id_], now_ms)]
    left = {entrant.player.id: left_ms + _break_ms(state, entrant) for entrant in found}
    return {player: ms for player, ms in left.items() if ms > 0}


def _break_ms(state: Tournament, entrant: Entrant) -> int:
    is_final = state.plan.format == "knock-out" and state.round == state.rounds - 1
    if not is_final or not entrant.results:
        return BREAK_MS
    last = entrant.results[-1]
    return FINAL_BREAK_MS if last.won and not state.pairs[last.number].bracket else BREAK_MS


def calls(state: Tournament, now_ms: int, outage: Outage) -> dict[str, int]:
    """Players who are to come for the next round now, with the ms that are left for it."""
    if state.plan.format == e.ARENA or state.halted:
        return {}
    if not state.again and (state.playing or no_more(state, now_ms)):
        return {}
    left = missing_players(state, now_ms, outage)
    return left if state.round else {player: ms for player, ms in left.items() if ms <= BREAK_MS + CALL_MS}


def _is_waited_for(state: Tournament, entrant: Entrant, now_ms: int) -> bool:
    if entrant.gone or entrant.commitment or entrant.number is not None:
        return False
    return not format_of(state).refusal(state, entrant.player.id, now_ms)


def time_is_over(state: Tournament, now_ms: int, outage: Outage) -> bool:
    """True if the round that is played has lasted as long as it may."""
    if not state.round or not state.playing:
        return False
    return now_ms - outage(state.paired_ms, now_ms) >= state.plan.ends_ms
