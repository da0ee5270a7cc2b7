"""What a player types, and what it means. Pure."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from tavla_engine.errors import BadText
from tavla_engine.notation import Move, parse_play
from tavla_protocol.messages import PHRASES
from tavla_protocol.view import View


class BadCommand(ValueError):
    """A line that means nothing. str(error) says what to type instead."""


class Command(NamedTuple):
    """A command that was typed. argument: what followed it, checked."""

    name: str
    argument: str = ""


class Play(NamedTuple):
    """A play that was typed, as it was written."""

    moves: tuple[Move, ...]


class Entry(NamedTuple):
    """A line of the table below. short: names that need no rest. phases: where it makes sense; none = anywhere."""

    text: str
    short: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    watchers: bool = False


_GAME = ("roll", "cube", "move", "resign")
COMMANDS: dict[str, Entry] = {
    "roll": Entry("roll the dice", ("r",), phases=("roll",)),
    "double": Entry("offer the cube at twice its value, before you roll", ("d",), phases=("roll",)),
    "take": Entry("accept the cube", ("t",), phases=("cube",)),
    "drop": Entry("refuse the cube and lose the game at its present value", ("pass", "p"), phases=("cube",)),
    "beaver": Entry("take the cube, turn it once more and keep it", phases=("cube",)),
    "hint": Entry("show your legal plays, where the table allows it", phases=("move",)),
    "accept": Entry("accept the opponent's resignation", phases=("resign",)),
    "refuse": Entry("refuse it and play on", phases=("resign",)),
    "ready": Entry("start the next game; Enter alone does the same", phases=("ready",)),
    "resign": Entry("offer to lose this game", arguments=("single", "gammon", "backgammon"), phases=_GAME),
    "forfeit": Entry("give up at the price of the rules; the opponent is not asked", phases=(*_GAME, "ready")),
    "claim": Entry("win the match: your opponent has gone and stays away", phases=(*_GAME, "ready")),
    "auto": Entry(
        "leave cube decisions (roll) or forced turns (play) to the server",
        (),
        ("roll", "play"),
        (*_GAME, "ready", "open"),
    ),
    "leave": Entry("end money play between two games", phases=("ready",)),
    "cancel": Entry("close the table before anyone sits down", phases=("open",)),
    "say": Entry(
        f"talk to your opponent, or while you watch to the others who do; alone stand {', '.join(PHRASES)}",
        (),
        ("TEXT",),
        (),
        True,
    ),
    "mute": Entry("hear nothing more of someone, or of what the watchers say", (), ("NAME", "watchers"), (), True),
    "unmute": Entry("hear them again", (), ("NAME", "watchers"), (), True),
    "board": Entry("show the board again", watchers=True),
    "help": Entry("show this", ("?", "h"), watchers=True),
    "quit": Entry("go away for a while; the match stays as it is", ("q", "exit"), watchers=True),
}
RESIGNATIONS = {"": "1", "single": "1", "gammon": "2", "backgammon": "3", "1": "1", "2": "2", "3": "3"}
_RESIGN_USAGE = "resign a single game, a gammon or a backgammon"
_FREE = {  # commands whose rest is taken as it was typed, and what to say when there is none
    "say": f"say what? type say and a sentence, or one of {', '.join(PHRASES)}",
    "mute": "mute whom? type mute and a name, or mute watchers",
    "unmute": "unmute whom? type unmute and a name, or unmute watchers",
}
_AUTO_USAGE = "type auto roll on, auto roll off, auto play on or auto play off"
_NAMES = {short: name for name, entry in COMMANDS.items() for short in (name, *entry.short)}
_PLAY = re.compile(r"\d|(bar|b|off|o)\s*[/-]")


def parse(line: str) -> Command | Play:
    """The meaning of a line that is not empty.

    Raises: BadCommand, with one sentence.
    """
    text = line.strip().lower()
    if _PLAY.match(text):
        try:
            return Play(parse_play(text))
        except BadText as error:
            raise BadCommand(str(error)) from None
    if text in PHRASES:
        return Command("say", text)
    word, *rest = text.split()
    name = _complete(word, _NAMES)
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
        raise BadCommand(f"{word!r} could be {_or(found)}")
    raise BadCommand(f"there is no command {word!r}: type help, or a play such as 8/5 6/5")


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
        case "auto", [what, *on] if len(on) <= 1:
            switch = _option(on[0] if on else "on", ("on", "off"), _AUTO_USAGE)
            return f"{_option(what, ('roll', 'play'), _AUTO_USAGE)} {switch}"
        case "auto", _:
            raise BadCommand(_AUTO_USAGE)
        case _, [extra, *_]:
            raise BadCommand(f"{name} stands alone: what is {extra!r}?")
    return ""


def _option(word: str, options: Iterable[str], usage: str) -> str:
    found = [option for option in options if option == word] or [
        option for option in options if option.startswith(word)
    ]
    if len(found) != 1:
        raise BadCommand(usage)
    return found[0]


def possible(view: View, you: int | None) -> list[str]:
    """The commands that make sense now, those that the match waits for first."""
    if you is None:
        return [name for name, entry in COMMANDS.items() if entry.watchers]
    names = []
    for name, entry in COMMANDS.items():
        if entry.phases and view.phase not in entry.phases:
            continue
        if name in _DECISIONS and you not in view.to_act:
            continue
        if name not in _NEEDS or _NEEDS[name](view):
            names.append(name)
    return names


_DECISIONS = ("roll", "double", "take", "drop", "beaver", "hint", "accept", "refuse", "ready")
_NEEDS: dict[str, Callable[[View], bool]] = {
    "hint": lambda view: bool(view.rules.get("hints")),
    "beaver": lambda view: bool(view.rules.get("beavers")),
    "claim": lambda view: view.clock is not None or "bot" in view.kinds,
    "leave": lambda view: not view.rules.get("length"),
    "resign": lambda view: bool(view.rules.get("resignations", True)),
}


def help_lines(view: View, you: int | None) -> list[tuple[str, str]]:
    """What can be typed now and what it does, as two columns."""
    lines = []
    if you is not None and you in view.to_act and view.phase == "move":
        lines.append(("8/5 6/5", "play the dice: from/to, bar/22 to enter, 6/off to bear off, 24/18(2), 13/7/5"))
    if you is not None and view.phase == "over":
        lines.append(("yes|no", "play another match against the same opponent, or go"))
    for name in possible(view, you):
        entry = COMMANDS[name]
        usage = " ".join((name, "|".join(entry.arguments))).strip() + (" on|off" if name == "auto" else "")
        short = f" ({', '.join(entry.short)})" if entry.short else ""
        lines.append((usage + short, entry.text))
    return lines


def _or(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
