"""Prompts that ask the reader for an action."""

import pytest
from msgspec.structs import replace
from tavla_cli.text.cleaning import clean
from tavla_cli.text.prompts import question
from tavla_protocol.view import View

from tests.support.wire.match_views import OFFERED, RESIGNED, TO_MOVE, TO_ROLL, WON, V

QUESTIONS = [  # view, seat, opponent away, prompt
    (replace(V, phase="open"), 0, False, "waiting for an opponent at table ada"),
    (replace(V, phase="reveal", unrevealed=(0, 1)), 0, False, "waiting for your and bob's seed for the dice"),
    (replace(V, phase="reveal", unrevealed=(0,)), None, False, "waiting for ada's seed for the dice"),
    (TO_MOVE, 0, False, "your 3-1"),
    (TO_MOVE, 1, False, "waiting for ada to play 3-1"),
    (TO_MOVE, 1, True, "waiting for ada (away) to play 3-1"),
    (TO_MOVE, None, False, "watching: ada to play 3-1"),
    (TO_ROLL, 0, False, "roll or double"),
    (OFFERED, 1, False, "ada doubles to 2: take or drop"),
    (replace(OFFERED, rules={"beavers": 1}), 1, False, "ada doubles to 2: take, beaver or drop"),
    (replace(OFFERED, rules={"beavers": 1}, turn=1), 1, False, "ada beavers to 2: take or drop"),
    (OFFERED, 0, False, "waiting for bob to take or drop"),
    (RESIGNED, 1, False, "ada offers to resign a gammon: accept or refuse"),
    (WON, 0, False, "Enter starts game 2"),
    (replace(WON, ready=(True, False)), 0, False, "waiting for bob to be ready for game 2"),
    (WON, None, False, "watching: ada to be ready for game 2 and bob to be ready for game 2"),
]


@pytest.mark.parametrize(("view", "you", "away", "prompt"), QUESTIONS)
def test_the_prompt_says_whom_the_match_waits_for(view: View, you: int | None, away: bool, prompt: str) -> None:
    assert question(view, you, away) == prompt


CLAIMS = [  # seconds, prompt
    (None, "waiting for ada (away) to play 3-1"),
    (42, "waiting for ada (away, claim in 42 s) to play 3-1"),
    (0, "waiting for ada (away: claim wins) to play 3-1"),
]


@pytest.mark.parametrize(("claim_s", "prompt"), CLAIMS)
def test_the_prompt_says_when_the_match_may_be_claimed(claim_s: int | None, prompt: str) -> None:
    assert question(TO_MOVE, 1, True, claim_s) == prompt


def test_other_peoples_text_is_harmless() -> None:
    assert clean("a\x1b[2Jb\r\nc\u202ed\x9b31m é") == "a?[2Jb??c?d?31m é"
    evil = replace(TO_MOVE, players=("\x1b]0;x\x07", "\u2066bob"))
    for seat in (0, 1):
        assert question(evil, seat).isprintable()
