"""Actions of other players, in words."""

import pytest
from msgspec.structs import replace
from tavla_cli.text.people import (
    away_text,
    career_text,
    friend_text,
    said_text,
    unchallenged_text,
    voids_text,
    watchers_text,
)
from tavla_protocol import messages as m
from tavla_protocol.view import View


@pytest.mark.parametrize(
    ("clock", "claim_after", "text"),
    [
        (None, None, "is away: the match waits"),
        (None, 259_200, "is away: you may claim the match in 3 days, when it is their turn"),
        ((1, 1, 1), 60, "is away: you may claim the match in 60 s, when it is their turn"),
        ((1, 1, 1), 0, "is away: you may claim the match, when it is their turn"),
    ],
)
def test_an_absence_is_told_with_what_it_means(
    clock: tuple[int, int, int] | None, claim_after: int | None, text: str
) -> None:
    assert away_text(View(clock=clock), claim_after) == text


@pytest.mark.parametrize(
    ("seat", "to", "line"),
    [
        (0, "players", "ada: hi?[2J"),
        (None, "watchers", "ada (watching): hi?[2J"),
        (1, "watchers", "ada (to those who watch): hi?[2J"),
    ],
)
def test_talk_is_one_harmless_line(seat: int | None, to: str, line: str) -> None:
    assert said_text(m.Said(match="m1", name="ada", seat=seat, to=to, text="hi\x1b[2J")) == line


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
    assert watchers_text(m.Watchers(match="m1", names=names, count=count)) == line


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("came", "ada? is here"),
        ("plays", "ada? plays bob: f watches"),
        ("opened", "ada? has opened a table: f shows it"),
        ("a word of a newer server", ""),
    ],
)
def test_what_a_friend_does_is_told_in_a_line(what: str, line: str) -> None:
    assert friend_text(m.Friend(name="ada\x07", what=what, match="m1", opponent="bob")) == line


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
    assert unchallenged_text(challenged, why) == told


@pytest.mark.parametrize(
    ("unrevealed", "text"), [((3, 1041), "; did not reveal a seed in 3 of 1,041 matches"), ((0, 41), ""), ((0, 0), "")]
)
def test_a_profile_says_how_often_no_seed_came(unrevealed: tuple[int, int], text: str) -> None:
    career = m.Career(id=1, name="bob", kind="guest", unrevealed=unrevealed)
    assert career_text(career, "here") == f"bob, a guest at here: not rated, experience 0{text}"


def test_a_profile_says_how_many_matches_were_left() -> None:
    career = m.Career(id=1, name="bob", kind="guest", left=(3, 1041))
    assert career_text(career, "here").endswith("experience 0; left 3 of 1,041 matches, or let the time run out")


def test_a_profile_has_the_rating_at_puzzles() -> None:
    career = m.Career(id=1, name="bob", kind="account", rating=1517.3, experience=3, puzzles=1534)
    assert career_text(career, "here").endswith("rating 1517.30, experience 3, 1534 at puzzles")


def test_how_many_matches_are_void_is_told_with_the_reasons() -> None:
    told = "12 of 9,000 matches here are void: a player's seed for the dice did not come, or a moderator said so"
    assert voids_text((12, 9000)) == told
