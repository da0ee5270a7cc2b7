"""A match with a rigged server, played to its end, as its victim has seen it."""

import asyncio
import random
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import msgspec
from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.apply import apply
from tavla_engine.chain import ChainDice
from tavla_engine.decide import decide, proceed
from tavla_engine.dice import Roller
from tavla_engine.errors import IllegalAction
from tavla_engine.match import Match, new_match
from tavla_engine.rules import preset
from tavla_engine.terms import binding
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tests.support.players.plain import Player
from tests.support.players.seeds import reveal, seated
from tests.support.servers.rigged.partner import ONE_POINT
from tests.support.servers.rigged.server import friend

RULES = preset("tournament", {"length": 1})
FRIEND, VICTIM = 0, 1
KINDS: dict[str, Any] = {
    "readied": e.Readied,
    "game_started": e.GameStarted,
    "opening_rolled": e.OpeningRolled,
    "rolled": e.Rolled,
    "moved": e.Moved,
    "game_ended": e.GameEnded,
    "match_ended": e.MatchEnded,
}


class Played(NamedTuple):
    """A match that was played to its end. views: as the victim has seen them, in order. told: by `record`."""

    match: str
    views: Sequence[View]
    told: m.Recorded

    @property
    def end(self) -> View:
        """The last view."""
        return self.views[-1]

    @property
    def events(self) -> list[e.Event]:
        """Events of the match itself, from the record."""
        return [
            msgspec.convert([KINDS[name].__struct_config__.tag, *facts], KINDS[name])
            for _, _, name, *facts in self.told.events
            if name in KINDS
        ]

    @property
    def drawn(self) -> list[e.OpeningRolled | e.Rolled]:
        """All rolls of the record."""
        return [event for event in self.events if isinstance(event, e.OpeningRolled | e.Rolled)]

    @property
    def roll(self) -> Roller:
        """Dice that follow from the seeds that are shown, of the one game."""
        (text,) = (event[3] for event in self.told.events if event[2] == "agreed")
        return ChainDice(bytes.fromhex(self.end.seed), 1, binding(text), self.end.seeds).of_link(1).roll

    @property
    def follow(self) -> list[bool]:
        """True if each roll of the record does."""
        return [event.dice == self.roll(number) for number, event in enumerate(self.drawn, 1)]

    @property
    def steps(self) -> list[tuple[Match, e.Event]]:
        """Each event of the record, and the match before it."""
        events = self.events
        return [(reduce(apply, events[:at], new_match(RULES)), event) for at, event in enumerate(events)]


def is_sound(events: list[e.Event], roll: Roller) -> bool:
    """True if the rules make just these events of the plays in them, and of the dice."""
    match, left = new_match(RULES), events
    made: list[e.Event] = [e.Readied(0), e.Readied(1)]
    match = reduce(apply, made, match)
    while left[: len(made)] == made:
        left = left[len(made) :]
        if not left:
            return True
        try:
            if isinstance(play := left[0], e.Moved):
                made, match = decide(match, a.Move(play.seat, play.moves), roll)
            else:
                made, match = proceed(match, roll)
        except IllegalAction:
            return False
    return False


async def sit_down(white: Player, black: Player, first: int = VICTIM) -> str:
    """Both sit down and reveal their seeds, as far as the match waits for them; the match. first: who reveals first."""
    match = await seated(white, black, rules=ONE_POINT)
    both = (white, black)
    for player in (both[first], both[1 - first]):
        if player.matches[match].seat in player.matches[match].view.unrevealed:
            await reveal(player, match)
    return match


async def in_step(white: Player, black: Player, match: str) -> View:
    """The view that both players have seen, when neither has seen more."""
    await white.reach(match, black.matches[match].seq)
    return await black.reach(match, white.matches[match].seq)


async def play(url: str, mode: str, rng: random.Random) -> Played:
    """A match of a friend, who plays white, and a victim."""
    async with Player(url, friend(mode)) as white, Player(url) as black:
        return await play_out(white, black, await sit_down(white, black), rng)


async def play_out(white: Player, black: Player, match: str, rng: random.Random) -> Played:
    await asyncio.gather(white.play(match, rng), black.play(match, rng))
    views = black.matches[match].views
    told = await black.get(m.Recorded, m.Record, match=match)
    return Played(match, [views[seq] for seq in sorted(views)], told)
