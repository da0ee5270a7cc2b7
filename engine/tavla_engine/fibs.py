"""The `board:` line in which GNU Backgammon asks an external player for a decision, to and from a live match.

    board:white:black:7:0:0:0:-2:0:0:0:0:5:...:2:0:1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1

52 fields after the word, with colons between them; FIBS began with them (fibs.com/fibs_interface.html, "board state").
Here is what GNU Backgammon 1.07 writes and reads, which differs in the order of the scores. "You" is our seat 0.

- two names, match length (0 = money), two scores; your opponent's comes first, but yours while a double waits
- 26 points as you count them, your checkers positive: 0 = the opponent's bar, 25 = your bar
- who is on roll: 1 you, -1 the opponent; while a double waits for an answer, the player who has doubled
- your dice, the opponent's; both are those of the player on roll, 0 before the roll
- the cube; 1 if you may double, 1 if the opponent may; 1 if a double waits for an answer
- colour 1, direction -1, home 0, bar 25
- borne off by both, on the bar of both: left at 0; may move, forced: left at 0
- 1 after the Crawford game; 0 in the Crawford game, else 1

The Jacoby rule, beavers and the variant are not told: money play is read with Jacoby, and the rest as in `midgame`.
"""

import re

from tavla_engine.errors import BadText
from tavla_engine.match import CUBE, Cube, Match
from tavla_engine.midgame import game_in_progress, rules_of, with_offer
from tavla_engine.position import BAR, OFF, Position
from tavla_engine.rules import MAX_CUBE_CAP, MAX_LENGTH, Variant

_FORM = re.compile(r"board:[^:]*:[^:]*((?::-?[0-9]{1,9}){50})")
_MAY = {(1, 1): None, (1, 0): 0, (0, 1): 1}  # whose cube it is, by who may double
_CHECKERS = 15


def fibs(match: Match) -> str:
    """The line for the player who is to act. The match waits for a roll, a play or an answer to a double."""
    waits = match.phase is CUBE
    scores = match.score if waits else match.score[::-1]
    may = next(pair for pair, owner in _MAY.items() if owner == match.cube.owner)
    fields = (
        match.rules.length,
        *scores,
        *_points(match.board),
        1 if match.turn == 0 else -1,
        *(match.dice or (0, 0)) * 2,
        match.cube.value,
        *may,
        int(waits),
        *(1, -1, OFF, BAR, 0, 0, 0, 0, 0, 0),
        int(bool(match.rules.length) and match.crawford_done and not match.crawford),
        int(not match.crawford),
    )
    return "board:white:black:" + ":".join(map(str, fields))


def parse_fibs(line: str) -> Match:
    """A match that waits for the decision that a line asks for. Raises: BadText."""
    form = _FORM.fullmatch(line.strip("\0\r\n ")[:400])
    if form is None:
        raise BadText(f"a decision is asked for by board: and 52 fields with colons between them, not by {line[:80]!r}")
    length, one, two, *rest = map(int, form[1][1:].split(":"))
    points, (on_roll, *dice) = rest[:26], rest[26:31]
    value, mine, theirs, waits = rest[31:35]
    score = (one, two) if waits else (two, one)
    crawford = bool(length) and not any(rest[-2:])
    rolled = (max(dice[::2]), max(dice[1::2]))
    _check(length, score, crawford and 1 + bool(waits), value, on_roll, rolled)
    board = _board(points)
    turn = 0 if on_roll == 1 else 1
    match = game_in_progress(
        rules_of(length, True, Variant.STANDARD),
        Position(board[turn], board[1 - turn]),
        turn,
        score,
        Cube(value, _MAY.get((mine, theirs))),
        crawford,
        rolled if all(rolled) and not waits else None,
    )
    return with_offer(match, 0) if waits else match


def _points(board: tuple[bytes, bytes]) -> list[int]:
    """Points and bars as seat 0 counts them; borne off checkers stand nowhere."""
    mine, theirs = board
    return [(mine[point] if point else 0) - (theirs[BAR - point] if point < BAR else 0) for point in range(26)]


def _board(points: list[int]) -> tuple[bytes, bytes]:
    rows = []
    for row in (points, [-count for count in reversed(points)]):
        counts = [0, *(max(count, 0) for count in row[1:])]
        off = _CHECKERS - sum(counts)
        if off < 0:
            raise BadText(f"{_CHECKERS - off} checkers of one player are too many: there are {_CHECKERS}")
        rows.append(bytes([off, *counts[1:]]))
    return rows[0], rows[1]


def _check(
    length: int, score: tuple[int, int], crawford: int, value: int, on_roll: int, rolled: tuple[int, int]
) -> None:
    """crawford: 1 in the Crawford game, 2 if a double waits in it."""
    for ok, text in (
        (0 <= length <= MAX_LENGTH, f"a match has 1 to {MAX_LENGTH} points, or 0 for money play, not {length}"),
        (min(score) >= 0 and (not length or max(score) < length), "a score is below the length of its match"),
        (not crawford or max(score) == length - 1, "a Crawford game is played when a player needs one point"),
        (crawford < 2, "nobody doubles in the Crawford game"),
        (1 <= value <= MAX_CUBE_CAP and not value & (value - 1), f"a cube shows 1, 2, 4 and so on, not {value}"),
        (on_roll in (1, -1), f"1 or -1 is on roll, not {on_roll}"),
        (max(rolled) <= 6 and min(rolled) >= 0, f"a die shows 1 to 6, not {max(rolled)}"),
    ):
        if not ok:
            raise BadText(text)
