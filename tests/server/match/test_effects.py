"""Lanes of effects: what fails is tried again, in its place, and holds up no other lane."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import pytest
from structlog.testing import capture_logs
from tavla_server.errors import StoreUnavailable
from tavla_server.match.effects import Effect, Lane

from tests.support.players.plain import within


@contextlib.asynccontextmanager
async def running(*lanes: Lane) -> AsyncIterator[None]:
    """Lanes that are at work."""
    tasks = [asyncio.create_task(lane.run()) for lane in lanes]
    yield
    for task in tasks:
        task.cancel()


def noted(done: list[str], what: str) -> Effect:
    """An effect that works."""

    async def effect() -> None:
        done.append(what)

    return effect


def failing(done: list[str], what: str, works: asyncio.Event) -> Effect:
    """An effect that fails until it `works`."""

    async def effect() -> None:
        if not works.is_set():
            raise StoreUnavailable("the store is away")
        done.append(what)

    return effect


async def until(holds: Callable[[], bool]) -> None:
    """Let the lanes work until something holds."""
    while not holds():  # noqa: ASYNC110 - the lanes do not tell when they have tried
        await asyncio.sleep(0)


async def test_a_lane_in_which_all_fails_holds_up_no_other() -> None:
    done: list[str] = []
    broken, sound = Lane("broken"), Lane("sound")
    async with running(broken, sound):
        broken.put("m", failing(done, "never", asyncio.Event()))
        for number in range(3):
            sound.put("m", noted(done, str(number)))
        await within(sound.settle())
        assert done == ["0", "1", "2"]


@pytest.mark.slow
async def test_a_match_whose_effect_fails_for_ever_holds_up_no_other_match_and_keeps_its_order() -> None:
    done: list[str] = []
    lane, works = Lane("lane"), asyncio.Event()
    async with running(lane):
        lane.put("bad", failing(done, "bad 1", works))
        lane.put("bad", noted(done, "bad 2"))
        lane.put("good", noted(done, "good 1"))
        lane.put("good", noted(done, "good 2"))
        await within(until(lambda: done == ["good 1", "good 2"]))
        lane.put("bad", noted(done, "bad 3"))
        works.set()
        await within(lane.settle())
        assert done[2:] == ["bad 1", "bad 2", "bad 3"]


async def test_a_lane_may_do_several_at_once_but_those_of_one_match_in_order() -> None:
    done: list[str] = []
    lane, together = Lane("lane", at_once=3), asyncio.Barrier(3)

    def meeting(what: str) -> Effect:
        async def effect() -> None:
            await together.wait()
            done.append(what)

        return effect

    async with running(lane):
        for number in (1, 2):
            for match in "abc":
                lane.put(match, meeting(f"{match}{number}"))
        lane.put("d", noted(done, "d"))  # has its turn when a place is free
        await within(until(lambda: len(done) == 4))
        assert sorted(done) == ["a1", "b1", "c1", "d"]


@pytest.mark.slow
async def test_a_lane_whose_effects_fail_tries_one_at_a_time() -> None:
    done: list[str] = []
    lane, works = Lane("lane", at_once=3), asyncio.Event()
    async with running(lane):
        with capture_logs() as lines:
            for match in "abc":
                lane.put(match, failing(done, match, works))
            await within(until(lambda: len(lines) >= 5))
        assert [line["match"] for line in lines] == [*"abc", "a", "b"]
        works.set()
        await within(lane.settle())
        assert sorted(done) == [*"abc"]


async def test_nothing_is_settled_while_something_is_tried_again() -> None:
    done: list[str] = []
    lane, works = Lane("lane"), asyncio.Event()
    async with running(lane):
        with capture_logs() as lines:
            lane.put("m", failing(done, "at last", works))
            settled = asyncio.create_task(lane.settle())
            await within(until(lambda: bool(lines)))
        assert [(line["event"], line["lane"], line["match"]) for line in lines] == [("effect_retried", "lane", "m")]
        assert not settled.done()
        works.set()
        await within(settled)
        assert done == ["at last"]


async def test_a_fault_of_ours_ends_one_effect_and_no_other() -> None:
    done: list[str] = []
    lane = Lane("lane")

    async def fault() -> None:
        raise ZeroDivisionError

    async with running(lane):
        with capture_logs() as lines:
            lane.put("m", fault)
            lane.put("m", noted(done, "next"))
            await within(lane.settle())
    assert [line["event"] for line in lines] == ["effect_failed"]
    assert done == ["next"]
