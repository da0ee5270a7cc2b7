"""Tallies of matches, brought to the ratings: each once, in whatever order they come."""

import asyncio

import pytest
from msgspec.structs import replace
from tavla_engine.match import Phase, new_match
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_server.features.ratings import ratings as standings_module
from tavla_server.features.ratings.ratings import Ratings
from tavla_server.limits import Limits
from tavla_server.match.unsettled_lists import UnsettledLists
from tavla_server.player import Player as Seat
from tavla_server.record.rating import Tally
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.client import Client, text

from tests.support.players.plain import Player, unique


async def account(redis: Client) -> Seat:
    """A player whose rating can change."""
    player = Seat(unique("i"), unique("p"), "account", 1500.0)
    await redis.hset(
        f"{{p:{player.id}}}:player", mapping={"name": player.name, "kind": "account", "rating": 1500, "experience": 0}
    )
    return player


def rated(white: Seat, black: Seat, *tallies: Tally) -> list[Record]:
    """A match at several moments."""
    match = new_match(preset("money", {"rated": True}))
    return [Record("m" + white.id[-7:], players=(white, black), match=match, tally=tally) for tally in tallies]


async def ratings(redis: Client, *players: Seat) -> list[tuple[float, int]]:
    """Rating and experience, as they stand in the store."""
    rows = [await redis.hmget(f"{{p:{player.id}}}:player", "rating", "experience") for player in players]
    return [(float(rating or 0), int(experience or 0)) for rating, experience in rows]


FIRST, SECOND = Tally(1, (10.25, -10.25), 1), Tally(2, (5.1, -3.3), 4)


@pytest.mark.parametrize("order", [(0,), (0, 0), (0, 1), (1,), (1, 0), (0, 1, 0, 1), (1, 1, 0, 0)], ids=str)
async def test_a_tally_counts_once_in_whatever_order_it_comes(redis: Client, order: tuple[int, ...]) -> None:
    white, black = await account(redis), await account(redis)
    records = rated(white, black, FIRST, SECOND)
    for index in order:
        await Ratings(redis).apply(records[index], 7)
    tally = records[max(order)].tally
    for (rating, experience), moved in zip(await ratings(redis, white, black), tally.changes, strict=True):
        assert rating == pytest.approx(1500 + moved)
        assert experience == tally.experience
    assert await redis.llen(f"{{p:{white.id}}}:history") == 1


async def test_many_who_apply_the_same_at_once_change_it_once(redis: Client) -> None:
    white, black = await account(redis), await account(redis)
    (record,) = rated(white, black, FIRST)
    await asyncio.gather(*(Ratings(redis).apply(record, 7) for _ in range(20)))
    assert await ratings(redis, white, black) == [(1510.25, 1), (1489.75, 1)]


async def test_matches_at_the_same_time_add_up(redis: Client) -> None:
    white, black, third = await account(redis), await account(redis), await account(redis)
    (one,), (other,) = rated(white, black, FIRST), rated(third, white, FIRST)
    await asyncio.gather(*(Ratings(redis).apply(record, 7) for record in (one, other)))
    assert (await ratings(redis, white))[0] == (1500.0, 2)


async def test_the_leaderboard_shows_the_highest_first_of_those_who_have_met_enough(node: str, redis: Client) -> None:
    await redis.delete(*standings_module.BOARD)
    *players, fifth, sixth = [await account(redis) for _ in range(7)]
    for number, player in enumerate(players):
        for opponent in [*players, sixth]:
            if opponent is not player:
                record = rated(player, opponent, Tally(1, (number + 1.0, -number - 1.0), 1))[0]
                await Ratings(redis).apply_to(replace(record, id=unique("m")), 0, 7)
    for opponent in [*players[:4], players[0]]:
        record = rated(fifth, opponent, Tally(1, (90.0, -90.0), 1))[0]
        await Ratings(redis).apply_to(replace(record, id=unique("m")), 0, 7)
    for _ in range(6):  # who was forfeited to at once has met nobody
        record = rated(fifth, await account(redis), Tally(1, (0.0, -9.0), 1))[0]
        await Ratings(redis).apply_to(replace(record, id=unique("m")), 0, 7)
    async with Player(node) as asker:
        top = await asker.get(m.Leaders, m.Top)
        names = [player.name for player in reversed(players)]
        assert [(line.name, line.rating) for line in top.leaders] == [
            (name, 1500.0 + 5 * (5 - at)) for at, name in enumerate(names)
        ]
        few = await Ratings(redis, Limits(leaders=2)).leaders()
        assert [player.name for player in few] == names[:2]


async def test_what_old_matches_did_is_forgotten_and_still_done_once(own_redis: Client) -> None:
    """Only of those that are over, and for a day not even of them."""
    standings, white = Ratings(own_redis, Limits(career=2)), await account(own_redis)
    records = []
    for number in range(6):
        (record,) = rated(white, await account(own_redis), FIRST)
        over = replace(record, id=unique("m"), match=replace(record.match, phase=Phase.OVER))
        records.append(record if number == 1 else over)
        await own_redis.xadd(keys.MATCH_LOG(records[number].id), {"e": b""})
    day_ms = standings_module.SURE_MS
    for number, record in enumerate(records[:5]):
        await standings.apply(record, number)
        await UnsettledLists(own_redis).settled(record, number)
    marks, history = f"{{p:{white.id}}}:rated", f"{{p:{white.id}}}:history"
    assert await own_redis.hlen(marks) == await own_redis.llen(history) == 5, "all of them of today"
    await standings.apply(records[5], day_ms + 2)
    await UnsettledLists(own_redis).settled(records[5], day_ms + 2)
    kept = {text(field) for field in await own_redis.hkeys(marks)}
    assert kept == {records[number].id for number in (1, 3, 4, 5)}, "the second may go on"
    assert [text(match) for match in await own_redis.lrange(history, 0, -1)] == [records[n].id for n in (5, 4, 3)]
    before = await ratings(own_redis, white)
    for number, record in enumerate(records):
        if not await own_redis.exists(keys.MATCH_RATED(record.id)):  # else it is not settled again
            await standings.apply(record, number)
    assert await ratings(own_redis, white) == before
    assert before[0] == (1500 + 6 * 10.25, 6)
    assert [line.match for line in (await standings.career(white)).results] == [records[n].id for n in (5, 4)]


async def test_the_history_is_bounded(redis: Client) -> None:
    standings, white = Ratings(redis, Limits(career=3)), await account(redis)
    opponents = [await account(redis) for _ in range(5)]
    for black in opponents:
        (record,) = rated(white, black, FIRST)
        await standings.apply(replace(record, id=black.id), 7)
    found = await standings.career(white)
    assert [line.opponent for line in found.results] == [black.name for black in opponents[:1:-1]]
