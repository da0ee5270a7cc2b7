"""Dice that are kept while a game is played."""

from msgspec.structs import replace
from tavla_engine.chain import LINKS, earlier
from tavla_engine.dice import LinkDice
from tavla_engine.match import Phase
from tavla_server.record.dice import MatchDice
from tavla_server.record.state import Record

NUMBERS = range(1, 20)


def test_kept_dice_are_those_of_the_game_and_made_anew_with_others() -> None:
    dice, first = MatchDice(), Record("k3v7q2xa", seed=bytes(32))
    assert dice.roller(first) == dice.roller(first), "kept"
    second = replace(first, match=replace(first.match, game=1))
    playing = replace(second, match=replace(second.match, phase=Phase.MOVE, game=2))
    others = replace(first, seeds=("a" * 32, "b" * 32)), replace(first, seed=bytes(range(32)))
    for now, game in (
        (first, 1),
        (second, 2),
        (playing, 2),
        *((other, 1) for other in others),
        (replace(first, binding="ab"), 1),
    ):
        true = LinkDice(earlier(now.seed, LINKS - game), now.binding, now.seeds, game)
        roll = dice.roller(now)
        assert [roll(k) for k in NUMBERS] == [true.roll(k) for k in NUMBERS]
