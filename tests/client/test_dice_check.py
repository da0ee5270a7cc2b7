"""Check of the dice of a match against all commitments to seeds."""

import pytest
from msgspec.structs import replace
from tavla_client.dice_check import DiceCheck
from tavla_client.pledges import Pledge
from tavla_engine.dice import commitment
from tavla_protocol.claims import terms_in
from tavla_protocol.view import View

from tests.support.games.agreed import dice_of, revealed
from tests.support.wire.match_views import V

SEED = bytes(range(32))
SEEDS = ("0a" * 32, "0b" * 32)
BEGUN = revealed(V, SEED, SEEDS)
COMMITMENTS = BEGUN.commitments
ROLL = dice_of("m1", V, SEED, SEEDS).of_link(1).roll
OVER = revealed(replace(V, phase="over"), SEED, SEEDS)
AGREE = "rolls seen agree with the seeds that were committed to"


def _game(rolls: int, check: DiceCheck | None = None) -> DiceCheck:
    """A match of which everything was seen: each turn's dice before it, or in `last` only when it was passed."""
    check = check or DiceCheck("m1")
    for number in range(1, rolls + 1):
        high_first = tuple(sorted(ROLL(number), reverse=True))
        if number % 3:
            check.see(replace(BEGUN, phase="move", rolls=number, dice=high_first), None)
        else:
            check.see(replace(BEGUN, phase="roll", rolls=number, last=((0, *high_first),)), None)
    return check


# --- rolls ---


def test_dice_that_follow_from_the_seeds_are_confirmed() -> None:
    assert _game(43).verdict(OVER)[:2] == (True, f"dice: all 43 {AGREE}")
    text = "dice: the one roll seen agrees with the seeds that were committed to"
    assert _game(1).verdict(OVER)[:2] == (True, text)
    assert DiceCheck("m1").verdict(OVER)[:2] == (True, "")


@pytest.mark.parametrize("silent", [0, 1])
def test_who_adds_no_seed_is_named(silent: int) -> None:
    seeds = ("", SEEDS[1]) if silent == 0 else (SEEDS[0], "")
    for phase, game in (("reveal", 0), ("move", 1)):
        check = DiceCheck("m1")
        check.see(replace(revealed(V, SEED, seeds), phase=phase, game=game), None)
        assert check.fault == f"{('ada', 'bob')[silent]} has committed to no seed for the dice"


def test_opening_rolls_are_checked_for_who_won_them_and_ties_for_being_ties() -> None:
    rules = {"opening": "roll_off"}
    roll = dice_of("m1", replace(V, rules=rules), SEED, SEEDS).of_link(1).roll
    tie = next(k for k in range(1, 1000) if roll(k)[0] == roll(k)[1] and roll(k + 1)[0] > roll(k + 1)[1])
    before = replace(BEGUN, phase="ready", game=0, rolls=tie - 1, rules=rules)
    after = replace(before, phase="move", game=1, rolls=tie + 1, dice=roll(tie + 1), turn=0)
    for start, verdict in (
        (after, (True, f"dice: all 2 {AGREE}")),
        (replace(after, turn=1), (False, "WARNING: 1 roll does not follow from the seeds, of 2 seen")),
    ):
        check = DiceCheck("m1")
        check.see(before, None)
        check.see(start, None)
        assert check.verdict(OVER)[:2] == verdict
    check = DiceCheck("m1")
    check.see(replace(before, rolls=tie), None)
    later = roll(tie + 2)
    dice = (max(later), min(later))
    check.see(replace(after, rolls=tie + 2, dice=dice, turn=int(later[1] > later[0])), None)
    assert check.verdict(OVER).text.startswith("WARNING: 1 roll "), "not a tie, and yet rolled again"


def test_other_dice_are_denounced() -> None:
    check = _game(10)
    dice = (6, 6) if sorted(ROLL(11)) != [6, 6] else (1, 1)
    check.see(replace(BEGUN, phase="move", rolls=11, dice=dice), None)
    assert check.verdict(OVER)[:2] == (False, "WARNING: 1 roll does not follow from the seeds, of 11 seen")
    other = _game(10, DiceCheck("m2")).verdict(OVER)
    assert not other.sound, "another match has other dice"
    assert "rolls do not follow" in other.text


# --- seeds ---

PLEDGE = Pledge(SEEDS[0], match="m1", terms=terms_in("m1", BEGUN))
OTHER = commitment(bytes(16))


@pytest.mark.parametrize(
    ("changes", "warning"),
    [
        ({"commitment": commitment(bytes(32)), "seed": bytes(32).hex()}, "the server has changed its commitment"),
        ({"seed": bytes(32).hex()}, "the server's seed is not the one it committed to"),
        ({"seed": ""}, "the server does not show its seed"),
        ({"seeds": (SEEDS[0], "0c" * 32)}, "bob's seed is not the one it committed to"),
        ({"seeds": (SEEDS[0], "")}, "there were dice before all seeds were revealed"),
        ({"commitments": (COMMITMENTS[0], OTHER), "seeds": (SEEDS[0], "00" * 16)}, "a commitment has changed"),
        ({"commitments": (COMMITMENTS[0], ""), "seeds": (SEEDS[0], "")}, "a commitment has changed"),
        ({"commitments": (OTHER, COMMITMENTS[1]), "seeds": ("00" * 16, SEEDS[1])}, "your own seed is not in the dice"),
        ({"commitments": ("", COMMITMENTS[1]), "seeds": ("", SEEDS[1])}, "your own seed is not in the dice"),
    ],
)
def test_other_seeds_than_those_committed_to_are_denounced(changes: dict[str, object], warning: str) -> None:
    check = DiceCheck("m1")
    check.pledge = PLEDGE
    for view in (BEGUN, replace(BEGUN, phase="move", rolls=1, dice=ROLL(1))):
        check.see(replace(view, players=("ada", "bob")), 0)
    over = replace(OVER, players=("ada", "bob"), **changes)
    check.see(over, 0)
    verdict = check.verdict(over)
    assert not verdict.sound
    assert verdict.text.startswith(f"WARNING: {warning}")
    check.see(replace(OVER, players=("ada", "bob")), 0)
    assert not check.fault or not check.verdict(OVER).sound, "once wrong is wrong for good"


def test_a_commitment_that_we_have_not_sent_is_not_ours() -> None:
    for shown in ("", OTHER):
        check = DiceCheck("m1", expected=COMMITMENTS[0])
        check.see(replace(V, phase="open", commitment=BEGUN.commitment, commitments=(shown, "")), 0)
        assert check.fault == "the server shows another commitment as yours than the one that you sent"


def test_who_watches_has_promised_nothing() -> None:
    check = DiceCheck("m1")
    check.see(OVER, None)
    assert check.fault == ""


def test_a_table_may_lose_its_second_player_as_long_as_we_have_revealed_nothing() -> None:
    """A store that forgets makes room for another one."""
    check = DiceCheck("m1", expected=COMMITMENTS[0])
    check.pledge = Pledge(SEEDS[0])
    view: View = replace(BEGUN, phase="reveal", seeds=("", ""), game=0, rolls=0)
    for phase, other in (("reveal", COMMITMENTS[1]), ("open", ""), ("reveal", OTHER)):
        check.see(replace(view, phase=phase, commitments=(COMMITMENTS[0], other)), 0)
    assert check.fault == ""


# --- what is shown while it is played ---


def test_the_first_value_of_a_number_stays() -> None:
    check, (one, two) = _game(4), sorted(ROLL(4), reverse=True)
    other = (6, 6) if one != 6 else (1, 1)
    check.see(replace(BEGUN, phase="move", rolls=4, dice=other), None)
    check.see(replace(BEGUN, phase="move", rolls=4, dice=(one, two)), None)
    assert check.fault == f"roll 4 was shown as {one}-{two}, and now as {other[0]}-{other[1]}"
    assert not check.verdict(OVER).sound


@pytest.mark.parametrize("seed", ["zz" * 32, "00" * 31, "0", "\u0660" * 64, "f" * 5000, "a:b"])
def test_seeds_that_are_no_hex_harm_nobody(seed: str) -> None:
    for changes in ({"seed": seed}, {"seeds": (seed, SEEDS[1])}, {"seeds": (seed, SEEDS[1]), "commitments": ("", "x")}):
        check = DiceCheck("m1")
        view = replace(OVER, players=("ada", "bob"), **changes)
        check.see(replace(view, phase="move", rolls=1, dice=(6, 1), seed=""), None)
        check.see(view, None)
        assert check.verdict(view).is_fault
