"""Moderators' commands, in the lobby, at a match or behind `tavla mod`, and every player's reports."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, NamedTuple, cast

from tavla_client import Client
from tavla_protocol import messages as m

from tavla_cli.input.arguments import LONGEST
from tavla_cli.input.parsing import BadCommand
from tavla_cli.text.cleaning import clean
from tavla_cli.text.moderation import figure_lines, inspected_lines, report_lines

UNITS = {"m": 1, "h": 60, "d": 24 * 60}  # in minutes
TIME = re.compile(r"([1-9][0-9]{0,4})([mhd])")
MOST_MINUTES = 30 * UNITS["d"]
ADDRESSES = "--addresses"
HERE = "here"  # the match that one looks at


def usage_lines() -> list[str]:
    """Commands that can be typed."""
    lines = [" ".join(("mod", name, word.usage)).strip() for name, word in WORDS.items()]
    width = max(map(len, lines))
    return [f"{line:<{width}}  {word.text}" for line, word in zip(lines, WORDS.values(), strict=True)]


async def report(client: Client, typed: str, match: str = "") -> str:
    """Report a player; the sentence that says so. typed: a name and a reason. match: where one is.

    Raises: BadCommand, Refused.
    """
    name, _, reason = typed.strip().partition(" ")
    if not name or not reason.strip():
        raise BadCommand("report whom, and why? type report, a name and a reason")
    await client.lobby.report(_name(name), _reason(reason), match)
    return f"the moderators will look at what {name} does"


def quotation(typed: Sequence[str]) -> str:
    """Words as a shell has split them: a match's name that has spaces is in quotes again."""
    word, match, *rest = [*typed, "", ""][: max(2, len(typed))]
    is_match = word in WORDS and WORDS[word].usage.startswith("MATCH") and " " in match
    return " ".join((word, f'"{match}"' if is_match else match, *rest)).strip()


async def moderate(client: Client, typed: str, match: str = "") -> list[str]:
    """Do what a moderator has typed behind `mod`; the lines to show. match: where one is.

    Raises: BadCommand, Refused.
    """
    word, _, rest = typed.strip().partition(" ")
    if word not in WORDS:
        return usage_lines()
    return await WORDS[word].do(client, word, rest.strip(), match)


async def _reports(client: Client, word: str, rest: str, _: str) -> list[str]:
    """A page of reports, and how to type for the next."""
    closed, wanted, words = False, dict[str, str](), iter(rest.split())
    for name in words:
        if name == "closed":
            closed = True
        elif name in REPORTS and (value := next(words, "")):
            wanted[name] = REPORTS[name](value)
        else:
            raise BadCommand(f"type {word} {WORDS[word].usage}")
    page = await client.moderation.reports(**wanted, closed=closed)
    lines = [line for id_, row in page.rows.items() for line in report_lines(id_, row)]
    if page.next is None:
        return lines or [f"no report {'is closed' if closed else 'waits'}"]
    again = " ".join(["closed"] * closed + [f"{name} {value}" for name, value in wanted.items() if name != "after"])
    return [*lines, f"more: mod {word} {again} after {clean(page.next)}".replace("  ", " ")]


async def _inspect(client: Client, word: str, rest: str, _: str) -> list[str]:
    (name,) = _parts(word, rest, 1)
    return [*inspected_lines(await client.moderation.inspect(_name(name)))]


async def _fair(client: Client, word: str, rest: str, _: str) -> list[str]:
    (name,) = _parts(word, rest, 1)
    return [*figure_lines(await client.archive.fair_play(_name(name)))]


async def _kick(client: Client, word: str, rest: str, _: str) -> list[str]:
    name, reason = _parts(word, rest, 2)
    await client.moderation.sanction(_name(name), "kick", _reason(reason))
    return [f"{name} is sent away"]


async def _penalize(client: Client, word: str, rest: str, _: str) -> list[str]:
    name, time, reason = _parts(word, rest, 3)
    minutes = _minutes(time)
    addresses, reason = reason.startswith(ADDRESSES), reason.removeprefix(ADDRESSES).strip()
    what = cast(Literal["mute", "ban"], word)
    await client.moderation.sanction(_name(name), what, _reason(reason), minutes=minutes, addresses=addresses)
    return [f"{name}: {word} for {time}"]


async def _pardon(client: Client, word: str, rest: str, _: str) -> list[str]:
    name, reason = _parts(word, rest, 2)
    what = cast(Literal["mute", "ban"], word.removeprefix("un"))
    await client.moderation.pardon(_name(name), what, _reason(reason))
    return [f"{name}: no {what} any more"]


async def _void(client: Client, word: str, rest: str, here: str) -> list[str]:
    match, reason = _match_parts(word, rest, 2)
    await client.moderation.adjudicate(_match(match, here), "void", _reason(reason))
    return [f"match {_match(match, here)} does not count"]


async def _adjudicate(client: Client, word: str, rest: str, here: str) -> list[str]:
    match, side, reason = _match_parts(word, rest, 3)
    if side not in ("white", "black"):
        raise BadCommand(f"{side!r} is no side: say white or black")
    await client.moderation.adjudicate(_match(match, here), cast(m.Verdict, side), _reason(reason))
    return [f"match {_match(match, here)} is won by {side}"]


async def _resolve(client: Client, word: str, rest: str, _: str) -> list[str]:
    report_, reason = _parts(word, rest, 2)
    await client.moderation.resolve(_report(report_), _reason(reason))
    return [f"report {report_} is closed"]


class Word(NamedTuple):
    """A word of moderators. usage: what follows it. do: for a client, the word, the rest, the match here."""

    usage: str
    text: str
    do: Callable[[Client, str, str, str], Awaitable[list[str]]]


WORDS = {
    "reports": Word("[closed] [about NAME] [by NAME] [after REPORT]", "what players have reported", _reports),
    "inspect": Word("NAME", "what is known of a player", _inspect),
    "fair": Word("NAME", "how an account plays by the server's judge", _fair),
    "kick": Word("NAME REASON", "close the connections; the player may come back", _kick),
    "mute": Word("NAME TIME REASON", "nothing can be said for a time, such as 30m, 2h or 7d", _penalize),
    "unmute": Word("NAME REASON", "end that", _pardon),
    "ban": Word("NAME TIME REASON", f"keep out for a time; {ADDRESSES} behind the time: the addresses, too", _penalize),
    "unban": Word("NAME REASON", "end that", _pardon),
    "void": Word("MATCH REASON", f"the match does not count; {HERE}: this one", _void),
    "adjudicate": Word("MATCH white|black REASON", "end the match for one side", _adjudicate),
    "resolve": Word("REPORT REASON", "close a report; it is kept", _resolve),
}


def _parts(word: str, rest: str, count: int) -> list[str]:
    """Arguments behind a word; the last is all the rest."""
    parts = rest.split(maxsplit=count - 1)
    if len(parts) < count:
        raise BadCommand(f"type {word} {WORDS[word].usage}")
    return parts


def _match_parts(word: str, rest: str, count: int) -> list[str]:
    """The same of words about a match, whose name has any signs: in quotes, if a space is among them."""
    if found := re.match(r'"([^"]+)"\s*(.*)', rest):
        return [found[1], *_parts(word, found[2], count - 1)]
    return _parts(word, rest, count)


def _name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]{2,20}", name):
        raise BadCommand(f"{name!r} is no name of a player")
    return name


def _report(report_: str) -> str:
    if not re.fullmatch(r"[0-9]{1,16}-[0-9]{1,10}", report_):
        raise BadCommand(f"{report_!r} is no report: see mod reports")
    return report_


def _match(match: str, here: str) -> str:
    if match == HERE and here:
        return here
    if len(match) > LONGEST:
        raise BadCommand(f"{match!r} is no match: give its id, or its table's name")
    return match


def _minutes(time: str) -> int:
    found = TIME.fullmatch(time)
    minutes = int(found[1]) * UNITS[found[2]] if found else 0
    if not 0 < minutes <= MOST_MINUTES:
        raise BadCommand(f"{time!r} is no time: say 30m, 2h or 7d; 30d is the most")
    return minutes


def _reason(reason: str) -> str:
    if not reason.strip():
        raise BadCommand("say why: it is written down, and told")
    return reason.strip()[: m.TEXT_LENGTH]


REPORTS: dict[str, Callable[[str], str]] = {"about": _name, "by": _name, "after": _report}  # what one may ask for
