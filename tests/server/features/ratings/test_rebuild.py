"""Ratings, results and the leaderboard come back from the archive as they were."""

import asyncio
import random
from typing import Any

import pytest
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_server.features.archive.archive import Archive
from tavla_server.features.ratings.ratings import BOARD, Ratings, career_keys
from tavla_server.features.ratings.rebuild import Rebuild
from tavla_server.player import Player
from tavla_server.record.events import Terms
from tavla_server.store import keys
from tavla_server.store.client import Client

from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.players.accounts import registered, until_played
from tests.support.players.matches import new_match
from tests.support.players.plain import Player as Person
from tests.support.servers.our_programs import run_program
from tests.support.servers.processes import ServerProcess
from tests.support.stores.finished import journal_of, match_id, player, summary_of

RULES = [preset("tournament", {"length": 3, "rated": True}), preset("money", {"rated": True})]


async def evening(redis: Client, archive: Archive, rng: random.Random, count: int) -> list[Player]:
    """Some people play rated matches, which are archived; who they are. The first matches have all of them."""
    people = [player(rng, f"player-{number}", 1500.0) for number in range(6)]
    for one in people:
        await redis.hset(
            keys.PLAYER(one.id), mapping={"name": one.name, "kind": "account", "rating": 1500, "experience": 0}
        )
    for number in range(count):
        pair = people[2 * number : 2 * number + 2] or rng.sample(people, 2)
        seats = [await now(redis, one) for one in pair]
        match = match_id(rng)
        terms = Terms(spectators=number % 5 != 4)
        rules, began_ms = rng.choice(RULES), 10**12 + number * 10**7
        journal = journal_of(rng, match, seats, rules, began_ms=began_ms, terms=terms, most=40)
        found = await summary_of(match, journal)
        await Ratings(redis).apply(found.record, found.ended_ms)
        await archive.put(found, journal)
    return people


async def now(redis: Client, one: Player) -> Player:
    """The same player with the rating of this moment."""
    rating, experience = await redis.hmget(keys.PLAYER(one.id), ["rating", "experience"])
    return one._replace(rating=float(rating or 0), experience=int(experience or 0))


async def shown(redis: Client, people: list[Player]) -> Any:
    """Public values: careers, and the leaderboard, with the digits that are shown."""
    careers = [await Ratings(redis).career(one) for one in people]
    return _rounded(careers), _rounded(await Ratings(redis).leaders())


def _rounded(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_rounded(part) for part in value]
    return round(value, 2) if isinstance(value, float) else value


async def test_what_was_lost_is_as_it_was(own_redis: Client, archive: Archive, rng: random.Random) -> None:
    people = await evening(own_redis, archive, rng, 60)
    before = await shown(own_redis, people)
    assert before[1], "some have met enough others to be on the leaderboard"
    for lost in ("nothing", "ratings", "everything"):
        if lost == "ratings":
            await own_redis.delete(*BOARD, *(key for one in people for key in career_keys(one.id)[1:]))
            await own_redis.hset(keys.PLAYER(people[0].id), mapping={"rating": "9999", "experience": 1})
        if lost == "everything":
            await own_redis.flushall()
        done = await Rebuild(own_redis, archive).run()
        assert (done.players, done.matches, done.restored) == (6, 60, 6 if lost == "everything" else 0)
        assert await shown(own_redis, people) == before, lost
        assert (await Rebuild(own_redis, archive).run()).restored == 0
        assert await shown(own_redis, people) == before, "done twice, it is the same"


async def test_what_is_not_archived_yet_still_counts(own_redis: Client, archive: Archive, rng: random.Random) -> None:
    people = await evening(own_redis, archive, rng, 6)
    seats = [await now(own_redis, one) for one in people[:2]]
    journal = journal_of(rng, "waiting2", seats, RULES[0], began_ms=2 * 10**12, most=40)
    found = await summary_of("waiting2", journal)
    await Ratings(own_redis).apply(found.record, found.ended_ms)
    before = await shown(own_redis, people)
    await Rebuild(own_redis, archive).run()
    assert await shown(own_redis, people) == before
    await Ratings(own_redis).apply(found.record, found.ended_ms)
    assert await shown(own_redis, people) == before, "and counts once"
    await archive.put(found, journal)
    await Rebuild(own_redis, archive).run()
    assert await shown(own_redis, people) == before, "wherever it is found"


async def test_who_has_gone_does_not_come_back(own_redis: Client, archive: Archive, rng: random.Random) -> None:
    people = await evening(own_redis, archive, rng, 6)
    await own_redis.flushall()
    await own_redis.set(keys.PLAYER_CLOSED(people[0].id), b"")
    await archive.players.forget(people[1].id)
    await Rebuild(own_redis, archive).run()
    assert [await own_redis.exists(keys.PLAYER(one.id)) for one in people] == [0, 0, 1, 1, 1, 1]


async def test_the_command_says_what_it_did(own_server: ServerProcess) -> None:
    async with Person(own_server.url) as white, Person(own_server.url) as black:
        await registered(white, black)
        match = await new_match(white, black, {"length": 1, "rated": True})
        await black.act(m.Forfeit, match)
        before = await until_played(white, white, 1)
        async with asyncio.timeout(PATIENCE_S):
            while isinstance(played := await white.look_back(m.History), m.Played) and not played.matches:  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)
        done = await asyncio.to_thread(run_program, "tavla-server", "rebuild", "--data", str(own_server.data))
        assert done.returncode == 0
        assert done.stdout == "2 ratings made anew from 1 rated matches; 0 of their players were missing\n"
        after = await until_played(white, white, 1)
        assert (after.rating, after.results) == (before.rating, before.results)


@pytest.mark.slow
def test_without_an_archive_there_is_nothing_to_rebuild_from() -> None:
    done = run_program("tavla-server", "rebuild", "--redis", "redis://127.0.0.1:1")
    assert (done.returncode, done.stderr) == (1, "tavla-server: there is no archive to rebuild from: give --archive\n")
