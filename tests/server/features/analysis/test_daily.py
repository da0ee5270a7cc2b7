"""The position of the day: the same on every node, from public matches that were judged before; and its choices."""

import asyncio
import random
from pathlib import Path

import pytest
import sqlalchemy as sa
from tavla_engine.decisions import CUBE
from tavla_engine.match import new_match
from tavla_engine.notation import format_moves, format_play
from tavla_engine.plays import legal_plays
from tavla_engine.xgid import parse_xgid, xgid
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_protocol.messages import Finding
from tavla_server.errors import Refused
from tavla_server.features.analysis.daily import KEPT_S, Daily, before, choice_of
from tavla_server.features.archive.archive import Archive
from tavla_server.record.events import Terms
from tavla_server.store import keys
from tavla_server.store.client import Client

from tests.support.players.plain import Player, refused
from tests.support.servers.handclock import HandClock
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at
from tests.support.stores.finished import journal_of, player
from tests.support.stores.judged import BEGAN_MS, JUDGED_MS, RULES, decided, judged

DAY_MS = 86_400_000


def test_each_decision_is_found_again_as_an_xgid_tells_it(rng: random.Random) -> None:
    kinds = set()
    for _ in range(3):
        journal = journal_of(rng, "m", (player(rng, "ada"), player(rng, "bob")), RULES)
        for number, (at, finding) in enumerate(decided(journal)):
            if number % 7 and finding[3] not in ("double", "take", "drop"):
                continue  # of the frequent ones some are enough
            assert before(journal, finding) == at
            read = parse_xgid(xgid(at))
            assert (read.board, read.dice, read.score, read.cube) == (at.board, at.dice, at.score, at.cube)
            kinds.add(finding[3] if finding[3] in CUBE[0] | CUBE[1] else "play")
    assert {"play", "no double"} <= kinds
    assert before(journal, Finding(99, 1, 0, "double", "no double", 0.1)) is None


def test_rules_that_no_xgid_tells_have_no_position(rng: random.Random) -> None:
    rules = RULES._replace(hit_and_run=False)
    journal = journal_of(rng, "m", (player(rng, "ada"), player(rng, "bob")), rules)
    assert before(journal, Finding(1, 1, 0, "8/5 6/5", "8/5 6/5", 0.1)) is None


async def test_all_nodes_have_the_same_one_and_each_day_another(
    archive: Archive, redis: Client, rng: random.Random
) -> None:
    public = {await judged(archive, rng) for _ in range(4)}
    await judged(archive, rng, terms=Terms(code="abcd"))
    await judged(archive, rng, finding=Finding(1, 1, 0, "8/5", "6/5", 0.07))
    days = []
    for number in range(1, 12):
        clocks = HandClock(BEGAN_MS + number * DAY_MS), HandClock(BEGAN_MS + number * DAY_MS + 1000)
        (day, one), (_, other) = [await Daily(redis, archive, clock).today() for clock in clocks]
        assert one is not None
        assert other == one
        assert one.day == day
        days.append(one.match)
    assert set(days) <= public
    assert len(set(days)) > 1


async def test_what_was_judged_today_is_for_tomorrow(archive: Archive, redis: Client, rng: random.Random) -> None:
    await judged(archive, rng)
    clock = HandClock(JUDGED_MS + 1000)
    daily = Daily(redis, archive, clock)
    assert (await daily.today())[1] is None
    clock.move(DAY_MS)
    assert (await daily.today())[1] is not None


async def test_each_chooses_once_and_however_it_is_written(archive: Archive, redis: Client, rng: random.Random) -> None:
    await judged(archive, rng)
    daily = Daily(redis, archive, HandClock(BEGAN_MS + rng.randrange(1, 10_000) * DAY_MS))
    _, problem = await daily.today()
    assert problem is not None
    plays = list(legal_plays(problem.at.position, problem.at.dice or (1, 2)).values())
    first, second = (format_play(problem.at.position, play) for play in plays[:2])
    assert await daily.choose(problem, "ada", first) == {first: 1}
    assert await daily.choose(problem, "ada", second) == {first: 1}
    assert await daily.choose(problem, "bob", format_moves(reversed(plays[0]))) == {first: 2}
    counts = await asyncio.gather(*(daily.choose(problem, f"guest {number}", second) for number in range(3)))
    assert {first: 2, second: 3} in counts
    for key, kind in ((keys.DAILY_VOTERS, b"set"), (keys.DAILY_CHOICES, b"hash")):
        assert await redis.type(key(problem.day)) == kind
        assert 0 < await redis.ttl(key(problem.day)) <= KEPT_S


@pytest.mark.parametrize("pair", CUBE)
def test_a_choice_about_the_cube_is_one_of_two(pair: set[str]) -> None:
    for done in pair:
        at = new_match(RULES)
        assert {choice_of(at, done, choice) for choice in pair} == pair
        with pytest.raises(Refused, match=f"say one of: {', '.join(sorted(pair))}"):
            choice_of(at, done, "8/5")


@pytest.mark.parametrize("archive_url", ["sqlite"], indirect=True)
async def test_a_match_that_cannot_be_read_or_has_no_such_decision_is_passed_over(
    archive: Archive, redis: Client, rng: random.Random
) -> None:
    broken, whole = [await judged(archive, rng) for _ in range(2)]
    await judged(archive, rng, finding=Finding(9, 9, 0, "8/5", "6/5", 0.5))
    async with archive._database.writing() as connection:
        await connection.execute(sa.text(f"UPDATE matches SET journal = '\x01' WHERE id = '{broken}'"))
    for number in range(1, 9):
        daily = Daily(redis, archive, HandClock(BEGAN_MS + number * DAY_MS))
        day, problem = await daily.today()
        assert problem is not None
        assert problem.match == whole
        assert await daily.today() == (day, problem)


async def test_without_an_archive_there_is_no_position(node: str) -> None:
    async with Player(node) as ada:
        assert refused(await ada.ask(m.Daily)) == ErrorCode.NO_ARCHIVE


async def test_clients_look_and_then_choose(valkey: Valkey, rng: random.Random, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/archive.sqlite3"
    async with archive_at(url) as archive:
        match = await judged(archive, rng)
    async with inside(valkey.url, archive=url) as node, Player(node) as ada:
        nobody = Player(node)
        await nobody.connect()
        await nobody.ask(m.Hello, watch=True)
        seen = await nobody.get(m.Puzzle, m.Daily)
        assert (seen.match, seen.finding, seen.choices) == ("", None, {})
        at = parse_xgid(seen.xgid)
        assert refused(await ada.ask(m.Daily, choice="1/2")) == ErrorCode.BAD_MESSAGE
        assert refused(await ada.ask(m.Daily, choice="double")) == ErrorCode.BAD_MESSAGE
        play = format_play(at.position, next(iter(legal_plays(at.position, at.dice or (1, 2)).values())))
        for who, count in ((ada, 1), (nobody, 2), (ada, 2)):
            told = await who.get(m.Puzzle, m.Daily, choice=play)
            assert told.choices == {play: count}
            assert (told.match, told.by, told.xgid) == (match, "somebody", seen.xgid)
            assert told.finding is not None
        assert isinstance(await nobody.ask(m.History, name="ada"), m.Played)
        assert refused(await nobody.ask(m.History)) == ErrorCode.HELLO_FIRST
        await nobody.close()
