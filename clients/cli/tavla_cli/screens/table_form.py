"""Form for a new match: opponent, rules, side. Pure: keys in, a form, lines out."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from tavla_engine.rules import CLOCKS, PRESETS, USUAL_CLOCK, BadRules
from tavla_protocol.messages import TITLE_LENGTH

from tavla_cli.text.cleaning import clean
from tavla_cli.text.rules import USUAL_LENGTH, USUAL_PRESET, engine_rules, rules_text

ANYONE, COMPUTER = "anyone", "the computer"
LENGTHS = ("0", "1", "3", "5", "7", "9", "11", "15", "21", "25")  # points; others can be typed
OFF_ON = ("off", "on")
LABELS = {
    "against": "against",
    "name": "table",
    "preset": "rules",
    "length": "points",
    "clock": "clock",
    "cube": "cube",
    "side": "your side",
    "hints": "hints",
    "rated": "rated",
    "private": "private",
}
_OF_A_TABLE = ("name", "private")  # against somebody in particular there is none
_LABEL_COLUMNS = 12
_NAME = re.compile(f".{{0,{TITLE_LENGTH}}}")
_TEXT_LINES = 3  # of what a preset means


class Wish(NamedTuple):
    """A wish: a request to the server. name: of the table or the player. level: of the computer, None for any."""

    what: Literal["table", "computer", "challenge"]
    rules: dict[str, Any]
    side: Literal["either", "white", "black"]
    name: str | None = None
    private: bool = False
    level: str | None = None


@dataclass(frozen=True, slots=True)
class TableForm:
    """A form as it is filled in. values: text by field. people: who can be challenged. levels: of the computer.

    account: whether the player has one, as a rated match needs.
    """

    values: Mapping[str, str]
    chosen: str = "against"
    people: Sequence[str] = ()
    levels: Sequence[str] = ()
    account: bool = False

    @property
    def fields(self) -> list[str]:
        """Fields that mean something now, from top to bottom."""
        alone = self.values["against"] != ANYONE
        return [
            field for field in LABELS if not (alone and field in _OF_A_TABLE) and (field != "rated" or self.account)
        ]

    def options(self, field: str) -> tuple[str, ...]:
        """Values that can be chosen; none for a field that is typed."""
        computers = (COMPUTER, *(f"{COMPUTER}: {level}" for level in self.levels))
        return {
            "against": (ANYONE, *computers, *self.people),
            "preset": tuple(PRESETS),
            "length": LENGTHS,
            "clock": tuple(CLOCKS),
            "side": ("either", "white", "black"),
        }.get(field, () if field == "name" else OFF_ON)

    @property
    def rules(self) -> dict[str, Any]:
        """The rules as the server takes them: a preset, and what differs from it."""
        values, usual = self.values, PRESETS[self.values["preset"]].rules
        rules: dict[str, Any] = {"preset": values["preset"], "clock": values["clock"]}
        wanted = {"length": int(values["length"] or 0)} | {
            option: values[option] == "on" for option in ("cube", "hints", "rated")
        }
        is_named = (
            {"hints"} if values["against"].startswith(COMPUTER) else set()
        )  # they are on there if nothing is said
        return rules | {
            option: value for option, value in wanted.items() if option in is_named or value != getattr(usual, option)
        }

    @property
    def fault(self) -> str:
        """Why it cannot be sent so, "" when it can."""
        try:
            engine_rules(self.rules)
        except BadRules as error:
            return str(error)
        return ""

    @property
    def wish(self) -> Wish:
        """The request that the form stands for."""
        against, values = self.values["against"], self.values
        side: Any = values["side"]
        if against == ANYONE:
            return Wish("table", self.rules, side, values["name"] or None, values["private"] == "on")
        if against.startswith(COMPUTER):
            return Wish("computer", self.rules, side, level=against.partition(": ")[2] or None)
        return Wish("challenge", self.rules, side, against)


def new_form(
    people: Sequence[str] = (), levels: Sequence[str] = (), account: bool = False, against: str = ANYONE
) -> TableForm:
    """A form with what is usual."""
    values = {"against": ANYONE, "name": "", "side": "either", "rated": "off", "private": "off"}
    usual = {**_usual(USUAL_PRESET), "length": str(USUAL_LENGTH)}
    form = TableForm({**values, **usual}, people=people, levels=levels, account=account)
    return _filled(form, "against", against) if against in form.options("against") else form


def move(form: TableForm, by: int) -> TableForm:
    """Another field."""
    fields = form.fields
    return replace(form, chosen=fields[max(0, min(len(fields) - 1, fields.index(form.chosen) + by))])


def turn(form: TableForm, by: int) -> TableForm:
    """Another option of the chosen field; after the last one comes the first."""
    options, value = form.options(form.chosen), form.values[form.chosen]
    if not options:
        return form
    place = options.index(value) + by if value in options else 0
    return _filled(form, form.chosen, options[place % len(options)])


def after_typing(form: TableForm, text: str) -> TableForm:
    """A letter or digit typed into the chosen field, or "" to take the last one back."""
    value = form.values[form.chosen]
    value = value + text if text else value[:-1]
    if form.chosen == "name" and _NAME.fullmatch(value):
        return _filled(form, "name", value)
    if form.chosen == "length" and re.fullmatch("[0-9]{0,2}", value):
        return _filled(form, "length", value.lstrip("0") or ("0" if value else ""))
    return form


def lines(form: TableForm, columns: int, ascii_only: bool) -> list[tuple[str, str]]:
    """The form, a style and a text for each line."""
    shown = [("bold", " a new match")]
    for field in form.fields:
        is_chosen = field == form.chosen
        value = form.values[field] or ("your name" if field == "name" else "")
        mark = (">" if ascii_only else "▶") if is_chosen else " "
        value = f"< {value} >" if is_chosen and form.options(field) else f"{value}_" if is_chosen else f"  {value}"
        shown.append(("reverse" if is_chosen else "", f" {mark} {LABELS[field]:<{_LABEL_COLUMNS}}{clean(value)}"))
    about = textwrap.wrap(PRESETS[form.values["preset"]].text, max(1, columns - 2))[:_TEXT_LINES]
    what = form.fault or rules_text(engine_rules(form.rules)._asdict())
    shown += [("", ""), *(("", f" {line}") for line in about), ("", "")]
    return shown + [("bold", f" {line}") for line in textwrap.wrap(what, max(1, columns - 2))[:2]]


def keys(form: TableForm) -> str:
    """Keys that can be pressed."""
    typing = "  letters: type" if form.chosen in ("name", "length") else ""
    return f" Enter: play  Up Down: choose  Left Right: change{typing}  Esc: back"


def _filled(form: TableForm, field: str, value: str) -> TableForm:
    """The form with another value, and what follows from it."""
    values = {**form.values, field: value}
    if field == "preset":
        values |= _usual(value)
    if field == "against":
        values["hints"] = OFF_ON[value.startswith(COMPUTER)]  # which nobody minds there
    if field == "rated" and value == "on" and values["clock"] == "none":
        values["clock"] = USUAL_CLOCK
    return replace(form, values=values)


def _usual(name: str) -> dict[str, str]:
    rules = PRESETS[name].rules
    return {
        "preset": name,
        "length": str(rules.length),
        "clock": "none",
        "cube": OFF_ON[rules.cube],
        "hints": OFF_ON[rules.hints],
    }
