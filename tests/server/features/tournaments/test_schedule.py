"""Tournaments that an operator has planned: when the next one is, and that one is made, whichever node acts."""

import asyncio
from datetime import UTC, datetime, time
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_server.cluster.clock import Clock
from tavla_server.errors import StartError
from tavla_server.features.tournaments.schedule import AHEAD_MS, Plan, Schedule, read_plans
from tavla_server.match import ids as match_ids

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import Player, unique
from tests.support.players.tournaments import record_of
from tests.support.servers.handclock import HandClock
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

DAY_MS = 86_400_000
INSTALL = Path("deploy/install.md").read_text("utf-8")

EVENING = {"at": time(20), "zone": "UTC"}

NEXT: list[tuple[dict[str, Any], str, str, str]] = [  # plan, now, when the next one begins, why this row is here
    (EVENING, "2026-11-25T19:59", "2026-11-25T20:00", "today"),
    (EVENING, "2026-11-25T20:00", "2026-11-26T20:00", "this one has begun"),
    ({"at": time(9, 30), "days": {"fri", "sun"}, "zone": "UTC"}, "2026-11-25T12:00", "2026-11-27T09:30", "a Wednesday"),
    ({"at": time(9, 30), "days": {"fri"}, "zone": "UTC"}, "2026-11-27T09:31", "2026-12-04T09:30", "a week later"),
    ({"at": time(0, 30), "zone": "Europe/Istanbul"}, "2026-11-25T21:00", "2026-11-25T21:30", "the next day there"),
    ({"at": time(20), "zone": "Europe/Berlin"}, "2026-10-24T18:30", "2026-10-25T19:00", "the clocks were put back"),
]


def ms(text: str) -> int:
    return round(1000 * datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


@pytest.mark.parametrize(("plan", "now", "begins", "why"), NEXT)
def test_the_next_one_begins_at_the_time_of_day_of_its_zone(
    plan: dict[str, Any], now: str, begins: str, why: str
) -> None:
    assert Plan(name="evening", **plan).next_ms(ms(now)) == ms(begins), why


def written(folder: Path, text: str) -> Path:
    """A file of plans."""
    file = folder / "plans.toml"
    file.write_text(text)
    return file


def test_the_plans_of_the_page_for_operators_are_read(tmp_path: Path) -> None:
    shown = INSTALL.partition("tournament plans.toml")[2].partition("\n\n")[2].partition("\n\n  Without")[0]
    assert read_plans(written(tmp_path, dedent(shown))) == [
        Plan("evening", time(20), rules={"length": 3}),
        Plan(
            "weekend",
            time(20, 30),
            days=frozenset({"fri", "sat"}),
            zone="Europe/Istanbul",
            minutes=90,
            format="swiss",
            rounds=5,
            rules={"length": 5, "clock": "fast"},
        ),
    ]
    assert not read_plans(None)
    assert not read_plans(written(tmp_path, "# none yet"))


PLAN = '[[tournament]]\nname = "ab"\nat = 20:00:00\n'
WRONG = [
    "evening",
    "[tournament]",
    "[[plan]]",
    '[[tournament]]\nname = "ab"',
    "[[tournament]]\nat = 20:00:00",
    '[[tournament]]\nname = "\\u200b"\nat = 20:00:00',
    '[[tournament]]\nname = "ab"\nat = 25:00:00',
    *(
        PLAN + line
        for line in (
            'days = ["someday"]',
            "days = []",
            "rules = {length = 0}",
            'rules = {clock = "none"}',
            'rules = {colour = "red"}',
            'zone = "Nowhere"',
            'zone = "../x"',
            "minutes = 0",
            'minutes = "x"',
            "rounds = 21",
            'format = "ladder"',
            'format = "swiss"\nminutes = 1',
            'colour = "red"',
        )
    ),
]


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_plan_is_told_in_a_sentence(text: str, tmp_path: Path) -> None:
    with pytest.raises(StartError, match=r"cannot plan the tournaments of .*plans\.toml: \S"):
        read_plans(written(tmp_path, text))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StartError, match=r"nowhere\.toml: .*No such file"):
        read_plans(tmp_path / "nowhere.toml")


async def test_whichever_node_acts_one_tournament_is_made(valkey: Valkey, tmp_path: Path) -> None:
    name = unique("plan")
    text = f'[[tournament]]\nname = "{name}"\nat = 20:00:00\nzone = "UTC"\nminutes = 5\nrules = {{ length = 1 }}'
    plans = written(tmp_path, text)
    now_ms = Clock().now_ms()
    id_ = match_ids.of_plan(name, read_plans(plans)[0].next_ms(now_ms))
    async with (
        asyncio.timeout(PATIENCE_S),
        inside(valkey.url, tournament=plans) as one,
        inside(valkey.url, tournament=plans) as other,
        Player(one) as ada,
        Player(other) as bob,
    ):
        for player in (ada, bob):
            while True:
                listing = await player.get(m.Listing, m.List, what="tournaments")
                if found := [key for key, row in listing.rows.items() if row["name"] == name]:
                    break
            assert found == [id_]
        told = await record_of(ada, id_)
        assert told.about is not None
        assert (told.about.by, told.about.ends - told.about.starts) == ("server", 300)


async def test_each_is_made_a_day_before_once() -> None:
    made = list[str]()

    async def create(id_: str, *_: object) -> None:
        made.append(id_)

    plan = Plan("evening", time(20), zone="UTC")
    weekly = Plan("weekly", time(20), frozenset({"fri"}), zone="UTC")
    clock = HandClock(ms("2026-11-23T12:00"))  # a Monday
    schedule = Schedule([plan, weekly], create, clock)
    for _ in range(7 * 24):
        await schedule.sweep()
        clock.move(DAY_MS // 24)
    assert len(made) == len({*made}) == 7 + 1 + 1
    friday = ms("2026-11-27T20:00")
    clock = HandClock(friday - AHEAD_MS - 1)
    again = Schedule([weekly], create, clock)
    await again.sweep()
    assert len(made) == 9, "too early"
    clock.move(1)
    await again.sweep()
    assert made[-1] == match_ids.of_plan("weekly", friday), "the same id on every node"
