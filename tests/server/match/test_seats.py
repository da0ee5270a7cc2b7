"""Since when a seat is empty, wherever it was held."""

import pytest
from tavla_engine.actions import Seat
from tavla_server.match.pause import pause_after_fork
from tavla_server.match.seats import Seats

from tests.support.servers.handclock import HandClock

BOTH: list[Seat] = [0, 1]


@pytest.mark.parametrize("seat", BOTH)
def test_the_moment_at_which_a_player_left_on_another_node_is_noted_for_that_seat_alone(seat: Seat) -> None:
    clock = HandClock()
    seats, begun = Seats(clock), clock.now_ms()
    clock.move(1000)
    seats.hear("other", {seat: clock.now_ms()})
    clock.move(5000)
    assert seats.hear("other", {}) == []
    assert (seats.away[seat], seats.away[1 - seat]) == (clock.now_ms(), begun)
    clock.move(1000)
    seats.hear("other", {})
    assert seats.away[seat] == clock.now_ms() - 1000, "that it is still empty changes nothing"


@pytest.mark.parametrize("seat", BOTH)
def test_a_node_that_is_evicted_leaves_its_seat_at_that_moment(seat: Seat) -> None:
    clock = HandClock()
    seats, begun = Seats(clock), clock.now_ms()
    seats.hear("other", {seat: clock.now_ms()})
    seats.hear("third", {})
    clock.move(5000)
    seats.forget("third")
    assert seats.away == (begun, begun)
    seats.forget("other")
    assert (seats.away[seat], seats.away[1 - seat]) == (clock.now_ms(), begun)


@pytest.mark.parametrize("seat", BOTH)
def test_a_seat_that_is_held_twice_is_empty_when_both_have_gone(seat: Seat) -> None:
    clock = HandClock()
    seats, begun = Seats(clock), clock.now_ms()
    for node in ("other", "third"):
        seats.hear(node, {seat: clock.now_ms()})
    clock.move(5000)
    seats.hear("other", {})
    assert seats.online(seat)
    assert seats.away[seat] == begun
    seats.hear("third", {})
    assert not seats.online(seat)
    assert seats.away[seat] == clock.now_ms()


def test_where_a_match_was_put_back_time_counts_from_when_both_have_come() -> None:
    clock = HandClock()
    seats = Seats(clock)
    assert seats.pause.counts_from(clock.now_ms(), 60) == 0, "it was not"
    seats.hear("other", {0: clock.now_ms()})
    put_back_ms = clock.now_ms()
    seats.pause = pause_after_fork(put_back_ms, seats.both_online)
    assert seats.pause.seats == (1,)
    clock.move(30_000)
    assert seats.pause.counts_from(clock.now_ms(), 60) == clock.now_ms()
    assert seats.pause.counts_from(clock.now_ms(), 30) == put_back_ms, "nobody is awaited for longer"
    seats.hear("other", {0: put_back_ms, 1: clock.now_ms()})
    came_ms = clock.now_ms()
    clock.move(5000)
    seats.forget("other")
    seats.hear("third", {1: clock.now_ms()})
    assert seats.pause.counts_from(clock.now_ms(), 60) == came_ms, "who comes again has come before"


def test_where_both_are_there_time_counts_from_when_the_match_was_put_back() -> None:
    pause = pause_after_fork(1000, (True, True))
    assert (pause.seats, pause.counts_from(1009, 60)) == ((), 1000)
