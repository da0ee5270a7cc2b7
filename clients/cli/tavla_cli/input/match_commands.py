"""The commands of a match: their names, what they do, and which of them make sense now. Pure."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from tavla_protocol.messages import PHRASES
from tavla_protocol.view import View

from tavla_cli.text.cube import may_beaver


class Entry(NamedTuple):
    """An entry of the table of commands.

    text: what it does. short: names that need no rest. phases: where it makes sense; none = anywhere.
    """

    text: str
    short: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    watchers: bool = False


RESIGNATIONS = ("single", "gammon", "backgammon")
_GAME = ("roll", "cube", "move", "resign")
COMMANDS: dict[str, Entry] = {
    "roll": Entry("roll the dice", ("r",), phases=("roll",)),
    "double": Entry("offer the cube at twice its value, before you roll", ("d",), phases=("roll",)),
    "take": Entry("accept the cube", ("t",), phases=("cube",)),
    "drop": Entry("refuse the cube and lose the game at its present value", ("pass", "p"), phases=("cube",)),
    "beaver": Entry("take the cube, turn it once more and keep it", phases=("cube",)),
    "undo": Entry("take back a play that you were asked about; set confirm on asks about each", phases=("move",)),
    "hint": Entry(
        "show your legal plays and which are best, or what to do with the cube", phases=("move", "roll", "cube")
    ),
    "accept": Entry("accept the opponent's resignation", phases=("resign",)),
    "refuse": Entry("refuse it and play on", ("reject",), phases=("resign",)),
    "ready": Entry("start the next game; Enter alone does the same", phases=("ready",)),
    "resign": Entry("offer to lose this game", arguments=RESIGNATIONS, phases=("roll", "cube", "move")),
    "forfeit": Entry("give up at the price of the rules; the opponent is not asked", phases=(*_GAME, "ready")),
    "claim": Entry("win the match: your opponent has gone and stays away", phases=(*_GAME, "ready")),
    "abort": Entry("ask to end the match without a winner, or agree to that", phases=(*_GAME, "ready")),
    "auto": Entry(
        "leave cube decisions (roll) or forced turns (play) to the server", (), ("roll", "play"), (*_GAME, "ready")
    ),
    "leave": Entry("end money play between two games", phases=("ready",)),
    "cancel": Entry("close the table before anyone sits down", phases=("open",)),
    "say": Entry(
        f"talk to your opponent, or while you watch to the others who do; alone stand {', '.join(PHRASES)}",
        ("s",),
        ("TEXT",),
        (),
        True,
    ),
    "tell": Entry("talk to your opponent, or to those who watch", (), ("NAME TEXT", "watchers TEXT"), (), True),
    "mute": Entry("hear nothing more of someone, or of what the watchers say", (), ("NAME", "watchers"), (), True),
    "unmute": Entry("hear them again", (), ("NAME", "watchers"), (), True),
    "report": Entry("tell the moderators of someone, and why", (), ("NAME REASON",), (), True),
    "mod": Entry("what moderators can do: kick, mute, ban, void and more", (), ("WORD",), (), True),
    "go": Entry("play on, though something was wrong with the dice or the plays", arguments=("on",)),
    "board": Entry("show the board again", watchers=True),
    "oldmoves": Entry("show the turns of this game so far", watchers=True),
    "who": Entry("show who is here, and who watches this match", watchers=True),
    "here": Entry("play in this window: another one of yours has the seat", watchers=True),
    "set": Entry("show what can be switched on and off; set confirm on switches it", watchers=True),
    "id": Entry("show the position as other programs read it: GNU Backgammon's IDs, and XGID", watchers=True),
    "save": Entry("write the match to a new file: .mat, .sgf, .ogxm or .json", (), ("FILE",), (), True),
    "help": Entry("show what you can do, or what one command does", ("?", "h"), ("WORD",), (), True),
    "quit": Entry("go away for a while; you are told what that means", ("q", "exit"), watchers=True),
}


def possible(
    view: View,
    you: int | None,
    claims: bool = False,
    elsewhere: bool = False,
    moderates: bool = False,
    stopped: bool = False,
) -> list[str]:
    """The commands that can be used now, those that the match waits for first.

    claims: whether the match may be claimed now. elsewhere: another window of the
    reader has the seat. moderates: the reader is a moderator. stopped: something was wrong, and play has stopped.
    """
    usable = (("claim", claims), ("here", elsewhere), ("mod", moderates), ("go", stopped))
    unusable = {name for name, is_usable in usable if not is_usable}
    if you is None:
        return [name for name, entry in COMMANDS.items() if entry.watchers and name not in unusable]
    names = []
    for name, entry in COMMANDS.items():
        if entry.phases and view.phase not in entry.phases:
            continue
        if name in _DECISIONS and you not in view.to_act:
            continue
        if name not in unusable and (name not in _NEEDS or _NEEDS[name](view)):
            names.append(name)
    return names


_DECISIONS = ("roll", "double", "take", "drop", "beaver", "undo", "hint", "accept", "refuse", "ready")
_NEEDS: dict[str, Callable[[View], bool]] = {
    "hint": lambda view: bool(view.rules.get("hints")),
    "beaver": may_beaver,
    "abort": lambda view: view.clock is None or (view.game <= 1 and view.rolls <= 2 and view.outcome is None),
    "forfeit": lambda view: view.phase != "ready" or bool(view.rules.get("length")),
    "leave": lambda view: not view.rules.get("length"),
    "resign": lambda view: bool(view.rules.get("resignations", True)),
}


def resignable(view: View, you: int | None) -> tuple[str, ...]:
    """The kinds of loss that one may offer now: those that count, and one alone after a checker is borne off."""
    rules = view.rules
    turned = view.owner is not None or (view.cube > 1 and not rules.get("automatic_doubles"))
    if (rules.get("jacoby") and not turned) or (you is not None and view.row(you)[0]):
        return RESIGNATIONS[:1]
    return RESIGNATIONS if rules.get("backgammons", True) else RESIGNATIONS[:2]


def help_lines(view: View, you: int | None, names: Iterable[str]) -> list[tuple[str, str]]:
    """Commands and their meaning, as two columns. names: the commands that are `possible`."""
    lines = []
    if you is not None and you in view.to_act and view.phase == "move":
        lines.append(
            ("8/5 6/5", "play the dice: from/to, bar/22 to enter, 6/off to bear off, 24/18(2), 13/7/5; or m 8-5 6-5")
        )
    if you is not None and view.phase == "over":
        lines.append(("yes|no", "play another match against the same opponent, or go"))
    for name in names:
        entry = COMMANDS[name]
        arguments = resignable(view, you) if name == "resign" else entry.arguments
        usage = " ".join((name, "|".join(arguments))).strip() + (" on|off" if name == "auto" else "")
        short = f" ({', '.join(entry.short)})" if entry.short else ""
        lines.append((usage + short, entry.text))
    return lines


def short_help(view: View, you: int | None, names: Iterable[str]) -> list[tuple[str, str]]:
    """The same for a small window: what the match waits for, and the names of all else."""
    names = list(names)
    others = [name for name in names if not COMMANDS[name].phases]
    also = ("also", f"{', '.join(others)}: help and a word tells what one does")
    return [*help_lines(view, you, [name for name in names if name not in others]), also]
