"""GNU Backgammon's Match ID, alone or behind a Position ID, to and from a live match.

Source: the GNU Backgammon manual, "A technical description of the Match ID" (www.gnu.org/software/gnubg/manual).

A Match ID is 12 characters, 9 bytes: the numbers of `_Fields` in `_BITS` bits each, least significant first.
"""

import enum
from typing import NamedTuple

from tavla_engine.actions import Seat
from tavla_engine.conditions import to_act
from tavla_engine.errors import BadText
from tavla_engine.events import Ending
from tavla_engine.match import Cube, Match, Phase
from tavla_engine.midgame import game_in_progress, rules_of, with_offer
from tavla_engine.positionid import base64_of, number_of, parse_position_id, position_id
from tavla_engine.rules import MAX_LENGTH, Variant

MAX_ID_CUBE = 2**15
MAX_ID_POINTS = 2**15 - 1
_BYTES = 9
_MATCH_LENGTH = 12  # characters
DIE_SIDES = 6
_MIDDLE = 3  # cube_owner of a cube in the middle


class _State(enum.IntEnum):
    """State of the game."""

    NOT_STARTED = 0
    PLAYING = 1
    BORNE_OFF = 2
    RESIGNED = 3
    DROPPED = 4


class _Fields(NamedTuple):
    """The numbers in a Match ID, in their order."""

    cube: int  # as a power of two
    cube_owner: int  # 0, 1, or 3 in the middle
    on_roll: int  # whose dice they are, also while the opponent decides something
    crawford: int  # 1 in the Crawford game, and between games when it is the next one
    state: int  # _State
    decides: int  # whose decision it is
    doubled: int  # 1 while a double waits for an answer
    resigned: int  # the resignation that waits for an answer, or that ended the game: 1, 2, 3
    die_1: int  # 0 before the roll
    die_2: int
    length: int  # 0 = money
    score_0: int
    score_1: int
    no_jacoby: int  # the 67th bit: 1 when the Jacoby rule is *not* in use


_BITS = _Fields(4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1)


def match_id(match: Match) -> str:
    """The Match ID, as GNU Backgammon writes it in this state.

    Raises: ValueError where the ID has no room: a cube above 2^15 or a score above 32767.
    """
    if match.cube.value > MAX_ID_CUBE or max(match.score) > MAX_ID_POINTS:
        raise ValueError(f"a Match ID holds cubes up to {MAX_ID_CUBE} and scores up to {MAX_ID_POINTS}")
    state, decides, resigned = _stage(match)
    fields = _Fields(
        cube=match.cube.value.bit_length() - 1,
        cube_owner=_cube_owner(match),
        on_roll=match.turn,
        crawford=int(match.crawford or _crawford_is_next(match)),
        state=state,
        decides=decides,
        doubled=int(match.offer is not None),
        resigned=resigned,
        die_1=match.dice[0] if match.dice else 0,
        die_2=match.dice[1] if match.dice else 0,
        length=match.rules.length,
        score_0=match.score[0],
        score_1=match.score[1],
        no_jacoby=int(not match.rules.jacoby),
    )
    number = 0
    for value, bits in zip(reversed(fields), reversed(_BITS), strict=True):
        number = number << bits | value
    return base64_of(number, _BYTES)


def gnu_id(match: Match) -> str:
    """Position ID and Match ID, joined by a colon."""
    return f"{position_id(match.position)}:{match_id(match)}"


def parse_gnu_id(text: str) -> Match:
    """A match in the state of a Position ID and a Match ID with a colon between them.

    A resignation that waits, and the end of a game, are refused. Raises: BadText.
    """
    position, _, rest = text.strip().partition(":")
    number = number_of(rest, _MATCH_LENGTH, "Match ID")
    values = []
    for bits in _BITS:
        values.append(number & (1 << bits) - 1)
        number >>= bits
    told = _Fields(*values)
    if told.state != _State.PLAYING or told.resigned:
        raise BadText(f"GNU ID {text[:40]!r}: the game is not being played, or given up")
    owner = None if told.cube_owner == _MIDDLE else told.cube_owner
    dice = (told.die_1, told.die_2) if told.die_1 and told.die_2 else None
    score = (told.score_0, told.score_1)
    board = parse_position_id(position)
    faults = (
        told.cube_owner == _MIDDLE - 1,
        max(told.die_1, told.die_2) > DIE_SIDES,
        told.length > MAX_LENGTH,
        told.length and max(score) >= told.length,
        told.crawford and (max(score) != told.length - 1 or told.doubled),
        told.doubled and owner == 1 - told.on_roll,
        not (any(board.mine[1:]) and any(board.theirs[1:])),
    )
    if any(faults):
        raise BadText(f"GNU ID {text[:40]!r}: no match can stand so")
    match = game_in_progress(
        rules_of(told.length, not told.no_jacoby, Variant.STANDARD),
        board,
        told.on_roll,
        score,
        Cube(2**told.cube, owner),
        bool(told.crawford),
        None if told.doubled else dice,
    )
    return with_offer(match, 0) if told.doubled else match


def _stage(match: Match) -> tuple[int, Seat, int]:
    """The game's state, who decides, and the value of a resignation."""
    if match.phase not in (Phase.READY, Phase.OVER):
        decides = next(iter(to_act(match)), match.turn)
        return _State.PLAYING, decides, match.resignation.value if match.resignation else 0
    if match.outcome is None:
        return _State.NOT_STARTED, match.turn, 0
    winner = match.turn if match.outcome.winner is None else match.outcome.winner
    match match.outcome.ending:
        case Ending.RESIGNATION | Ending.FORFEIT:
            return _State.RESIGNED, winner, min(match.outcome.kind, 3)
        case Ending.DROP:
            return _State.DROPPED, 1 - winner, 0
        case _:
            return _State.BORNE_OFF, 1 - winner, 0


def _cube_owner(match: Match) -> int:
    """Owner of the cube; while a beaver waits for an answer, its next owner."""
    owner = match.offer.holder if match.offer and match.offer.beavers else match.cube.owner
    return _MIDDLE if owner is None else owner


def _crawford_is_next(match: Match) -> bool:
    near = 1 < match.rules.length == max(match.score) + 1
    return match.phase is Phase.READY and match.rules.crawford and near and not match.crawford_done
