"""Positions and turns for tests of bots."""

import random

import pytest
from tavla_bots.features import Floats
from tavla_bots.network import Network
from tavla_cli.records.steps import view_of
from tavla_client import Turn
from tavla_engine.dice import Dice
from tavla_engine.match import Cube, Match
from tavla_engine.midgame import game_in_progress
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position, row
from tavla_engine.rules import STARTS, Rules, Variant, preset

START = Position(STARTS[Variant.STANDARD], STARTS[Variant.STANDARD])
MONEY = preset("tournament", {"length": 0})
RACE = Position(row(p6=3, p5=3, p4=3, off=6), row(p6=3, p5=3, p4=3, p3=2, off=4))


def state(
    position: Position,
    dice: Dice | None = None,
    rules: Rules = MONEY,
    score: tuple[int, int] = (0, 0),
    cube: Cube | None = None,
) -> Match:
    """A game in which seat 0 is on roll."""
    return game_in_progress(rules, position, 0, score, cube or Cube(), False, dice)


def turn_of(match: Match, seat: int = 0) -> Turn:
    """The turn that a bot gets in this state."""
    return Turn("", view_of(match), seat)


def wandering(rng: random.Random, turns: int) -> Position:
    """A position after so many turns at random."""
    position = START
    for _ in range(turns):
        plays = list(legal_plays(position, (rng.randint(1, 6), rng.randint(1, 6))))
        position = rng.choice(plays).other_side()
        if position.theirs[0] == 15:
            return START
    return position


def counted_passes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many positions pass the network together, each time that some do."""
    passes, plain = list[int](), Network.__call__

    def counted(network: Network, inputs: Floats) -> Floats:
        passes.append(len(inputs))
        return plain(network, inputs)

    monkeypatch.setattr(Network, "__call__", counted)
    return passes
