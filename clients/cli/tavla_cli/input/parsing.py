"""Parser for lines that a player types in a match: a command, or a play such as `8/5 6/5`. Pure."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from tavla_engine.errors import BadText
from tavla_engine.notation import parse_play
from tavla_engine.position import Move
from tavla_protocol.messages import PHRASES

from tavla_cli.input.match_commands import COMMANDS
from tavla_cli.text.phrases import did_you_mean
from tavla_cli.text.settings import NAMES


class BadCommand(ValueError):
    """A command that means nothing. str(error) says what to type instead."""


class Command(NamedTuple):
    """A command that was typed. argument: what followed it, checked."""

    name: str
    argument: str = ""


class Play(NamedTuple):
    """A play that was typed, as it was written."""

    moves: tuple[Move, ...]


RESIGNATIONS = {"": "1", "single": "1", "gammon": "2", "backgammon": "3", "1": "1", "2": "2", "3": "3"}
_RESIGN_USAGE = "resign a single game, a gammon or a backgammon"
_FREE = {  # commands whose rest is taken as it was typed, and what to say when there is none
    "say": f"say what? type say and a sentence, or one of {', '.join(PHRASES)}",
    "mute": "mute whom? type mute and a name, or mute watchers",
    "unmute": "unmute whom? type unmute and a name, or unmute watchers",
    "report": "report whom, and why? type report, a name and a reason",
    "tell": "tell whom what? type tell, a name and a sentence, or tell watchers and a sentence",
}
_SET_USAGE = f"type set and a name, {', '.join(NAMES)}, and on or off"
_AUTO_USAGE = "type auto roll on, auto roll off, auto play on or auto play off"
_NAMES = {short: name for name, entry in COMMANDS.items() for short in (name, *entry.short)}
_PLAY = re.compile(r"\d|(bar|b|off|o)\s*[/-]|(bar|b)\s+\d")
_MOVE = re.compile(r"^(m|move)\s*(?=\d|(bar|b|off|o)\b)")  # as FIBS has it: `m 8-5 6-5`


def parse(line: str) -> Command | Play:
    """The meaning of a line that is not empty. Raises: BadCommand, with one sentence."""
    text = _MOVE.sub("", line.strip().lower(), count=1)
    if _PLAY.match(text):
        try:
            return Play(parse_play(text))
        except BadText as error:
            raise BadCommand(str(error)) from None
    if text in PHRASES:
        return Command("say", text)
    word, *rest = text.split()
    if word in ("m", "move"):
        raise BadCommand("move what? type a play, such as 8/5 6/5")
    if word in NAMES:
        return Command("set", _argument("set", [word, *rest]))
    name = _complete(word, _NAMES)
    if name == "save":
        return Command(name, line.partition(" ")[2].strip())
    if name == "mod":
        return Command(name, line.strip().partition(" ")[2].strip())
    if name in _FREE:
        return Command(name, _free(name, line))
    return Command(name, _argument(name, rest))


def _complete(word: str, names: dict[str, str]) -> str:
    if word in names:
        return names[word]
    found = sorted({name for text, name in names.items() if text.startswith(word)})
    if len(found) == 1:
        return found[0]
    if found:
        raise BadCommand(f"{word!r} could be {', '.join(found[:-1])} or {found[-1]}")
    raise BadCommand(
        f"there is no command {word!r:.60}{did_you_mean(word, names.values())}: type help, or a play such as 8/5 6/5"
    )


def _free(name: str, line: str) -> str:
    rest = line.split(maxsplit=1)[1:]
    if not rest:
        raise BadCommand(_FREE[name])
    return rest[0].strip()


def _argument(name: str, rest: list[str]) -> str:
    match name, rest:
        case "resign", []:
            return RESIGNATIONS[""]
        case "resign", [kind] | ["a", kind]:
            return RESIGNATIONS[_option(kind, RESIGNATIONS, _RESIGN_USAGE)]
        case "resign", _:
            raise BadCommand(_RESIGN_USAGE)
        case "help", [word]:
            return _complete(word, _NAMES)
        case "go", ["on"]:
            return ""
        case "go", _:
            raise BadCommand("type go on to play on, or quit")
        case "set", []:
            return ""
        case "set", [which, on]:
            return f"{_option(which, NAMES, _SET_USAGE)} {_option(on, ('on', 'off'), _SET_USAGE)}"
        case "set", _:
            raise BadCommand(_SET_USAGE)
        case "auto", [what, *on] if len(on) <= 1:
            switch = _option(on[0] if on else "on", ("on", "off"), _AUTO_USAGE)
            return f"{_option(what, ('roll', 'play'), _AUTO_USAGE)} {switch}"
        case "auto", _:
            raise BadCommand(_AUTO_USAGE)
        case _, [extra, *_]:
            raise BadCommand(f"{name} stands alone: what is {extra!r:.60}?")
    return ""


def _option(word: str, options: Iterable[str], usage: str) -> str:
    found = [option for option in options if option == word] or [
        option for option in options if option.startswith(word)
    ]
    if len(found) != 1:
        raise BadCommand(usage)
    return found[0]
