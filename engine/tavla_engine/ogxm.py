"""A match as `.ogxm`, the format of OpenGammon and HedgeHog, as the package `gammonview` writes it.

A record of a decision needs its equities, and we keep the cost alone: verdicts are notes to single plies, in the words
of the other formats. What else a `.mat` file tells by remarks is a note of the match, with a key of ours.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

from tavla_engine import events as e
from tavla_engine.actions import Seat
from tavla_engine.apply import apply, replay
from tavla_engine.dice import Dice
from tavla_engine.errors import BadText
from tavla_engine.events import Ending, Event
from tavla_engine.mat_rules import rule_tags
from tavla_engine.mat_text import WHOLE_MATCH
from tavla_engine.match import Match, Phase
from tavla_engine.position import BAR
from tavla_engine.rules import Variant

KEY = "x-tavla-"  # of the notes that only Tavla reads
VARIANTS = (Variant.STANDARD, Variant.NACKGAMMON, Variant.HYPERGAMMON, Variant.LONGGAMMON)
ROLLS = {dice: code for code, dice in enumerate(combinations_with_replacement(range(1, 7), 2))}
DOUBLE, TAKE, DROP, RESIGN, RESIGN_MATCH, FORFEIT = 21, 22, 23, 27, 28, 29
SET, BEAVER, RACCOON, SET_CUBE, DROP_BEAVER = 31, 32, 33, 36, 37
_ENDS = {Ending.DROP: DROP, Ending.RESIGNATION: RESIGN, Ending.FORFEIT: FORFEIT}


def export_ogxm(
    names: tuple[str, str],
    start: Match,
    events: Sequence[Event],
    tags: Mapping[str, str],
    remarks: Mapping[int, Sequence[str]],
    time_s: int = 0,
) -> bytes:
    """A match as the bytes of a file. Arguments as of `export_mat`; time_s: of its start, since 1970; 0 = unknown.

    Raises: BadText, for what the format cannot tell, or where `gammonview` is not installed.
    """
    try:
        import gvformat  # takes 0.1 s
    except ImportError:
        raise BadText("to write .ogxm, pip install gammonview") from None
    games, match = list(_games(start, events, remarks)), start
    for event in events:
        match = apply(match, event)
    rules = start.rules
    notes = {**rule_tags(rules, [game.pop("ties") for game in games]), **tags}
    about = {
        "match_length": rules.length,
        "variant": VARIANTS.index(rules.variant),
        "player_white": names[0],
        "player_black": names[1],
        "crawford": bool(rules.length and rules.crawford),
        "crawford_before_start": start.crawford_done,
        "jacoby": rules.jacoby,
        "beaver": rules.beavers > 0,
        "raccoon": rules.beavers > 1,
        "auto_doubles": rules.automatic_doubles > 0,
        "cube_limit": rules.cube_cap if rules.cube else 1,
        "score_start": start.score,
        "white_score": match.score[0],
        "black_score": match.score[1],
        "timestamp": time_s,
        "event": notes.pop("Event", None),
        "site": notes.pop("Site", None),
        "annotations": [{"key": KEY + name, "value": value} for name, value in notes.items() if value],
    }
    try:
        return bytes(gvformat.write_gvab({**about, "games": games}))
    except (ValueError, ArithmeticError, LookupError, TypeError) as error:  # a name of thousands of letters, say
        raise BadText(f"the .ogxm format cannot tell this match: {error}") from None


def _games(start: Match, events: Iterable[Event], remarks: Mapping[int, Sequence[str]]) -> Iterator[dict[str, Any]]:
    """The games as the package has them; `ties`: equal opening rolls, which it does not know."""
    game: dict[str, Any] = {}
    for place, (match, event, _) in enumerate(replay(start, events)):
        if isinstance(event, e.GameStarted):
            if game:
                yield game
            game = {"winner": None, "points_won": None, "plies": [], "ties": 0}
        elif game:
            _write(game, match, event)
            if game["plies"] and (said := remarks.get(place)):
                game["plies"][-1].setdefault("annotations", []).extend({"value": text} for text in said)
    if game:
        yield game


def _write(game: dict[str, Any], match: Match, event: Event) -> None:
    """Add what an event shows; match: the state before it."""
    plies = game["plies"]
    match event:
        case e.OpeningRolled(die_0, die_1) if die_0 == die_1:
            game["ties"] += 1
            game["auto_doubles"] = apply(match, event).cube.value.bit_length() - 1
        case e.OpeningRolled(die_0, die_1):
            plies.append(_roll(int(die_1 > die_0), (die_0, die_1)))
        case e.Rolled(seat, die_1, die_2):
            plies.append(_roll(seat, (die_1, die_2)))
        case e.Moved(seat, moves):
            assert match.dice is not None, "a turn has dice"
            plies[-1]["moves"] = list(_steps(seat, match.dice, moves))
        case e.Doubled(seat):
            plies.append(_ply(seat, DOUBLE))
        case e.Beavered(seat):
            plies.append(_ply(seat, RACCOON if match.offer and match.offer.beavers else BEAVER))
        case e.Taken(seat) if match.offer and not match.offer.beavers:
            plies.append(_ply(seat, TAKE))
        case e.GameEnded(winner, points, _, ending):
            game |= {"winner": winner, "points_won": points}
            beavers = match.offer.beavers if match.offer and ending is Ending.DROP else 0
            if beavers > 1:
                raise BadText("a raccoon is dropped, which .ogxm does not know: a .mat or .sgf file can tell it")
            if ending in _ENDS:
                plies.append(_ply(1 - winner, DROP_BEAVER if beavers else _ENDS[ending]))
        case e.MatchEnded(winner, Ending.FORFEIT) if winner is not None and match.phase is not Phase.READY:
            game |= {"winner": winner, "points_won": WHOLE_MATCH + match.rules.length}
            plies.append(_ply(1 - winner, RESIGN_MATCH))
        case e.PositionSet(seat, board, cube, owner):
            if match.dice:
                del plies[-1:]  # dice that were not played, or not as the rules have it
            ply = _ply(seat, SET)
            if match.dice and seat != match.turn:  # the position is where an illegal play of them has led
                ply = {**_roll(match.turn, match.dice), "action_id": SET}
            rows = [board[0][BAR - point] - board[1][point] for point in range(1, BAR)]
            plies.append({**ply, "set_position": [board[0][BAR], *rows, -board[1][BAR]]})
            plies.append({**_ply(seat, SET_CUBE), "cube_value": cube, "cube_owner": 2 if owner is None else owner})


def _ply(seat: Seat, action: int) -> dict[str, Any]:
    return {"color": 1 - seat, "action_id": action}


def _roll(seat: Seat, dice: Dice) -> dict[str, Any]:
    low, high = sorted(dice)
    return {**_ply(seat, ROLLS[low, high]), "d1": high, "d2": low, "moves": []}


def _steps(seat: Seat, dice: Dice, moves: Iterable[tuple[int, int]]) -> Iterator[dict[str, int]]:
    """Each step as its point, as black counts, and its die: a checker that is borne off may use a larger one."""
    left = list(dice) if dice[0] != dice[1] else [dice[0]] * 4
    for source, target in moves:
        pips = source - target
        die = pips if pips in left else max(left)
        left.remove(die)
        yield {"from": source if seat else BAR - source, "pips": die}
