"""The `board:` line in which GNU Backgammon asks an external player for a decision.

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

The Jacoby rule, beavers and the variant are not told.
"""

from tavla_engine.match import CUBE, Match
from tavla_engine.position import BAR, OFF

_MAY = {None: (1, 1), 0: (1, 0), 1: (0, 1)}  # who may double, by whose cube it is


def fibs(match: Match) -> str:
    """The line for the player who is to act. The match waits for a roll, a play or an answer to a double."""
    waits = match.phase is CUBE
    scores = match.score if waits else match.score[::-1]
    fields = (
        match.rules.length,
        *scores,
        *_points(match.board),
        1 if match.turn == 0 else -1,
        *(match.dice or (0, 0)) * 2,
        match.cube.value,
        *_MAY[match.cube.owner],
        int(waits),
        *(1, -1, OFF, BAR, 0, 0, 0, 0, 0, 0),
        int(bool(match.rules.length) and match.crawford_done and not match.crawford),
        int(not match.crawford),
    )
    return "board:white:black:" + ":".join(map(str, fields))


def _points(board: tuple[bytes, bytes]) -> list[int]:
    """Points and bars as seat 0 counts them; borne off checkers stand nowhere."""
    mine, theirs = board
    return [(mine[point] if point else 0) - (theirs[BAR - point] if point < BAR else 0) for point in range(26)]
