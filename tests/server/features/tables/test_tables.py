"""Conversations about tables: opening, finding, joining, watching and closing them."""

import asyncio
import gc
import secrets

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.cluster.feed import Feed
from tavla_server.features.tables.tables import Tables
from tavla_server.gateway.presence import Presence
from tavla_server.limits import Limits
from tavla_server.match import ids as match_ids
from tavla_server.match.session import Session
from tavla_server.player import Player as Guest
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to
from tavla_server.store.topology import find_topology

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.lobby import listed, until_listed
from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player, refused, unique
from tests.support.servers.cores import core_of
from tests.support.servers.handclock import HandClock
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.rigged.partner import ONE_POINT
from tests.support.servers.valkey import Valkey


async def test_a_row_that_is_made_late_says_when_the_match_began(valkey: Valkey) -> None:
    clock, match = HandClock(), f"m{secrets.token_hex(4)}"
    async with connection_to(valkey.url) as redis:
        feed = Feed(redis, await find_topology(valkey.url))
        index = Tables(core_of(redis=redis, feed=feed, clock=clock, presence=Presence(feed, clock, "here")))
        await index.enter(match, "ada")
        clock.move(5000)
        began_ms = clock.now_ms()
        clock.move(7000)
        await index.show(Record(match, players=(Guest("ada", "ada"), Guest("bob", "bob"))), 1, began_ms)
        assert await index.age_s(match) == 7


# --- open ---


async def test_an_open_table_is_shown_to_its_owner_and_in_the_lobby(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as other:
        snapshot = await ada.get(m.Snapshot, m.Create, rules={"preset": "tournament", "length": 5}, side="black")
        view = ada.matches[snapshot.match].view
        assert (snapshot.seat, snapshot.seq, snapshot.online) == (1, 1, (False, True))
        assert (view.name, view.players, view.phase, view.rules["length"]) == (ada.name, (None, ada.name), "open", 5)
        assert len(view.commitment) == 64
        assert view.seed == ""
        await until_listed(other, snapshot.match, "tables")
        line = await listed(other, snapshot.match)
        assert line is not None
        assert (line.name, line.players, line.rules) == (ada.name, (None, ada.name), {"length": 5})


async def test_tables_without_names_are_numbered(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        names = []
        for _ in range(3):
            snapshot = await ada.get(m.Snapshot, m.Create)
            names.append(ada.matches[snapshot.match].view.name)
        assert names == [ada.name, f"{ada.name}-2", f"{ada.name}-3"]


async def test_either_side_is_drawn(server: ServerProcess) -> None:
    seats: set[int | None] = set()
    async with Player(server.url) as ada, asyncio.timeout(PATIENCE_S):
        while seats != {0, 1}:
            snapshot = await ada.get(m.Snapshot, m.Create, name=unique("t"))
            seats.add(snapshot.seat)
            await ada.ask(m.Cancel, match=snapshot.match)


@pytest.mark.parametrize(
    "rules",
    [{"preset": "chess"}, {"length": -1}, {"length": "3"}, {"colour": "red"}, {"preset": "money", "crawford": True}],
)
async def test_rules_that_cannot_be_played_open_no_table(
    server: ServerProcess, rules: dict[str, bool | int | str]
) -> None:
    async with Player(server.url) as ada:
        assert refused(await ada.ask(m.Create, rules=rules)) == ErrorCode.BAD_RULES
        assert isinstance(await ada.ask(m.Create), m.Snapshot), "the name is still free"


async def test_a_match_is_attached_to_by_its_id_or_its_table(server: ServerProcess) -> None:
    async with Player(server.url) as maker, Player(server.url) as watcher:
        name = unique("by-name")
        snapshot = await maker.get(m.Snapshot, m.Create, name=name)
        for wanted in ({"match": snapshot.match}, {"table": snapshot.match}, {"table": name}):
            answer = await watcher.get(m.Snapshot, m.Attach, **wanted)
            assert answer.match == snapshot.match
        assert refused(await watcher.ask(m.Attach)) == "bad_message"
        assert refused(await watcher.ask(m.Attach, match="nothing")) == "no_such_match"


async def test_a_table_name_in_use_is_refused_without_regard_to_case(server: ServerProcess) -> None:
    name = unique("Table")
    async with Player(server.url) as ada, Player(server.url) as other:
        await ada.ask(m.Create, name=name)
        assert refused(await other.ask(m.Create, name=name.upper())) == ErrorCode.NAME_TAKEN
        async with Player(server.url, token=other.token) as again:
            assert again.playing == [], "nothing is left of the table that was not opened"


async def test_a_table_is_called_anything_and_found_by_that(server: ServerProcess) -> None:
    """No key or field of the store has free text in it."""
    ours = unique("Été {x} ")
    async with Player(server.url) as ada, Player(server.url) as other:
        opened = await ada.get(m.Snapshot, m.Create, name=f" {ours}\u202e ")
        assert opened.view["name"] == ours
        found = await other.get(m.Snapshot, m.Attach, table=ours.upper())
        assert found.match == opened.match
        assert refused(await other.ask(m.Create, name=f"{ours}\u200b")) == ErrorCode.NAME_TAKEN
        async with connection_to(server.store_url) as redis:
            assert all(name.isascii() for name in await redis.hgetall(keys.TABLE_NAMES()))
        for wrong, code in (("\u200b", ErrorCode.NOTHING_SAID), ("x" * 41, "bad_message"), ("x" * 121, "bad_message")):
            assert refused(await other.ask(m.Create, name=wrong)) == code


async def test_a_table_does_not_bear_another_players_name(server: ServerProcess) -> None:
    async with Player(server.url, name=unique("Ali")) as ada, Player(server.url) as other:
        assert ada.name is not None
        for name in (ada.name, ada.name.upper(), f"_{ada.name}", ada.name.replace("l", "1")):
            answer = await other.ask(m.Create, name=name)
            assert refused(answer) == ErrorCode.NAME_RESERVED
        for name in ("__proto__", "Support", "official-cup", "m0derators"):
            assert refused(await other.ask(m.Create, name=name)) == ErrorCode.NAME_RESERVED
        async with Player(server.url, token=other.token) as again:
            assert again.playing == [], "nothing is left of the tables that were not opened"
        snapshot = await ada.ask(m.Create, name=ada.name)
        assert isinstance(snapshot, m.Snapshot), "but its own"
        await ada.ask(m.Cancel, match=snapshot.match)


async def test_a_create_that_is_sent_twice_opens_one_table(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        id_ = ada.new_id()
        first = await ada.ask(m.Create, id=id_)
        second = await ada.ask(m.Create, id=id_)
        assert isinstance(first, m.Snapshot)
        assert first == second


async def test_a_name_that_was_reserved_for_a_table_that_never_came_is_free(valkey: Valkey) -> None:
    name = unique("ghost")
    async with connection_to(valkey.url) as redis, inside(valkey.url) as url, Player(url) as ada:
        await redis.hset("tables:names", name, "nobody")
        assert isinstance(await ada.ask(m.Create, name=name), m.Snapshot)


@pytest.mark.parametrize("limits", [Limits(tables=2)])
async def test_a_player_has_a_limited_number_of_tables(node: str) -> None:
    async with Player(node) as ada:
        for _ in range(2):
            snapshot = await ada.ask(m.Create, name=unique("t"))
        assert refused(await ada.ask(m.Create, name=unique("t"))) == ErrorCode.TOO_MANY
        assert isinstance(snapshot, m.Snapshot)
        await ada.ask(m.Cancel, match=snapshot.match)
        await until_listed(ada, snapshot.match, None)
        await ask_until(lambda: ada.ask(m.Create, name=unique("t")), lambda found: not isinstance(found, m.Error))


@pytest.mark.parametrize("limits", [Limits(tables=1)])
async def test_what_never_began_does_not_count_for_that(node: str, redis: Client) -> None:
    async with Player(node) as ada:
        await redis.sadd(keys.PLAYER_PLAYED(ada.id), "m-of-a-process-that-died")
        assert isinstance(await ada.ask(m.Create), m.Snapshot)
        assert refused(await ada.ask(m.Create)) == ErrorCode.TOO_MANY


@pytest.mark.parametrize("limits", [Limits(bot_tables=40)])
async def test_a_program_that_gives_no_names_has_as_many_tables_as_it_may(node: str) -> None:
    """More than a person: the 33rd, too, gets a name of its own. A name that is free again comes first."""
    async with Player(node, hello={"name": unique("bot"), "bot": True}) as bot:
        made = []
        for _ in range(40):
            snapshot = await bot.get(m.Snapshot, m.Create)
            made.append(snapshot)
        names = [snapshot.view["name"] for snapshot in made]
        own = names[0]
        assert names == [own, *(f"{own}-{number}" for number in range(2, 41))]
        assert refused(await bot.ask(m.Create)) == ErrorCode.TOO_MANY
        await bot.ask(m.Cancel, match=made[6].match)
        await until_listed(bot, made[6].match, None)
        again = await ask_until(lambda: bot.ask(m.Create), lambda again: isinstance(again, m.Snapshot))
        assert isinstance(again, m.Snapshot)
        assert again.view["name"] == f"{own}-7"


async def test_matches_that_are_over_are_forgotten_though_nobody_detaches(valkey: Valkey) -> None:
    """A program that plays for long follows those that it has played last."""
    async with inside(valkey.url, limits=Limits(followed_over=3)) as url, Player(url) as white, Player(url) as black:
        played = []
        for _ in range(8):
            match = await new_match(white, black)
            await black.act(m.Forfeit, match)
            await white.until(match, lambda view: view.phase == "over")
            played.append(match)
        assert followed_of(played) == set(played[-3 - 1 :])
        assert isinstance(await white.ask(m.Attach, table=played[0]), m.Snapshot), "who asks for an older one sees it"


def followed_of(matches: list[str]) -> set[str]:
    """Some matches, that a connection to a server in this process follows."""
    sessions = [one for one in gc.get_objects() if type(one) is Session and one.audience.outboxes]
    return {session.record.id for session in sessions} & set(matches)


async def test_a_match_id_that_others_have_opens_no_table(node: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_match(node) as (_, _, old), Player(node) as ada:
        monkeypatch.setattr(match_ids, "of_request", lambda player, id_: old)
        assert refused(await ada.ask(m.Create)) == ErrorCode.NAME_TAKEN


async def test_nobody_plays_at_an_open_table(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        opened = await ada.get(m.Snapshot, m.Create)
        answer = await ada.act(m.Roll, opened.match)
        assert isinstance(answer, m.Error)
        assert (answer.code, answer.text) == ("wrong_phase", "the match has not begun: nobody sits opposite you")


async def test_a_match_is_claimed_from_one_who_is_away_and_while_it_is_played(server: ServerProcess) -> None:
    async with at_match(server.url, {"length": 1, "clock": "slow"}) as (white, black, match):
        for text in ("your opponent is here", "this match is not being played"):
            answer = await white.act(m.Claim, match)
            assert isinstance(answer, m.Error)
            assert (answer.code, answer.text) == (ErrorCode.NO_CLAIM, text)
            await black.act(m.Forfeit, match)


# --- join ---


async def test_joining_starts_the_match_for_both(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match):
        ours, theirs = white.matches[match], black.matches[match]
        assert (ours.seat, theirs.seat) == (0, 1)
        assert ours.view == theirs.view
        assert (ours.view.phase, ours.view.game) == ("move", 1)
        assert ours.online == theirs.online == (True, True)


async def test_a_table_called_like_the_match_of_others_does_not_hide_it(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, _, match), Player(server.url) as mean:
        await mean.ask(m.Create, name=match)
        found = await white.get(m.Snapshot, m.Attach, table=match)
        assert found.match == match


@pytest.mark.parametrize("request_", [m.Join, m.Attach])
async def test_an_unknown_table_is_refused(server: ServerProcess, request_: type[m.Join | m.Attach]) -> None:
    async with Player(server.url) as ada:
        assert refused(await ada.ask(request_, table="no-such-table")) == ErrorCode.NO_SUCH_MATCH
        assert refused(await ada.ask(request_, table="aaaaaaaa")) == ErrorCode.NO_SUCH_MATCH


async def test_a_third_finds_no_seat_and_joining_again_changes_nothing(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match), Player(server.url) as third:
        before = black.matches[match].seq
        assert refused(await third.ask(m.Join, table=match)) == ErrorCode.TABLE_FULL
        for player, seat in ((white, 0), (black, 1)):
            again = await player.get(m.Snapshot, m.Join, table=match)
            assert (again.seq, again.seat) == (before, seat)


async def test_of_many_who_join_at_once_one_sits_down(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        snapshot = await ada.get(m.Snapshot, m.Create)
        many = [Player(server.url) for _ in range(8)]
        await asyncio.gather(*(player.open() for player in many))
        answers = await asyncio.gather(*(player.ask(m.Join, table=snapshot.match) for player in many))
        assert sum(isinstance(answer, m.Snapshot) for answer in answers) == 1
        assert [answer.code for answer in answers if isinstance(answer, m.Error)] == [ErrorCode.TABLE_FULL] * 7
        for player, answer in zip(many, answers, strict=True):
            async with Player(server.url, token=player.token) as again:
                assert again.playing == [snapshot.match] * isinstance(answer, m.Snapshot)
        await asyncio.gather(*(player.close() for player in many))


# --- close ---


async def test_a_cancelled_table_is_over_unlisted_and_its_name_free(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as watcher:
        snapshot = await ada.get(m.Snapshot, m.Create)
        await watcher.ask(m.Attach, table=snapshot.match)
        assert refused(await watcher.ask(m.Cancel, match=snapshot.match)) == ErrorCode.NOT_SEATED
        cancelled = await ada.get(m.Ok, m.Cancel, match=snapshot.match)
        assert cancelled.seq == 2
        again = await ada.get(m.Ok, m.Cancel, match=snapshot.match)
        assert again.seq == 2, "once is enough"
        assert (await watcher.reach(snapshot.match, 2)).phase == "over"
        assert refused(await watcher.ask(m.Join, table=snapshot.match)) == ErrorCode.TABLE_FULL
        await until_listed(ada, snapshot.match, None)
        assert isinstance(await ada.ask(m.Create), m.Snapshot), "its name is free"


async def test_a_match_that_has_begun_cannot_be_cancelled(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match):
        seq = white.matches[match].seq
        for player in (white, black):
            assert refused(await player.ask(m.Cancel, match=match)) == ErrorCode.TABLE_FULL
        assert white.matches[match].seq == seq


async def test_the_name_of_a_finished_match_is_free(server: ServerProcess) -> None:
    name = unique("t")
    async with Player(server.url) as white, Player(server.url) as black:
        for _ in range(2):
            snapshot = await white.ask(m.Create, name=name, rules=ONE_POINT, side="white")
            assert isinstance(snapshot, m.Snapshot), "free again, at once"
            await black.ask(m.Join, table=name)
            await white.reach(snapshot.match, 2)
            answer = await black.act(m.Forfeit, snapshot.match)
            assert isinstance(answer, m.Ok)
            assert (await white.until(snapshot.match, lambda view: view.phase == "over")).seed
            await until_listed(black, snapshot.match, None)
