"""Tournaments that an operator has planned: when the next one is, and that one is made, whichever node acts."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_server.cluster.clock import Clock
from tavla_server.errors import StartError
from tavla_server.lobby import match_ids
from tavla_server.tournaments.schedule import AHEAD_MS, Schedule, read_plan

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import Player, unique
from tests.support.players.tournaments import record_of
from tests.support.servers.processes import Valkey, inside

DAY_MS = 86_400_000

NEXT = [  # plan, now, when the next one begins, why this row is here
    ("20:00 evening zone=UTC", "2026-11-25T19:59", "2026-11-25T20:00", "today"),
    ("20:00 evening zone=UTC", "2026-11-25T20:00", "2026-11-26T20:00", "this one has begun"),
    ("fri,sun 09:30 ab zone=UTC", "2026-11-25T12:00", "2026-11-27T09:30", "a Wednesday"),
    ("fri 09:30 ab zone=UTC", "2026-11-27T09:31", "2026-12-04T09:30", "a week later"),
    ("0:30 night zone=Europe/Istanbul", "2026-11-25T21:00", "2026-11-25T21:30", "the next day has begun there"),
    ("20:00 evening zone=Europe/Berlin", "2026-10-24T18:30", "2026-10-25T19:00", "the clocks were put back"),
]


def ms(text: str) -> int:
    return round(1000 * datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


@pytest.mark.parametrize(("plan", "now", "begins", "why"), NEXT)
def test_the_next_one_begins_at_the_time_of_day_of_its_zone(plan: str, now: str, begins: str, why: str) -> None:
    assert read_plan(plan).next_ms(ms(now)) == ms(begins), why


def test_a_plan_names_minutes_and_the_options_of_matches() -> None:
    plan = read_plan("sat 20:00 week-end minutes=90 length=5 clock=fast rated=on cube=off")
    assert (plan.minutes, plan.rules.length, plan.rules.rated, plan.rules.cube) == (90, 5, True, False)
    swiss = read_plan("20:00 evening format=swiss rounds=5 minutes=60 length=3 clock=fast")
    assert (swiss.format, swiss.rounds) == ("swiss", 5)
    assert read_plan("20:00 evening").rules.reserve_s, "there is a clock, if none is named"


WRONG = ("", "evening", "25:00 evening", "someday 20:00 ab", "20:00 a b", "20:00 ab format=ladder")
WRONG_OPTIONS = (
    "length=0",
    "zone=Nowhere",
    "zone=../x",
    "minutes=0",
    "minutes=x",
    "clock=none",
    "colour=red",
    "format=ladder",
)


@pytest.mark.parametrize("text", [*WRONG, *(f"20:00 ab {option}" for option in WRONG_OPTIONS)])
def test_what_is_no_plan_is_told_in_a_sentence(text: str) -> None:
    with pytest.raises(StartError, match="is no plan"):
        read_plan(text)


async def test_whichever_node_acts_one_tournament_is_made(valkey: Valkey) -> None:
    name = unique("plan")
    plan = f"20:00 {name} minutes=5 length=1 zone=UTC"
    now_ms = Clock().now_ms()
    id_ = match_ids.of_plan(name, read_plan(plan).next_ms(now_ms))
    async with (
        asyncio.timeout(PATIENCE_S),
        inside(valkey.url, tournament=(plan,)) as one,
        inside(valkey.url, tournament=(plan,)) as other,
        Player(one) as ada,
        Player(other) as bob,
    ):
        for player in (ada, bob):
            while True:
                listing = await player.ask(m.List, what="tournaments")
                assert isinstance(listing, m.Listing)
                if found := [key for key, row in listing.rows.items() if row["name"] == name]:
                    break
            assert found == [id_]
        told = await record_of(ada, id_)
        assert told.about is not None
        assert (told.about.by, told.about.ends - told.about.starts) == ("server", 300)


async def test_each_is_made_a_day_before_once() -> None:
    made = list[str]()

    class Made:
        async def create(self, id_: str, _: object) -> None:
            made.append(id_)

    plan = read_plan("20:00 evening zone=UTC")
    weekly = read_plan("fri 20:00 weekly zone=UTC")
    tournaments: Any = Made()
    schedule = Schedule([plan, weekly], tournaments, Clock())
    start = ms("2026-11-23T12:00")  # a Monday
    for hour in range(7 * 24):
        await schedule.make(start + hour * DAY_MS // 24)
    assert len(made) == len({*made}) == 7 + 1 + 1
    friday = ms("2026-11-27T20:00")
    again = Schedule([weekly], tournaments, Clock())
    await again.make(friday - AHEAD_MS - 1)
    assert len(made) == 9, "too early"
    await again.make(friday - AHEAD_MS)
    assert made[-1] == match_ids.of_plan("weekly", friday), "the same id on every node"
