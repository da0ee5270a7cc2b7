"""The dice of a server in words."""

from tavla_cli.text.dice import bounds_text, dice_table, dice_text
from tavla_protocol import messages as m

EVEN = m.Rolls(id=1, time=1, matches=50, proved=50, white=[100] * 36, black=[90] * 36, opening=[10] * 36)


def test_fair_dice_are_within_their_bounds() -> None:
    assert dice_text(EVEN, "ws://x", "today") == [
        "The dice of ws://x: 7,200 rolls in 50 finished matches, today",
        "Recomputed by the server from the seeds, and found the same: all of them",
    ]
    assert dice_table(EVEN)[0] == ("first die 1", *["200 "] * 6)
    said = bounds_text(EVEN)
    assert said[0] == "Fair dice: each number about 200.0, from 144.2 to 255.8; all 36 numbers are within"
    assert "White: 3,600 rolls, 600 doubles (16.7%); fair dice: 511 to 689" in said
    assert not [line for line in said if "too few" in line or "Luck" in line]


def test_a_loaded_die_is_named_and_so_is_a_match_that_was_not_proved() -> None:
    loaded = m.Rolls(
        id=1,
        matches=50,
        proved=49,
        white=[100] * 35 + [190],
        black=[90] * 36,
        opening=[10] * 36,
        judged=4,
        luck=(2.0, -1.0),
        luckier=3,
    )
    assert dice_text(loaded, "ws://x", "today")[1].endswith(": 49 of them")
    assert dice_table(loaded)[5][-1] == "290!"
    said = bounds_text(loaded)
    assert said[0].endswith("outside are 6-6")
    assert said[-1] == "Luck in 4 judged matches: winners +0.50, losers -0.25 a match; the luckier one has won 75%"


def test_few_rolls_tell_little_and_none_nothing() -> None:
    few = m.Rolls(id=1, matches=1, proved=1, white=[1] * 36, black=[0] * 36, opening=[0] * 36)
    assert "36 rolls are too few to tell much: look again when there are thousands" in bounds_text(few)
    for none in (m.Rolls(id=1), m.Rolls(id=1, matches=3, white=[1])):
        assert "has counted no dice yet" in dice_text(none, "ws://x", "")[0]
