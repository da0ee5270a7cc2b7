"""Rules in words: what is played at a table, and what giving up costs by them."""

from collections.abc import Iterator, Mapping
from typing import Any

from tavla_engine.rules import CLOCKS, MONEY_POINTS, BadRules, Opening, Rules, Variant, preset
from tavla_protocol.view import View

from tavla_cli.text.phrases import plural

USUAL_PRESET, USUAL_LENGTH = "tournament", 3  # of a new match, in the page as well: so that two new players meet
MONEY_FORFEIT = 3  # cubes: the price of a forfeit where nothing else was agreed

_OPENINGS = {
    Opening.SEAT_0.value: "white starts",
    Opening.SEAT_0_CUBE.value: "white starts, and may double first",
    Opening.WINNER.value: "the winner starts",
}
_OPTIONS = {  # with the number, where there may be more than one
    "jacoby": "Jacoby rule",
    "beavers": "beavers",
    "automatic_doubles": "automatic doubles",
    "hints": "hints",
    "rated": "rated",
}


def clock_times() -> str:
    """The clocks, and their seconds: `fast 8 + 20, normal 12 + 120`."""
    return ", ".join(f"{name} {free} + {reserve}" for name, (free, reserve) in CLOCKS.items() if reserve)


def engine_rules(rules: Mapping[str, Any], quick: bool = False) -> Rules:
    """Rules as they are typed, `preset` and what differs from it, for the engine. quick: of a quick match.

    Raises: BadRules.
    """
    changes = dict(rules)
    return preset(str(changes.pop("preset", "tournament")), changes, quick)


def all_options(rules: Mapping[str, Any], quick: bool = False) -> Mapping[str, Any]:
    """Every option of such rules; as they are, if they cannot be played: the server will tell."""
    try:
        return engine_rules(rules, quick)._asdict()
    except BadRules:
        return rules


def rules_text(given: Mapping[str, bool | int | str]) -> str:
    """Rules in a few words: all that is not as usual. given: the rules, or as many as differ from `Rules()`."""
    usual = Rules()._asdict()
    rules: dict[str, bool | int | str] = usual | {name: value for name, value in given.items() if name in usual}
    if any(isinstance(rules[name], str) != isinstance(value, str) for name, value in usual.items()):
        return "rules that cannot be read"
    length = int(rules["length"])
    parts = [f"match to {plural(length, 'point')}" if length else "money play", *_board_and_cube(rules, length)]
    if reserve_s := int(rules["reserve_s"]):
        reserve = f"{reserve_s} s a point" if length else f"{MONEY_POINTS * reserve_s} s a game"
        parts.append(f"clock {rules['delay_s']} s + {reserve}")
    parts += [
        text + (f" ({most})" if (most := int(rules[option])) > 1 else "")
        for option, text in _OPTIONS.items()
        if rules[option]
    ]
    if not rules["resignations"]:
        parts.append("no resignations")
    if (price := int(rules["forfeit_multiplier"])) != (0 if length else MONEY_FORFEIT):
        parts.append(f"a forfeit costs {plural(price, 'cube')}")
    return ", ".join(parts)


def _board_and_cube(rules: Mapping[str, bool | int | str], length: int) -> Iterator[str]:
    if rules["variant"] != Variant.STANDARD:
        yield str(rules["variant"])
    if not rules["cube"]:
        yield "no cube"
    elif rules["cube_cap"]:
        yield f"cube to {rules['cube_cap']}" + (", where the taker keeps it" if rules["cap_kept"] else "")
    if length > 1 and rules["cube"] and not rules["crawford"]:
        yield "no Crawford game"
    if not rules["backgammons"]:
        yield "nothing counts three"
    if not rules.get("hit_and_run", True):
        yield "no hit-and-run"
    if opening := _OPENINGS.get(str(rules["opening"])):
        yield opening


def table_text(view: View) -> str:
    """Rules of a table, and who may come there."""
    private = ", private" if view.code else ""
    return rules_text(view.rules) + private + ("" if view.spectators else ", nobody may watch")


def forfeit_price(view: View) -> str:
    """Price of giving up by the rules of this match."""
    multiplier = int(view.rules.get("forfeit_multiplier", 0))
    if not multiplier or view.phase == "ready":
        return "you lose the match"
    points = plural(multiplier * view.cube, "point")
    return f"you lose this game at {multiplier} times the cube, {points}"
