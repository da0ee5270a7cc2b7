"""Arrays that players see: the state of a table, and the choices they have.

An observation is WIDTH numbers of int8, as the observer sees the table:

| columns | what | values |
|---|---|---|
| 0-25 | own checkers on each point, counted from the own home; 0 borne off, 25 bar | 0 to 15 |
| 26-51 | the opponent's, in the opponent's own numbering | 0 to 15 |
| 52-57 | dice still to be played that show 1, 2, ... 6 | 0 to 4 |
| 58 | the choice: 0 to roll or double, 1 to answer a double, 2 to play | 0 to 2 |
| 59 | cube: its value as a power of two; while a double waits for an answer, what a drop would cost | 0 to 32 |
| 60 | owner of the cube: 1 the observer, -1 the opponent, 0 nobody | -1 to 1 |
| 61, 62 | points that the observer, the opponent needs to win the match; 0 in money play | 0 to 64 |
| 63 | 1 in the Crawford game | 0 to 1 |
| 64 | immediate redoubles (beavers) since the double that waits for an answer | 0 to 12 |
| 65 | 1 if the observer is to act | 0 to 1 |

The info of the player who is to act has `action_mask`, SIZES numbers of int8: 1 for each action that may be chosen.
Actions are numbered as in `Choice`; from PLAY on come the plays. With `actions="turns"` number PLAY + i is the play
that `info["plays"][i]` tells as (from, to) moves, and leads to the board `info["after"][i]`, 52 counts as the opponent
sees them. With `actions="moves"` number PLAY + 6 * (point - 1) + die - 1 moves a checker from a point (25: the bar)
with a die.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from tavla_engine.actions import Seat
from tavla_engine.match import Match, Phase

from tavla_gym.plays import BOARD, Boards
from tavla_gym.table import FACES, SIZES, Table

Observation = NDArray[np.int8]
Info = dict[str, Any]  # as both libraries have it

_COLUMNS = [  # how many, the least and the most that they hold
    (BOARD, 0, 15),
    (FACES, 0, 4),
    (1, 0, 2),
    (1, 0, 32),
    (1, -1, 1),
    (2, 0, 64),
    (1, 0, 1),
    (1, 0, 12),
    (1, 0, 1),
]
LEAST, MOST = (np.concatenate([np.full(line[0], line[bound], np.int8) for line in _COLUMNS]) for bound in (1, 2))
WIDTH = len(LEAST)
_CHOICES = (Phase.ROLL, Phase.CUBE, Phase.MOVE)


def observation_space() -> "spaces.Box[np.int8]":  # quoted: before Gymnasium 1.4 it takes no type
    """The space of `observe`."""
    return spaces.Box(LEAST, MOST, dtype=np.int8)


def observe(table: Table, seat: Seat) -> Observation:
    """The table as a seat sees it."""
    match, turn = table.match, table.turn
    mine, theirs = match.board[seat], match.board[1 - seat]
    if turn is not None:
        mine, theirs = turn.position if match.turn == seat else turn.position.other_side()
    left = turn.left if turn is not None else ()
    numbers = [
        *mine,
        *theirs,
        *(left.count(die) for die in range(1, FACES + 1)),
        _CHOICES.index(match.phase) if match.phase in _CHOICES else 0,
        match.cube.value.bit_length() - 1,
        0 if match.cube.owner is None else 1 if match.cube.owner == seat else -1,
        _away(match, seat),
        _away(match, 1 - seat),
        match.crawford,
        match.offer.beavers if match.offer is not None else 0,
        not table.over and table.seat == seat,
    ]
    return np.array(numbers, np.int8)


def inform(table: Table) -> Info:
    """For the player who is to act: what may be chosen. At the end: how it came, and the points of the last game."""
    outcome = table.match.outcome
    if table.over and outcome is not None:
        return {"ending": str(outcome.ending), "points": outcome.points}
    mask = np.zeros(SIZES[table.actions], np.int8)
    mask[list(table.options)] = 1
    if table.actions == "moves" or table.match.phase is not Phase.MOVE:
        return {"action_mask": mask}
    return {"action_mask": mask, "plays": table.plays, "after": _after(table)}


def _after(table: Table) -> Boards:
    seen = b"".join(theirs + mine for mine, theirs in table.ends)
    return np.frombuffer(seen, np.uint8).reshape(-1, BOARD).copy()


def _away(match: Match, seat: Seat) -> int:
    return max(match.rules.length - match.score[seat], 0)
