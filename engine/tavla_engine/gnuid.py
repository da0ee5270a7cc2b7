"""GNU Backgammon's Match ID, alone or behind a Position ID, to and from a live match.

Source: the GNU Backgammon manual, "A technical description of the Match ID" (www.gnu.org/software/gnubg/manual).

A Match ID is 12 characters, 9 bytes: the numbers of `_Fields` in `_BITS` bits each, least significant first. What it
does not tell is taken from the presets `tournament` and `money`.
"""

import enum
from typing import NamedTuple

from msgspec.structs import replace

from tavla_engine.actions import Seat
from tavla_engine.conditions import loss_kind, to_act
from tavla_engine.errors import BadText
from tavla_engine.events import Ending
from tavla_engine.match import Cube, Match, Outcome, Phase, Resignation
from tavla_engine.midgame import game_in_progress, rules_of, with_offer
from tavla_engine.position import Position
from tavla_engine.positionid import base64_of, number_of, parse_position_id, position_id
from tavla_engine.rules import MAX_LENGTH, STARTS, Variant

MAX_ID_CUBE = 2**15
MAX_ID_POINTS = 2**15 - 1
_BYTES = 9
_MIDDLE = 3  # cube_owner of a cube in the middle


class _State(enum.IntEnum):
    """State of the game."""

    NOT_STARTED = 0
    PLAYING = 1
    BORNE_OFF = 2
    RESIGNED = 3
    DROPPED = 4


_ENDINGS = {_State.BORNE_OFF: Ending.BORNE_OFF, _State.RESIGNED: Ending.RESIGNATION, _State.DROPPED: Ending.DROP}


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


def parse_match_id(text: str, variant: Variant = Variant.STANDARD) -> Match:
    """A match in the state of an ID, with the checkers at their start. Raises: BadText."""
    return _match(text, Position(STARTS[variant], STARTS[variant]), variant)


def gnu_id(match: Match) -> str:
    """Position ID and Match ID, joined by a colon."""
    return f"{position_id(match.position)}:{match_id(match)}"


def parse_gnu_id(text: str, variant: Variant = Variant.STANDARD) -> Match:
    """A match in the state of a Position ID and a Match ID, joined by a colon. Raises: BadText."""
    first, colon, second = text.strip().partition(":")
    if not colon:
        raise BadText("a GNU ID is a Position ID and a Match ID with a colon between them")
    return _match(second, parse_position_id(first, sum(STARTS[variant])), variant)


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


def _match(text: str, position: Position, variant: Variant) -> Match:
    fields = _parse_fields(text)
    match = game_in_progress(
        rules_of(fields.length, not fields.no_jacoby, variant),
        position,
        fields.on_roll,
        (fields.score_0, fields.score_1),
        Cube(2**fields.cube, None if fields.cube_owner == _MIDDLE else fields.cube_owner),
        bool(fields.crawford),
        (fields.die_1, fields.die_2) if fields.die_1 else None,
    )
    match fields.state:
        case _State.PLAYING:
            return _with_offers(match, fields)
        case _State.NOT_STARTED:
            return replace(match, phase=Phase.READY, game=0, dice=None)
        case _:
            return _ended(match, fields)


def _with_offers(match: Match, fields: _Fields) -> Match:
    """The match with the double and the resignation that wait for an answer."""
    if fields.doubled:
        answered_by_doubler = fields.decides == match.turn and not fields.resigned
        raccoon = match.cube.owner == 1 - match.turn
        match = with_offer(match, 1 if answered_by_doubler else 2 if raccoon else 0)
    if fields.resigned:
        resignation = Resignation(1 - fields.decides, fields.resigned, match.phase)
        match = replace(match, phase=Phase.RESIGN, resignation=resignation)
    return match


def _ended(match: Match, fields: _Fields) -> Match:
    """The match after a game; the ID has the new score."""
    winner = fields.decides if fields.state == _State.RESIGNED else 1 - fields.decides
    if fields.state == _State.BORNE_OFF:
        kind = 1 if match.rules.jacoby and not match.cube.turned else loss_kind(match.board[1 - winner])
    else:
        kind = max(fields.resigned, 1)
    length, score = match.rules.length, match.score
    return replace(
        match,
        phase=Phase.OVER if length and max(score) >= length else Phase.READY,
        dice=None,
        crawford=False,
        crawford_done=match.crawford_done and not fields.crawford,
        outcome=Outcome(winner, match.cube.value * kind, kind, _ENDINGS[_State(fields.state)]),
    )


def _parse_fields(text: str) -> _Fields:
    number = number_of(text, _BYTES, "Match ID")
    values: list[int] = []
    for bits in _BITS:
        values.append(number & (1 << bits) - 1)
        number >>= bits
    fields = _Fields(*values)
    fault = "there is something after the last field" if number else _fault(fields)
    if fault is not None:
        raise BadText(f"Match ID {text!r}: {fault}")
    return fields


def _fault(fields: _Fields) -> str | None:
    """Why no match can be in this state; None when it can."""
    dice = (fields.die_1, fields.die_2)
    best = max(fields.score_0, fields.score_1)
    playing = fields.state == _State.PLAYING
    waits = fields.doubled or fields.resigned
    faults = {
        f"a match has {MAX_LENGTH} points at most": fields.length > MAX_LENGTH,
        "the cube's owner is 0, 1 or 3": fields.cube_owner == 2,
        "the game's state is 0 to 4": fields.state > max(_State),
        "the dice show 1 to 6, or nothing": max(dice) > 6 or (min(dice) == 0) != (max(dice) == 0),
        "there is no Crawford game at this score": fields.crawford and best != fields.length - 1,
        "a game is played although the match is over": playing and fields.length and best >= fields.length,
        "the Jacoby rule belongs to money play": fields.length and not fields.no_jacoby,
        "a double is offered before the roll": fields.doubled and dice != (0, 0),
        "nobody doubles in the Crawford game": fields.doubled and fields.crawford,
        "a double waits although no game is played": fields.doubled and not playing,
        "not the player on roll decides": playing and not waits and fields.decides != fields.on_roll,
    }
    return next((text for text, is_so in faults.items() if is_so), None)
