"""The players' clocks: what a turn costs, and when a flag falls."""

import pytest
from tavla_engine import actions as a
from tavla_engine.decide import decide
from tavla_engine.gameclock import FIRST_TURN_MS, GameClock, clock_after, full
from tavla_engine.match import Match, new_match
from tavla_engine.plays import legal_plays
from tavla_engine.record_order import Program
from tavla_engine.rules import Rules, preset

TIMES = {"delay_s": 10, "reserve_s": 60}
NORMAL = preset("tournament", {"length": 3, **TIMES})  # 10 s free, 3 minutes
START_MS = 1_700_000_000_000


def roll(k: int) -> tuple[int, int]:
    return (3, 1)


def act(match: Match, action: a.Action) -> Match:
    return decide(match, action, roll)[1]


def move(match: Match) -> Match:
    assert match.dice is not None
    return act(match, a.Move(match.turn, next(iter(legal_plays(match.position, match.dice).values()))))


def started() -> Match:
    return act(act(new_match(NORMAL), a.Ready(0)), a.Ready(1))


def test_a_match_starts_with_a_reserve_for_each_point() -> None:
    assert full(NORMAL).reserve == (180_000, 180_000)
    assert full(preset("money", TIMES)).reserve == (180_000, 180_000), "a game counts as three points"
    clock = clock_after(GameClock(), new_match(NORMAL), started(), START_MS, 0)
    assert clock == GameClock((180_000, 180_000), 0, START_MS, 10_000)


@pytest.mark.parametrize(
    ("took_ms", "credit_ms", "left_ms", "why"),
    [
        (9_999, 0, 180_000, "within the free time"),
        (10_000, 0, 180_000, "all of the free time"),
        (10_001, 0, 179_999, "one millisecond of the reserve"),
        (40_000, 0, 150_000, "half a minute of the reserve"),
        (40_000, 300, 150_300, "the way of the message is given back"),
        (40_000, 60_000, 180_000, "more is given back than was taken: nothing is earned"),
        (-500, 0, 180_000, "the clock of another machine is behind"),
    ],
)
def test_a_turn_costs_what_it_takes_beyond_its_free_time(took_ms: int, credit_ms: int, left_ms: int, why: str) -> None:
    before = started()
    clock = GameClock((180_000, 180_000), before.turn, START_MS, 10_000)
    after = clock_after(clock, before, move(before), START_MS + took_ms, credit_ms)
    assert after.reserve[before.turn] == left_ms, why
    assert after.reserve[1 - before.turn] == 180_000
    assert (after.seat, after.since, after.free) == (1 - before.turn, START_MS + took_ms, 10_000)


def test_rolling_and_moving_share_one_free_time() -> None:
    to_roll = move(started())
    clock = GameClock((180_000, 180_000), to_roll.turn, START_MS, 10_000)
    to_move = act(to_roll, a.Roll(to_roll.turn))
    clock = clock_after(clock, to_roll, to_move, START_MS + 4_000, 0)
    assert (clock.seat, clock.free) == (to_roll.turn, 6_000)
    clock = clock_after(clock, to_move, move(to_move), START_MS + 11_000, 0)
    assert clock.reserve[to_roll.turn] == 179_000


def test_an_answer_to_a_double_has_a_free_time_of_its_own() -> None:
    to_roll = move(started())
    clock = GameClock((180_000, 180_000), to_roll.turn, START_MS, 10_000)
    doubled = act(to_roll, a.Double(to_roll.turn))
    clock = clock_after(clock, to_roll, doubled, START_MS + 2_000, 0)
    assert (clock.seat, clock.free) == (1 - to_roll.turn, 10_000)
    taken = act(doubled, a.Take(1 - to_roll.turn))
    clock = clock_after(clock, doubled, taken, START_MS + 15_000, 0)
    assert clock.reserve[1 - to_roll.turn] == 177_000
    assert clock.seat == to_roll.turn


def test_nobodys_time_runs_between_games_and_after_the_match() -> None:
    between = act(act(move(started()), a.Double(1)), a.Drop(0))
    clock = clock_after(GameClock((180_000, 5_000), 0, START_MS, 10_000), move(started()), between, START_MS + 1_000, 0)
    assert clock.seat is None
    again = act(act(between, a.Ready(0)), a.Ready(1))
    clock = clock_after(clock, between, again, START_MS + 999_000, 0)
    assert clock.reserve == (180_000, 5_000), "a match has one reserve for all its games"
    over = act(again, a.Forfeit(0))
    assert clock_after(clock, again, over, START_MS, 0).seat is None


def test_a_flag_falls_when_free_time_and_reserve_are_used_up() -> None:
    clock = GameClock((180_000, 20_000), 1, START_MS, 10_000)
    assert clock.left(START_MS) == 30_000
    assert clock.left(START_MS + 30_000) == 0
    assert clock.left(START_MS + 30_001) == -1
    assert clock.left(START_MS + 90_000, credit_ms=60_000) == 0


def test_the_whole_time_of_both_is_counted_the_free_one_too() -> None:
    before = started()
    clock = clock_after(full(NORMAL), new_match(NORMAL), before, START_MS, 0)
    after = clock_after(clock, before, move(before), START_MS + 4_000, 1_000)
    assert after.used[before.turn] == 3_000, "an outage is not"
    assert after.used[1 - before.turn] == 0
    assert after.stop(START_MS + 24_000).used[1 - before.turn] == 20_000


@pytest.mark.parametrize("clock", [{"clock": "fast"}, {"delay_s": 0, "reserve_s": 1}, {"clock": "slow"}])
def test_the_first_turn_of_each_person_has_a_minute_whatever_the_clock(clock: dict[str, bool | int | str]) -> None:
    rules = preset("tournament", {"length": 1, **clock})
    match = started_by(rules)
    now, of_clock = START_MS, clock_after(GameClock(), new_match(rules), match, START_MS, 0)
    lasts, usual = [], 1000 * rules.delay_s
    for _ in range(3):
        lasts.append(of_clock.left(now))
        after, now = move(match), now + 1000
        of_clock = clock_after(of_clock, match, after, now, 0)
        match = after
        if match.dice is None:
            after = act(match, a.Roll(match.turn))
            of_clock, match = clock_after(of_clock, match, after, now, 0), after
    assert lasts[:2] == 2 * [max(FIRST_TURN_MS, usual + 1000 * rules.reserve_s)]
    assert of_clock.free == usual
    program = Program()
    begun = clock_after(GameClock(), new_match(rules), started_by(rules), START_MS, 0, (program, program))
    assert begun.free == usual, "a program looks away from nothing"


def started_by(rules: Rules) -> Match:
    return act(act(new_match(rules), a.Ready(0)), a.Ready(1))
