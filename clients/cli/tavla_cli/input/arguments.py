"""Arguments of the shell, as people type them: servers, names, codes, rules."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from tavla_engine.rules import BadRules
from tavla_engine.rules import Rules as EngineRules

from tavla_cli.text.rules import USUAL_LENGTH, USUAL_PRESET, engine_rules

DEFAULT_SERVER = "ws://localhost:8765"

F = TypeVar("F", bound=Callable[..., Any])

Rules = dict[str, bool | int | str]


def of_tavla(ctx: click.Context | None, param: click.Parameter | None, value: Any) -> Any:
    """The value of an option that `tavla` itself has as well: there it holds where the command has none."""
    if ctx is None or param is None or param.name is None:
        return value
    given = ctx.find_root().params.get(param.name)
    return given if given and ctx.get_parameter_source(param.name) is not ParameterSource.COMMANDLINE else value


def server_url(ctx: click.Context | None, param: click.Parameter | None, value: str) -> str:
    """A full address from what people type: a host alone, or a page's address."""
    value = of_tavla(ctx, param, value)
    scheme, separator, rest = value.strip().rpartition("://")
    scheme = {"": "ws", "http": "ws", "https": "wss"}.get(scheme, scheme)
    return f"{scheme}://{rest.rstrip('/')}" if rest or separator else value


def server_option(command: F) -> F:
    """The option that names the server, the same for every command."""
    option = click.option(
        "--server",
        envvar="TAVLA_SERVER",
        default=DEFAULT_SERVER,
        show_default=True,
        show_envvar=True,
        callback=server_url,
        metavar="URL",
        help="The server to play at.",
    )
    return option(command)


side_option = click.option(
    "--side", type=click.Choice(["either", "white", "black"]), default="either", show_default=True, help="Yours."
)


def _checked(longest: int) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """A name as servers take it."""

    def check(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
        if value is None or re.fullmatch(f"[A-Za-z0-9_-]{{2,{longest}}}", value):
            return value
        raise click.BadParameter(f"a name has 2 to {longest} letters, digits, - or _")

    return check


player_name, table_name = _checked(20), _checked(30)


def table_code(_: click.Context, __: click.Parameter, value: str) -> str:
    """A private table's code, as people pass it on: in capitals, or with spaces around it."""
    code = value.strip().lower()
    if re.fullmatch(r"[a-z2-7]{0,8}", code):
        return code
    raise click.BadParameter("a code has at most 8 letters and digits from 2 to 7, such as k3x7")


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
