"""Reconnection of the page after its connection was lost: in Node, with a clock that goes on by hand."""

from typing import Any

import pytest

from tests.support.browser.node import ask_modules

WELCOME = {"type": "welcome", "id": "hello", "player": "p1", "name": "ada", "token": "t1"}
KEPT = {"tavla.token": "t1"}
IN: list[list[Any]] = [["open"], ["receive", WELCOME]]
VIEW = {"name": "sofa", "players": ["ada", "bob"], "phase": "roll", "game": 1, "salts": ["5a17", "17a5"]}
SNAPSHOT = {"type": "snapshot", "match": "m1", "epoch": 3, "seq": 7, "seat": 0, "online": [True, True], "view": VIEW}

pytestmark = pytest.mark.slow


def run(*steps: list[Any]) -> list[list[Any]]:
    """Actions of the page, each with its time in ms."""
    log: list[list[Any]] = ask_modules("reconnecting", [{"kept": KEPT, "steps": list(steps)}])[0]
    return log


def sent(log: list[list[Any]], kind: str) -> list[tuple[float, dict[str, Any]]]:
    return [(at, more[0]) for at, what, *more in log if what == "send" and more[0]["type"] == kind]


def times(log: list[list[Any]], what: str) -> list[float]:
    return [at for at, name, *_ in log if name == what]


def test_a_silent_server_is_asked_and_given_up_within_three_seconds() -> None:
    log = run(*IN, ["pass", 2900], ["read", "online"], ["pass", 1000])
    assert [at for at, _ in sent(log, "ping")] == [1500]
    assert times(log, "close") == [2700]
    assert [more for _, what, *more in log if what == "read"] == [[[False]]]
    first, again = times(log, "connect")
    assert first == 0
    assert 2700 <= again <= 2950


def test_a_page_that_stood_still_reads_the_answer_before_it_gives_its_server_up() -> None:
    log = run(*IN, ["pass", 1500], ["stand", 5000], ["receive", {"type": "ok", "id": "ping"}], ["pass", 1000])
    assert times(log, "close") == []
    assert times(log, "connect") == [0]


def test_a_server_that_speaks_is_not_asked() -> None:
    heartbeat = {"type": "heartbeat", "matches": []}
    log = run(*IN, ["pass", 1400], ["receive", heartbeat], ["pass", 1400], ["receive", heartbeat], ["pass", 1400])
    assert sent(log, "ping") == []
    assert times(log, "connect") == [0]


def test_the_waits_grow_to_a_second_and_no_further() -> None:
    log = run(*IN, *[["drop", 1006], ["pass", 1000]] * 8)
    tries = times(log, "connect")
    assert len(tries) == 9
    waits = [after - 1000 * index for index, after in enumerate(tries[1:])]
    assert all(0 <= wait <= min(1000, 250 * 2**index) for index, wait in enumerate(waits)), waits


def test_it_comes_back_as_the_same_player_and_asks_again_under_the_old_id() -> None:
    asked: list[list[Any]] = [["ask", "join", {"table": "sofa"}, True], ["ask", "detach", {"match": "m2"}, False]]
    log = run(*IN, *asked, ["drop", 1006], ["pass", 300], *IN)
    assert [hello["token"] for _, hello in sent(log, "hello")] == ["t1", "t1"]
    (_, first), (_, again) = sent(log, "join")
    assert again == first
    assert len(sent(log, "detach")) == 1


def test_it_attaches_again_to_what_it_follows_and_says_what_it_has() -> None:
    log = run(*IN, ["receive", SNAPSHOT], ["drop", 1006], ["pass", 300], *IN)
    ((_, attach),) = sent(log, "attach")
    assert (attach["table"], attach["epoch"], attach["seq"]) == ("m1", 3, 7)


LOSSES = [  # epoch, seq, rolls of the next snapshot; what is said
    (4, 8, 19, ""),
    (4, 7, 19, "The server has lost what happened last: this is how the match stands now."),
    (4, 9, 12, "The server has lost what happened last: the match is as it was at roll 12; you have seen roll 19."),
    (3, 5, 12, "The server has lost what happened last: the match is as it was at roll 12; you have seen roll 19."),
]


@pytest.mark.parametrize(("epoch", "seq", "rolls", "words"), LOSSES)
def test_only_what_was_lost_of_a_match_is_told(epoch: int, seq: int, rolls: int, words: str) -> None:
    seen, now = ({**VIEW, "rolls": number} for number in (19, rolls))
    after = {**SNAPSHOT, "epoch": epoch, "seq": seq, "view": now}
    log = run(*IN, ["receive", {**SNAPSHOT, "view": seen}], ["receive", after], ["read", "notice"])
    assert log[-1][2] == [words]


def test_a_page_brings_the_seeds_that_it_was_shown() -> None:
    view = {**VIEW, "seeds": ["", "0b" * 32]}
    log = run(*IN, ["receive", {**SNAPSHOT, "view": view}], ["drop", 1006], ["pass", 300], *IN)
    ((_, attach),) = sent(log, "attach")
    assert (attach["seed"], attach["seeds"]) == ("", ["", "0b" * 32])


def test_a_match_whose_table_is_in_the_address_is_asked_for_once() -> None:
    welcome = ["receive", WELCOME | {"matches": ["m1", "m2"]}]
    log = run(["follow", "sofa"], ["open"], welcome, ["receive", SNAPSHOT | {"id": "attach"}])
    assert [attach["table"] for _, attach in sent(log, "attach")] == ["sofa", "m2"]


def test_what_the_server_could_not_serve_is_sent_again_in_a_second() -> None:
    log = run(*IN, ["ask", "top", {}, True], ["refuse", "top", "unavailable"], ["pass", 1000])
    (at, first), (later, again) = sent(log, "top")
    assert (first, later - at) == (again, 1000)
    assert times(log, "refused") == []


def test_a_hidden_page_asks_nothing_and_one_that_is_shown_again_asks_at_once() -> None:
    log = run(*IN, ["hide", True], ["pass", 10_000], ["hide", False])
    assert [at for at, _ in sent(log, "ping")] == [10_000]


def test_it_does_not_wait_when_the_network_is_back() -> None:
    log = run(*IN, ["drop", 1006], ["pass", 0], ["online"])
    assert times(log, "connect") == [0, 0]


def test_without_a_network_it_seldom_tries_so_that_the_browser_lets_it_when_there_is_one() -> None:
    tries = [["pass", 10_000], ["drop", 1006]] * 3
    log = run(*IN, ["offline"], ["drop", 1006], *tries, ["online"])
    assert times(log, "connect") == [0, 10_000, 20_000, 30_000, 30_000]


def test_who_was_sent_away_does_not_come_back_by_itself() -> None:
    closing = {"type": "closing", "text": "You were sent away."}
    log = run(*IN, ["receive", closing], ["drop", 4003], ["pass", 3_600_000], ["online"], ["read", "told"])
    assert times(log, "connect") == [0]
    assert log[-1][2] == ["You were sent away."]


def test_a_server_that_says_when_is_left_alone_until_then() -> None:
    log = run(*IN, ["receive", {"type": "closing", "text": "", "retry_after": 30}], ["drop", 1012], ["pass", 60_000])
    assert times(log, "connect")[1] == 30_000


def test_another_tab_that_came_in_as_somebody_takes_this_one_along() -> None:
    log = run(*IN, ["stored", "tavla.token", "t1"], ["stored", "tavla.token", "t2"])
    assert times(log, "connect") == [0, 0]


def test_a_guest_tries_names_until_one_is_free() -> None:
    watching = {**WELCOME, "token": "", "name": ""}
    steps = [["open"], ["receive", watching], ["sit"], ["refuse", "hello", "name_taken"], ["receive", WELCOME]]
    log = ask_modules("reconnecting", [{"steps": steps}])[0]
    assert [hello.get("watch", False) for _, hello in sent(log, "hello")] == [True, False, False]
    assert log[-1][1:] == ["seated", "ada"]


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_match_that_is_stopped_is_not_left_to_the_server(is_stopped: bool) -> None:
    faults = [["fault", "m1"]] * is_stopped
    log = run(*IN, ["receive", SNAPSHOT], *faults, ["leave", "m1", {"autoRoll": "off", "autoPlay": "on"}])
    assert [auto["what"] for _, auto in sent(log, "auto")] == ([] if is_stopped else ["play"])
