"""Actions that a seat may ask for. The match decides what they lead to."""

import enum

from tavla_engine.position import Play
from tavla_engine.values import Value

Seat = int  # 0 (white) or 1 (black)


class Auto(enum.StrEnum):
    """Automatic play: decisions that a player may leave to the server."""

    ROLL = "roll"  # give up cube decisions for this game: always roll
    PLAY = "play"  # play a turn that has only one legal result


class OfSeat(Value, frozen=True):
    """Action or event of one seat."""

    seat: Seat


class Ready(OfSeat, frozen=True):
    """Start the next game, as soon as the opponent is ready too."""


class Roll(OfSeat, frozen=True):
    """Roll instead of doubling."""


class Double(OfSeat, frozen=True):
    """Offer the cube at twice its value."""


class Take(OfSeat, frozen=True):
    """Accept the offered cube."""


class Drop(OfSeat, frozen=True):
    """Refuse the offered cube and lose the game at its value before the offer."""


class Beaver(OfSeat, frozen=True):
    """Accept the offered cube and at once redouble, keeping the cube; a raccoon is a beaver's answer."""


class Move(OfSeat, frozen=True):
    """Play the dice. moves: (from, to) pairs in the mover's numbering, 25 = bar, 0 = off, in any order."""

    moves: Play


class Resign(OfSeat, frozen=True):
    """Offer to lose this game as a single (1), gammon (2) or backgammon (3)."""

    value: int


class AcceptResignation(OfSeat, frozen=True):
    """Take the opponent's resignation; the game is over."""


class RefuseResignation(OfSeat, frozen=True):
    """Play on; everything is as it was."""


class Forfeit(OfSeat, frozen=True):
    """Give up, at the price that the rules state, without asking the opponent."""


class Leave(OfSeat, frozen=True):
    """End money play between two games."""


class SetAuto(OfSeat, frozen=True):
    """Leave something to the server, or take it back."""

    auto: Auto
    on: bool


class Abort(OfSeat, frozen=True):
    """Agree that the match shall end without a winner, or take that back. It ends when both seats do."""

    on: bool = True


TurnAction = Ready | Roll | Double | Take | Drop | Beaver | Move
Action = TurnAction | Resign | AcceptResignation | RefuseResignation | Forfeit | Leave | SetAuto | Abort
