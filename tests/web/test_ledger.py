"""The page's ledger: matches that were agreed to in this browser, and what follows when one comes to nothing.

In Node, with a clock that goes on by hand.
"""

from typing import Any

import pytest

from tests.support.browser.ledgers import (
    ASKED,
    IN,
    SEEN,
    TWICE,
    VIEW,
    VOID,
    WELCOME,
    Steps,
    alive,
    kept,
    revealed,
    run,
    seeks,
    snapshot,
    sought,
    told,
)
from tests.support.browser.node import ask_modules
from tests.support.browser.verdicts import COMMITMENTS, OTHER, SECRET
from tests.support.games.agreed import link

pytestmark = pytest.mark.slow


def test_a_seed_is_revealed_for_one_match_and_the_terms_that_were_seen() -> None:
    steps = [
        ["sofa", "terms", "committed"],
        ["sofa", "terms", "committed"],
        ["sofa", "other terms", "committed"],
        ["divan", "terms", "committed"],
        ["divan", "terms", "other"],
    ]
    assert ask_modules("revealed", [steps]) == [[True, True, False, False, True]]


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
        assert (
            "Lines fail: some of the first kind are usual. The second kind is not usual: if there are more of" in text
        )
        assert text.endswith(" 1 more was void because the server was put back.")
    assert (before[1], after[1]) == (6, 1), "the one that ended a day later"
    assert forgotten == ["No match yet.", 0]


# --- quick matches that come to nothing ---


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
    log = run(*IN, *sought(unrevealed=[1]), ["pass", 60_000 * minutes], ["online"], *IN, *second)
    (first, _), (last, _) = told(log)
    assert first.endswith("Looking for another opponent…")
    assert "Of 2 matches here 2 ended before the first roll" in last
    stopped = "That makes two within an hour: the search has stopped."
    assert last.endswith(stopped if searches == 2 else "Looking for another opponent…")
    assert seeks(log) == searches


def test_a_seat_that_is_asked_for_again_with_other_commitments_is_the_servers_doing() -> None:
    again = snapshot("m1", 1, 2, commitments=["ours", OTHER])
    log = run(*IN, *sought(again, unrevealed=[])[:-3], ["pass", 10], ["told", "m1"])
    assert [(entry["end"]) for _, entry in told(log)] == ["B"]
    same = snapshot("m1", 1, 2)
    log = run(*IN, *sought(same, unrevealed=[])[:-3], ["pass", 10], ["told", "m1"])
    assert ["end" in entry for _, entry in told(log)] == [False], "the same terms: the seed is revealed again"


# --- what the server shows after this page was loaded again ---

DAY_MS = 24 * 3600 * 1000
PUT_BACK = "The server has lost what happened last: "
AT_12 = f"{PUT_BACK}the match is as it was at roll 12; you have seen roll 19."
TAKEN = (
    "The server was put back, and has taken back an end that you have seen. Somebody may have seen the dice to come."
)
NEWER = link(SECRET, 1)

Shown = tuple[int, int, int]  # epoch, seq, rolls
AGAIN: list[tuple[dict[str, Any], Shown, dict[str, Any], Shown | None, str, str]] = [
    # of the entry; what is shown, and more of its view; and 5 s later, if it is asked again; what is said, why it stops
    ({}, (3, 7, 19), {}, None, "", ""),
    ({}, (3, 9, 20), {}, None, "", ""),
    ({}, (3, 6, 19), {}, (3, 8, 19), "", ""),  # a node that had not read so far
    ({}, (3, 5, 12), {}, (3, 5, 12), AT_12, ""),
    ({}, (2, 9, 19), {}, (2, 9, 19), f"{PUT_BACK}this is how the match stands now.", ""),
    ({}, (4, 8, 19), {}, None, "", ""),  # a restore that has lost nothing
    ({}, (4, 6, 12), {}, None, AT_12, ""),
    ({"losses": 1}, (4, 8, 19), {}, None, "", ""),
    ({"losses": 1}, (4, 6, 12), {}, None, AT_12, TWICE),
    ({"end": "played"}, (4, 8, 19), {}, None, f"{PUT_BACK}this is how the match stands now.", TAKEN),
    ({"end": "played"}, (3, 8, 19), {}, (3, 8, 19), f"{PUT_BACK}this is how the match stands now.", TAKEN),
    ({"shown": NEWER}, (4, 8, 19), {}, None, f"{PUT_BACK}this is how the match stands now.", TAKEN),
    ({"shown": NEWER}, (4, 8, 19), {"seed": NEWER, "game": 2}, None, "", ""),
    ({"fault": "as it was"}, (3, 7, 19), {}, None, "", "as it was"),
]


def shown_at(at: Shown, **view: Any) -> list[Any]:
    (epoch, seq, rolls), (what, message) = at, snapshot("m1", 0, **{**SEEN, **view})
    return [what, {**message, "id": "attach", "epoch": epoch, "seq": seq, "view": {**message["view"], "rolls": rolls}}]


@pytest.mark.parametrize(("entry", "first", "view", "second", "said", "fault"), AGAIN)
def test_a_match_that_is_earlier_than_in_the_ledger_is_told(
    entry: dict[str, Any], first: Shown, view: dict[str, Any], second: Shown | None, said: str, fault: str
) -> None:
    again: Steps = [*alive(5000), shown_at(second, **view)] if second else [["pass", 100]]
    steps: Steps = [["follow", "m1"], *IN, shown_at(first, **view), ["pass", 10], *again, ["pass", 10]]
    read: Steps = [["told", "m1"], ["read", "notice"]]
    (log,) = ask_modules("reconnecting", [{"kept": kept(**entry), "steps": [*steps, *read]}])
    attached = [more[0] for _, what, *more in log if what == "send" and more[0]["type"] == "attach"]
    assert attached[0]["seed"] == entry.get("shown", ""), "the page brings what it was shown"
    assert len(attached) == (2 if second else 1)
    ((_, is_stopped, now),) = [more for _, what, *more in log if what == "told"]
    assert (log[-1][2], is_stopped, now.get("fault", "")) == ([said], bool(fault), fault)
    last, losses = second or first, entry.get("losses", 0)
    assert (now["epoch"], now["seq"], now["losses"]) == (last[0], last[1], losses + bool(said)), "once for each"


def test_what_another_tab_has_seen_meanwhile_is_no_loss() -> None:
    ahead = ["keep", COMMITMENTS[0], {"seq": 9, "rolls": 21}]
    steps: Steps = [["follow", "m1"], *IN, ahead, shown_at((3, 7, 19)), *alive(9000), ["told", "m1"]]
    (log,) = ask_modules("reconnecting", [{"kept": kept(), "steps": [*steps, ["read", "notice"]]}])
    assert log[-1][2] == [""]
    assert [now["seq"] for _, now in told(log)] == [9], "the ledger is never behind what it was"


def test_dice_that_are_new_ones_stop_play_until_the_player_goes_on_and_not_after_the_next_load() -> None:
    burnt = shown_at((4, 8, 19), seed=NEWER)
    entries: list[dict[str, Any]] = [{"shown": NEWER}, {"shown": NEWER, "burnt": 1}]
    steps: Steps = [["follow", "m1"], *IN, burnt, ["pass", 10], ["told", "m1"]]
    logs = ask_modules("reconnecting", [{"kept": kept(**entry), "steps": steps} for entry in entries])
    stops = [[more[1] for _, what, *more in log if what == "told"] for log in logs]
    assert stops == [[True], [False]]
    go_on: Steps = [["go_on", "m1"], ["pass", 10], ["told", "m1"]]
    (log,) = ask_modules("reconnecting", [{"kept": kept(shown=NEWER), "steps": [*steps, *go_on]}])
    _, (_, now) = told(log)
    assert (now["burnt"], now.get("fault")) == (1, None)


GONE = [["refuse", "record", "no_such_match"], ["refuse", "attach", "no_such_match"]]
OVER: list[Any] = [
    "receive",
    {"type": "recorded", "id": "record", "view": {**VIEW, **SEEN, "phase": "over"}, "events": []},
]
LIVE = ["receive", {**OVER[1], "view": {**VIEW, **SEEN}}]
LOST: Steps = [snapshot("m1", 7, 3, **SEEN), ["drop", 1006], ["pass", 300], *IN, ["pass", 10]]
VANISHED: list[tuple[dict[str, Any], Steps, str | None]] = [  # of the entry, what the server says, the end
    ({}, [*GONE, *alive(30_000), *GONE], "B"),
    ({}, [*GONE, *alive(29_000)], None),
    ({}, [*GONE, *alive(30_000), ["refuse", "record", "unavailable"], ["pass", 100]], None),
    ({}, [*GONE, *alive(30_000), OVER], "played"),
    ({}, [OVER], "played"),
    ({}, [["refuse", "record", "no_such_match"], shown_at((3, 7, 19)), *alive(60_000)], None),
    ({}, [LIVE, *LOST, *GONE, *alive(30_000), *GONE], "B"),  # that was on the screen
    ({"player": "p2"}, alive(60_000), None),  # a guest who is somebody else now
    ({"seen": -DAY_MS - 1}, alive(60_000), None),
    ({"match": ""}, alive(60_000), None),
]


@pytest.mark.parametrize(("entry", "says", "end"), VANISHED)
def test_a_match_that_is_nowhere_any_more_is_counted_when_that_is_sure(
    entry: dict[str, Any], says: Steps, end: str | None
) -> None:
    steps: Steps = [*IN, ["pass", 10], *says, ["pass", 10], ["told", "m1"], ["read", "alarm"]]
    (log,) = ask_modules("reconnecting", [{"kept": kept(**entry), "steps": steps}])
    ((_, now),) = told(log)
    assert now.get("end") == end
    (said,) = log[-1][2]
    words = "The server no longer knows your match against bob, which was not over."
    assert said.startswith(words if end == "B" else "")
    assert bool(said) == (end == "B")


@pytest.mark.parametrize(("gone", "end"), [((-900_000, 50_000), "put_back"), ((-900_000, -100_000), "B")])
def test_a_match_of_a_time_that_a_restore_has_cost_is_counted_as_that(gone: tuple[int, int], end: str) -> None:
    welcome: Steps = [["open"], ["receive", {**WELCOME, "gone": gone}], ["pass", 10]]
    steps: Steps = [*welcome, *GONE, *alive(30_000), *GONE, ["pass", 10], ["told", "m1"], ["read", "alarm"]]
    (log,) = ask_modules("reconnecting", [{"kept": kept(), "steps": steps}])
    assert [now["end"] for _, now in told(log)] == [end]
    words = "Your match against bob is gone: the server was brought back from an older backup."
    assert log[-1][2][0].startswith(words) == (end == "put_back")


# --- in Chromium ---
