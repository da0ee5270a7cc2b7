"""The questions that one may ask of a match."""

from tavla_engine.actions import Seat
from tavla_engine.match import CUBE, MOVE, READY, RESIGN, ROLL, Match
from tavla_engine.rules import Opening


def to_act(match: Match) -> tuple[Seat, ...]:
    """The seats that the match waits for: none when it is over, both or one between games, else one."""
    phase = match.phase
    if phase is MOVE or phase is ROLL:
        return (match.turn,)
    if phase is READY:
        return tuple(seat for seat in (0, 1) if not match.ready[seat])
    if phase is CUBE:
        assert match.offer is not None, "a cube phase has an offer"
        return (1 - match.offer.seat,)
    if phase is RESIGN:
        assert match.resignation is not None, "a resign phase has a resignation"
        return (1 - match.resignation.seat,)
    return ()


def starter(match: Match) -> Seat | None:
    """The seat whose turn the next game begins with; None = it begins with a roll without a decision."""
    if match.rules.opening is Opening.WINNER and match.outcome is not None:
        return match.outcome.winner
    return 0 if match.rules.opening is Opening.SEAT_0_CUBE else None


def no_double(match: Match, seat: Seat) -> str | None:
    """Why this seat may not offer the cube now, as a sentence; None when it may.

    Source: bkgm.com/rules.html#the_doubling_cube and #match_play. A cube that already decides the match for its
    owner is dead: GNU Backgammon refuses such a double too.
    """
    rules, cube = match.rules, match.cube
    if not rules.cube:
        return "this match is played without the cube"
    if match.crawford:
        return "this is the Crawford game: nobody may double"
    if cube.value >= rules.cube_limit:
        return f"the cube is at {cube.value}, its cap: nobody may double"
    if cube.owner == 1 - seat:
        return "your opponent owns the cube"
    if rules.length and cube.value >= rules.length - match.score[seat]:
        return "the cube is dead: winning this game already wins you the match"
    return None


ABORT_TURNS = 2  # so many turns into a match its players may still agree that it shall not count
ASKED_ROLLS = 1  # so many rolls later an offer to abort still stands: the opponent's turn, and no further


def no_abort(match: Match) -> str | None:
    """Why the players may not agree to abort the match now, as a sentence; None when they may.

    At its start any match may be aborted; one without a clock at any time, since nothing else may ever end it.
    """
    if not match.rules.clocked or (match.game <= 1 and match.rolls - match.opened <= ABORT_TURNS):
        return None
    return "after its second turn a match with a clock is played to its end: resign or forfeit"


def asks_abort(match: Match, seat: Seat) -> bool:
    """True if this seat's offer to abort the match stands: until the opponent has played on."""
    asked = match.aborts[seat]
    return asked is not None and match.rolls <= asked + ASKED_ROLLS


def loss_kind(loser_row: bytes) -> int:
    """Value of bearing off against these checkers: 1 single, 2 gammon (none off), 3 backgammon.

    Source: bkgm.com/rules.html: a backgammon, if the loser has borne off none and still has a checker on the bar or
    in the winner's home.
    """
    if loser_row[0]:
        return 1
    return 3 if any(loser_row[19:26]) else 2
