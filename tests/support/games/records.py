"""Records of matches that the engine plays, as a server tells of them."""

import random
import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import astuple
from tavla_cli.records.steps import view_of
from tavla_engine import events as e
from tavla_engine.apply import apply
from tavla_engine.claim import Claim
from tavla_engine.decide import decide
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Event
from tavla_engine.match import Phase, new_match
from tavla_engine.rules import Rules, preset
from tavla_protocol import messages as m
from tavla_protocol.claims import claim_of
from tavla_protocol.view import fields

from tests.support.games.agreed import NAMES, dice_of, revealed, terms
from tests.support.games.chance import action_by_chance

HEAD = 6  # events of the table before the match
ID, SEEDS, START_MS = "k3v7q2xa", ("a1" * 16, "b0" * 16), 1_789_000_000_000

ALL_RULES = [  # of all kinds that there are
    preset("tournament", {"length": 3}),
    preset("tournament", {"length": 5, "forfeit_multiplier": 2, "cube_cap": 4}),
    preset("money", {"beavers": 3, "automatic_doubles": 1}),
    preset("club", {"variant": "hypergammon"}),
    preset("mpgn"),
    preset("seats"),
    preset("tavla", {"length": 2}),
    preset("portes", {"length": 2}),
    preset("tournament", {"length": 1, "opening": "seat_0", "variant": "nackgammon"}),
    preset("tournament", {"length": 2, "clock": "fast"}),
]


def told(event: Event, seq: int) -> list[object]:
    """An event as `recorded` has it, ten seconds after the one before."""
    name = re.sub(r"\B([A-Z])", r"_\1", type(event).__name__).lower()
    return [seq, START_MS + 10_000 * seq, name, *msgspec.to_builtins(astuple(event))]


def recorded(rules: Rules, events: Sequence[Event], secret: bytes = bytes(32)) -> m.Recorded:
    """The answer to `record` after these events; with the server's seed, once the match is over."""
    match = new_match(rules)
    for event in events:
        match = apply(match, event)
    view = revealed(view_of(match), secret, SEEDS)
    reveals: list[list[object]] = [[1, START_MS, "revealed", seat, seed] for seat, seed in enumerate(SEEDS)]
    seated: list[list[object]] = [[1, START_MS, "seated", seat, name] for seat, name in enumerate(NAMES)]
    first: list[list[object]] = [[1, START_MS, "created"], *seated, [1, START_MS, "agreed", terms(ID, view)], *reveals]
    rest = [told(event, seq) for seq, event in enumerate(events, 2)]
    return m.Recorded(id=1, match=ID, epoch=1, seq=len(events) + 1, view=fields(view), events=[*first, *rest])


def claim(events: list[Event], rules: Rules) -> Claim:
    """The claim of the answer to `record` after these events."""
    return claim_of(recorded(rules, events))


def rolls_in(events: list[list[Any]]) -> list[tuple[int, int]]:
    """The dice of all rolls among the events of a record."""
    return [tuple(one[-2:]) for one in events if one[2] in ("opening_rolled", "rolled")]


def played(rules: Rules, seed: int, games: int = 99) -> list[Event]:
    """The events of a match by chance with the dice of `recorded`; up to so many games of it."""
    rng, match, log = random.Random(seed), new_match(rules), list[Event]()
    dice = dice_of(ID, view_of(match), bytes(32), SEEDS)
    while match.phase is not Phase.OVER and sum(isinstance(event, e.GameEnded) for event in log) < games:
        try:
            events, match = decide(match, action_by_chance(match, rng), dice.roller(match))
        except IllegalAction:
            continue
        log += events
    return log
