"""Events of an action: the rules of a turn, the cube and the score."""

from collections.abc import Callable
from typing import Any, get_args

from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.actions import Action, Seat
from tavla_engine.apply import APPLY, after_turn, apply
from tavla_engine.chain import LINKS
from tavla_engine.conditions import asks_abort, loss_kind, no_abort, no_double, to_act
from tavla_engine.dice import Roller
from tavla_engine.errors import IllegalAction, Reason
from tavla_engine.events import Ending, Event
from tavla_engine.match import ACCEPTS, CUBE, EITHER_SEAT, MOVE, OPENING, OVER, READY, RESIGN, ROLL, Match, Phase
from tavla_engine.plays import has_play, is_locked, legal_plays, resolve_play
from tavla_engine.position import OFF
from tavla_engine.rules import Opening

_NOBODY = bytes(25)  # on the points and the bar


def decide(match: Match, action: Action, roll: Roller) -> tuple[list[Event], Match]:
    """Events of `action`, up to the next decision that a player has to make; and the match then.

    The events include automatic steps; there are none when the action changes nothing.

    roll: the dice of this match by number; called once for each pair that is drawn.
    Raises: IllegalAction, with the reason that the wire carries.
    """
    if type(action) is a.Move:
        events, match = _played(match, action, roll)
    else:
        _check_phase(match, action)
        answer = _ANSWERS[type(action)](match, action, roll)
        if answer is None:
            return [], match
        events, match = [answer], apply(match, answer)
    return _followed(events, match, roll)


def proceed(match: Match, roll: Roller) -> tuple[list[Event], Match]:
    """Events that follow by themselves: the first game, when both players were ready before the dice were known."""
    return _followed([], match, roll)


def _followed(events: list[Event], match: Match, roll: Roller) -> tuple[list[Event], Match]:
    """Some events and the match after them, with the steps that need no player."""
    while (step := _AUTOMATIC[match.phase](match, roll)) is not None:
        events.append(step)
        match = APPLY[type(step)](match, step)
    return events, match


_WAITS_FOR = {
    READY: "the players to be ready for the next game",
    OPENING: "the opening roll",
    ROLL: "the player on roll to roll or double",
    CUBE: "an answer to the double: take or drop",
    MOVE: "the dice to be played",
    RESIGN: "an answer to the resignation: accept or refuse",
}


def _check_phase(match: Match, action: Action) -> None:
    kind = type(action)
    if kind not in ACCEPTS[match.phase] or (kind not in EITHER_SEAT and action.seat not in to_act(match)):
        raise _not_now(match, action)


def _not_now(match: Match, action: Action) -> IllegalAction:
    """Why an action does not fit the phase, or the seat."""
    if match.phase is OVER:
        return IllegalAction(Reason.WRONG_PHASE, "the match is over")
    waits_for = _WAITS_FOR[match.phase]
    if type(action) is a.Ready:  # sent twice, or as the game began by itself
        return IllegalAction(Reason.WRONG_PHASE, f"the game has begun: waiting for {waits_for}")
    if type(action) not in EITHER_SEAT and match.phase is not READY and action.seat not in to_act(match):
        return IllegalAction(Reason.NOT_YOUR_TURN, f"it is not your turn: waiting for {waits_for}")
    if match.phase is MOVE and type(action) is a.Double:  # perhaps rolled for a player who could not double
        text = no_double(match, action.seat) or "you have rolled: the cube is offered before the roll"
        return IllegalAction(Reason.WRONG_PHASE, text)
    return IllegalAction(Reason.WRONG_PHASE, f"not now: waiting for {waits_for}")


def _played(match: Match, action: a.Move, roll: Roller) -> tuple[list[Event], Match]:
    """A turn, and the opponent's roll if it follows, as a rule: no match between them is made."""
    seat, dice = action.seat, match.dice
    if match.phase is not MOVE or seat != match.turn:
        raise _not_now(match, action)
    assert dice is not None, "a move phase has dice"
    board = match.board
    play, after = resolve_play(
        board if seat == 0 else (board[1], board[0]), dice, action.moves, match.rules.hit_and_run
    )
    turn = e.Moved(seat, play)
    rolled = _rolled_at_once(match, 1 - seat, after[0], roll)
    return [turn] if rolled is None else [turn, rolled], after_turn(match, turn, after, rolled)


def _rolled(match: Match, seat: Seat, roll: Roller) -> e.Rolled:
    die_1, die_2 = roll(match.rolls + 1)
    return e.Rolled(seat, die_1, die_2)


def _turn_begun(match: Match, roll: Roller) -> Event | None:
    seat = match.turn
    if match.board[1 - seat].endswith(_NOBODY):
        return _lost(match, seat, loss_kind(match.board[seat]), Ending.BORNE_OFF)
    return _rolled_at_once(match, seat, match.board[1 - seat], roll)


def _rolled_at_once(match: Match, seat: Seat, opponent: bytes, roll: Roller) -> e.Rolled | None:
    """The roll that a turn begins with, if the game goes on and no double can come first.

    opponent: the other player's row by then.
    """
    # Holds bench/ceilings.toml: without a look whether one is off an action would take 400 instructions more.
    if (opponent[OFF] and opponent.endswith(_NOBODY)) or (no_double(match, seat) is None and not match.auto_roll[seat]):
        return None
    die_1, die_2 = roll(match.rolls + 1)  # (as `_rolled` has it: for each turn)
    return e.Rolled(seat, die_1, die_2)


def _opening(match: Match, roll: Roller) -> Event:
    if match.rules.opening is Opening.SEAT_0:
        return _rolled(match, 0, roll)
    return e.OpeningRolled(*roll(match.rolls + 1))


def _next_game(match: Match, _: Roller) -> Event | None:
    length, best = match.rules.length, max(match.score)
    if length and best >= length:
        return e.MatchEnded(match.score.index(best), Ending.SCORE)
    if match.link > LINKS:  # there are no dice for another one
        return _left(match)
    if not all(match.ready):
        return None
    # Source: bkgm.com/rules.html#match_play: the first game after a player comes within one point of winning.
    crawford = match.rules.crawford and not match.crawford_done and 1 < length == best + 1
    return e.GameStarted(crawford)


def _forced_turn(match: Match, _: Roller) -> Event | None:
    board, seat = match.board, match.turn
    assert match.dice is not None, "a move phase has dice"
    if not has_play(board if seat == 0 else (board[1], board[0]), match.dice):
        return None if is_locked(board) else e.Moved(seat, (), auto=True)  # else both would pass for ever
    if match.auto_play[seat]:
        plays = legal_plays(match.position, match.dice, match.rules.hit_and_run)
        if len(plays) == 1:
            return e.Moved(seat, next(iter(plays.values())), auto=True)
    return None


# The step of each phase that needs no player, if one is due.
_AUTOMATIC: dict[Phase, Callable[[Match, Roller], Event | None]] = {
    READY: _next_game,
    OPENING: _opening,
    ROLL: _turn_begun,
    CUBE: lambda _match, _: None,
    MOVE: _forced_turn,
    RESIGN: lambda _match, _: None,
    OVER: lambda _match, _: None,
}


def _lost(match: Match, loser: Seat, kind: int, ending: Ending) -> Event:
    if match.rules.jacoby and not match.cube.turned:
        kind = 1  # bkgm.com/rules.html#the_jacoby_rule: gammons count only after an accepted double
    elif not match.rules.backgammons:
        kind = min(kind, 2)
    return e.GameEnded(1 - loser, match.cube.value * kind, kind, ending)


def _double(match: Match, action: a.Double, _: Roller) -> Event:
    if (reason := no_double(match, action.seat)) is not None:
        raise IllegalAction(Reason.NO_DOUBLE, reason)
    return e.Doubled(action.seat)


def _beaver(match: Match, action: a.Beaver, _: Roller) -> Event:
    rules, offer = match.rules, match.offer
    assert offer is not None, "a cube phase has an offer"
    if not rules.beavers:
        raise IllegalAction(Reason.NO_DOUBLE, "this match is played without beavers: take or drop")
    if offer.beavers >= rules.beavers:
        raise IllegalAction(Reason.NO_DOUBLE, f"no more than {rules.beavers} may follow a double: take or drop")
    if 4 * match.cube.value > rules.cube_limit:
        raise IllegalAction(Reason.NO_DOUBLE, f"the cube goes to {rules.cube_limit} at most: take or drop")
    return e.Beavered(action.seat)


def _accept_resignation(match: Match, _action: a.AcceptResignation, _: Roller) -> Event:
    assert match.resignation is not None, "a resign phase has a resignation"
    return _lost(match, match.resignation.seat, match.resignation.value, Ending.RESIGNATION)


def _resign(match: Match, action: a.Resign, _: Roller) -> Event | None:
    seat, value = action.seat, action.value
    if not match.rules.resignations:
        raise IllegalAction(Reason.NO_RESIGNATION, "this match is played without resignations: you may forfeit")
    if value == 3 and not match.rules.backgammons:
        raise IllegalAction(
            Reason.NO_RESIGNATION, "nothing counts three here: resign a single game (1) or a gammon (2)"
        )
    if value not in (1, 2, 3):
        raise IllegalAction(Reason.NO_RESIGNATION, "resign a single game (1), a gammon (2) or a backgammon (3)")
    if match.resignation is not None:
        if (match.resignation.seat, match.resignation.value) == (seat, value):
            return None  # sent twice, acts once
        raise IllegalAction(Reason.WRONG_PHASE, f"not now: waiting for {_WAITS_FOR[RESIGN]}")
    if match.refused[seat] & 1 << value:
        raise IllegalAction(Reason.NO_RESIGNATION, "your opponent refused that in this turn: offer another, or play on")
    return e.ResignationOffered(seat, value)


def _forfeit(match: Match, action: a.Forfeit, _: Roller) -> Event:
    winner = 1 - action.seat
    rules, between_games = match.rules, match.phase is READY
    multiplier = rules.forfeit_multiplier
    if not multiplier or (rules.length and between_games):
        return e.MatchEnded(winner, Ending.FORFEIT)
    if between_games:
        raise IllegalAction(Reason.WRONG_PHASE, "there is no game to forfeit: leave, or play the next one")
    return e.GameEnded(winner, match.cube.value * multiplier, multiplier, Ending.FORFEIT)


def _leave(match: Match, _action: a.Leave, _: Roller) -> Event:
    if match.rules.length:
        raise IllegalAction(Reason.WRONG_PHASE, "a match is played to its end: you may forfeit it")
    return _left(match)


def _left(match: Match) -> e.MatchEnded:
    white, black = match.score
    return e.MatchEnded(None if white == black else int(black > white), Ending.LEFT)


def _set_auto(match: Match, action: a.SetAuto, _: Roller) -> Event | None:
    now = match.auto_roll if action.auto is a.Auto.ROLL else match.auto_play
    return None if now[action.seat] == action.on else e.AutoSet(action.seat, action.auto, action.on)


def _abort(match: Match, action: a.Abort, _: Roller) -> Event | None:
    seat = action.seat
    if action.on == asks_abort(match, seat):
        return None
    if action.on and (reason := no_abort(match)) is not None:
        raise IllegalAction(Reason.WRONG_PHASE, reason)
    if action.on and asks_abort(match, 1 - seat):
        return e.MatchEnded(None, Ending.ABORTED)
    return e.AbortAsked(seat, action.on)


# The event that an action itself makes, before anything follows from it; None if it changes nothing.
_ANSWERS: dict[type[Action], Callable[[Match, Any, Roller], Event | None]] = {
    a.Ready: lambda match, action, _: None if match.ready[action.seat] else e.Readied(action.seat),
    a.Roll: lambda match, action, roll: _rolled(match, action.seat, roll),
    a.Double: _double,
    a.Take: lambda _match, action, _: e.Taken(action.seat),
    a.Drop: lambda match, action, _: e.GameEnded(1 - action.seat, match.cube.value, 1, Ending.DROP),
    a.Beaver: _beaver,
    a.Resign: _resign,
    a.AcceptResignation: _accept_resignation,
    a.RefuseResignation: lambda _match, action, _: e.ResignationRefused(action.seat),
    a.Forfeit: _forfeit,
    a.Leave: _leave,
    a.SetAuto: _set_auto,
    a.Abort: _abort,
}
assert {a.Move, *_ANSWERS} == set(get_args(Action)), "every action is answered"
