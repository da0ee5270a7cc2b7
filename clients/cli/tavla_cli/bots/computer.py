"""The computer as an opponent: programs that are here and say that they play those who ask."""

import asyncio
from collections.abc import Mapping
from typing import Any

from tavla_client import Client, ClientError, Match, Refused, fits
from tavla_protocol import messages as m

from tavla_cli.text.cleaning import clean
from tavla_cli.text.rules import all_options

LEVELS = ("beginner", "casual", "club", "strong", "expert", "world-class", "sage")
USUAL = "beginner"  # where nobody says which; as in the page
ANSWER_S = 10.0  # a program answers at once; one that does not is passed over
_PASSING = ("declined", "expired", "not_online", "no_such_player")  # then another one may do

Options = Mapping[str, Any]


async def play_computer(client: Client, rules: Options, level: str | None = None, side: m.Side = "either") -> Match:
    """A match against a program that plays by these rules. rules: `preset` and options. level: or a program's own name;
    any, if None.

    Raises: ClientError, with a sentence, when there is none.
    """
    rules = {**rules, "hints": rules.get("hints", not rules.get("rated"))}  # nobody is harmed by them
    people = await client.lobby.people()
    for name in suitable(people, rules, level):
        try:
            async with asyncio.timeout(ANSWER_S):
                return await client.challenges.send(name, rules, side)
        except TimeoutError:
            continue
        except Refused as refused:
            if refused.code not in _PASSING:
                raise
    raise ClientError(_why_none(people, rules, level))


def suitable(people: Mapping[str, m.Person], rules: Options, level: str | None = None) -> list[str]:
    """The programs that have room for a match by these rules, the first choice first."""
    wanted = all_options(rules)
    names = [
        name
        for name, one in people.items()
        if one.places and level in (None, one.level, name) and fits(one.rules, wanted)
    ]
    return sorted(names, key=lambda name: (people[name].level != USUAL, -people[name].places, name))


def casual(rules: Options) -> dict[str, bool | int | str]:
    """The same rules for a match that may be left at any moment."""
    return {**rules, "rated": False, "clock": "none"}


def _why_none(people: Mapping[str, m.Person], rules: Options, level: str | None) -> str:
    here = {name: one for name, one in sorted(people.items()) if one.places}
    if not here:
        return "no computer is here now: open a table for people, or start one with tavla bot run expert --available"
    what = f"at level {level} by these rules" if level else "by these rules"
    wanted = all_options(rules)
    each = [f"{name} ({one.level or 'bot'}){_refused(one, wanted)}" for name, one in here.items()]
    return clean(f"no computer plays {what} now; here are {', '.join(each)}")


def _refused(one: m.Person, wanted: Options) -> str:
    """Substitutes for options that a program refuses."""
    refused = {option: values for option, values in one.rules.items() if wanted.get(option) not in values}
    plays = [f"{option} {' or '.join(map(_text, values))} alone" for option, values in refused.items()]
    return f", which plays {', '.join(plays)}" if plays else ""


def _text(value: bool | int | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
