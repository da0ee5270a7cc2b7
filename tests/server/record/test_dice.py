"""Dice that are kept while a match is played."""

from msgspec.structs import replace
from tavla_engine.dice import committed_dice
from tavla_server.record.dice import MatchDice
from tavla_server.record.state import Record

NUMBERS = range(1, 20)


def test_kept_dice_are_those_of_the_seeds_and_made_anew_with_others() -> None:
    dice, record = MatchDice(), Record("k3v7q2xa", seed=bytes(32))
    assert dice.roller(record) == dice.roller(record), "kept"
    for now in (record, replace(record, seeds=("a" * 32, "b" * 32)), replace(record, seed=bytes(range(32)))):
        roll, true = dice.roller(now), committed_dice(now.seed, now.id, now.seeds)
        assert [roll(k) for k in NUMBERS] == [true(k) for k in NUMBERS]
