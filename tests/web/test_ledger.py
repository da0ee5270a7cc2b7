"""What the page remembers of matches that were agreed to in this browser, and what it does when one comes to nothing.

In Node, with a clock that goes on by hand, and in Chromium.
"""

import sys
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import to_builtins
from playwright.sync_api import expect
from tavla_cli.records.steps import view_of
from tavla_engine.match import new_match
from tavla_engine.rules import preset
from tavla_protocol.view import fields

from tests.support.browser.chromium import Person, axe_faults
from tests.support.browser.lobby import fits
from tests.support.browser.node import ask_modules, need_node
from tests.support.browser.verdicts import COMMITMENTS, OTHER, SERVER
from tests.support.servers.processes import ServerProcess

NewPerson = Callable[..., Person]
NewServer = Callable[..., ServerProcess]
Steps = list[list[Any]]


@pytest.fixture(autouse=True)
def node() -> str:
    return need_node()


def test_a_seed_is_revealed_for_one_match_and_the_terms_that_were_seen() -> None:
    steps = [
        ["sofa", "terms", "committed"],
        ["sofa", "terms", "committed"],
        ["sofa", "other terms", "committed"],
        ["divan", "terms", "committed"],
        ["sofa", "terms with the other", "other"],
        ["divan", "terms", "other"],
    ]
    assert ask_modules("revealed", [steps]) == [[True, True, False, False, False, True]]


# --- counts ---


def test_what_is_old_stays_as_numbers_and_is_counted_once_by_two_tabs() -> None:
    entries: Steps = [
        [0, "entry", "m1", {"end": "A"}],
        [0, "entry", "m2", {"end": "B"}],
        [0, "entry", "m3", {"end": "played", "ended": 24 * 3600 * 1000}],
        [0, "entry", "m4", {"end": "void"}],
        [0, "entry", "m5", {"end": "put_back"}],
        [0, "entry", "never revealed", {"match": ""}],
    ]
    now = "Of 5 matches here 1 ended before the first roll because no seed came from the other player, and 1 by the"
    steps: Steps = [
        *entries,
        [0, "read"],
        [0, "day", 90],
        [0, "fold"],
        [1, "fold"],
        [1, "read"],
        [0, "forget"],
        [1, "read"],
    ]
    ((*_, before, _day, _one, _two, after, _gone, forgotten),) = ask_modules("remembered", [steps])
    for text, _ in (before, after):
        assert text.startswith(now)
        assert text.endswith("some of the first kind are usual. 1 more was void because the server was put back.")
    assert (before[1], after[1]) == (6, 1), "the one that ended a day later"
    assert forgotten == [
        "Of 0 matches here 0 ended before the first roll because no seed came from the other player, and"
        " 0 by the server's doing.",
        0,
    ]


# --- quick matches that come to nothing ---

WELCOME = {"type": "welcome", "id": "hello", "player": "p1", "name": "ada", "token": "t1"}
IN: Steps = [["open"], ["receive", WELCOME]]
ASKED = {"preset": "tournament", "length": 1}
VIEW = {
    **to_builtins(fields(view_of(new_match(preset("tournament", {"length": 1})))), builtin_types=(bytes,)),
    "players": ["ada", "bob"],
    "kinds": ["guest", "guest"],
    "salts": ["5a" * 16, "c3" * 16],
    "commitment": SERVER,
    "commitments": ["ours", COMMITMENTS[1]],
}
VIEW.pop("points")
VOID: dict[str, Any] = {"phase": "over", "game": 0}


def snapshot(match: str, seq: int, epoch: int = 1, **view: Any) -> list[Any]:
    shown = {**VIEW, "phase": "reveal", "unrevealed": [0, 1], **view}
    told = {"type": "snapshot", "match": match, "epoch": epoch, "seq": seq, "seat": 0, "online": [True, True]}
    return ["receive", {**told, "view": shown}]


def revealed(match: str) -> Steps:
    """A quick match was found, and our seed is there."""
    matched = ["receive", {"type": "matched", "match": match, "seek": "seek"}]
    return [matched, snapshot(match, 3), ["receive", {"type": "ok", "id": "reveal"}]]


def sought(*more: list[Any], **end: Any) -> Steps:
    """A quick match is sought, found, and void so, when our seed is there."""
    epoch = end.pop("epoch", 1)
    seek: Steps = [["seek", ASKED], ["receive", {"type": "ok", "id": "seek"}]]
    return [*seek, *revealed("m1"), *more, snapshot("m1", 9, epoch, **VOID, **end), ["pass", 10], ["told", "m1"]]


def run(*steps: list[Any]) -> list[list[Any]]:
    log: list[list[Any]] = ask_modules("reconnecting", [{"kept": {"tavla.token": "t1"}, "steps": list(steps)}])[0]
    return log


def told(log: list[list[Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Of each match that was looked at, what is said, and what the ledger has."""
    return [(more[0], more[2]) for _, what, *more in log if what == "told"]


def seeks(log: list[list[Any]]) -> int:
    """How many there were: on a new connection each is sent again."""
    return len({more[0]["commitment"] for _, what, *more in log if what == "send" and more[0]["type"] == "seek"})


SILENT = "No seed came from bob. A line may have failed; bob and the server together could do this to choose the dice."
ENDS: list[tuple[dict[str, Any], str, str, int]] = [  # the end, as what it is kept, what is said, how often was sought
    ({"unrevealed": [1]}, "A", SILENT, 2),
    ({"unrevealed": []}, "B", "The server closed the match when it could know your dice, and gives no reason.", 1),
    ({"unrevealed": [0]}, "B", "The server says that you did not reveal your seed. You did, in time", 1),
    ({"unrevealed": [0, 1]}, "B", "The server says that you did not reveal your seed. You did, in time", 1),
    ({"unrevealed": [0, 1], "epoch": 2}, "put_back", "The match is void: the server was put back to an earlier", 1),
    ({"unrevealed": [], "outcome": [None, 0, 0, "put_back"]}, "put_back", "", 1),
    ({"unrevealed": [], "outcome": [None, 0, 0, "voided"]}, "void", "", 1),
]


@pytest.mark.parametrize(("end", "kept", "words", "searches"), ENDS)
def test_the_end_of_a_match_that_never_began_is_told_for_what_it_is(
    end: dict[str, Any], kept: str, words: str, searches: int
) -> None:
    log = run(*IN, *sought(**end))
    ((said, entry),) = told(log)
    assert said.startswith(words)
    assert bool(said) == bool(words)
    assert entry["end"] == kept
    assert seeks(log) == searches


def test_a_seed_that_was_never_sent_is_nobodys_fault() -> None:
    seek: Steps = [["seek", ASKED], ["receive", {"type": "matched", "match": "m1", "seek": "seek"}]]
    log = run(*IN, *seek, snapshot("m1", 3, phase="open"), snapshot("m1", 4, **VOID), ["pass", 10], ["told", "m1"])
    assert told(log) == [("Your seed for the dice was not revealed from this device.", {})], "it is not counted"


@pytest.mark.parametrize(("minutes", "searches"), [(59, 2), (61, 3)])
def test_the_search_goes_on_once_an_hour_and_asks_at_the_second_time(minutes: int, searches: int) -> None:
    second = [*revealed("m2"), snapshot("m2", 9, **VOID, unrevealed=[1]), ["pass", 10], ["told", "m2"]]
    log = run(*IN, *sought(unrevealed=[1]), ["pass", 60_000 * minutes], *IN, *second)
    (first, _), (last, _) = told(log)
    assert first.endswith("Looking for another opponent…")
    assert "Of 2 matches here 2 ended before the first roll" in last
    stopped = "It is the second one within an hour, so the search has stopped. It goes on when you say so."
    assert last.endswith(stopped if searches == 2 else "Looking for another opponent…")
    assert seeks(log) == searches


def test_a_seat_that_is_asked_for_again_with_other_commitments_is_the_servers_doing() -> None:
    again = snapshot("m1", 1, 2, commitments=["ours", OTHER])
    log = run(*IN, *sought(again, unrevealed=[])[:-3], ["pass", 10], ["told", "m1"])
    assert [(entry["end"]) for _, entry in told(log)] == ["B"]
    same = snapshot("m1", 1, 2)
    log = run(*IN, *sought(same, unrevealed=[])[:-3], ["pass", 10], ["told", "m1"])
    assert ["end" in entry for _, entry in told(log)] == [False], "the same terms: the seed is revealed again"


# --- in Chromium ---

REVEALED_SOON = """
from tavla_server.process.cli import main
from tavla_server.timings import Timings
main(obj=Timings(reveal_s=5, reveal_away_s=5))
"""
KEEP_NO_SEED = """() => {
  const keep = Storage.prototype.setItem;
  Storage.prototype.setItem = function (key, value) {
    if (!key.startsWith('tavla.seed/')) keep.call(this, key, value);
  };
}"""


@pytest.mark.slow
def test_a_quick_match_seeks_on_once_and_what_is_remembered_can_be_forgotten(
    person: NewPerson, new_server: NewServer
) -> None:
    server = new_server(command=[sys.executable, "-c", REVEALED_SOON])
    server.start()
    ada, bob, cleo = person(server.url), person(server.url), person(server.url)
    for one in (ada, bob, cleo):
        one.open()
    for one in (ada, cleo):
        one.page.evaluate(KEEP_NO_SEED)
    ada.press("Play someone")
    expect(ada.page.get_by_role("heading", name="Looking for an opponent")).to_be_visible()
    bob.press("Play someone")
    said = bob.page.locator(".verdict")
    expect(said).to_contain_text("Of 1 match here 1 ended before the first roll")
    expect(said).to_contain_text("Looking for another opponent…")
    expect(bob.button("Cancel")).to_be_visible()
    fits(bob)
    assert axe_faults(bob) == []
    cleo.press("Play someone")
    expect(said).to_contain_text("It is the second one within an hour, so the search has stopped.")
    expect(bob.button("Look for an opponent")).to_be_visible()
    bob.open("/dice")
    counts = "Of 2 matches here 2 ended before the first roll because no seed came from the other player"
    expect(bob.page.locator("main")).to_contain_text(counts)
    bob.press("Forget what this browser remembers of this server")
    assert axe_faults(bob) == []
    bob.press("Yes, forget it")
    expect(bob.page.locator("main")).to_contain_text("It is forgotten.")
    bob.page.reload()
    expect(bob.page.locator("main")).to_contain_text("Of 0 matches here")
