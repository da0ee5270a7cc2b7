"""The page's ledger: matches that were agreed to in this browser, and what follows when one comes to nothing.

In Node, with a clock that goes on by hand, and in Chromium.
"""

import contextlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace
from playwright.sync_api import expect
from tavla_cli.records.steps import view_of
from tavla_client.shown_match import match_of
from tavla_engine.actions import Move
from tavla_engine.decide import decide
from tavla_engine.match import new_match
from tavla_engine.rules import STARTS, Variant, preset
from tavla_protocol.view import FIELDS, diff, fields, from_fields
from tavla_server.store import keys

from tests.support.browser.chromium import Person, axe_faults, in_turn, invite, play_until
from tests.support.browser.lobby import fits
from tests.support.browser.node import ask_modules, need_node
from tests.support.browser.verdicts import COMMITMENTS, OTHER, SECRET, SERVER
from tests.support.games.agreed import link
from tests.support.games.records import SEEDS
from tests.support.players.plain import unique
from tests.support.players.terminal import Terminal
from tests.support.servers.processes import ServerProcess, redis_at
from tests.support.stores.journals import Past

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
    """Number of them: on a new connection each is sent again."""
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
KNOWN = {
    "seed": SEEDS[0], "made": 0, "match": "m1", "seat": 0, "taken": 3, "epoch": 3, "seq": 7, "rolls": 19,
    "player": "p1", "seen": 0, "against": "bob",
}  # fmt: skip
SEEN = {"commitments": COMMITMENTS, "seeds": SEEDS, "unrevealed": [], "phase": "roll", "game": 1}
PUT_BACK = "The server has lost what happened last: "
AT_12 = f"{PUT_BACK}the match is as it was at roll 12; you have seen roll 19."
TWICE = "The server was put back a second time. Somebody may have seen the dice to come."
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


def alive(ms: int) -> Steps:
    """Time, in which the server speaks."""
    heartbeat = ["receive", {"type": "heartbeat", "matches": []}]
    return [step for left in range(ms, 0, -1000) for step in (["pass", min(left, 1000)], heartbeat)]


def kept(**entry: Any) -> dict[str, str]:
    """The storage of a browser whose ledger has a match."""
    return {"tavla.token": "t1", f"tavla.seed/{COMMITMENTS[0]}": json.dumps({**KNOWN, **entry})}


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


# --- ends by which we have lost, against our own clock ---

CLOCK = {"phase": "move", "turn": 0, "dice": [3, 1], "rolls": 1, "clock": [120_000, 120_000, 12_000]}
HELD: Steps = [
    *alive(1000),
    ["receive", {**snapshot("m1", 7, 3, **{**SEEN, **CLOCK})[1], "absence": [60, 60]}],
]
PHASE, OUTCOME = FIELDS.index("phase"), FIELDS.index("outcome")
LATE: Steps = [["pass", 2600], ["receive", {"type": "heartbeat", "matches": []}]]
STOOD: Steps = [["stand", 5000], ["receive", {"type": "heartbeat", "matches": []}]]
REPLACED: Steps = [["receive", {"type": "replaced", "match": "m1", "seat": 0}]]
AWAY = "The server says that you were away."
ODD: list[tuple[Steps, int, str, str]] = [  # what happens before the end, its winner and ending, what is said
    (alive(5000), 1, "time", "By your clock 2:07 were left when the server ended the match on time."),
    (alive(130_000), 1, "time", ""),
    (alive(5000), 0, "time", ""),
    ([*alive(2000), *LATE, *alive(2000)], 1, "time", ""),
    ([*STOOD, *alive(2000)], 1, "time", ""),
    ([*alive(5000), *REPLACED], 1, "time", ""),
    (
        alive(70_000),
        1,
        "abandoned",
        "The server says that you were away. It has answered this page all the time, for 70 s.",
    ),
    (alive(60_000), 1, "abandoned", ""),
    (alive(70_000), 0, "abandoned", ""),
    ([*alive(40_000), *LATE, *alive(40_000)], 1, "abandoned", ""),
    ([*alive(40_000), *STOOD, *alive(40_000)], 1, "abandoned", ""),
    ([*alive(70_000), *REPLACED], 1, "abandoned", ""),
    (alive(70_000), 1, "forfeit", ""),
]


@pytest.mark.parametrize(("happens", "winner", "ending", "said"), ODD)
def test_an_end_that_our_own_clock_denies_is_told(happens: Steps, winner: int, ending: str, said: str) -> None:
    over = ["receive", ["m1", 8, [PHASE, "over", OUTCOME, [winner, 0, 0, ending]]]]
    log = run(["board", "m1"], *IN, *HELD, *happens, over, ["pass", 10], ["read", "notice"])
    assert log[-1][2] == [said]


# --- what our seat has done, against what this page asked for ---

TURN_SEEN = {
    **SEEN,
    "phase": "move",
    "turn": 0,
    "dice": [3, 1],
    "rolls": 1,
    "points": (2 * STARTS[Variant.STANDARD]).hex(),
}
TURN: Steps = [["board", "m1"], *IN, *alive(2000), snapshot("m1", 7, 3, **TURN_SEEN), *alive(6000)]
PLAYED, OTHERWISE = [[8, 5], [6, 5]], [[24, 23], [24, 21]]
IN_NAME = "A turn was played in your name, which this page did not ask for."
ANOTHER = "The server took another play than this page sent: it shows 24/23 24/21, and 8/5 6/5 was sent."


def shows(moves: list[list[int]], seq: int = 8) -> list[Any]:
    """An update with a turn of ours, and the opponent's dice."""
    before = from_fields({**VIEW, **TURN_SEEN, "points": 2 * STARTS[Variant.STANDARD]})
    after = decide(match_of(before), Move(0, tuple((one, two) for one, two in moves)), lambda _: (6, 5))[1]
    shown = view_of(after)
    changed = ("phase", "turn", "dice", "points", "last", "rolls")
    steps = diff(before, replace(before, **{name: getattr(shown, name) for name in changed}))
    return ["receive", ["m1", seq, [one.hex() if isinstance(one, bytes) else one for one in steps]]]


ASKS = ["act", "m1", "move", {"moves": PLAYED}]
OK = ["receive", {"type": "ok", "id": "move", "seq": 8}]
ACTS: list[tuple[Steps, str]] = [  # what happens in our turn, what is told
    ([ASKS, OK, shows(PLAYED), *alive(6000)], ""),
    ([ASKS, OK, shows(PLAYED[::-1]), *alive(6000)], ""),
    ([ASKS, shows(PLAYED), OK, *alive(6000)], ""),
    ([ASKS, OK, shows(OTHERWISE)], ANOTHER),
    ([ASKS, shows(OTHERWISE), OK], ANOTHER),
    ([shows(PLAYED), *alive(6000)], IN_NAME),
    ([shows(PLAYED), *alive(4000)], ""),
    ([shows(PLAYED), *alive(1000), *REPLACED, *alive(6000)], ""),
    ([shows(PLAYED), *LATE, *alive(6000)], ""),
    ([shows(PLAYED), *STOOD, *alive(6000)], ""),
    ([shows(PLAYED), ["drop", 1006], ["pass", 300], *IN, *alive(6000)], ""),
    ([ASKS, shows(OTHERWISE), ["refuse", "move", "stale"], *REPLACED, *alive(6000)], ""),
    ([ASKS, shows(OTHERWISE), ["refuse", "move", "stale"], *alive(6000)], IN_NAME),
    ([ASKS, ["refuse", "move", "unavailable"], shows(PLAYED), *alive(6000)], ""),
]


@pytest.mark.parametrize(("happens", "said"), ACTS)
def test_what_this_page_did_not_ask_for_is_told_unless_there_is_an_honest_cause(happens: Steps, said: str) -> None:
    log = run(*TURN, *happens, ["pass", 10], ["told", "m1"], ["read", "alarm"])
    assert log[-1][2][0].startswith(said)
    assert bool(log[-1][2][0]) == bool(said)
    assert [is_stopped for _, what, _, is_stopped, _ in log[-2:-1]] == [False]


def test_what_was_under_way_when_this_page_took_the_seat_is_not_told() -> None:
    log = run(*TURN[:-12], *alive(4000), shows(PLAYED), *alive(9000), ["read", "alarm"])
    assert log[-1][2] == [""]


# --- what the server refuses ---

BEGUN_SEEN = {**SEEN, "phase": "ready", "game": 0}
BEGUN: Steps = [["board", "m1"], *IN, snapshot("m1", 6, 3, **BEGUN_SEEN)]
NOT_NOW = ["refuse", "resign", "wrong_phase"]
RESIGNS = ["act", "m1", "resign", {"value": 1}]
ODD_REFUSAL = "The server has refused what you may do by the rules that this page knows."


def began(seq: int = 7) -> list[Any]:
    """An update with the first game, and our dice."""
    at_start = {**VIEW, **BEGUN_SEEN, "points": bytes(52)}
    in_turn = {**VIEW, **TURN_SEEN, "points": 2 * STARTS[Variant.STANDARD]}
    steps = diff(from_fields(at_start), from_fields(in_turn))
    return ["receive", ["m1", seq, [one.hex() if isinstance(one, bytes) else one for one in steps]]]


REFUSED: list[tuple[Steps, bool]] = [  # what happens, whether the refusal is doubted
    ([began(), RESIGNS, [*NOT_NOW, 7]], True),
    ([began(), RESIGNS, ["refuse", "resign", "no_resignation", 7]], True),
    ([began(), RESIGNS, [*NOT_NOW, 6]], False),
    ([began(), RESIGNS, [*NOT_NOW, None]], False),
    ([began(), RESIGNS, ["refuse", "resign", "too_many", 7]], False),
    ([began(), RESIGNS, ["refuse", "resign", "not_seated", 7]], False),
    ([began(), ["act", "m1", "resign", {"value": 4}], [*NOT_NOW, 7]], False),
    ([began(), ["act", "m1", "double"], ["refuse", "double", "wrong_phase", 7]], False),  # the dice are to be played
    ([began(), ["act", "m1", "auto", {"on": True}], ["refuse", "auto", "wrong_phase", 7]], True),
    ([began(), ["act", "m1", "abort"], ["refuse", "abort", "wrong_phase", 7]], False),
    ([began(), ASKS, ["refuse", "move", "illegal_play", 7]], True),
    ([began(), ["act", "m1", "move", {"moves": [[8, 5]]}], ["refuse", "move", "illegal_play", 7]], False),
    ([snapshot("m1", 7, 3, **TURN_SEEN), RESIGNS, [*NOT_NOW, 7]], False),  # its start was not seen
    ([began(), snapshot("m1", 7, 4, **TURN_SEEN), RESIGNS, [*NOT_NOW, 7]], False),
    ([began(), RESIGNS, snapshot("m1", 7, 4, **TURN_SEEN), [*NOT_NOW, 7]], False),
    ([began(), RESIGNS, shows(PLAYED), [*NOT_NOW, 7]], False),
]


@pytest.mark.parametrize(("happens", "is_doubted"), REFUSED)
def test_a_refusal_against_the_rules_that_the_page_knows_is_told(happens: Steps, is_doubted: bool) -> None:
    log = run(*BEGUN, *happens, ["pass", 10], ["told", "m1"], ["read", "alarm"])
    assert [is_stopped for _, what, _, is_stopped, _ in log[-2:-1]] == [False]
    assert log[-1][2][0].startswith(ODD_REFUSAL) == is_doubted
    assert bool(log[-1][2][0]) == is_doubted


def test_what_the_opponent_has_refused_is_not_doubted() -> None:
    resignation = FIELDS.index("resignation")
    offered = ["receive", ["m1", 8, [PHASE, "resign", resignation, [0, 1]]]]
    refused = ["receive", ["m1", 9, [PHASE, "move", resignation, None]]]
    again: Steps = [offered, refused, RESIGNS, ["refuse", "resign", "no_resignation", 9]]
    log = run(*BEGUN, began(), *again, ["pass", 10], ["read", "alarm"])
    assert log[-1][2] == [""]


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
    expect(said).to_contain_text("That makes two within an hour: the search has stopped.")
    expect(bob.button("Look for an opponent")).to_be_visible()
    bob.open("/dice")
    counts = "Of 2 matches here 2 ended before the first roll because no seed came from the other player"
    expect(bob.page.locator("main")).to_contain_text(counts)
    bob.press("Forget what this browser remembers of this server")
    assert axe_faults(bob) == []
    bob.press("Yes, forget it")
    expect(bob.page.locator("main")).to_contain_text("It is forgotten.")
    bob.page.reload()
    expect(bob.page.locator("main")).to_contain_text("No match yet.")


ENTRY = "() => Object.entries(localStorage).find(([key]) => key.startsWith('tavla.seed/'))?.[1]"


def entry_of(one: Person) -> dict[str, Any]:
    """The ledger's entry of the one match of this browser."""
    found: dict[str, Any] = json.loads(one.page.evaluate(ENTRY))
    return found


def brought_back(past: Past, server: ServerProcess) -> None:
    """The server is killed, its store forgets what came after, and it serves again."""
    past.bring_back()
    with contextlib.closing(redis_at(past.url)) as redis:
        redis.delete(keys.MATCH_SNAPSHOT(past.match))
    server.kill()
    server.restart()


@pytest.mark.slow
def test_a_match_that_is_put_back_while_the_page_is_away_is_told_and_the_second_time_it_stops(
    person: NewPerson, own_server: ServerProcess
) -> None:
    ada, bob = person(own_server.url), person(own_server.url)
    invite(ada, bob)
    past = Past(own_server.store_url, ada.page.url.partition("/m/")[2].partition("#")[0])
    address = ada.page.url
    ada.page.wait_for_function(f"() => JSON.parse(({ENTRY})()).rolls")
    first = entry_of(ada)["rolls"]  # the last opening roll: equal ones are rolled again
    for losses in (1, 2):
        for _ in range(3):
            mover, other = in_turn(ada, bob)
            while mover.act() and not other.asked():
                pass
            other.until_ours()
        ada.page.reload()
        ada.page.wait_for_function(f"() => JSON.parse(({ENTRY})()).rolls > {first}")
        seen = entry_of(ada)["rolls"]
        for one in (ada, bob):
            one.page.goto("about:blank")
        brought_back(past, own_server)
        for one in (ada, bob):
            one.page.goto(address)
        now = f"The server has lost what happened last: the match is as it was at roll {first};"
        expect(ada.page.locator(".notice")).to_have_text(f"{now} you have seen roll {seen}.")
        assert entry_of(ada)["losses"] == losses
        if losses == 1:
            assert ada.page.locator(".verdict.wrong").count() == 0, "play goes on"
    expect(ada.status).to_have_text("Play is stopped")
    expect(ada.page.locator(".verdict.wrong")).to_have_text(TWICE)
    ada.page.reload()
    expect(ada.page.locator(".verdict.wrong")).to_have_text(TWICE)
    ada.press("Go on in spite of it")
    expect(ada.status).not_to_have_text("Play is stopped")
    ada.page.reload()
    expect(ada.page.locator(".dice").first).to_be_visible()
    assert ada.page.locator(".verdict.wrong").count() == 0
    for one in (ada, bob):
        one.forgive("WebSocket connection")


@pytest.mark.slow
def test_an_honest_server_brings_no_red_line(person: NewPerson, own_server: ServerProcess) -> None:
    """Two tabs, one that stands still, a load amid the match, and a server that is killed: the match is played out."""
    ada, bob = person(own_server.url), person(own_server.url)
    for one in (ada, bob):
        one.turn = one.make_turn_at_once
    invite(ada, bob, Start="hypergammon")  # three checkers, and fewer turns
    address = ada.page.url
    ada.page.wait_for_function(f"() => JSON.parse(({ENTRY})()).player")  # a match that vanishes now is looked for
    other = ada.context.new_page()
    other.goto(address)
    expect(other.locator(".dice").first).to_be_visible()
    still = ada.context.new_cdp_session(other)
    still.send("Page.setWebLifecycleState", {"state": "frozen"})
    ada.page.bring_to_front()
    ada.page.reload()
    for _ in range(2):
        in_turn(ada, bob)[0].act()
    own_server.kill()
    own_server.restart()
    still.send("Page.setWebLifecycleState", {"state": "active"})
    for one in (ada, bob):
        expect(one.page.locator(".offline")).to_have_count(0)
    other.close()
    play_until(lambda: ada.button("Rematch").is_visible(), ada, bob)
    for one in (ada, bob):
        expect(one.page.locator(".verdict.sound")).to_have_count(1)
        assert one.page.locator(".verdict.wrong, .notice, .challenge").count() == 0
        assert (entry_of(one)["end"], "fault" in entry_of(one)) == ("played", False)
        one.open("/dice")
        none = "Of 1 match here 0 ended before the first roll because no seed came from the other player, and 0 by the"
        expect(one.page.locator("main")).to_contain_text(none)
        one.forgive("WebSocket connection")


@pytest.mark.slow
def test_a_fork_that_shows_a_seed_stops_the_page_and_the_terminal(
    person: NewPerson, own_server: ServerProcess, tmp_path: Path
) -> None:
    table, url = unique("t"), own_server.url
    arguments = ("create", table, "--length", "3", "--server", url, "--as", "tom", "--ascii")
    with contextlib.ExitStack() as stack:
        tom = Terminal(tmp_path / "tom", *arguments)
        stack.callback(tom.clean_up)
        tom.wait_for(f"waiting for an opponent at table {table}")
        ada = person(url)
        ada.open(f"/t/{table}")
        ada.press("Sit down")
        tom.wait_for("game 1 begins")
        expect(ada.page.locator(".dice").first).to_be_visible()
        past = Past(own_server.store_url, entry_of(ada)["match"])
        tom.type("resign single")
        tom.type("yes")
        ada.until_ours("accept")
        ada.press("Accept")
        expect(ada.button("Next game")).to_be_visible()
        brought_back(past, own_server)
        expect(ada.status).to_have_text("Play is stopped")
        new = "The server was put back; the dice to come are new ones. Somebody may have seen the old ones."
        expect(ada.page.locator(".verdict.wrong")).to_have_text(new)
        tom.wait_for("WARNING: the server was put back: the dice to come are new, and somebody may")
        tom.wait_for("nothing is sent any more: type go on to play on all the same")
        ada.forgive("WebSocket connection")
