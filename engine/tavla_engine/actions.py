"""Actions that a seat may ask for. The match decides what they lead to."""

import enum

from tavla_engine.position import Play
from tavla_engine.values import Value

Seat = int  # 0 (white) or 1 (black)


class Auto(enum.StrEnum):
    """Decisions that a player may leave to the server."""

    ROLL = "roll"  # give up cube decisions for this game: always roll
    PLAY = "play"  # play a turn that has only one legal result


class Ready(Value, frozen=True):
    """Start the next game, as soon as the opponent is ready too."""

    seat: Seat


class Roll(Value, frozen=True):
    """Roll instead of doubling."""

    seat: Seat


class Double(Value, frozen=True):
    """Offer the cube at twice its value."""

    seat: Seat


class Take(Value, frozen=True):
    """Accept the offered cube."""

    seat: Seat


class Drop(Value, frozen=True):
    """Refuse the offered cube and lose the game at its value before the offer."""

    seat: Seat


class Beaver(Value, frozen=True):
    """Accept the offered cube and at once redouble, keeping the cube; a raccoon is a beaver's answer."""

    seat: Seat


class Move(Value, frozen=True):
    """Play the dice. moves: (from, to) pairs in the mover's numbering, 25 = bar, 0 = off, in any order."""

    seat: Seat
    moves: Play


class Resign(Value, frozen=True):
    """Offer to lose this game as a single (1), gammon (2) or backgammon (3)."""

    seat: Seat
    value: int


class AcceptResignation(Value, frozen=True):
    """Take the opponent's resignation; the game is over."""

    seat: Seat


class RefuseResignation(Value, frozen=True):
    """Play on; everything is as it was."""

    seat: Seat


class Forfeit(Value, frozen=True):
    """Give up, at the price that the rules state, without asking the opponent."""

    seat: Seat


class Leave(Value, frozen=True):
    """End money play between two games."""

    seat: Seat


class SetAuto(Value, frozen=True):
    """Leave something to the server, or take it back."""

    seat: Seat
    auto: Auto
    on: bool


class Abort(Value, frozen=True):
    """Agree that the match shall end without a winner, or take that back. It ends when both seats do."""

    seat: Seat
    on: bool = True


TurnAction = Ready | Roll | Double | Take | Drop | Beaver | Move
Action = TurnAction | Resign | AcceptResignation | RefuseResignation | Forfeit | Leave | SetAuto | Abort
