"""Rules in a `.mat` file: in remarks of the form `; [Name "value"]`, and by what happens in it.

The names are eXtreme Gammon's where it has one: Variation, Crawford, Jacoby, Beaver, CubeLimit (1 = no cube). Ours are
CubeCap (a cap that CubeLimit cannot tell: from 1024 on, or of a cube that is not used), Opening, Resignations,
ForfeitMultiplier, Backgammons, CapKept, HitAndRun, AutomaticDoubles and OpeningTies: how many opening rolls were equal,
game by game.
"""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from tavla_engine.errors import BadText
from tavla_engine.mat_text import MAX_DIGITS, Game, Kind, Sheet
from tavla_engine.rules import BadRules, Opening, Rules, Variant, preset, valid_rules

_VARIATIONS = {
    Variant.STANDARD: "Backgammon",
    Variant.NACKGAMMON: "NackGammon",
    Variant.HYPERGAMMON: "HyperGammon",
    Variant.LONGGAMMON: "LongGammon",
}
_OPTIONS = {  # remarks that have one option of the rules as it is
    "Crawford": "crawford",
    "Jacoby": "jacoby",
    "CubeCap": "cube_cap",
    "Opening": "opening",
    "Resignations": "resignations",
    "ForfeitMultiplier": "forfeit_multiplier",
    "Backgammons": "backgammons",
    "CapKept": "cap_kept",
    "HitAndRun": "hit_and_run",
    "AutomaticDoubles": "automatic_doubles",
}
_RULE_TAGS = ("Variation", "Crawford", "Jacoby", "Beaver", "CubeLimit", *_OPTIONS, "OpeningTies")
_NO_LIMIT = 1024  # the CubeLimit that others write for a cube without a cap


def rule_tags(rules: Rules, ties: list[int]) -> dict[str, str]:
    """Remarks for what the format itself does not tell, in the spelling of eXtreme Gammon where it has one."""
    usual = _base(rules.length)
    told: dict[str, object] = {
        name: value for name, option in _OPTIONS.items() if (value := getattr(rules, option)) != getattr(usual, option)
    }
    if rules.variant is not Variant.STANDARD:
        told["Variation"] = _VARIATIONS[rules.variant]
    if not rules.length:
        told |= {"Jacoby": rules.jacoby, "Beaver": rules.beavers if rules.beavers > 1 else rules.beavers == 1}
    if not rules.cube or rules.cube_cap:
        told["CubeLimit"] = rules.cube_cap if rules.cube else 1
    if rules.cube and rules.cube_cap < _NO_LIMIT:
        told.pop("CubeCap", None)  # CubeLimit says it
    if rules.automatic_doubles and any(ties):
        told["OpeningTies"] = " ".join(map(str, ties))
    return {name: _text(told[name]) for name in dict.fromkeys(_RULE_TAGS) if name in told}


def _text(value: object) -> str:
    return ("On" if value else "Off") if isinstance(value, bool) else str(value)


def facts_of(tags: Mapping[str, str]) -> dict[str, str]:
    """The remarks that are not about rules: where, when and by whom a match was played or written down."""
    return {name: value for name, value in tags.items() if name not in _RULE_TAGS}


def rules_of(sheet: Sheet) -> Rules:
    """The rules of the length and the remarks, and as the games show that they must be.

    Raises: BadText when these cannot stand together.
    """
    changes: dict[str, Any] = {"length": sheet.length}
    for name, value in sheet.tags.items():
        changes |= _change(name, value)
    for name in ("jacoby", "beavers") if sheet.length else ("crawford",):
        changes.pop(name, None)  # some programs write all their settings
    if not sheet.length and "cube" not in changes:
        changes = {"jacoby": _has_jacoby(sheet.games), **changes}
        changes["beavers"] = max(changes.get("beavers", 1), *map(_beavers, sheet.games))
    if sheet.length and _doubles_in_crawford_game(sheet):
        changes = {"crawford": False, **changes}
    if changes.get("opening", Opening.ROLL_OFF) == Opening.ROLL_OFF and any(
        cell.dice and cell.dice[0] == cell.dice[1] for game in sheet.games for cell in game.cells[:1]
    ):
        changes["opening"] = Opening.SEAT_0
    try:
        return valid_rules(_base(sheet.length)._replace(**changes))
    except BadRules as error:
        raise BadText(f"this record cannot be played: {error}") from None


def _base(length: int) -> Rules:
    return preset("tournament" if length else "money")


def _change(name: str, value: str) -> dict[str, Any]:
    """Changes of the rules in a remark; nothing if it is about something else."""
    number = int(value) if value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS else 0
    on = value.lower() == "on"
    match name:
        case "Variation":
            by_text = {name: variant for variant, text in _VARIATIONS.items() for name in (variant.value, text.lower())}
            by_text["hypergammon (3)"] = Variant.HYPERGAMMON  # GNU Backgammon's word
            if value.lower() not in by_text:
                raise BadText(f"this is a match of {value[:40]}, which is not played here")
            return {"variant": by_text[value.lower()]}
        case "Beaver":
            return {"beavers": int(on) or number}
        case "CubeLimit" if number == 1:
            return {"cube": False, "jacoby": False, "beavers": 0}
        case "CubeLimit":
            return {"cube_cap": number if number < _NO_LIMIT else 0}
        case _ if name in _OPTIONS:
            option = _OPTIONS[name]
            usual = getattr(_base(0), option)
            return {option: on if isinstance(usual, bool) else number if isinstance(usual, int) else value}
    return {}


def _doubles_in_crawford_game(sheet: Sheet) -> bool:
    """True if somebody doubles in what would be the Crawford game; that of a record's first game may be over."""
    game = next((game for game in sheet.games if max(game.score) == sheet.length - 1), sheet.games[0])
    return game is not sheet.games[0] and any(cell.kind is Kind.DOUBLE for cell in game.cells)


def _has_jacoby(games: list[Game]) -> bool:
    """True unless a gammon counted that was won with a cube that was never turned.

    GNU Backgammon writes such a win as if it counted, but not into the score that follows.
    """
    for game, following in zip_longest(games, games[1:]):
        won = max((cell.number or 0 for cell in game.cells if cell.kind in (Kind.WIN, Kind.LOSS)), default=0)
        if won > 1 and not any(cell.kind is Kind.DOUBLE for cell in game.cells):
            gain = following and sum(following.score) - sum(game.score)
            return gain == 1
    return True


def _beavers(game: Game) -> int:
    """The most redoubles that followed one double."""
    most = row = 0
    for cell in game.cells:
        row = row + 1 if cell.kind is Kind.BEAVER else 0
        most = max(most, row)
    return most
