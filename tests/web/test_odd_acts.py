"""The page doubts an end, an act of our seat or a refusal that has no honest cause, and nothing else. In Node."""

from typing import Any

import pytest
from msgspec.structs import replace
from tavla_cli.records.steps import view_of
from tavla_client.shown_match import match_of
from tavla_engine.actions import Move
from tavla_engine.decide import decide
from tavla_engine.rules import STARTS, Variant
from tavla_protocol.view import FIELDS, diff, from_fields

from tests.support.browser.ledgers import IN, SEEN, VIEW, Steps, alive, run, snapshot

pytestmark = pytest.mark.slow


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
