"""Who is ignored comes to no table and no quick match of who ignores, and is not told so."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tavla_client import Client, Match, Refused
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.timings import Timings

from tests.support.players.challenges import challenged
from tests.support.players.lobby import Watch
from tests.support.players.plain import Player, guests, refused, unique, within
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

RULES: dict[str, bool | int | str] = {"length": 1}
SEEK: dict[str, bool | int | str] = {"length": 1, "clock": "normal"}
TIMINGS = Timings(queue_poll_s=0.02, decline_delay_s=(0.2, 0.3))
Three = tuple[Player, Player, Player]


@pytest.fixture
async def three(own_valkey: Valkey) -> AsyncIterator[Three]:
    """Ada, who ignores bob, and cid; on two nodes."""
    async with (
        inside(own_valkey.url, TIMINGS) as here,
        inside(own_valkey.url, TIMINGS) as there,
        guests(here, 1) as (ada,),
        guests(there, 2) as (bob, cid),
    ):
        assert isinstance(await ada.ask(m.Ignore, player=bob.name), m.Ok)
        yield ada, bob, cid


async def test_a_table_of_who_ignores_is_not_there_until_another_sits_down(three: Three) -> None:
    ada, bob, cid = three
    watches = {player.name: Watch(player) for player in (bob, cid)}
    for watch in watches.values():
        await watch.follow("tables")
    opened = await ada.get(m.Snapshot, m.Create, rules=RULES)
    name = opened.view["name"]
    await watches[cid.name].until("tables", lambda rows: opened.match in rows)
    for table in (opened.match, name):
        for ask in (m.Join, m.Attach):
            answer = await bob.get(m.Error, ask, table=table)
            nowhere = await bob.get(m.Error, ask, table="nowhere")
            assert (answer.code, answer.text) == (nowhere.code, nowhere.text.replace("nowhere", table))
    assert isinstance(await cid.ask(m.Join, table=opened.match), m.Snapshot)
    await watches[cid.name].until("tables", lambda rows: opened.match not in rows)
    assert not any(isinstance(one, m.Changes) for one in bob.log), "it was in no list, and has left none"
    assert isinstance(await bob.ask(m.Attach, table=opened.match), m.Snapshot), "a match is watched by anybody"


@pytest.mark.parametrize("what", ["tables", "seekers"])
async def test_who_is_ignored_meanwhile_sees_the_row_go_and_come_back(three: Three, what: str) -> None:
    ada, bob, cid = three
    await cid.ask(m.Ignore, player=ada.name)
    assert isinstance(await ada.ask(m.Ignore, player=bob.name, on=False), m.Ok)
    watches = {player.name: Watch(player) for player in (bob, cid)}
    for watch in watches.values():
        await watch.follow(what)
    opening: dict[str, Any] = {"name": unique("t"), "rules": RULES} if what == "tables" else {"rules": SEEK}
    await ada.ask(m.Create if what == "tables" else m.Seek, **opening)
    for watch in watches.values():
        await watch.until(what, lambda rows: len(rows) == 1)
    assert isinstance(await ada.ask(m.Ignore, player=bob.name), m.Ok)
    await watches[bob.name].until(what, lambda rows: not rows)
    assert len((await cid.get(m.Listing, m.List, what=what)).rows) == 1
    assert isinstance(await ada.ask(m.Ignore, player=bob.name, on=False), m.Ok)
    await watches[bob.name].until(what, lambda rows: len(rows) == 1)


@pytest.mark.parametrize("who", ["bob", "cid"])
async def test_who_is_ignored_while_watching_an_open_table_sees_it_no_longer(three: Three, who: str) -> None:
    """It is asked for by any client that hears of a newer version, and is not there; a match is watched by anybody."""
    ada, bob, cid = three
    opened = await ada.get(m.Snapshot, m.Create, rules=RULES)
    assert isinstance(await ada.ask(m.Ignore, player=bob.name, on=False), m.Ok)
    for watcher in (bob, cid):
        await watcher.get(m.Snapshot, m.Attach, table=opened.match)
    ignored, other = (bob, cid) if who == "bob" else (cid, bob)
    assert isinstance(await ada.ask(m.Ignore, player=ignored.name), m.Ok)
    told = await ignored.find(lambda one: isinstance(one, m.Heartbeat) and one.matches[0][2] > opened.seq)
    assert isinstance(told, m.Heartbeat)
    assert refused(await ignored.ask(m.Attach, table=opened.match)) == ErrorCode.NO_SUCH_MATCH
    assert refused(await ignored.ask(m.Record, match=opened.match)) == ErrorCode.NO_SUCH_MATCH
    assert isinstance(await other.ask(m.Record, match=opened.match), m.Recorded)
    ignored.log.clear()
    await other.get(m.Snapshot, m.Join, table=opened.match)
    await other.until(opened.match, lambda view: view.phase != "open")
    await ignored.sync()
    assert not any(isinstance(one, m.Update) for one in ignored.log)
    assert isinstance(await ignored.ask(m.Attach, table=opened.match), m.Snapshot)


async def shown_to_the_end(match: Match) -> None:
    async for _ in match.changes():
        pass


async def test_to_a_program_that_watches_it_is_as_if_the_table_was_not_there(three: Three) -> None:
    ada, bob, _ = three
    opened = await ada.get(m.Snapshot, m.Create, rules=RULES)
    assert isinstance(await ada.ask(m.Ignore, player=bob.name, on=False), m.Ok)
    async with Client(bob.url, token=bob.token) as client:
        table = await client.attach(opened.match)
        assert isinstance(await ada.ask(m.Ignore, player=bob.name), m.Ok)
        with pytest.raises(Refused, match="there is no table called"):
            await within(shown_to_the_end(table))
        assert (table.dice.fault, table.oddities) == ("", [])


@pytest.mark.parametrize("who", ["the first", "the second"])
async def test_who_is_ignored_while_both_seek_is_not_paired(three: Three, who: str) -> None:
    ada, bob, cid = three
    assert isinstance(await ada.ask(m.Ignore, player=bob.name, on=False), m.Ok)
    first, second = (ada, bob) if who == "the first" else (bob, ada)
    far: dict[str, bool | int | str] = {"length": 3, "clock": "normal"}
    assert isinstance(await first.ask(m.Seek, rules=SEEK), m.Ok)
    if who == "the second":
        assert isinstance(await second.ask(m.Seek, rules=far), m.Ok)
    assert isinstance(await ada.ask(m.Ignore, player=bob.name), m.Ok)
    assert isinstance(await second.ask(m.Seek, rules=SEEK), m.Ok)
    assert isinstance(await cid.ask(m.Seek, rules=SEEK), m.Ok)
    matched = await cid.next(m.Matched)
    await cid.next(m.Snapshot)
    paired = ada if ada.name in cid.matches[matched.match].view.players else bob
    left = bob if paired is ada else ada
    await left.sync()
    assert not any(isinstance(one, m.Matched) for one in left.log)


async def test_quick_match_pairs_nobody_with_whom_one_of_them_ignores(three: Three) -> None:
    ada, bob, cid = three
    for player in (ada, bob):
        assert isinstance(await player.ask(m.Seek, rules=SEEK), m.Ok)
    assert isinstance(await cid.ask(m.Seek, rules=SEEK), m.Ok)
    matched = await cid.next(m.Matched)
    await cid.next(m.Snapshot)
    first = {str(name) for name in cid.matches[matched.match].view.players}
    left, paired = (ada, bob) if bob.name in first else (bob, ada)
    assert first == {str(cid.name), str(paired.name)}
    await left.sync()
    assert not any(isinstance(one, m.Matched) for one in left.log), "who is left waits"


@pytest.mark.parametrize("maker", ["who ignores", "who is ignored"])
async def test_nobody_who_seeks_is_seated_at_such_a_table(three: Three, maker: str) -> None:
    ada, bob, cid = three
    sits, seeks = (ada, bob) if maker == "who ignores" else (bob, ada)
    opened = await sits.get(m.Snapshot, m.Create, rules=SEEK)
    assert isinstance(await seeks.ask(m.Seek, rules=SEEK), m.Ok)
    await seeks.ask(m.Unseek)
    assert isinstance(await cid.ask(m.Seek, rules=SEEK), m.Ok)
    assert (await cid.next(m.Matched)).match == opened.match
    assert not any(isinstance(one, m.Matched) for one in seeks.log)


async def test_a_challenge_to_who_ignores_is_like_any_other(three: Three) -> None:
    ada, bob, cid = three
    for to in (ada, cid):
        first = await bob.get(m.Challenged, m.Challenge, player=to.name, rules=RULES)
        again = await bob.get(m.Challenged, m.Challenge, player=to.name, rules=RULES)
        assert again.challenge == first.challenge, "asked again it is the same"
        assert isinstance(await bob.ask(m.Withdraw, challenge=first.challenge), m.Ok)
        told = await bob.find(lambda one: isinstance(one, m.Unchallenged))
        assert told == m.Unchallenged(challenge=first.challenge, why="withdrawn")
        assert refused(await bob.ask(m.Withdraw, challenge=first.challenge)) == ErrorCode.NO_SUCH_CHALLENGE
    assert not any(isinstance(one, m.Challenged) for one in ada.log)
    await challenged(cid, ada)
