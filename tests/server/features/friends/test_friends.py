"""Players who follow others: what they are told, and what nobody is told."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import PEOPLE
from tavla_server.delivery.fanout import SLICE
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.accounts.passwords import Passwords
from tavla_server.features.friends.friend_notices import FriendNotices
from tavla_server.features.friends.friend_store import FriendStore
from tavla_server.features.leaving.merges import AccountMerges
from tavla_server.limits import Limits
from tavla_server.player import Player as Identity
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.timings import Timings

from tests.support.patience import wait_until
from tests.support.players.accounts import SECRET, registered
from tests.support.players.lobby import Watch
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, refused
from tests.support.servers.handclock import HandClock
from tests.support.servers.processes import NewServer, ServerProcess, inside
from tests.support.servers.rooms import Person, node_on
from tests.support.servers.valkey import Valkey

AT_ONCE = Timings(friend_quiet_s=0.0)


async def listed(player: Player, notices: bool = True) -> dict[str, m.Followed]:
    """The list of a player, whose connection gets notices from now on, or no longer."""
    answer = await player.get(m.Following, m.Friends, notices=notices)
    return answer.friends


async def follow(player: Player, *others: Player, on: bool = True) -> None:
    for other in others:
        assert isinstance(await player.ask(m.Follow, player=other.name, on=on), m.Ok)


async def told(player: Player, of: Player) -> m.Friend:
    """The next notice of a player."""
    found = await player.find(lambda message: isinstance(message, m.Friend) and message.name == of.name)
    assert isinstance(found, m.Friend)
    return found


async def opens(player: Player, *followers: Player) -> str:
    """A player opens a table, of which these followers are told; its id."""
    table = await player.get(m.Snapshot, m.Create, rules={"length": 1})
    for follower in followers:
        assert await told(follower, player) == m.Friend(name=player.name or "", what="opened", match=table.match)
    return table.match


def notices(received: list[Any]) -> list[m.Friend]:
    return [message for message in received if isinstance(message, m.Friend)]


async def people(stack: AsyncExitStack, *urls: str) -> list[Player]:
    """Players with accounts, each at its server. All of the servers know that they have come."""
    players = [await registered(await stack.enter_async_context(Player(url))) for url in urls]
    names = {player.name for player in players}
    for url in {*urls}:
        async with Player(url) as spectator:
            lobby = Watch(spectator)
            await lobby.follow("people")
            await lobby.until("people", lambda rows: names <= rows.keys())
    return players


async def test_a_friend_comes_opens_a_table_and_plays(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url, AT_ONCE) as url, AsyncExitStack() as stack:
        ada, bob, eve = await people(stack, url, url, url)
        await follow(ada, bob, eve)
        assert await listed(ada) == {
            player.name: m.Followed(kind="account", rating=1500, online=True) for player in (bob, eve)
        }
        lobby = Watch(eve)
        await lobby.follow("people")
        await bob.close()
        await lobby.until("people", lambda rows: bob.name not in rows)
        assert not (await listed(ada))[bob.name or ""].online
        await bob.open()
        assert await told(ada, bob) == m.Friend(name=bob.name or "", what="came")
        match = await new_match(bob, eve)
        assert [(await told(ada, bob)).what for _ in range(2)] == ["opened", "plays"]
        assert ada.log[-1] == m.Friend(name=bob.name or "", what="plays", match=match, opponent=eve.name)
        assert isinstance(await ada.ask(m.Attach, table=match), m.Snapshot)
        assert (await listed(ada))[eve.name or ""].match == match
        assert notices(await ada.sync()) == [], "of one match there is one notice"
        await follow(ada, bob, on=False)
        assert (await listed(ada)).keys() == {eve.name}
        await opens(bob)
        await eve.ask(m.Create, private=True)
        await eve.ask(m.Create, opponent="computer")
        table = await opens(eve, ada)
        assert (await listed(ada))[eve.name or ""].table == table, "where anybody may sit down"
        assert notices(await ada.sync()) == []
        assert notices([*bob.log, *eve.log]) == [], "nobody is told who follows them"


async def test_the_same_is_not_told_again_soon_nor_to_who_did_not_ask(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url) as url, AsyncExitStack() as stack:
        ada, bob, eve = await people(stack, url, url, url)
        silent = await stack.enter_async_context(Player(url, token=ada.token))
        await follow(ada, bob, eve)
        await listed(ada)
        await bob.ask(m.Cancel, match=await opens(bob, ada))
        await bob.close()
        await bob.open()
        await opens(bob)
        await opens(eve, ada)
        await listed(ada, notices=False)
        await new_match(eve, bob)
        assert notices(await ada.sync()) == []
        await silent.sync()
        assert notices(silent.log) == []


@pytest.mark.parametrize("limits", [Limits(friends=1)])
async def test_who_cannot_be_followed_and_by_whom(own_valkey: Valkey, limits: Limits) -> None:
    async with inside(own_valkey.url, AT_ONCE, limits) as url, AsyncExitStack() as stack:
        ada, bob, eve = await people(stack, url, url, url)
        guest = await stack.enter_async_context(Player(url))
        refusals = [
            (guest, bob.name, ErrorCode.ACCOUNT_NEEDED),
            (ada, guest.name, ErrorCode.NOT_FOLLOWED),
            (ada, "nobody-at-all", ErrorCode.NO_SUCH_PLAYER),
            (ada, ada.name, ErrorCode.NO_SUCH_PLAYER),
        ]
        for player, name, code in refusals:
            assert refused(await player.ask(m.Follow, player=name)) == code
        assert refused(await guest.ask(m.Followers, on=False)) == ErrorCode.ACCOUNT_NEEDED
        assert await listed(guest) == {}
        await follow(ada, bob, bob)
        assert refused(await ada.ask(m.Follow, player=eve.name)) == ErrorCode.TOO_MANY
        await ada.ask(m.Ignore, player=bob.name)
        assert refused(await ada.ask(m.Follow, player=bob.name)) == ErrorCode.NOT_FOLLOWED
        assert await listed(ada) == {}, "to ignore a friend ends that"
        await follow(ada, eve)


async def test_one_may_refuse_to_be_followed(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url, AT_ONCE) as url, AsyncExitStack() as stack:
        ada, bob, eve = await people(stack, url, url, url)
        await follow(ada, bob, eve)
        await listed(ada)
        assert isinstance(await bob.ask(m.Followers, on=False), m.Ok)
        assert await bob.ask(m.Friends, id=7) == m.Following(id=7, followers=False)
        assert refused(await eve.ask(m.Follow, player=bob.name)) == ErrorCode.NOT_FOLLOWED
        await opens(bob)
        await opens(eve, ada)
        assert (await listed(ada))[bob.name or ""].shy
        await opens(bob)
        await opens(eve, ada)
        assert notices(await ada.sync()) == []
        await bob.ask(m.Followers, on=True)
        await opens(bob, ada)


async def test_who_is_ignored_learns_nothing_on_any_node(own_valkey: Valkey) -> None:
    async with (
        inside(own_valkey.url, AT_ONCE) as here,
        inside(own_valkey.url, AT_ONCE) as there,
        AsyncExitStack() as stack,
    ):
        ada, bob, eve = await people(stack, here, there, there)
        again = await stack.enter_async_context(Player(there, token=ada.token))
        await listed(ada)
        await listed(again)
        await follow(ada, bob, eve)
        await follow(bob, ada)
        await opens(bob, ada, again)
        assert isinstance(await bob.ask(m.Ignore, player=ada.name), m.Ok)
        assert await listed(bob) == {}, "nor is who is ignored followed any more"
        await opens(bob)
        await opens(eve, ada, again)
        for player in (ada, again):
            assert notices(await player.sync()) == []
            row = (await listed(player))[bob.name or ""]
            assert (row.online, row.shy, row.table != "") == (True, False, True), "as the lobby shows to all"
        await follow(ada, bob)  # as if nothing were
        await opens(bob)
        await opens(eve, ada, again)
        for player in (ada, again):
            assert notices(await player.sync()) == []
        await bob.ask(m.Ignore, player=ada.name, on=False)
        await opens(bob, ada, again)


async def test_who_follows_is_known_after_a_kill(own_server: ServerProcess) -> None:
    async with AsyncExitStack() as stack:
        ada, bob = await people(stack, own_server.url, own_server.url)
        await follow(ada, bob)
        await bob.ask(m.Followers, on=False)
        own_server.kill(store=True)
        own_server.restart()
        await ada.open()
        row = (await listed(ada))[bob.name or ""]
        assert row.shy


async def test_a_follower_whose_node_is_killed_is_told_by_another(
    new_server: NewServer, own_valkey: Valkey, tmp_path: Path
) -> None:
    here, there = (new_server("--redis", own_valkey.url, data=tmp_path / name) for name in ("here", "there"))
    for node in (here, there):
        node.start()
    async with AsyncExitStack() as stack:
        bob, ada = await people(stack, here.url, there.url)
        await follow(ada, bob)
        await listed(ada)
        await opens(bob, ada)
        there.kill()
        await ada.close()
        ada.url = here.url
        await ada.open()
        assert (await listed(ada)).keys() == {bob.name}
        await opens(bob, ada)


async def test_a_list_outlives_merges_and_who_is_closed_goes(own_valkey: Valkey, own_redis: Client) -> None:
    async with inside(own_valkey.url, AT_ONCE) as url, AsyncExitStack() as stack:
        ada, old, bob, eve = await people(stack, url, url, url, url)
        await follow(ada, old, eve)
        await follow(old, eve, bob)
        accounts = Accounts(own_redis, Clock(), Passwords(Limits()))
        merges = AccountMerges(own_redis, accounts, None)
        for _ in range(2):
            await merges.merge(
                Identity(old.id, old.name or "", "account", 1500.0), await accounts.player_of_name(bob.name or "")
            )
        assert (await listed(ada)).keys() == {bob.name, eve.name}
        assert (await listed(bob)).keys() == {eve.name}, "nobody follows themselves"
        await opens(bob, ada)
        assert isinstance(await eve.ask(m.CloseAccount, password=SECRET), m.Ok)
        assert (await listed(ada)).keys() == {bob.name}
        assert await own_redis.smembers(keys.PLAYER_FRIENDS(ada.id)) == {bob.id.encode()}
        assert not await own_redis.exists(keys.PLAYER_FRIENDS(old.id), keys.PLAYER_FRIENDS(eve.id))


async def test_a_crowd_of_followers_is_told_in_slices(own_valkey: Valkey) -> None:
    count = 4 * SLICE
    async with node_on(own_valkey.url) as node:
        core = node.core._replace(timings=Timings(friend_quiet_s=0.0))
        friends = FriendNotices(core, FriendStore(core), node.tables)
        await own_account(node.redis, "star")
        crowd = [Person(Identity(f"p{number}", f"p{number}", "account", 1500.0)) for number in range(count)]
        for follower in crowd:
            await node.redis.sadd(keys.PLAYER_FRIENDS(follower.player.id), "star")
            await friends.follow_list(follower.player.id, follower.outbox, notices=True)
        asyncio.get_running_loop().call_soon(count_written := written(crowd))
        node.presence.arrive(Person(Identity("star", "star", "account", 1500.0)))
        await wait_until(lambda: count_written() == count)
        assert {follower.sink.writes for follower in crowd} == {1}


async def test_who_was_there_a_moment_ago_has_not_come_for_a_follower_who_comes_back_first_either(
    own_valkey: Valkey,
) -> None:
    async with node_on(own_valkey.url) as node:
        clock = HandClock()
        core = node.core._replace(clock=clock, timings=Timings(friend_quiet_s=120.0))
        friends = FriendNotices(core, FriendStore(core), node.tables)
        clock.move(3_600_000)  # the node has run for an hour; another, on which both were, is stopped
        stars = [Person(Identity(name, name, "account", 1500.0)) for name in ("moved", "new")]
        follower = Person(Identity("p", "p", "account", 1500.0))
        for star in stars:
            await own_account(node.redis, star.player.id)
            await node.redis.sadd(keys.PLAYER_FRIENDS("p"), star.player.id)

        async def come_and_go(star: Person) -> None:
            node.presence.arrive(star)
            await wait_until(lambda: node.feed.rows(PEOPLE).of(star.player.id))
            node.presence.depart(star)
            await wait_until(lambda: not node.feed.rows(PEOPLE).of(star.player.id))

        def writes() -> int:
            return follower.sink.writes

        await come_and_go(stars[0])
        await friends.follow_list("p", follower.outbox, notices=True)
        clock.move(10_000)
        await come_and_go(stars[0])
        assert writes() == 0
        await come_and_go(stars[1])
        await wait_until(lambda: writes() == 1)
        await friends.follow_list("p", follower.outbox, notices=True)  # the page is loaded again
        await come_and_go(stars[1])
        assert writes() == 1
        clock.move(120_000)
        await come_and_go(stars[0])
        await wait_until(lambda: writes() == 2)


def written(crowd: list[Person]) -> Callable[[], int]:
    """The number of a crowd that were written to; never more than a slice of them between two looks."""
    seen = 0

    def look() -> int:
        nonlocal seen
        now = sum(follower.sink.writes for follower in crowd)
        assert now - seen <= SLICE, "others had their turn"
        seen = now
        if now < len(crowd):
            asyncio.get_running_loop().call_soon(look)
        return now

    return look


async def own_account(redis: Client, name: str) -> None:
    fields = {"name": name, "kind": "account", "rating": "1500"}
    for field, value in fields.items():
        await redis.hset(keys.PLAYER(name), field, value)
