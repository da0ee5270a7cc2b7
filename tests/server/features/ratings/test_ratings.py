"""Rated tables, and what becomes of the ratings: once, though nodes die and however often it is done."""

import asyncio
import random

import pytest
from msgspec.structs import replace
from tavla_engine.match import Phase, new_match
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server import app
from tavla_server.features.ratings import ratings as standings_module
from tavla_server.features.ratings.ratings import Ratings
from tavla_server.limits import Limits
from tavla_server.match.unsettled_lists import UnsettledLists
from tavla_server.player import Player as Seat
from tavla_server.record.rating import Standing, Tally, rating_delta, weight
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to, text
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.players.accounts import career, registered, until_played
from tests.support.players.plain import Player, guests, played_on, refused, unique
from tests.support.players.plain import new_match as new_table
from tests.support.servers.processes import ServerProcess, Valkey, inside

RATED: dict[str, bool | int | str] = {"preset": "tournament", "length": 3, "rated": True}
MONEY: dict[str, bool | int | str] = {"preset": "money", "rated": True}  # a forfeit costs three cubes


# --- rated tables ---


async def test_guests_sit_at_no_rated_table(server: ServerProcess) -> None:
    async with Player(server.url) as guest, Player(server.url) as ada:
        await registered(ada)
        assert refused(await guest.ask(m.Create, rules=RATED)) == ErrorCode.ACCOUNT_NEEDED
        assert refused(await guest.ask(m.Seek, rules={"rated": True})) == ErrorCode.ACCOUNT_NEEDED
        snapshot = await ada.get(m.Snapshot, m.Create, rules=RATED)
        answer = await guest.get(m.Error, m.Join, table=snapshot.match)
        assert (answer.code, answer.text) == (
            ErrorCode.ACCOUNT_NEEDED,
            "rated tables are for accounts: register first, or play unrated",
        )
        await registered(guest)
        assert isinstance(await guest.ask(m.Join, table=snapshot.match), m.Snapshot), "now it may"


async def test_a_rated_match_moves_both_ratings_and_everyone_can_see_it(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black, Player(server.url) as watcher:
        for player in (white, black):
            await registered(player)
            assert (await career(watcher, player)).rating == 1500.0
        match = await new_table(white, black, RATED)
        assert white.matches[match].view.ratings == (1500, 1500)
        await played_on(match, white, black)
        await black.act(m.Forfeit, match)
        over = await white.until(match, lambda view: view.phase == "over")
        gain = rating_delta(Standing(), Standing(), 3, won=True)
        assert over.ratings == (round(1500 + gain), round(1500 - gain))
        won, lost = await until_played(watcher, white, 3), await until_played(watcher, black, 3)
        assert (won.kind, won.rating, lost.rating) == ("account", round(1500 + gain, 2), round(1500 - gain, 2))
        (line,) = won.results
        assert (line.match, line.opponent, line.length, line.score) == (match, black.name, 3, (0, 0))
        assert (line.change, line.rating) == (round(gain, 2), won.rating)
        assert lost.results[0].change == -line.change
        again = await new_table(white, black, RATED)
        assert white.matches[again].view.ratings == over.ratings, "the next match starts from there"


@pytest.mark.parametrize("terms", [{"private": True}, {"spectators": False}], ids=["private", "not to be watched"])
async def test_a_match_that_others_may_not_see_moves_no_rating_and_is_in_no_profile(
    valkey: Valkey, terms: dict[str, bool]
) -> None:
    async with inside(valkey.url) as url, guests(url, 3) as (white, black, other):
        for player in (white, black):
            await registered(player)
        assert refused(await white.ask(m.Create, rules=RATED, **terms)) == ErrorCode.BAD_RULES
        rules = {**RATED, "rated": False}
        opened = await white.get(m.Snapshot, m.Create, rules=rules, side="white", **terms)
        code = white.matches[opened.match].view.code
        assert isinstance(await black.ask(m.Join, table=opened.match, code=code), m.Snapshot)
        await white.until(opened.match, lambda view: view.game > 0)
        await white.act(m.Forfeit, opened.match)
        seen = await new_table(white, black, RATED)
        await black.act(m.Forfeit, seen)
        for asker in (white, black, other):
            async with asyncio.timeout(PATIENCE_S):
                while (found := await until_played(asker, white, 3)).left == (0, 0):  # noqa: ASYNC110 - counted later
                    await asyncio.sleep(PAUSE_S)
            assert [line.match for line in found.results] == [seen]
            assert (found.experience, found.left) == (3, (0, 1))


async def test_unrated_and_cancelled_tables_change_nothing(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        await registered(white)
        await registered(black)
        match = await new_table(white, black, {**RATED, "rated": False})
        await black.act(m.Forfeit, match)
        snapshot = await white.get(m.Snapshot, m.Create, rules=RATED)
        await white.ask(m.Cancel, match=snapshot.match)
        last = await new_table(white, black, RATED)
        await black.act(m.Forfeit, last)
        found = await until_played(white, black, 3)
        assert (found.experience, [line.match for line in found.results]) == (3, [last])


async def test_each_game_of_money_play_counts_and_a_sitting_is_one_line(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        await registered(white)
        await registered(black)
        match = await new_table(white, black, MONEY)
        now = [Standing(), Standing()]
        for game, loser in enumerate((black, black, white), 1):
            for player in (white, black):
                await player.until(match, lambda view, game=game: view.game == game)  # type: ignore[misc]
            await played_on(match, white, black)
            await loser.act(m.Forfeit, match)
            winner = int(loser is white)
            changes = [rating_delta(now[seat], now[1 - seat], 3, won=seat == winner) for seat in (0, 1)]
            now = [Standing(now[seat].rating + changes[seat], now[seat].experience + 3) for seat in (0, 1)]
            for player in (white, black):
                await player.until(match, lambda view: view.phase == "ready")
            found = await until_played(white, white, 3 * game)
            assert found.rating == pytest.approx(now[0].rating, abs=0.01)
            await white.act(m.Ready, match)
            await black.act(m.Ready, match)
        (line,) = (await career(black, white)).results
        assert (line.length, line.score) == (0, (6, 3))
        assert line.change == pytest.approx(now[0].rating - 1500, abs=0.01)
        await black.act(m.Forfeit, match)
        await white.until(match, lambda view: view.phase == "ready")
        assert isinstance(await white.act(m.Leave, match), m.Ok)
        async with asyncio.timeout(PATIENCE_S), connection_to(server.store_url) as redis:
            while not await redis.exists(f"{{m:{match}}}:rated"):
                pass


async def test_nobody_is_called_so(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        assert refused(await ada.ask(m.Profile, name=unique("x"))) == ErrorCode.NO_SUCH_PLAYER
        guest = await career(ada, ada)
        assert (guest.kind, guest.rating, guest.experience, guest.results) == ("guest", None, 0, [])


# --- once ---


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


async def test_what_a_master_has_lost_of_one_player_comes_back_when_another_has_taken_its_place(
    own_valkey: Valkey,
) -> None:
    async with inside(own_valkey.url) as url, guests(url, 2) as (white, black), connection_to(own_valkey.url) as redis:
        await registered(white)
        await registered(black)
        match = await new_table(white, black, RATED)
        await black.act(m.Forfeit, match)
        before = await until_played(white, white, 3)
        async with asyncio.timeout(PATIENCE_S):
            while not await redis.exists(f"{{m:{match}}}:rated"):
                pass
        assert white.name is not None
        id_ = text(await redis.get(f"name:{white.name.lower()}") or b"")
        await redis.hset(f"{{p:{id_}}}:player", mapping={"rating": 1500, "experience": 0, "changes": 0})
        await redis.delete(f"{{p:{id_}}}:rated", f"{{p:{id_}}}:history")
        await redis.client_kill_filter(_type="normal", skipme=True)  # to the server, as when its master has changed
        after = await until_played(white, white, 3)
        assert (after.rating, after.experience, after.results) == (before.rating, before.experience, before.results)


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


@pytest.mark.long
@pytest.mark.parametrize("looked_at", [True, False], ids=["when the match is looked at", "by whoever sweeps"])
async def test_a_process_that_dies_between_two_players_is_made_up_for(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch, looked_at: bool
) -> None:
    async def die(self: Ratings, record: Record, time_ms: int, forgotten: bool = False) -> None:
        await self.apply_to(record, 0, time_ms)
        await asyncio.Event().wait()

    with monkeypatch.context() as patch:
        patch.setattr(Ratings, "apply", die)
        patch.setattr(app, "STOP_S", 0.1)  # it is at it for ever
        async with inside(valkey.url) as here, Player(here) as white, Player(here) as black:
            await registered(white)
            await registered(black)
            match = await new_table(white, black, RATED)
            await played_on(match, white, black)
            await black.act(m.Forfeit, match)
            won = await until_played(white, white, 3)
            assert (await career(white, black)).rating == 1500.0
    async with (
        inside(valkey.url, Timings() if looked_at else Timings(left_ms=0, leftovers_s=0.1)) as there,
        Player(there) as watcher,
    ):
        if looked_at:
            await watcher.ask(m.Attach, table=match)
        lost = await until_played(watcher, black, 3)
        assert lost.rating == pytest.approx(3000 - (won.rating or 0))
        again = await career(watcher, white)
        assert (again.rating, again.results) == (won.rating, won.results), "once is enough"


@pytest.mark.long
async def test_kills_at_the_end_of_matches_move_ratings_once(own_server: ServerProcess, rng: random.Random) -> None:
    expected = [Standing(), Standing()]
    white, black = players = (Player(own_server.url), Player(own_server.url))
    for player in players:
        await player.open()
        await registered(player)
    for number in range(4):
        match = await new_table(white, black, RATED)
        loser = rng.randrange(2)
        await played_on(match, white, black)
        await players[loser].act(m.Forfeit, match)
        await asyncio.sleep(rng.choice((0, 0.001, 0.003, 0.01)))
        await asyncio.to_thread(own_server.kill, number % 2 == 0)  # with its store, or without
        await asyncio.to_thread(own_server.start)
        part = weight(number)  # they have met so often
        changes = [part * rating_delta(expected[seat], expected[1 - seat], 3, won=seat != loser) for seat in (0, 1)]
        expected = [
            Standing(old.rating + moved, old.experience + 3) for old, moved in zip(expected, changes, strict=True)
        ]
        for player in players:
            await player.open()
            await player.ask(m.Attach, table=match)  # it is done, at the latest, when the match is next looked at
        for player, standing in zip(players, expected, strict=True):
            found = await until_played(player, player, standing.experience)
            assert found.rating == pytest.approx(standing.rating, abs=0.006)
            assert found.experience == standing.experience
            assert len(found.results) == standing.experience // 3
    for player in players:
        await player.close()


# --- the leaderboard ---


async def test_the_leaderboard_shows_the_highest_first_of_those_who_have_met_enough(
    node: str, redis: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
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
