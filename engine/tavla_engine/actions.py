"""What a seat may ask for. The match decides what it leads to."""

import enum
from typing import NamedTuple

Seat = int  # 0 (white) or 1 (black)


class Auto(enum.StrEnum):
    """What a player may leave to the server."""

    ROLL = "roll"  # give up cube decisions for this game: always roll
    PLAY = "play"  # play a turn that has only one legal result


class Ready(NamedTuple):
    """Start the next game, as soon as the opponent is ready too."""

    seat: Seat


class Roll(NamedTuple):
    """Roll instead of doubling."""

    seat: Seat


class Double(NamedTuple):
    """Offer the cube at twice its value."""

    seat: Seat


class Take(NamedTuple):
    """Accept the offered cube."""

    seat: Seat


class Drop(NamedTuple):
    """Refuse the offered cube and lose the game at its value before the offer."""

    seat: Seat


class Beaver(NamedTuple):
    """Accept the offered cube and at once redouble, keeping the cube; a raccoon is a beaver's answer."""

    seat: Seat


class Move(NamedTuple):
    """Play the dice. moves: (from, to) pairs in the mover's numbering, 25 = bar, 0 = off, in any order."""

    seat: Seat
    moves: tuple[tuple[int, int], ...]


class Resign(NamedTuple):
    """Offer to lose this game as a single (1), gammon (2) or backgammon (3)."""

    seat: Seat
    value: int


class AcceptResignation(NamedTuple):
    """Take the opponent's resignation; the game is over."""

    seat: Seat


class RefuseResignation(NamedTuple):
    """Play on; everything is as it was."""

    seat: Seat


class Forfeit(NamedTuple):
    """Give up, at the price that the rules state, without asking the opponent."""

    seat: Seat


class Leave(NamedTuple):
    """End money play between two games."""

    seat: Seat


class SetAuto(NamedTuple):
    """Leave something to the server, or take it back."""

    seat: Seat
    auto: Auto
    on: bool


Action = (
    Ready
    | Roll
    | Double
    | Take
    | Drop
    | Beaver
    | Move
    | Resign
    | AcceptResignation
    | RefuseResignation
    | Forfeit
    | Leave
    | SetAuto
)
