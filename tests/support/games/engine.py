"""Short ways to a match in a known state, and to dice that are known beforehand."""

from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace
from tavla_engine.actions import Action, Move, Seat
from tavla_engine.apply import apply
from tavla_engine.decide import decide
from tavla_engine.dice import Dice
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Event
from tavla_engine.match import Match, Offer, Phase, Resignation, new_match
from tavla_engine.plays import legal_plays
from tavla_engine.position import row
from tavla_engine.rules import Rules, preset

MONEY = preset("money")
TOURNAMENT = preset("tournament")

LAST_CHECKER = row(off=14, p1=1)  # any roll wins
HOME_STRETCH = row(off=1, p1=14)  # no gammon to lose
NONE_OFF = row(p6=5, p5=5, p4=5)  # loses a gammon
DEEP_BEHIND = row(p24=2, p6=5, p5=4, p4=4)  # loses a backgammon
ONE_BLOT_ON_BAR = row(bar=1, p6=14)
SHUT_HOME = row(p1=2, p2=2, p3=2, p4=2, p5=2, p6=5)  # no checker enters against it


def on_roll(rules: Rules = MONEY, seat: Seat = 0, **fields: Any) -> Match:
    """A first game in progress, `seat` to roll or double."""
    return replace(new_match(rules), **({"phase": Phase.ROLL, "game": 1, "turn": seat} | fields))


def to_move(dice: Dice, rules: Rules = MONEY, seat: Seat = 0, **fields: Any) -> Match:
    """The same with dice to be played."""
    return replace(on_roll(rules, seat, **fields), phase=Phase.MOVE, dice=dice)


def doubled(rules: Rules = MONEY, seat: Seat = 0, **fields: Any) -> Match:
    """The same with a double of `seat` to be answered."""
    return replace(on_roll(rules, seat, **fields), phase=Phase.CUBE, offer=Offer(seat, 1 - seat))


def resigned(value: int, rules: Rules = MONEY, seat: Seat = 0, **fields: Any) -> Match:
    """The same with a resignation of `seat`, who was on roll, to be answered."""
    offer = Resignation(seat, value, Phase.ROLL)
    return replace(on_roll(rules, seat, **fields), phase=Phase.RESIGN, resignation=offer)


class Decision(NamedTuple):
    """Result of an action."""

    events: list[Event]
    match: Match


def act(match: Match, action: Action, *dice: Dice) -> Decision:
    """Result of the action with these dice, all of which must be used; checked against a replay."""
    drawn: list[int] = []

    def roll(number: int) -> Dice:
        drawn.append(number)
        return dice[len(drawn) - 1]

    decision = Decision(*decide(match, action, roll))
    assert drawn == list(range(match.rolls + 1, match.rolls + 1 + len(dice)))
    assert replayed(match, decision.events) == decision.match
    return decision


def after(match: Match, action: Action, *dice: Dice) -> Match:
    """The match after an action."""
    return act(match, action, *dice).match


def done(match: Match, *actions: Action) -> Match:
    """The match after some actions that draw no dice."""
    for action in actions:
        match = after(match, action)
    return match


def replayed(match: Match, events: list[Event]) -> Match:
    """The match after these events."""
    for event in events:
        match = apply(match, event)
    return match


def refusal(match: Match, action: Action) -> IllegalAction:
    """The error that refuses the action, which draws no dice."""
    with pytest.raises(IllegalAction) as caught:
        act(match, action)
    return caught.value


def any_move(match: Match) -> Move:
    """A legal play for the player on roll."""
    assert match.dice is not None
    return Move(match.turn, next(iter(legal_plays(match.position, match.dice, match.rules.hit_and_run).values())))
