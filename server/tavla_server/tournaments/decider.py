"""What a tournament decides: each decision is a function of its state, and done again it changes nothing. Pure."""

import hashlib
import itertools
import math
import re
from collections.abc import Callable, Container, Iterable

from tavla_engine.actions import Seat
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.player import Player
from tavla_server.tournaments.events import (
    Added,
    Closed,
    Directed,
    Entered,
    Event,
    Extended,
    Halted,
    Left,
    Opened,
    Paired,
    Removed,
    Renamed,
    Scored,
)
from tavla_server.tournaments.state import Entrant, Tournament, place
from tavla_server.tournaments.waiting import Pairs, Waiting

REMATCH_MS = 15_000  # of fewer than FEW who wait, the last two opponents meet again after so long: another may come
FEW = 4

SOMEONE = "someone"  # in the place of a name whose account was closed

Decide = Callable[[Tournament, int], list[Event]]  # the state, and the time in ms; raises Refused


OVER = "this tournament is over: no more matches are made"


def opened(event: Opened) -> Decide:
    """The tournament is made."""
    return lambda state, now_ms: [] if state.opened else [event]


def entered(player: Player, commitment: str, most: int) -> Decide:
    """A player comes, or returns, and waits for a match. most: players that a tournament takes."""

    def decide(state: Tournament, now_ms: int) -> list[Event]:
        known = state.entrants.get(player.id)
        if known is not None and known.number is not None:
            return []
        if state.opened is None or now_ms >= state.opened.ends_ms:
            raise Refused(ErrorCode.TOURNAMENT_OVER, OVER)
        if known is not None and known.removed:
            raise Refused(ErrorCode.NOT_ALLOWED, "the director has removed you from this tournament")
        if known is None:
            _check_room(state, most)
            _check_band(state.opened, player)
        if known is not None and known.commitment == commitment:
            return []
        return [Entered(player, commitment)]

    return decide


def _check_room(state: Tournament, most: int) -> None:
    if len(state.entrants) >= most:
        raise Refused(ErrorCode.TOO_MANY, f"this tournament is full: it takes {most} players")


def _check_band(opened: Opened, player: Player) -> None:
    """Raises: Refused for a rating with which one may not come. Whom the director adds has come before."""
    least, most = opened.band
    if player.rating is None:
        if least or most:
            raise Refused(ErrorCode.ACCOUNT_NEEDED, "this tournament asks for a rating: register first")
    elif not (least or 0) <= round(player.rating) <= (most or math.inf):
        whose = f"from {least}" * bool(least) + " " * bool(least and most) + f"to {most}" * bool(most)
        text = f"this tournament is for ratings {whose}, and yours is {player.rating:.0f}: its director may add you"
        raise Refused(ErrorCode.NOT_ALLOWED, text)


def added(player: Player, most: int) -> Decide:
    """The director lets a player in, who then enters as all do. most: players that a tournament takes."""

    def decide(state: Tournament, now_ms: int) -> list[Event]:
        known = state.entrants.get(player.id)
        if state.closed_ms:
            raise Refused(ErrorCode.TOURNAMENT_OVER, OVER)
        if known is not None and not known.removed:
            return []
        _check_room(state, most + (known is not None))
        return [Added(player)]

    return decide


def left(players: Iterable[str]) -> Decide:
    """Players wait no longer."""

    def decide(state: Tournament, now_ms: int) -> list[Event]:
        known = [state.entrants[player] for player in players if player in state.entrants]
        return [Left(entrant.player.id) for entrant in known if entrant.commitment]

    return decide


def paired(pairs: Pairs) -> Decide:
    """Those who wait are paired, as far as both still do."""

    def decide(state: Tournament, now_ms: int) -> list[Event]:
        assert state.opened is not None, "it has begun"
        found: list[Event] = []
        for pair in pairs:
            one, other = (state.entrants[id_] for id_ in pair)
            if one.commitment and other.commitment and now_ms < state.opened.ends_ms:
                number = len(state.pairs) + len(found)
                white = _draw(state.opened.seed, str(number))[0] & 1
                found.append(Paired((pair[white], pair[1 - white])))
        return found

    return decide


def scored(result: Scored) -> Decide:
    """A match is over, or has another result now."""

    def decide(state: Tournament, now_ms: int) -> list[Event]:
        known = state.pairs[result.number].scored
        return [] if known == result else [result]

    return decide


def halted(on: bool) -> Decide:
    """The director halts the pairing, or lets it go on."""
    return lambda state, now_ms: [] if state.halted == on or state.closed_ms else [Halted(on)]


def extended(ends_ms: int) -> Decide:
    """The director lets the time be over at another time."""

    def decide(state: Tournament, now_ms: int) -> list[Event]:
        if state.closed_ms or state.opened is None:
            raise Refused(ErrorCode.TOURNAMENT_OVER, "this tournament is over: its table is final")
        return [] if state.opened.ends_ms == ends_ms else [Extended(ends_ms)]

    return decide


def removed(player: str) -> Decide:
    """The director removes a player."""

    def decide(state: Tournament, now_ms: int) -> list[Event]:
        known = state.entrants.get(player)
        if known is None:
            raise Refused(ErrorCode.NO_SUCH_PLAYER, "this player is not in the tournament")
        return [] if known.removed else [Removed(player)]

    return decide


def forgotten(player: str) -> Decide:
    """A player's account was closed: to all others it is `someone`, or `someone-2`."""

    def decide(state: Tournament, now_ms: int) -> list[Event]:
        known = _named(state, player)
        if known is None or re.fullmatch(rf"{SOMEONE}(-\d+)?", known.name):
            return []
        taken = {entrant.player.name for entrant in state.entrants.values()}
        names = (SOMEONE if number == 1 else f"{SOMEONE}-{number}" for number in itertools.count(1))
        return [Renamed(player, known._replace(name=next(name for name in names if name not in taken)))]

    return decide


def merged(player: str, into: Player) -> Decide:
    """A player has become another one. Who was in the tournament as both stays so."""

    def decide(state: Tournament, now_ms: int) -> list[Event]:
        is_two = into.id in state.entrants and player in state.entrants
        by_both = state.opened is not None and state.opened.by.id == player
        return [Renamed(player, into)] if _named(state, player) is not None and (by_both or not is_two) else []

    return decide


def _named(state: Tournament, player: str) -> Player | None:
    """A player who is in the tournament, or has made it."""
    if player in state.entrants:
        return state.entrants[player].player
    return state.opened.by if state.opened is not None and state.opened.by.id == player else None


def ruled(decide: Decide, ruling: Directed) -> Decide:
    """A decision by hand, and whose it was, if it changes anything."""

    def decide_it(state: Tournament, now_ms: int) -> list[Event]:
        events = decide(state, now_ms)
        return [*events, ruling] if events else []

    return decide_it


def closed(state: Tournament, now_ms: int) -> list[Event]:
    """The tournament ends, if its time is over and all matches are."""
    ended = state.opened is not None and now_ms >= state.opened.ends_ms and not state.playing
    return [Closed()] if ended and not state.closed_ms else []


def waiting(state: Tournament, here: Container[str], now_ms: int) -> list[Waiting]:
    """Those who may be paired now, in the order of their ranks. here: the players who have a connection."""
    if state.opened is None or state.halted or not state.opened.starts_ms <= now_ms < state.opened.ends_ms:
        return []
    seed, round_ = state.opened.seed, str(len(state.pairs))

    def order(entrant: Entrant) -> tuple[float, float, float, bytes]:
        return *place(entrant), _draw(seed, round_, entrant.player.id)

    ranked = enumerate(sorted(state.entrants.values(), key=order))
    found = [(rank, entrant) for rank, entrant in ranked if entrant.commitment and entrant.player.id in here]
    few = len(found) < FEW
    return [
        Waiting(
            entrant.player.id,
            rank,
            "" if few and now_ms - entrant.since_ms >= REMATCH_MS else entrant.last,
            entrant.since_ms < state.paired_ms,
        )
        for rank, entrant in found
    ]


def result_of(number: int, winner: Seat | None, absent: tuple[Seat, ...]) -> Scored:
    """The result of a match. absent: the seats from which no seed came: then the point is the opponent's."""
    if len(absent) == 1:
        winner = 1 - absent[0]
    return Scored(number, winner, absent)


def _draw(seed: bytes, *what: str) -> bytes:
    """What decides between equals: nobody can know it before, and every node finds the same."""
    return hashlib.sha256(b"\0".join((seed, *(part.encode() for part in what)))).digest()
