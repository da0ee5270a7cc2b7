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
_RULE_TAGS = (
    *("Variation", "Crawford", "Jacoby", "Beaver", "CubeLimit", "CubeCap", "Opening", "Resignations", "CapKept"),
    *("ForfeitMultiplier", "Backgammons", "HitAndRun", "AutomaticDoubles", "OpeningTies"),
)
_NO_LIMIT = 1024  # the CubeLimit that others write for a cube without a cap


def rule_tags(rules: Rules, ties: list[int]) -> dict[str, str]:
    """Remarks for what the format itself does not tell, in the spelling of eXtreme Gammon where it has one."""
    on_off = {True: "On", False: "Off"}
    tags: dict[str, str] = {}
    if rules.variant is not Variant.STANDARD:
        tags["Variation"] = _VARIATIONS[rules.variant]
    if rules.length and not rules.crawford:
        tags["Crawford"] = "Off"
    if not rules.length:
        tags["Jacoby"] = on_off[rules.jacoby]
        tags["Beaver"] = str(rules.beavers) if rules.beavers > 1 else on_off[rules.beavers == 1]
    if not rules.cube or rules.cube_cap:
        tags["CubeLimit"] = str(rules.cube_cap if rules.cube else 1)
    if rules.cube_cap >= _NO_LIMIT or (rules.cube_cap and not rules.cube):
        tags["CubeCap"] = str(rules.cube_cap)
    if rules.opening is not Opening.ROLL_OFF:
        tags["Opening"] = rules.opening.value
    if not rules.resignations:
        tags["Resignations"] = "Off"
    if rules.forfeit_multiplier != _base(rules.length).forfeit_multiplier:
        tags["ForfeitMultiplier"] = str(rules.forfeit_multiplier)
    if not rules.backgammons:
        tags["Backgammons"] = "Off"
    if rules.cap_kept:
        tags["CapKept"] = "On"
    if not rules.hit_and_run:
        tags["HitAndRun"] = "Off"
    if rules.automatic_doubles:
        tags["AutomaticDoubles"] = str(rules.automatic_doubles)
    if rules.automatic_doubles and any(ties):
        tags["OpeningTies"] = " ".join(str(count) for count in ties)
    return tags


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
        case "CapKept":
            return {"cap_kept": on}
        case "HitAndRun":
            return {"hit_and_run": on}
        case "Crawford" | "Jacoby" | "Resignations" | "Backgammons":
            return {name.lower(): on}
        case "Beaver":
            return {"beavers": int(on) or number}
        case "CubeLimit" if number == 1:
            return {"cube": False, "jacoby": False, "beavers": 0}
        case "CubeCap":
            return {"cube_cap": number}
        case "CubeLimit":
            return {"cube_cap": number if number < _NO_LIMIT else 0}
        case "Opening":
            return {"opening": value}
        case "AutomaticDoubles":
            return {"automatic_doubles": number}
        case "ForfeitMultiplier":
            return {"forfeit_multiplier": number}
        case _:
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
