"""GNU Backgammon's Position ID and Match ID, to and from a live match.

Source: the GNU Backgammon manual, "A technical description of the Position ID" and "... of the Match ID"
(www.gnu.org/software/gnubg/manual). Both are Base64 without padding, bits filled from the least significant one of
the first byte.

Position ID, 14 characters, 10 bytes: first the player *not* on roll, then the player on roll; for each, own points 1
to 24 and the bar: a 1 for each checker there, then a 0. What is borne off follows from the number of checkers.

Match ID, 12 characters, 9 bytes: the numbers of `_Fields` in `_BITS` bits each, least significant first.

What a Match ID does not tell is taken from the presets `tournament` and `money`.
"""

import base64
import binascii
import enum
from typing import NamedTuple

from tavla_engine.actions import Seat
from tavla_engine.dice import Dice
from tavla_engine.errors import BadText
from tavla_engine.events import Ending
from tavla_engine.match import Cube, Match, Offer, Outcome, Phase, Resignation, loss_kind, new_match, to_act
from tavla_engine.position import BAR, OFF, Position
from tavla_engine.rules import MAX_LENGTH, STARTS, Rules, Variant, preset

CHECKERS = 15
MAX_ID_CUBE = 2**15
MAX_ID_POINTS = 2**15 - 1
_POSITION_BYTES, _MATCH_BYTES = 10, 9
_MIDDLE = 3  # cube_owner of a cube that nobody owns


class _State(enum.IntEnum):
    """What has become of the game."""

    NOT_STARTED = 0
    PLAYING = 1
    BORNE_OFF = 2
    RESIGNED = 3
    DROPPED = 4


_ENDINGS = {
    _State.BORNE_OFF: Ending.BORNE_OFF,
    _State.RESIGNED: Ending.RESIGNATION,
    _State.DROPPED: Ending.DROP,
}


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


def position_id(position: Position) -> str:
    """The Position ID, `4HPwATDgc/ABMA` for the standard start."""
    bits = "".join("1" * count + "0" for row in (position.theirs, position.mine) for count in row[1:])
    return _encoded(int(bits[::-1], 2), _POSITION_BYTES)


def parse_position_id(text: str, checkers: int = CHECKERS) -> Position:
    """The position of an ID. checkers: of each player, 3 in hypergammon.

    Raises: BadText.
    """
    number = _decoded(text, _POSITION_BYTES, "Position ID")
    rows: list[bytes] = []
    for _ in range(2):
        row = bytearray(26)
        for point in range(1, BAR + 1):
            while number & 1:
                row[point] += 1
                number >>= 1
            number >>= 1
        if sum(row) > checkers:
            raise BadText(f"Position ID {text!r}: a player has {sum(row)} checkers, more than {checkers}")
        row[OFF] = checkers - sum(row)
        rows.append(bytes(row))
    if number:
        raise BadText(f"Position ID {text!r} goes on after the last checker")
    theirs, mine = rows
    if any(mine[point] and theirs[BAR - point] for point in range(1, BAR)):
        raise BadText(f"Position ID {text!r}: both players have checkers on one point")
    return Position(mine, theirs)


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
    return _encoded(number, _MATCH_BYTES)


def parse_match_id(text: str, variant: Variant = Variant.STANDARD) -> Match:
    """A match in the state of an ID, with the checkers at their start.

    Raises: BadText.
    """
    return _match(text, Position(STARTS[variant], STARTS[variant]), variant)


def gnu_id(match: Match) -> str:
    """Position ID and Match ID, joined by a colon."""
    return f"{position_id(match.position)}:{match_id(match)}"


def parse_gnu_id(text: str, variant: Variant = Variant.STANDARD) -> Match:
    """A match in the state of a Position ID and a Match ID, joined by a colon.

    Raises: BadText.
    """
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
    """Who owns the cube; while a beaver waits for an answer, who will own it."""
    owner = match.offer.holder if match.offer and match.offer.beavers else match.cube.owner
    return _MIDDLE if owner is None else owner


def game_in_progress(
    rules: Rules, position: Position, turn: Seat, score: tuple[int, int], cube: Cube, crawford: bool, dice: Dice | None
) -> Match:
    """A match within a game, from what an ID tells: to roll or double, or with dice to be played."""
    near = rules.crawford and max(score) == rules.length - 1
    return new_match(rules)._replace(
        phase=Phase.MOVE if dice else Phase.ROLL,
        score=score,
        game=1,
        crawford=crawford,
        crawford_done=crawford or near,  # the first game at this score would be the Crawford game
        board=(position.mine, position.theirs) if turn == 0 else (position.theirs, position.mine),
        turn=turn,
        dice=dice and (max(dice), min(dice)),
        cube=cube._replace(turned=cube.owner is not None),
    )


def with_offer(match: Match, beavers: int) -> Match:
    """The same match when the player on roll has doubled; beavers: how many redoubles followed at once."""
    seat = match.turn if beavers % 2 == 0 else 1 - match.turn
    rules = match.rules._replace(beavers=max(beavers, match.rules.beavers))
    return match._replace(rules=rules, phase=Phase.CUBE, offer=Offer(seat, 1 - match.turn, beavers))


def rules_of(length: int, jacoby: bool, variant: Variant) -> Rules:
    """The rules that a Match ID tells, the rest as in the presets `tournament` and `money`."""
    if length:
        return preset("tournament", {"length": length, "variant": variant})
    return preset("money", {"jacoby": jacoby, "variant": variant})


def _crawford_is_next(match: Match) -> bool:
    near = match.game > 0 and max(match.score) == match.rules.length - 1
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
            return match._replace(phase=Phase.READY, game=0, dice=None)
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
        match = match._replace(phase=Phase.RESIGN, resignation=resignation)
    return match


def _ended(match: Match, fields: _Fields) -> Match:
    """The match after a game; the ID has the new score."""
    winner = fields.decides if fields.state == _State.RESIGNED else 1 - fields.decides
    if fields.state == _State.BORNE_OFF:
        kind = 1 if match.rules.jacoby and not match.cube.turned else loss_kind(match.board[1 - winner])
    else:
        kind = max(fields.resigned, 1)
    length, score = match.rules.length, match.score
    return match._replace(
        phase=Phase.OVER if length and max(score) >= length else Phase.READY,
        dice=None,
        crawford=False,
        crawford_done=match.crawford_done and not fields.crawford,
        outcome=Outcome(winner, match.cube.value * kind, kind, _ENDINGS[_State(fields.state)]),
    )


def _parse_fields(text: str) -> _Fields:
    number = _decoded(text, _MATCH_BYTES, "Match ID")
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


def _encoded(number: int, size: int) -> str:
    return base64.b64encode(number.to_bytes(size, "little")).decode().rstrip("=")


def _decoded(text: str, size: int, what: str) -> int:
    """The bits of an ID as one number."""
    length = -(-size * 4 // 3)
    text = text.strip()
    if len(text) != length:
        raise BadText(f"a {what} has {length} characters, this one has {len(text)}")
    try:
        data = base64.b64decode(text + "=" * (-length % 4), validate=True)
    except (binascii.Error, ValueError):
        raise BadText(f"{what} {text!r}: only letters, digits, + and / can stand in it") from None
    number = int.from_bytes(data, "little")
    if _encoded(number, size) != text:
        raise BadText(f"{what} {text!r}: the last character has bits that mean nothing")
    return number
