"""Rated tables, and what becomes of the ratings: once, though nodes die and however often it is done."""

import asyncio
import random
from functools import partial

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server import app
from tavla_server.features.ratings.ratings import Ratings
from tavla_server.record.rating import Standing, rating_delta, weight
from tavla_server.record.state import Record
from tavla_server.store.client import connection_to, text
from tavla_server.timings import Timings

from tests.support.patience import ask_until
from tests.support.players.accounts import career, registered, until_played
from tests.support.players.matches import new_match as new_table
from tests.support.players.matches import played_on
from tests.support.players.plain import Player, guests, refused, unique
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey
from tests.support.tries import MANY

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
        await registered(white, black)
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
            found = await ask_until(partial(until_played, asker, white, 3), lambda found: found.left != (0, 0))
            assert [line.match for line in found.results] == [seen]
            assert (found.experience, found.left) == (3, (0, 1))


async def test_unrated_and_cancelled_tables_change_nothing(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        await registered(white, black)
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
        await registered(white, black)
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
        async with connection_to(server.store_url) as redis:
            await ask_until(lambda: redis.exists(f"{{m:{match}}}:rated"))


async def test_nobody_is_called_so(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        assert refused(await ada.ask(m.Profile, name=unique("x"))) == ErrorCode.NO_SUCH_PLAYER
        guest = await career(ada, ada)
        assert (guest.kind, guest.rating, guest.experience, guest.results) == ("guest", None, 0, [])


# --- once ---


async def test_what_a_master_has_lost_of_one_player_comes_back_when_another_has_taken_its_place(
    own_valkey: Valkey,
) -> None:
    async with inside(own_valkey.url) as url, guests(url, 2) as (white, black), connection_to(own_valkey.url) as redis:
        await registered(white, black)
        match = await new_table(white, black, RATED)
        await black.act(m.Forfeit, match)
        before = await until_played(white, white, 3)
        await ask_until(lambda: redis.exists(f"{{m:{match}}}:rated"))
        assert white.name is not None
        id_ = text(await redis.get(f"name:{white.name.lower()}") or b"")
        await redis.hset(f"{{p:{id_}}}:player", mapping={"rating": 1500, "experience": 0, "changes": 0})
        await redis.delete(f"{{p:{id_}}}:rated", f"{{p:{id_}}}:history")
        await redis.client_kill_filter(_type="normal", skipme=True)  # to the server, as when its master has changed
        after = await until_played(white, white, 3)
        assert (after.rating, after.experience, after.results) == (before.rating, before.experience, before.results)


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
            await registered(white, black)
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
    for number in range(4 if MANY else 2):
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
