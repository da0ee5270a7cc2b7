"""XGID, the position ID of eXtreme Gammon, to and from a live match.

    XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10

Source: eXtreme Gammon's help, "XGID", as GNU Backgammon reads it too. "Bottom" is our seat 0, "top" seat 1. Ten fields
with colons between them:

1. position: 26 characters: top's bar, the points 1 to 24 as bottom counts them, bottom's bar. `-` = nobody,
   `A`-`O` = 1 to 15 checkers of bottom, `a`-`o` of top.
2. cube: its value as a power of two.
3. cube owner: 1 bottom, -1 top, 0 in the middle.
4. turn: 1 when bottom is on roll, -1 top; while a double waits for an answer, the player who has doubled.
5. dice: `00` = to roll or double; `63` = to be played; `D` = doubled, the opponent answers; `B` = the opponent
   beavers, the doubler answers; `R` = the doubler answers that with a raccoon. The cube is still at the value that a
   drop would cost. Repeated letters (`DD`) are read too.
6. bottom's score, 7. top's score.
8. in a match: 1 in the Crawford game, else 0. In money play: 1 for the Jacoby rule + 2 for beavers.
9. match length, 0 = money.
10. the highest cube as a power of two: 10 = no cap, 0 = no cube. Programs that know no cap write what they like
    here, and GNU Backgammon ignores it: so below the cube that stands or is offered it says nothing, and is no cap.

A resignation and the end of a game cannot be told. What an XGID leaves open is as in `midgame`.
"""

import re

from tavla_engine.errors import BadText
from tavla_engine.match import Cube, Match
from tavla_engine.midgame import game_in_progress, rules_of, with_offer
from tavla_engine.position import Position
from tavla_engine.rules import MAX_CUBE_CAP, MAX_LENGTH, STARTS, BadRules, Rules, Variant, valid_rules
from tavla_engine.setup import Board, format_letters, parse_letters, with_off

NO_CAP = 10
_OFFERS = "DBR"  # by the number of beavers
_MAX_POWER = MAX_CUBE_CAP.bit_length() - 1
_FORM = re.compile(
    r"(?:XGID=)?(?P<board>[-A-Oa-o]{26}):(?P<cube>[0-9]{1,2}):(?P<owner>-1|0|1):(?P<turn>-1|1)"
    r":(?P<dice>00|[1-6]{2}|D{1,2}|B{1,2}|R{1,2}):(?P<bottom>[0-9]{1,9}):(?P<top>[0-9]{1,9})"
    r":(?P<flags>[0-3]):(?P<length>[0-9]{1,2}):(?P<cap>[0-9]{1,2})"
)


def tells(rules: Rules) -> bool:
    """True if an XGID tells all of the rules that matter to a decision."""
    return rules.variant is Variant.STANDARD and rules.hit_and_run and rules.backgammons and not rules.cap_kept


def xgid(match: Match) -> str:
    """The XGID of a match."""
    rules, cube = match.rules, match.cube
    power = cube.value.bit_length() - 1
    fields = (
        format_letters(match.board),
        power,
        _signed(cube.owner),
        _signed(match.turn),
        _format_dice(match),
        *match.score,
        int(match.crawford) if rules.length else rules.jacoby + 2 * bool(rules.beavers),
        rules.length,
        0 if not rules.cube else rules.cube_cap.bit_length() - 1 if rules.cube_cap else max(NO_CAP, power),
    )
    return "XGID=" + ":".join(str(field) for field in fields)


def parse_xgid(text: str, variant: Variant = Variant.STANDARD) -> Match:
    """A match in the state of an XGID. Raises: BadText."""
    form = _FORM.fullmatch(text.strip()[:200])
    if form is None:
        raise BadText(f"an XGID looks like XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10, not like {text[:80]!r}")
    board = _parse_board(form["board"], sum(STARTS[variant]))
    length, flags = int(form["length"]), int(form["flags"])
    score, power = (int(form["bottom"]), int(form["top"])), int(form["cube"])
    _check(form, length, flags, score)
    turn = 0 if form["turn"] == "1" else 1
    dice = form["dice"]
    match = game_in_progress(
        _rules(length, flags, _highest(form), variant),
        Position(board[turn], board[1 - turn]),
        turn,
        score,
        Cube(2**power, {"1": 0, "-1": 1, "0": None}[form["owner"]]),
        bool(length and flags),
        (int(dice[0]), int(dice[1])) if "1" <= dice[0] <= "6" else None,
    )
    return with_offer(match, _OFFERS.index(dice[0])) if dice[0] in _OFFERS else match


def _parse_board(text: str, checkers: int) -> Board:
    try:
        return with_off(parse_letters(text), checkers)
    except BadText as error:
        raise BadText(f"XGID: {error}") from None


def _format_dice(match: Match) -> str:
    if match.dice:
        return f"{match.dice[0]}{match.dice[1]}"
    if match.offer:
        odd = match.offer.beavers % 2  # a further redouble looks like the beaver or the raccoon before it
        return "D" if not match.offer.beavers else "B" if odd else "R"
    return "00"


def _highest(form: re.Match[str]) -> int:
    """The last field, unless the cube contradicts it."""
    cap, offered = int(form["cap"]), form["dice"][0] in _OFFERS
    is_there = form["owner"] != "0" or offered
    return NO_CAP if cap < int(form["cube"]) + offered or (is_there and not cap) else cap


def _rules(length: int, flags: int, cap: int, variant: Variant) -> Rules:
    rules = rules_of(length, bool(flags & 1), variant)
    if not length:
        rules = rules._replace(beavers=int(flags >= 2))
    cube_cap = 2**cap if 0 < cap != NO_CAP and cap <= _MAX_POWER else 0
    try:
        return valid_rules(rules._replace(cube=cap > 0, cube_cap=cube_cap))
    except BadRules as error:
        raise BadText(f"XGID: {error}") from None


def _check(form: re.Match[str], length: int, flags: int, score: tuple[int, int]) -> None:
    crawford = length > 0 and flags == 1
    offered = form["dice"][0] in _OFFERS
    faults = {
        f"a match has {MAX_LENGTH} points at most": length > MAX_LENGTH,
        "this match is over": length and max(score) >= length,
        "the field before the length is 0 or 1 in a match": length and flags > 1,
        "there is no Crawford game at this score": crawford and max(score) != length - 1,
        "nobody doubles in the Crawford game": crawford
        and (offered or form["cube"].strip("0") or form["owner"] != "0"),
        "the cube belongs to the opponent of the player who doubles": offered
        and int(form["owner"]) == -int(form["turn"]),
        "a side has no checkers left, and the game is over": not re.search("[A-O].*[a-o]|[a-o].*[A-O]", form["board"]),
        f"the cube goes to 2^{_MAX_POWER} at most": int(form["cube"]) > _MAX_POWER,
    }
    for text, is_so in faults.items():
        if is_so:
            raise BadText(f"XGID: {text}")


def _signed(seat: int | None) -> int:
    return 0 if seat is None else 1 - 2 * seat
