"""Rules of a match, as people type them in the shell."""

from collections.abc import Mapping
from typing import Any

import click
from tavla_engine.rules import BadRules
from tavla_engine.rules import Rules as EngineRules

from tavla_cli.text.rules import USUAL_LENGTH, USUAL_PRESET, engine_rules

Rules = dict[str, bool | int | str]


class RulesText(click.ParamType[Rules]):
    """A text of rules, as one word: `5`, or `length=5,clock=fast,cube=false`, or `preset=money`.

    whole: all rules, which can be played so; else some, beside other options.
    """

    name = "rules"

    def __init__(self, whole: bool) -> None:
        self._whole = whole

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Rules:
        if isinstance(value, dict):
            return value
        rules: Rules = {}
        for part in filter(None, str(value).split(",")):
            option, equals, text = part.partition("=")
            rules.update({option: _typed(text)} if equals else {"length": _typed(option)})
        try:
            if self._whole:
                engine_rules(rules)
        except BadRules as error:
            self.fail(str(error), param, ctx)
        return rules


def _typed(text: str) -> bool | int | str:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isdecimal() else text


RULES, RARE_RULES = RulesText(whole=True), RulesText(whole=False)
OPTIONS = f"Options: preset, clock, {', '.join(EngineRules._fields)}."


def chosen_options(rules: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, those of `--rules` among them."""
    given = {option: value for option, value in rules.items() if value is not None}
    rare: dict[str, Any] = given.pop("rules", {})
    return given | rare


def new_rules(rules: Mapping[str, Any]) -> dict[str, Any]:
    """The rules of a new match: the options that were given, and else what is usual."""
    chosen = chosen_options(rules)
    if chosen["preset"] != USUAL_PRESET:
        return chosen
    return {"length": USUAL_LENGTH, **({} if chosen.get("rated") else {"clock": "none"}), **chosen}
