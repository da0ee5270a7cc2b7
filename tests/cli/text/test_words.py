"""What happens in a match, told from each side."""

from typing import Any

import pytest
from msgspec.structs import replace
from tavla_cli.text import story, words
from tavla_cli.text.dice_check import DiceCheck
from tavla_engine.dice import commitment, committed_dice
from tavla_engine.position import row
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_protocol.view import View

START = row(p24=2, p13=5, p8=3, p6=5)
V = View(
    name="ada",
    rules={"length": 3, "cube": True, "forfeit_multiplier": 0},
    players=("ada", "bob"),
    points=START + START,
    game=1,
    rolls=1,
)
TO_MOVE = replace(V, phase="move", dice=(3, 1))
MOVED = replace(
    V, phase="roll", turn=1, last=((0, 3, 1, 8, 5, 6, 5),), points=row(p24=2, p13=5, p8=2, p6=4, p5=2) + START
)
BLOT = replace(TO_MOVE, points=START + row(p24=1, p20=1, p13=5, p8=3, p6=5))
HIT = replace(
    MOVED,
    last=((0, 3, 1, 8, 5, 6, 5),),
    points=row(p24=2, p13=5, p8=2, p6=4, p5=2) + row(p24=1, p13=5, p8=3, p6=5, bar=1),
)
DANCED = replace(HIT, phase="move", turn=0, dice=(6, 2), rolls=3, last=(*HIT.last, (1, 6, 6)))
TO_ROLL = replace(V, phase="roll", turn=0, last=((1, 2, 1, 13, 11, 6, 5),), rolls=4)
OFFERED = replace(TO_ROLL, phase="cube", offer=0)
TAKEN = replace(TO_ROLL, phase="move", cube=2, owner=1, dice=(4, 4), rolls=5)
DROPPED = replace(TO_ROLL, phase="ready", score=(1, 0), outcome=(0, 1, 1, "drop"))
BEAVERED = replace(OFFERED, cube=2, owner=1, offer=1)
RESIGNED = replace(TO_MOVE, phase="resign", resignation=(0, 2))
ACCEPTED = replace(TO_MOVE, phase="ready", dice=(), score=(0, 2), outcome=(1, 2, 2, "resignation"))
FORFEITED = replace(ACCEPTED, score=(0, 3), outcome=(1, 3, 3, "forfeit"))
LAST_TURN = replace(V, phase="move", dice=(2, 1), points=row(p1=1, off=14) + row(p24=15), rolls=60)
WON = replace(
    LAST_TURN,
    phase="ready",
    dice=(),
    last=((0, 2, 1, 1, 0),),
    points=row(off=15) + row(p24=15),
    score=(3, 0),
    outcome=(0, 3, 3, "borne_off"),
)
NEXT = replace(WON, phase="move", game=2, turn=1, dice=(6, 5), outcome=None, last=(), rolls=62, cube=2)

STORIES = [  # before, after, the reader's seat, what is told
    (TO_MOVE, MOVED, 0, ["you play 3-1: 8/5 6/5"]),
    (TO_MOVE, MOVED, 1, ["ada plays 3-1: 8/5 6/5"]),
    (BLOT, HIT, None, ["ada plays 3-1: 8/5* 6/5"]),
    (BLOT, DANCED, 1, ["ada plays 3-1: 8/5* 6/5", "you roll 6-6 and cannot move"]),
    (HIT, DANCED, 0, ["bob rolls 6-6 and cannot move"]),
    (TO_ROLL, replace(TO_ROLL, phase="move", dice=(5, 5), rolls=5), 0, []),
    (TO_ROLL, OFFERED, 1, ["ada doubles to 2"]),
    (TO_ROLL, OFFERED, 0, ["you double to 2"]),
    (OFFERED, TAKEN, 0, ["bob takes the cube at 2"]),
    (OFFERED, BEAVERED, 0, ["bob beavers to 4"]),
    (OFFERED, DROPPED, 1, ["you drop the cube: ada wins 1 point"]),
    (TO_MOVE, RESIGNED, 1, ["ada offers to resign a gammon"]),
    (RESIGNED, TO_MOVE, 0, ["bob refuses the resignation"]),
    (RESIGNED, ACCEPTED, 0, ["you resign a gammon: bob wins 2 points"]),
    (TO_MOVE, FORFEITED, None, ["ada forfeits the game: bob wins 3 points"]),
    (LAST_TURN, WON, 0, ["you play 2-1: 1/off", "you win a backgammon: 3 points"]),
    (WON, replace(WON, ready=(True, False)), 0, []),
    (WON, NEXT, 0, ["game 2 begins: bob starts with 6-5, the cube is at 2 after ties in the opening roll"]),
    (
        replace(V, phase="open", game=0, players=(None, "bob")),
        TO_MOVE,
        1,
        ["ada sits down", "game 1 begins: ada starts with 3-1"],
    ),
    (
        replace(TO_MOVE, ratings=(1500, 1600)),
        replace(TO_MOVE, phase="over", ratings=(1510, 1598)),
        0,
        ["ratings: ada 1510 (+10), bob 1598 (-2)"],
    ),
]


@pytest.mark.parametrize(("before", "after", "you", "told"), STORIES)
def test_what_happened_is_told_in_order(before: View, after: View, you: int | None, told: list[str]) -> None:
    assert list(story.story(before, after, you)) == told


QUESTIONS = [  # view, seat, opponent away, prompt
    (replace(V, phase="open"), 0, False, "waiting for an opponent at table ada"),
    (TO_MOVE, 0, False, "your 3-1"),
    (TO_MOVE, 1, False, "waiting for ada to play 3-1"),
    (TO_MOVE, 1, True, "waiting for ada (away) to play 3-1"),
    (TO_MOVE, None, False, "watching: ada to play 3-1"),
    (TO_ROLL, 0, False, "roll or double"),
    (OFFERED, 1, False, "ada doubles to 2: take or drop"),
    (replace(OFFERED, rules={"beavers": 1}), 1, False, "ada doubles to 2: take, beaver or drop"),
    (OFFERED, 0, False, "waiting for bob to take or drop"),
    (RESIGNED, 1, False, "ada offers to resign a gammon: accept or refuse"),
    (WON, 0, False, "Enter starts game 2"),
    (replace(WON, ready=(True, False)), 0, False, "waiting for bob to be ready for game 2"),
    (WON, None, False, "watching: ada to be ready for game 2 and bob to be ready for game 2"),
]


@pytest.mark.parametrize(("view", "you", "away", "prompt"), QUESTIONS)
def test_the_prompt_says_whom_the_match_waits_for(view: View, you: int | None, away: bool, prompt: str) -> None:
    assert words.question(view, you, away) == prompt


CLAIMS = [  # seconds, prompt
    (None, "waiting for ada (away) to play 3-1"),
    (42, "waiting for ada (away, claim in 42 s) to play 3-1"),
    (0, "waiting for ada (away: claim wins) to play 3-1"),
]


@pytest.mark.parametrize(("claim_s", "prompt"), CLAIMS)
def test_the_prompt_says_when_the_match_may_be_claimed(claim_s: int | None, prompt: str) -> None:
    assert words.question(TO_MOVE, 1, True, claim_s) == prompt


RESULTS = [  # view, seat, sentence
    (replace(WON, phase="over"), 0, "you win the match 3 to 0"),
    (replace(WON, phase="over"), 1, "ada wins the match 3 to 0"),
    (
        replace(V, phase="over", score=(1, 2), outcome=(1, 0, 0, "forfeit")),
        0,
        "you forfeit the match at ada 1, bob 2, match to 3 points: bob wins",
    ),
    (
        replace(V, phase="over", outcome=(0, 0, 0, "time")),
        0,
        "bob runs out of time at ada 0, bob 0, match to 3 points: you win",
    ),
    (replace(V, phase="over", score=(4, 6), outcome=(1, 0, 0, "left")), 1, "the session is over, you lead at 6 to 4"),
    (replace(V, phase="over", score=(4, 4), outcome=(None, 0, 0, "left")), 1, "the session is over, level at 4 to 4"),
    (replace(V, phase="over", game=0), 0, "the table was closed before a match began"),
]


@pytest.mark.parametrize(("view", "you", "sentence"), RESULTS)
def test_a_match_ends_in_one_sentence(view: View, you: int | None, sentence: str) -> None:
    assert words.result(view, you) == sentence


@pytest.mark.parametrize(
    ("view", "price"),
    [
        (TO_MOVE, "you lose the match"),
        (replace(TO_MOVE, rules={"forfeit_multiplier": 2}, cube=4), "you lose this game at 2 times the cube, 8 points"),
    ],
)
def test_a_forfeit_names_its_price(view: View, price: str) -> None:
    assert words.forfeit_price(view) == price


def test_other_peoples_text_is_harmless() -> None:
    assert words.clean("a\x1b[2Jb\r\nc\u202ed\x9b31m é") == "a?[2Jb??c?d?31m é"
    evil = replace(TO_MOVE, players=("\x1b]0;x\x07", "\u2066bob"))
    for seat in (0, 1):
        assert words.question(evil, seat).isprintable()


# --- dice ---

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


@pytest.mark.parametrize(
    ("free", "reserve", "text"),
    [(8.0, 120.0, "8 s, then 2:00"), (0.2, 59.9, "1 s, then 1:00"), (0.0, 59.0, "0:59"), (0.0, 0.0, "0:00")],
)
def test_a_running_time_is_told_in_full_seconds(free: float, reserve: float, text: str) -> None:
    assert words.time_text(free, reserve) == text


@pytest.mark.parametrize(
    ("clock", "claim_after", "text"),
    [
        (None, None, "is away: the match waits"),
        (None, 60, "is away: you may claim the match in 60 s"),
        ((1, 1, 1), 60, "is away: you may claim the match in 60 s"),
        ((1, 1, 1), 0, "is away: you may claim the match"),
    ],
)
def test_an_absence_is_told_with_what_it_means(
    clock: tuple[int, int, int] | None, claim_after: int | None, text: str
) -> None:
    assert words.away_text(View(clock=clock), claim_after) == text


@pytest.mark.parametrize(
    ("seat", "to", "line"),
    [
        (0, "players", "ada: hi?[2J"),
        (None, "watchers", "ada (watching): hi?[2J"),
        (1, "watchers", "ada (to those who watch): hi?[2J"),
    ],
)
def test_talk_is_one_harmless_line(seat: int | None, to: str, line: str) -> None:
    assert words.said_text(m.Said(match="m1", name="ada", seat=seat, to=to, text="hi\x1b[2J")) == line


@pytest.mark.parametrize(
    ("names", "count", "line"),
    [
        ([], 0, "nobody watches any more"),
        (["eve"], 1, "eve watches"),
        (["bob", "eve"], 2, "bob and eve watch"),
        (["a1", "b2", "c3", "d4", "e5"], 5, "a1, b2, c3, d4 and 1 other watch"),
        (["a1", "b2", "c3", "d4", "e5"], 40, "a1, b2, c3, d4 and 36 others watch"),
    ],
)
def test_who_watches_is_told_in_a_line(names: list[str], count: int, line: str) -> None:
    assert words.watchers_text(m.Watchers(match="m1", names=names, count=count)) == line


CHALLENGE = m.Challenged(challenge="c1", by="ada\x07", to="bob", rules={}, seat=0, expires=60)
UNCHALLENGED = [  # the challenge, why it is over, what is told
    (CHALLENGE, "withdrawn", "ada? has taken the challenge back"),
    (CHALLENGE, "expired", "ada? waits no longer for an answer to the challenge"),
    (replace(CHALLENGE, rematch="m1"), "withdrawn", "ada? has taken the rematch back"),
    (CHALLENGE, "accepted", ""),
    (CHALLENGE, "a word of a newer server", ""),
]


@pytest.mark.parametrize(("challenged", "why", "told"), UNCHALLENGED)
def test_what_becomes_of_a_challenge(challenged: m.Challenged, why: str, told: str) -> None:
    assert words.unchallenged_text(challenged, why) == told


RULES = [  # preset, what differs from it, what is told
    ("tournament", {}, "match to 7 points"),
    ("tournament", {"length": 1, "cube": False, "crawford": False}, "match to 1 point, no cube"),
    ("tournament", {"crawford": False, "cube_cap": 8}, "match to 7 points, cube to 8, no Crawford game"),
    ("tournament", {"clock": "fast", "rated": True}, "match to 7 points, clock 8 s + 20 s a point, rated"),
    ("tournament", {"forfeit_multiplier": 2}, "match to 7 points, a forfeit costs 2 cubes"),
    ("tournament", {"resignations": False, "hints": True}, "match to 7 points, hints, no resignations"),
    ("money", {"variant": "nackgammon"}, "money play, nackgammon, Jacoby rule, beavers"),
    ("money", {"beavers": 2, "clock": "fast"}, "money play, clock 8 s + 60 s a game, Jacoby rule, beavers (2)"),
    ("club", {}, "money play, cube to 64"),
    (
        "mpgn",
        {},
        "money play, cube to 128, automatic doubles (2), hints, no resignations, a forfeit costs 2 cubes",
    ),
    ("seats", {"forfeit_multiplier": 1}, "money play, cube to 64, white starts, a forfeit costs 1 cube"),
]


@pytest.mark.parametrize(("name", "changes", "told"), RULES)
def test_what_is_played_is_told_as_far_as_it_is_not_usual(name: str, changes: dict[str, Any], told: str) -> None:
    assert words.rules_text(preset(name, changes)._asdict()) == told
