"""Base class of bots: an author writes a class with those hooks that matter to the bot.

from tavla_client import Bot, Play, Turn

class Cautious(Bot):
    def choose_play(self, turn: Turn) -> Play:
        return min(turn.plays, key=lambda play: play.after.blots)
"""

import random
from collections.abc import Awaitable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias, TypeVar

from tavla_engine.position import Move

from tavla_client.bots.turn import Play, Turn
from tavla_client.dice_check import DiceVerdict

T = TypeVar("T")
Answer: TypeAlias = T | Awaitable[T]  # a hook is a plain function or a coroutine


ALMOST = 0.8  # how alike two names are, for difflib: chose_play is 0.95 of choose_play, choose_move 0.64


class BadBot(TypeError):
    """A bot that would not play as its author means it. str(error) says what to write."""


class Invitation(NamedTuple):
    """Invitation of a player who would like to play us. kind: guest, account or bot. rating: None without one."""

    opponent: str
    kind: str
    rating: int | None
    rules: Mapping[str, bool | int | str]


class Result(NamedTuple):
    """Result of a match. won: None without a winner. score: our points, then the opponent's.

    ending: as in the view, or `stopped`, if the bot has left since something was wrong. dice: the verdict on the dice
    and the plays; one that is not sound is in the log, too.
    """

    match: str
    opponent: str
    won: bool | None
    score: tuple[int, int]
    ending: str
    dice: DiceVerdict = DiceVerdict(True, "")


class Bot:
    """A program that plays. One instance plays one match; what matches share belongs into the class.

    Every hook may be a plain method, which runs in a thread and may take its time, or `async`, which shares its thread
    with the connection and may take time to await alone. One that raises, answers None or with something that cannot
    be done, loses nothing: that is counted, and the default below is done instead. One that does not return is waited
    for, and after 10 s a line in the log says so.

    level: how well it plays, in a word. plays: options of the rules, each with the values by which it plays; those that
    are not named may be as they like. Both are shown to people who look for a program to play. plays_on: it plays to
    the end though the dice or the plays are wrong; else it leaves such a match at once.
    """

    level: ClassVar[str] = ""
    plays: ClassVar[Mapping[str, Sequence[bool | int | str]]] = {}
    plays_on: ClassVar[bool] = False

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Raises: BadBot, see `check_hooks`."""
        check_hooks(cls)
        return super().__new__(cls)

    @classmethod
    def missing(cls) -> str:
        """Reason why the bot cannot play on this machine, and what to do about it; "" = it can."""
        return ""

    def choose_play(self, turn: Turn) -> Answer[Play | Sequence[Move]]:
        """Choose one of `turn.plays`; a bare sequence of (from, to) does as well. By default any of them."""
        return random.choice(turn.plays)

    def offer_double(self, turn: Turn) -> Answer[bool]:
        """Decide whether to offer the cube. Asked before each roll at which we may. By default never."""
        return False

    def take_double(self, turn: Turn) -> Answer[bool]:
        """Decide whether to accept the cube. By default always."""
        return True

    def offer_resign(self, turn: Turn) -> Answer[int]:
        """Points to offer as lost: 1 single, 2 gammon, 3 backgammon; by default 0, nothing. Asked in each own turn."""
        return 0

    def accept_resign(self, turn: Turn) -> Answer[bool]:
        """Decide whether to accept the opponent's resignation, `turn.offered_resignation`. By default always."""
        return True

    def accept_challenge(self, invitation: Invitation) -> Answer[bool]:
        """Decide whether to play a player who asks. The instance that says yes plays. By default always."""
        return True

    def on_match_end(self, result: Result) -> Answer[None]:
        """The match is over."""
        return None


def check_hooks(bot: type[Bot]) -> None:
    """Look for a method that is called nearly like a hook. Others of the same file may play. Raises: BadBot."""
    own = [(one, name) for one in bot.__mro__ if issubclass(one, Bot) for name, it in vars(one).items() if callable(it)]
    for cls, name in own:
        meant = [] if name in HOOKS or name.startswith("_") else get_close_matches(name, HOOKS, 1, ALMOST)
        if meant and getattr(bot, meant[0]) is getattr(Bot, meant[0]):
            raise BadBot(f"{cls.__name__}.{name} is no hook: write {meant[0]}, or _{name} if it is your own")


HOOKS = [name for name, value in vars(Bot).items() if callable(value) and not name.startswith("_")]
