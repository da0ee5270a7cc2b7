"""Two players that are one person: what was either's is the one's, once, wherever it dies in the middle."""

import asyncio
import itertools
import random
from pathlib import Path
from typing import Any

import pytest
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode, ErrorCode
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import TABLES
from tavla_server.commands.administrator import administrator
from tavla_server.errors import StoreUnavailable
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.accounts.passwords import Passwords
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.archiver import Archiver
from tavla_server.features.archive.summary import replay
from tavla_server.features.leaving.merges import AccountMerges
from tavla_server.features.ratings.ratings import Ratings
from tavla_server.features.ratings.rebuild import Rebuild
from tavla_server.limits import Limits
from tavla_server.match.journal import Journal
from tavla_server.options import Options
from tavla_server.player import Player as Person
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to
from tavla_server.store.router import Router
from tavla_server.store.topology import find_topology
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, PAUSE_S, ask_until
from tests.support.players.accounts import SECRET, career, registered, until_led_by, until_played
from tests.support.players.matches import new_match, played_on
from tests.support.players.plain import Player, close_code, guests, refused
from tests.support.servers.cores import core_of
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.finished import journal_of, match_id, player, put_into
from tests.support.stores.journals import unsettled
from tests.support.tries import MANY

RATED: dict[str, bool | int | str] = {"length": 1, "rated": True}
RULES = preset("tournament", {"length": 3, "rated": True})
OLDEST, OLD, INTO = (Person(16 * name[0], name, "account", 1500.0) for name in ("eva", "ada", "bea"))


async def merged_everywhere(redis: Client) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while await redis.hlen(keys.ARCHIVE_MERGING()) or await unsettled(redis):  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_S)


FEW = Limits(opponents=1)  # to be on the leaderboard


async def beaten(winner: Player, loser: Player, experience: int) -> str:
    """A rated match that the loser gives up."""
    match = await new_match(winner, loser, RATED)
    await played_on(match, winner, loser)
    await loser.act(m.Forfeit, match)
    await until_played(winner, winner, experience)
    return match


async def matches_of(asker: Player, name: str | None) -> set[str]:
    played = await asker.look_back(m.History, name=name)
    assert isinstance(played, m.Played), played
    return {row.match for row in played.matches}


async def test_who_had_two_accounts_has_one(own_valkey: Valkey, own_redis: Client, tmp_path: Path) -> None:
    archive = f"sqlite:///{tmp_path}/archive.sqlite3"
    async with (
        inside(own_valkey.url, Timings(leftovers_s=0.1), FEW, archive=archive, archive_grace=0.0) as url,
        guests(url, 4) as (old, ada, bob, eve),
    ):
        await registered(old, password="old horse")
        await registered(ada, bob)
        secret = await new_match(old, bob, {"length": 1}, spectators=False)
        await bob.act(m.Forfeit, secret)
        first, second = await beaten(old, bob, 1), await beaten(ada, bob, 1)
        rating = (await career(bob, ada)).rating
        await ask_until(lambda: own_redis.hlen(keys.LOBBY_ROWS(TABLES)), lambda count: not count)
        async with administrator(Options(redis=own_valkey.url)) as operator:
            said = await operator.merge(str(old.name), str(ada.name), "asked for it")
            assert said == f"{old.name} is {ada.name} now"
            assert await operator.merge(str(old.name), str(ada.name), "again") == f"{old.name} is {ada.name} already"
            (use,) = await operator.overview.audit(9)
            assert use.endswith(f"  merge {old.name} into {ada.name}: asked for it")
            assert f"was {old.name} ({old.id}), too" in [*await operator.overview.inspect(str(old.name))]
        assert (await old.next(m.Closing)).text == f"your account has become {ada.name}: log in by that name"
        assert await close_code(old) == CloseCode.REMOVED
        await merged_everywhere(own_redis)

        told = (await come(url, token=old.token)).text
        assert told == f"your account has become {ada.name}: log in by that name and its password"
        assert (await come(url, name=old.name)).code == ErrorCode.NAME_TAKEN
        assert (await come(url, name=old.name, password="old horse")).code == ErrorCode.WRONG_PASSWORD
        async with Player(url, hello={"name": old.name, "password": SECRET}) as again:
            assert (again.id, again.name) == (ada.id, ada.name)

        for name in (old.name, ada.name):
            found = await bob.get(m.Career, m.Profile, name=name)
            assert (found.name, found.rating, found.experience) == (ada.name, rating, 2)
            assert await matches_of(eve, name) == {first, second}
        assert await matches_of(ada, None) == {secret, first, second}
        assert isinstance(await ada.ask(m.Record, match=secret), m.Recorded), "that was a private one of one's own"
        assert refused(await eve.ask(m.Record, match=secret)) == ErrorCode.NO_SPECTATORS
        leaders = await until_led_by(bob, ada, bob)
        assert [leader.name for leader in leaders] == [ada.name, bob.name]

        assert isinstance(await ada.ask(m.CloseAccount, password=SECRET), m.Ok)
        await ask_until(lambda: own_redis.hlen(keys.ARCHIVE_CLOSING()), lambda count: not count)
        assert refused(await bob.ask(m.Profile, name=old.name)) == ErrorCode.NO_SUCH_PLAYER
        played = await bob.get(m.Played, m.History)
        assert {name for row in played.matches for name in row.players} == {"someone", bob.name}
        record = await bob.get(m.Recorded, m.Record, match=first)
        assert old.name not in record.view["players"]
        assert await own_redis.ttl(keys.NAME(str(old.name).lower())) > 0, (
            "free in some weeks, as the account's own name"
        )


async def test_a_player_is_told_of_a_merge_whose_operator_was_killed(own_valkey: Valkey, own_redis: Client) -> None:
    async with inside(own_valkey.url, Timings(token_renewal_s=0.1)) as url, guests(url, 2) as (old, ada):
        await registered(old, ada)
        accounts = accounts_on(own_redis)
        was, into = [await accounts.player_of_name(str(one.name)) for one in (old, ada)]
        await AccountMerges(own_redis, accounts, None).merge(was, into)
        assert (await old.next(m.Closing)).text == f"your account has become {ada.name}: log in by that name"
        assert await close_code(old) == CloseCode.REMOVED


async def come(url: str, **hello: Any) -> m.Error:
    """The error that a refused client gets."""
    stranger = Player(url)
    await stranger.connect()
    answer = await stranger.ask(m.Hello, **hello)
    await stranger.close()
    assert isinstance(answer, m.Error), answer
    return answer


# --- a node that dies in the middle ---


def mortal(redis: Client, steps: int) -> None:
    """After so many commands of this client its process is dead."""
    execute, left = redis.execute_command, iter(range(steps))

    async def execute_command(*args: Any, **options: Any) -> Any:
        if next(left, None) is None:
            raise StoreUnavailable("dead")
        return await execute(*args, **options)

    redis.execute_command = execute_command  # type: ignore[method-assign]


async def all_of(redis: Client) -> dict[bytes, Any]:
    """Everything in the store, and how long it stays."""
    found = [key async for key in redis.scan_iter()]
    values, ttls = [await redis.all_of([(command, key) for key in found]) for command in ("DUMP", "TTL")]
    return {key: (value, ttl) for key, value, ttl in zip(found, values, ttls, strict=True)}


async def put_back(redis: Client, found: dict[bytes, Any]) -> None:
    """Have in the store what was found there, and nothing else."""
    await redis.flushall()
    await redis.all_of([("RESTORE", key, 1000 * max(ttl, 0), value) for key, (value, ttl) in found.items()])


async def three_people(redis: Client) -> dict[bytes, Any]:
    """Three players: the first is merged into the second, which is to be merged into the third. All that is stored."""
    for number, one in enumerate((OLDEST, OLD, INTO)):
        about: dict[Any, Any] = {"name": one.name, "kind": "account", "rating": 1500 + number}
        about["experience"] = 10**number
        await redis.hset(keys.PLAYER(one.id), mapping=about)
        await redis.set(keys.NAME(one.name), one.id)
        await redis.set(keys.LOOK(one.name), one.id)
        await redis.zadd(keys.PLAYER_TOKENS(one.id), {"token": 1})
        await redis.zadd(keys.TOP_RATINGS(), {one.id: 1500 + number})
        await redis.hset(keys.TOP_CHANGES(), one.id, "1")
    mergers = AccountMerges(redis, accounts_on(redis), None)
    await mergers.merge(OLDEST, OLD)
    await mergers.sweep()
    return await all_of(redis)


def accounts_on(redis: Client) -> Accounts:
    return Accounts(redis, Clock(), Passwords())


@pytest.mark.long
async def test_a_merge_that_dies_at_any_step_is_finished_by_whoever_comes_next(
    own_valkey: Valkey, own_redis: Client
) -> None:
    before = await three_people(own_redis)
    mergers = AccountMerges(own_redis, accounts_on(own_redis), None)
    await mergers.merge(OLD, INTO)
    await mergers.sweep()
    wanted = await all_of(own_redis)
    rating, experience = await own_redis.hmget(keys.PLAYER(INTO.id), ["rating", "experience"])
    assert (rating, experience) == (b"1502", b"111")
    assert {await own_redis.get(keys.NAME(name)) for name in ("eva", "ada", "bea")} == {INTO.id.encode()}
    for steps in itertools.count(1):
        for again in (True, False) if MANY else (steps % 2 == 0,):
            await put_back(own_redis, before)
            dies = await died_after(own_valkey.url, steps)
            if again:  # the same command
                await mergers.finish_merges()
                assert await own_redis.hmget(keys.PLAYER(INTO.id), ["rating", "experience"]) == [rating, experience]
            await mergers.sweep()  # a server
            assert await all_of(own_redis) == wanted, steps
        if not dies:
            break
    assert steps > 8, "each of them"


async def test_an_account_that_is_closed_meanwhile_is_forgotten_with_what_it_was_given(own_redis: Client) -> None:
    """Else matches that it was given after its closing was carried out would keep its name for ever."""
    await three_people(own_redis)
    mergers = AccountMerges(own_redis, accounts_on(own_redis), None)
    await mergers.merge(OLD, INTO)
    await own_redis.set(keys.PLAYER_CLOSED(INTO.id), b"")
    await mergers.sweep()
    assert await own_redis.hkeys(keys.ARCHIVE_CLOSING()) == [INTO.id.encode()]


async def died_after(url: str, steps: int) -> bool:
    """True if who merges the two is dead before it is done."""
    async with connection_to(url) as redis:
        mortal(redis, steps)
        mergers = AccountMerges(redis, accounts_on(redis), None)
        try:
            await mergers.merge(OLD, INTO)
            await mergers.sweep()
        except StoreUnavailable:
            return True
    return False


# --- in the archive ---


async def played(rng: random.Random, redis: Client, *pair: Person) -> tuple[str, list[bytes]]:
    """A match of these two, which is in their ratings, but not in the archive: its id and journal."""
    seats = []
    for one in pair:
        rating, experience = await redis.hmget(keys.PLAYER(one.id), ["rating", "experience"])
        seats.append(one._replace(rating=float(rating or 0), experience=int(experience or 0)))
    match = match_id(rng)
    journal = journal_of(rng, match, seats, RULES, began_ms=rng.randrange(10**12), most=10)
    record = await replay(match, journal)
    await Ratings(redis).apply(record, 10**12)
    return match, journal


async def archived(archive: Archive, match: str, journal: list[bytes]) -> str:
    await put_into(archive, match, journal)
    return match


async def history(archive: Archive, one: Person) -> list[str]:
    """All matches of a player."""
    return sorted(row.match for row in (await archive.history(one.id, "", own=True)).matches)


async def people(redis: Client, rng: random.Random) -> list[Person]:
    """The account that goes, the one it becomes, and another player."""
    found = [player(rng, name, 1500.0) for name in ("old", "into", "other")]
    for one in found:
        about: dict[Any, Any] = {"name": one.name, "kind": "account", "rating": 1500, "experience": 0}
        await redis.hset(keys.PLAYER(one.id), mapping=about)
    return found


async def test_matches_in_the_archive_are_the_other_ones(
    own_redis: Client, archive: Archive, rng: random.Random
) -> None:
    old, into, other = await people(own_redis, rng)
    theirs = sorted([await archived(archive, *await played(rng, own_redis, old, other)) for _ in range(3)])
    own = await archived(archive, *await played(rng, own_redis, other, into))
    shared = await archived(archive, *await played(rng, own_redis, old, into))
    for _ in range(2):
        await archive.players.merge(old.id, into.id)
        assert await history(archive, into) == sorted([*theirs, own, shared]), "each of them once"
        assert await history(archive, old) == [shared], "nobody has played against himself"
    (row,) = [row for row in (await archive.history(other.id, "", own=True)).matches if row.match == theirs[0]]
    assert row.players == ("old", "other"), "as it was"


async def test_what_is_archived_late_and_ratings_made_anew_know_who_was_who(
    own_valkey: Valkey, own_redis: Client, archive: Archive, rng: random.Random
) -> None:
    old, into, other = await people(own_redis, rng)
    for pair in [(old, other), (into, other), (other, old), (other, into)]:
        await archived(archive, *await played(rng, own_redis, *pair))
    late, journal = await played(rng, own_redis, old, other)
    before, lost = [await Ratings(own_redis).career(one) for one in (into, old)]
    mergers = AccountMerges(own_redis, accounts_on(own_redis), archive)
    await mergers.merge(old, into)
    await mergers.sweep()
    assert await own_redis.exists(keys.ARCHIVE_MERGING()) == 0
    after = await Ratings(own_redis).career(into)
    assert (after.rating, after.experience) == (before.rating, before.experience + lost.experience)
    assert len(await history(archive, into)) == 4
    for number, entry in enumerate(journal, 1):
        await own_redis.xadd(keys.MATCH_LOG(late), {"e": entry}, id=f"{number}-0")
    router = Router(await find_topology(own_valkey.url), [])
    await own_redis.zadd(keys.UNARCHIVED("0"), {late: 1})
    core = core_of(node="node", redis=own_redis, clock=Clock(), journal=Journal(own_redis, router, ""))
    await Archiver(core, archive, 0.0).store(late)
    assert late in await history(archive, into)
    await Rebuild(own_redis, archive).run()
    again = await Ratings(own_redis).career(into)
    assert (again.rating, again.experience) == (after.rating, after.experience)
    assert not await own_redis.exists(keys.PLAYER(old.id)), "who has gone does not come back"
