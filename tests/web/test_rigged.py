"""The page at a server that cheats: what it says, when, and that nothing is sent until its player goes on."""

import json
import re

import pytest
from playwright.sync_api import expect
from tavla_engine.mat import import_mat

from tests.support.browser.axe import axe_faults
from tests.support.browser.person import NewPerson, Person
from tests.support.browser.playing import play_until, seated
from tests.support.servers.processes import ServerProcess
from tests.support.servers.rigged.caught import CAUGHT, PLAYING
from tests.support.servers.rigged.partner import friend_at_table
from tests.support.tries import first_of

GO_ON = "Go on in spite of it"
STOPPED = "Play is stopped"
PRESS = "words => [...document.querySelectorAll('.ask button')].find(one => one.textContent === words)?.click()"
ALONE = ("skip", "no_commitments", "no_seed", "void_blame", "void_silent", "other_rules")  # each has a test of its own
BY_LEDGER = ("as_forced", "rolled_for")  # what its script finds, which would stop play amid a turn if it came by then
LEDGER_IS_THERE = "() => performance.getEntriesByType('resource').some(({ name }) => name.includes('ledger'))"

pytestmark = pytest.mark.long


def opened(one: Person) -> tuple[str, str]:
    """A table of one point that a player has opened for a friend, and its code."""
    one.open()
    one.page.get_by_label("Match").select_option("1")
    one.press("Play a friend")
    table, _, code = one.page.locator("input.link").input_value().partition("/m/")[2].partition("#")
    return table, code


def said(one: Person) -> str:
    """The verdict on the match in red, as soon as there is any; its player plays on until then."""
    wrong = one.page.locator(".verdict.wrong")
    play_until(wrong.count, one)
    return wrong.first.inner_text()


@pytest.mark.parametrize("mode", [mode for mode in CAUGHT if mode not in ALONE])
def test_what_a_server_is_caught_at(mode: str, person: NewPerson, rigged: ServerProcess) -> None:
    with seated(person(rigged.url), mode) as (ada, _):
        if mode in BY_LEDGER:
            ada.page.wait_for_function(LEDGER_IS_THERE)
        said(ada)
        if CAUGHT[mode].page is PLAYING:
            expect(ada.status).to_have_text(STOPPED)
        else:
            expect(ada.button("Rematch")).to_be_visible()


def test_play_stops_where_numbers_are_skipped_until_the_player_goes_on(
    person: NewPerson, rigged: ServerProcess
) -> None:
    with seated(person(rigged.url), "skip") as (ada, _):
        assert "numbers of the dice were skipped" in said(ada)
        expect(ada.status).to_have_text(STOPPED)
        assert ada.asked() == ""
        assert ada.can_move() == []
        assert ada.page.locator(".ask .buttons > *").all_inner_texts() == ["Lobby", GO_ON]
        ada.press(GO_ON)
        expect(ada.status).not_to_have_text(STOPPED)

        def is_over() -> bool:
            ada.page.evaluate(PRESS, GO_ON)  # in one step: the match may end at any time, and this goes
            return ada.button("Rematch").is_visible()

        play_until(is_over, ada)
        expect(ada.page.locator(".verdict.wrong")).to_contain_text("Something is wrong with this match")


def test_a_commitment_that_is_dropped_stops_the_match_before_it_begins(
    person: NewPerson, rigged: ServerProcess
) -> None:
    with seated(person(rigged.url), "no_commitments") as (ada, _):
        assert "A commitment to a seed for the dice is missing" in said(ada)
        expect(ada.status).to_have_text(STOPPED)


def test_other_rules_than_those_asked_for_are_told_before_the_match_begins(
    person: NewPerson, rigged: ServerProcess
) -> None:
    ada = person(rigged.url)
    table, code = opened(ada)
    with friend_at_table(rigged.url, "other_rules", table=table, code=code):
        expect(ada.status).to_have_text(STOPPED)
        wrong = ada.page.locator(".verdict.wrong")
        expect(wrong).to_contain_text("You asked for: 1 point. The server offers: 3 points.")


def test_a_match_that_is_closed_when_the_dice_are_known_is_told(person: NewPerson, rigged: ServerProcess) -> None:
    with seated(person(rigged.url), "void_silent") as (ada, _):
        wrong = ada.page.locator(".verdict.wrong")
        expect(wrong).to_contain_text("The server closed the match when it could know your dice, and gives no reason.")
        expect(wrong).to_contain_text("Of 1 match here 0 ended before the first roll")
        expect(wrong).to_contain_text("and 1 by the server's doing.")


def test_who_has_revealed_and_is_blamed_is_told_so_and_has_the_proof(person: NewPerson, rigged: ServerProcess) -> None:
    with seated(person(rigged.url), "void_blame") as (ada, match):
        assert "The server says that you did not reveal your seed. You did" in said(ada)
        with ada.page.expect_download() as saved:
            ada.press("Save the proof")
        proof = json.loads(saved.value.path().read_text())
        assert proof["match"] == match
        assert proof["taken"]
        assert re.fullmatch("[0-9a-f]{64}", proof["seed"])
        assert proof["said"]["unrevealed"] == [1]
        ada.page.reload()
        expect(ada.button("Save the proof")).to_be_visible()
        expect(ada.page.locator(".verdict.wrong")).to_contain_text("You did")


IN_YOUR_NAME = [  # in a mode, and when the page is asked for this; what it says
    ("plays_for", "move", "A turn was played"),
    ("drops_for", "take", "A double was dropped"),
    ("rolls_on_for", "move", "Something was left to the server, or taken back from it,"),
    ("aborts_for", "move", "An agreement to abort was asked for, given or taken back"),
]


@pytest.mark.parametrize(("mode", "asked", "did"), first_of(IN_YOUR_NAME, 2))
def test_an_act_in_ones_name_is_told_and_play_goes_on(
    mode: str, asked: str, did: str, person: NewPerson, rigged: ServerProcess
) -> None:
    with seated(person(rigged.url), mode, length=3) as (ada, _):
        play_until(lambda: ada.asked() == asked, ada)
        expect(ada.page.get_by_text(f"{did} in your name, which this page did not ask for.")).to_be_visible()
        expect(ada.page.locator(".alarm .challenge")).to_have_css("background-color", "rgb(163, 53, 43)")  # --danger
        assert ada.page.locator(".verdict.wrong").count() == 0


def early_flag(person: NewPerson, rigged: ServerProcess) -> bool:
    """True if the page tells how much time was left: it does not where its line or its machine stood still."""
    with seated(person(rigged.url), "early_flag") as (ada, _):
        said(ada)
        return ada.page.get_by_text(re.compile("By your clock [12]:.. were left when the server ended")).count() > 0


def test_a_flag_that_falls_early_by_ones_own_clock_is_told(person: NewPerson, rigged: ServerProcess) -> None:
    assert any(early_flag(person, rigged) for _ in range(8))


def test_another_play_than_was_made_is_told_and_play_goes_on(person: NewPerson, rigged: ServerProcess) -> None:
    with seated(person(rigged.url), "other_play") as (ada, _):
        told = ada.page.get_by_text("The server took another play than this page sent: it shows")
        play_until(told.count, ada)
        assert ada.page.locator(".verdict.wrong").count() == 0


def test_a_refusal_against_the_rules_is_told_and_play_goes_on(person: NewPerson, rigged: ServerProcess) -> None:
    ada = person(rigged.url)
    table, code = opened(ada)  # its page is there before the game begins: what it was not shown it doubts nothing of
    with friend_at_table(rigged.url, "refuses", table=table, code=code):
        ada.until_ours("move")
        ada.choose("Resign")
        ada.page.get_by_role("button", name=re.compile("^single game")).click()
        ada.press("Yes, resign")
        expect(ada.page.get_by_text("nobody may resign now")).to_be_visible()
        expect(ada.page.get_by_text("The server has refused what you may do by the rules")).to_be_visible()
        assert ada.page.locator(".verdict.wrong").count() == 0
        assert axe_faults(ada) == []


def test_a_seed_that_is_not_shown_is_a_verdict_and_its_review_says_that_it_is_not_verified(
    person: NewPerson, rigged: ServerProcess
) -> None:
    with seated(person(rigged.url), "no_seed") as (ada, _):
        assert "The server does not show its seed" in said(ada)
        with ada.page.expect_download() as saved:
            ada.choose("Save .mat")
        written = saved.value.path().read_text()
        assert '; [NotVerified "NOT VERIFIED.' in written
        assert import_mat(written).match.game == 1
        ada.page.locator(".result").get_by_role("link", name="Review").click()
        expect(ada.page.locator(".verdict.wrong")).to_contain_text("The server does not show its seed")
