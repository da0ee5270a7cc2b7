"""A match followed view by view: each has to follow from the one before, by what its players may do. No I/O."""

from collections.abc import Callable
from itertools import chain
from operator import attrgetter
from typing import Any

from msgspec.structs import replace
from tavla_engine import actions as a
from tavla_engine.actions import Action, Auto, Seat
from tavla_engine.apply import apply
from tavla_engine.chain import link_after, link_number
from tavla_engine.claim import is_commitment
from tavla_engine.conditions import asks_abort
from tavla_engine.decide import decide, proceed
from tavla_engine.dice import Dice, Roller
from tavla_engine.errors import BadText, IllegalAction
from tavla_engine.events import Ending, MatchEnded
from tavla_engine.match import MOVE, READY, ROLL, Match, Phase, Turn
from tavla_engine.notation import format_moves
from tavla_engine.referee import DECIDED, may_decide, rules_of
from tavla_engine.rules import STARTS, Rules
from tavla_protocol.match_view import view_of
from tavla_protocol.view import View

from tavla_client.shown_match import BEFORE_DICE, match_of, turn_of

_IMPOSSIBLE = "the server shows a match that cannot be"
MAX_TIES = 60  # in a row, at a game's start: 1 in 6 each
_TIE = 1, 1  # an opening roll that was rolled again: no view shows which


class Follower:
    """A follower keeps the engine's match beside the views.

    unknown: why it cannot, such as a rule of a later version, or "". last_act: what led to the last step, if known.
    """

    def __init__(self) -> None:
        self.unknown = ""
        self.last_act: Action | None = None
        self._match: Match | None = None
        self._has_begun = False  # the game was followed from its start: a view alone does not show all that was refused

    def restart(self, view: View) -> str:
        """Go on from a view, whatever was before. Returns: what cannot be in it, as a sentence; "" = nothing."""
        self._match, self._has_begun = None, False
        try:
            rules = rules_of(view.rules)
        except BadText as error:
            self.unknown = str(error)
            return ""
        if fault := _impossible(view, rules):
            return fault
        self._match = _linked(match_of(view, rules), view)
        return ""

    def step(self, view: View) -> str:
        """Go on to the next view. Returns: how it does not follow, as a sentence; "" = it does."""
        before, self.last_act = self._match, None
        if before is None or not before.game:
            fault = "" if before is None or not view.game else self._began(before, view)
            fault = fault or self.restart(view)
            self._has_begun = before is not None and view.game == 1 and not view.last and not fault
            return fault
        try:
            acted = _acted(before, view)
            after = _after(before, view, acted)
            fault = _difference(after, view)
            self._match, self.last_act = after, acted
        except _Odd as odd:
            fault = str(odd)
        except (ValueError, LookupError, TypeError, AssertionError):  # whatever a view of no match leads to
            fault = _IMPOSSIBLE
        return fault and (self.restart(view) or fault)

    def allows(self, action: Action) -> bool:
        """True if the rules allow an action now. False also where the game was not followed from its start."""
        if self._match is None or not self._has_begun:
            return False
        try:
            decide(self._match, action, _no_dice)
        except _Odd:
            return True  # and it leads to a roll
        except (IllegalAction, ValueError, LookupError, TypeError, AssertionError):
            return False
        return True

    def _began(self, before: Match, view: View) -> str:
        """The first game: both players were ready, and the seeds are known."""
        try:
            _, after = proceed(replace(before, ready=(True, True)), _roller(before, view))
            return _difference(after, view)
        except _Odd as odd:
            return str(odd)
        except (ValueError, LookupError, TypeError, AssertionError):
            return _IMPOSSIBLE


class _Odd(Exception):
    """A view does not follow. str(error): a sentence."""


def _no_dice(number: int) -> Dice:
    raise _Odd(f"roll {number} is not known")


def _linked(match: Match, view: View) -> Match:
    """The match, whose next roll takes the link after the one that is shown: behind the last link there is no game."""
    if not is_commitment(view.seed):  # of as many digits
        return match
    return link_after(match, link_number(bytes.fromhex(view.seed), view.commitment) or match.link - 1)


# --- a step ---


def _acted(before: Match, view: View) -> Action | None:
    """The act that can have led to a view; None if others have ended the match. Raises: _Odd, when none can have."""
    is_decided = view.phase == "over" and view.outcome is not None and view.outcome[3] in DECIDED
    return None if is_decided else _action(before, view)


def _after(before: Match, view: View, acted: Action | None) -> Match:
    """The match after what has led to a view. Raises: _Odd, when that cannot be."""
    if acted is None:
        assert view.outcome is not None, "it is decided"
        event = MatchEnded(view.outcome[0], Ending(view.outcome[3]))
        if not may_decide(before, event):
            raise _Odd(f"the match has ended as {event.ending}, which cannot be now")
        return apply(before, event)
    try:
        return decide(before, acted, _roller(before, view))[1]
    except IllegalAction as refused:
        raise _Odd(_illegal(before, view, str(refused))) from None


def _illegal(before: Match, view: View, why: str) -> str:
    if before.phase is MOVE and view.last and view.last != view_of(before).last:
        turn = turn_of(view.last[0])
        moves, (one, two) = format_moves(turn.moves) or "nothing", turn.dice
        return f"{_name(view, turn.seat)} was let play {moves} with {one}-{two}, against the rules: {why}"
    return f"something was done against the rules: {why}"


def _name(view: View, seat: int) -> str:
    return view.players[seat] or ("white", "black")[seat]


def _action(before: Match, view: View) -> Action:
    """The one action that can have led from a match to a view, of either seat or the server."""
    winner, _, _, ending = view.outcome or (None, 0, 0, "")
    is_end = view.phase in ("ready", "over") and before.phase is not READY
    if ending == Ending.ABORTED:
        return a.Abort(int(asks_abort(before, 0)))
    if ending == Ending.FORFEIT and winner is not None and (is_end or view.phase == "over"):
        return a.Forfeit(1 - winner)
    if ending == Ending.LEFT and before.phase is not READY and (forfeit := _last_forfeit(before, view)) is not None:
        return forfeit
    if view.game == before.game and not is_end:
        for seat in (0, 1):
            if view.aborts[seat] != before.aborts[seat]:
                return a.Abort(seat, view.aborts[seat] is not None)
            if view.auto_roll[seat] != before.auto_roll[seat]:
                return a.SetAuto(seat, Auto.ROLL, view.auto_roll[seat])
            if view.auto_play[seat] != before.auto_play[seat]:
                return a.SetAuto(seat, Auto.PLAY, view.auto_play[seat])
    if before.phase is READY:
        return a.Leave(0) if view.phase == "over" else a.Ready(_got_ready(before, view))
    if view.resignation is not None and before.resignation is None:
        return a.Resign(*view.resignation)
    return _answer(before, view, ending)


# Behind the last link the end of a game is that of the sitting.
_RESIGNED, _DROPPED = (Ending.RESIGNATION, Ending.LEFT), (Ending.DROP, Ending.LEFT)


def _last_forfeit(before: Match, view: View) -> a.Forfeit | None:
    """The forfeit of the last game that a sitting can have, if nothing else has ended it: no checker, and no answer."""
    answer: Action | None = None
    if before.resignation is not None:
        answer = a.AcceptResignation(1 - before.resignation.seat)
    elif before.offer is not None:
        answer = a.Drop(1 - before.offer.seat)
    if (view.row(0), view.row(1)) != before.board:
        return None
    if answer is not None and decide(before, answer, _no_dice)[1].score == view.score:
        return None
    return a.Forfeit(int(view.score[0] > before.score[0]))


def _answer(before: Match, view: View, ending: str) -> Action:
    seat = before.turn
    if before.resignation is not None:
        answers = 1 - before.resignation.seat
        return a.AcceptResignation(answers) if ending in _RESIGNED else a.RefuseResignation(answers)
    if before.offer is not None:
        answers = 1 - before.offer.seat
        if ending in _DROPPED:
            return a.Drop(answers)
        return a.Beaver(answers) if view.phase == "cube" else a.Take(answers)
    if before.phase is ROLL:
        return a.Double(seat) if view.phase == "cube" else a.Roll(seat)
    known, turns = view_of(before).last, view.rolls - bool(view.dice) - before.rolls + 1
    if before.phase is MOVE and known and len(view.last) == len(known) + turns and view.last[: len(known)] == known:
        raise _Odd(f"{_name(view, seat)}'s turn was played without being asked for, though it was not forced")
    if before.phase is MOVE and view.last:
        return a.Move(view.last[0][0], turn_of(view.last[0]).moves)
    if before.phase is MOVE:
        raise _Odd("the turn that was played is not shown")
    raise _Odd("something has changed after the match was over")


def _got_ready(before: Match, view: View) -> Seat:
    if view.game > before.game:
        return int(before.ready[0])
    return int(view.ready[0] == before.ready[0])


def _roller(before: Match, view: View) -> Roller:
    """The dice that were drawn between a match and a view, by number, as far as they are shown."""
    shown: dict[int, Dice] = {}
    number, turns = view.rolls, [(turn[1], turn[2]) for turn in view.last]
    for dice in reversed([*turns, *([(view.dice[0], view.dice[1])] if len(view.dice) == 2 else [])]):
        shown[number] = dice
        number -= 1
    begins = view.game > before.game
    first = number + 1 if begins else 0
    if begins and first in shown:  # an opening roll: the first die is seat 0's
        starts = view.last[0][0] if view.last else view.turn
        high, low = max(shown[first]), min(shown[first])
        shown[first] = (high, low) if starts == 0 else (low, high)

    def roll(number: int) -> Dice:
        if number in shown:
            return shown[number]
        if begins and number < first <= before.rolls + MAX_TIES:
            return _TIE
        if number < view.rolls:
            raise _Odd(f"the dice have gone on to roll {view.rolls}, but roll {number} was never shown")
        raise _Odd(f"roll {number} is due, and is not shown")

    return roll


# --- comparing ---


def shown_of(match: Match) -> tuple[Any, ...]:
    """Parts of a match that `shown_in` takes of its view."""
    return shown_in(view_of(match))


_SHOWN = {  # fields of a view that are compared: words for them
    "phase": "state",
    "turn": "turn",
    "dice": "dice",
    "points": "board",
    "rolls": "number of rolls",
    "cube": "cube",
    "owner": "cube's owner",
    "offer": "double",
    "resignation": "resignation",
    "score": "score",
    "game": "number of games",
    "crawford": "Crawford game",
    "outcome": "result",
}
shown_in: Callable[[View], tuple[Any, ...]] = attrgetter(*_SHOWN)


def _difference(match: Match, view: View) -> str:
    """Difference of a view from the match that it should show."""
    expected, shown = shown_of(match), shown_in(view)
    if expected == shown:
        return "" if _same_turns(match, view) else "the last turn is shown otherwise than it was played"
    if view.rolls != match.rolls:
        return f"the dice have gone on to roll {view.rolls}, where roll {match.rolls} is due"
    if view.outcome is None and view.phase == "over":
        return "the match is void, though it had begun"
    wrong = [word for word, one, other in zip(_SHOWN.values(), expected, shown, strict=True) if one != other]
    return f"what is shown does not follow from what was: the {' and the '.join(wrong[:3])}"


def _same_turns(match: Match, view: View) -> bool:
    return view_of(match).last == view.last or list(map(_unordered, match.last)) == [
        _unordered(turn_of(turn)) for turn in view.last
    ]


def _unordered(turn: Turn) -> tuple[Any, ...]:
    return turn.seat, turn.dice, sorted(turn.moves)


def _impossible(view: View, rules: Rules) -> str:
    """Contradiction that no match can show, as a sentence."""
    seats = {view.turn, view.owner, view.offer, *(turn[0] if turn else 9 for turn in view.last)}
    seats |= {view.outcome[0] if view.outcome else None, view.resignation[0] if view.resignation else None}
    dice = [*view.dice, *chain.from_iterable(turn[1:3] for turn in view.last)]
    endings = {*Ending, None}
    checkers = sum(STARTS[rules.variant])
    wrong = (
        ("a phase", view.phase not in (*Phase, *BEFORE_DICE)),
        ("a seat", not seats <= {0, 1, None}),
        ("dice", not all(1 <= die <= 6 for die in dice) or len(view.dice) not in (0, 2)),
        ("a turn", any(len(turn) < 3 or len(turn) % 2 == 0 or len(turn) > 11 for turn in view.last)),
        ("checkers", bool(view.game) and (sum(view.row(0)), sum(view.row(1))) != (checkers, checkers)),
        ("a cube", view.cube < 1 or view.cube & (view.cube - 1) != 0 or view.cube > rules.cube_limit),
        ("a result", (view.outcome[3] if view.outcome else None) not in endings),
        ("a score", min(view.score) < 0 or view.rolls < 0 or view.game < 0),
        ("a phase", (view.phase == "cube") != (view.offer is not None) and view.phase != "resign"),
        ("a phase", (view.phase == "resign") != (view.resignation is not None)),
        ("dice", view.phase == "move" and not view.dice),
    )
    return next((f"the server shows {what} that cannot be" for what, is_wrong in wrong if is_wrong), "")
