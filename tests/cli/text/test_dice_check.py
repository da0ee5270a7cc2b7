"""Whether the dice of a match were those that the server had committed to."""

from msgspec.structs import replace
from tavla_cli.text.dice_check import DiceCheck
from tavla_engine.dice import commitment, committed_dice

from tests.support.match_views import V

SEED = bytes(range(32))

ROLL = committed_dice(SEED, "m1", ("a", "b"))


def _game(rolls: int) -> DiceCheck:
    """A match of which everything was seen: each turn's dice before it, or in `last` only when it was passed."""
    check = DiceCheck()
    view = replace(V, commitment=commitment(SEED), seeds=("a", "b"))
    for number in range(1, rolls + 1):
        high_first = tuple(sorted(ROLL(number), reverse=True))
        if number % 3:
            check.see(replace(view, phase="move", rolls=number, dice=high_first))
        else:
            check.see(replace(view, phase="roll", rolls=number, last=((0, *high_first),)))
    return check


def test_dice_that_follow_from_the_seed_are_confirmed() -> None:
    over = replace(V, phase="over", seed=SEED.hex(), seeds=("a", "b"), commitment=commitment(SEED))
    assert _game(43).verdict("m1", over) == "dice: all 43 rolls seen agree with the seed the server committed to"
    assert _game(1).verdict("m1", over) == "dice: the one roll seen agrees with the seed the server committed to"
    assert DiceCheck().verdict("m1", over) == ""


def test_opening_rolls_are_checked_for_who_won_them_and_ties_for_being_ties() -> None:
    tie = next(k for k in range(1, 1000) if ROLL(k)[0] == ROLL(k)[1] and ROLL(k + 1)[0] > ROLL(k + 1)[1])
    before = replace(V, phase="ready", rolls=tie - 1, rules={"opening": "roll_off"}, commitment=commitment(SEED))
    after = replace(before, phase="move", rolls=tie + 1, dice=ROLL(tie + 1), turn=0)
    over = replace(V, phase="over", seed=SEED.hex(), seeds=("a", "b"))
    for start, verdict in (
        (after, "dice: all 2 rolls seen agree with the seed the server committed to"),
        (replace(after, turn=1), "WARNING: 1 of 2 rolls do not follow from the server's seed"),
    ):
        check = DiceCheck()
        check.see(before)
        check.see(start)
        assert check.verdict("m1", over) == verdict
    check = DiceCheck()
    check.see(replace(before, rolls=tie))
    later = ROLL(tie + 2)
    dice = (max(later), min(later))
    check.see(replace(after, rolls=tie + 2, dice=dice, turn=int(later[1] > later[0])))
    assert check.verdict("m1", over).startswith("WARNING: 1 of 2 rolls"), "not a tie, and yet rolled again"


def test_other_dice_and_another_seed_are_denounced() -> None:
    over = replace(V, phase="over", seed=SEED.hex(), seeds=("a", "b"), commitment=commitment(SEED))
    check = _game(10)
    check.see(replace(V, phase="move", rolls=11, dice=(6, 6) if sorted(ROLL(11)) != [6, 6] else (1, 1)))
    assert check.verdict("m1", over).startswith("WARNING: 1 of 11 rolls")
    assert "WARNING" in _game(10).verdict("m2", over), "another match has other dice"
    other = replace(over, seed=bytes(32).hex(), commitment=commitment(bytes(32)))
    assert _game(10).verdict("m1", other).startswith("WARNING: the seed"), "the first commitment counts"
