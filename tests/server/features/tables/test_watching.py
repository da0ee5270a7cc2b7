"""Matches that are watched: by whom, from where, and who is told of it."""

import base64
import gc

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.limits import Limits
from tavla_server.match.session import Session

from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player, refused, unique
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey


async def test_a_watcher_sees_everything_and_can_do_nothing(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match), Player(server.url) as watcher:
        snapshot = await watcher.get(m.Snapshot, m.Attach, table=match, plays=True)
        assert snapshot.seat is None
        for request in (m.Roll, m.Forfeit, m.Ready):
            assert refused(await watcher.act(request, match)) == ErrorCode.NOT_SEATED
        await black.act(m.Forfeit, match)
        over = await watcher.until(match, lambda view: view.phase == "over")
        assert over == await white.until(match, lambda view: view.phase == "over")


async def test_a_watcher_who_sits_down_watches_no_more(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as bob:
        match = (await ada.get(m.Snapshot, m.Create, name=unique("t"))).match
        await bob.get(m.Snapshot, m.Attach, table=match)
        assert (await ada.next(m.Watchers)).names == [bob.name]
        await bob.get(m.Snapshot, m.Join, table=match)
        assert await ada.next(m.Watchers) == m.Watchers(match=match, count=0)


async def test_who_detaches_gets_no_more_updates(server: ServerProcess) -> None:
    async with at_match(server.url) as (_, black, match), Player(server.url) as watcher:
        await watcher.ask(m.Attach, table=match)
        assert isinstance(await watcher.ask(m.Detach, match=match), m.Ok)
        assert refused(await watcher.ask(m.Detach, match=match)) == ErrorCode.NOT_ATTACHED
        await black.act(m.Forfeit, match)
        assert await watcher.sync() == []


async def test_one_connection_follows_a_limited_number_of_matches(valkey: Valkey) -> None:
    async with inside(valkey.url, limits=Limits(followed=2)) as node, Player(node) as ada, Player(node) as watcher:
        matches = []
        for _ in range(3):
            snapshot = await ada.ask(m.Create, name=unique("t"))
            if isinstance(snapshot, m.Snapshot):
                matches.append(snapshot.match)
        assert len(matches) == 2
        mine = await ada.get(m.Listing, m.List, what="mine")
        assert len(mine.rows) == 2, "what was refused was not done"
        for match in (matches[0], matches[0], matches[1]):
            assert isinstance(await watcher.ask(m.Attach, table=match), m.Snapshot)


async def test_matches_that_are_over_do_not_count_for_that(valkey: Valkey) -> None:
    async with inside(valkey.url, limits=Limits(followed=2)) as node, Player(node) as ada, Player(node) as bob:
        waiting = await ada.get(m.Snapshot, m.Create, name=unique("t"))
        for _ in range(3):
            await ada.act(m.Forfeit, await new_match(ada, bob))
        await bob.ask(m.Join, table=waiting.match)
        assert (await ada.until(waiting.match, lambda view: None not in view.players)).players[1] is not None


async def test_a_watcher_who_was_too_late_for_the_seat_still_watches(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black, Player(server.url) as late:
        snapshot = await white.get(m.Snapshot, m.Create, name=unique("t"), side="white")
        assert isinstance(await late.ask(m.Attach, table=snapshot.match), m.Snapshot)
        assert isinstance(await black.ask(m.Join, table=snapshot.match), m.Snapshot)
        assert refused(await late.ask(m.Join, table=snapshot.match)) == ErrorCode.TABLE_FULL
        assert isinstance(await black.act(m.Forfeit, snapshot.match), m.Ok)
        assert (await late.until(snapshot.match, lambda view: view.phase == "over")).outcome == (0, 0, 0, "forfeit")


async def test_who_asks_for_matches_that_do_not_exist_leaves_nothing(node: str) -> None:
    matches = ["m" + base64.b32encode(number.to_bytes(5, "big")).decode().lower()[-7:] for number in range(99)]
    async with Player(node) as curious:
        for number, match in enumerate(matches):
            asked = (m.Attach, m.Join, m.Record)[number % 3]
            field = "match" if asked is m.Record else "table"
            assert refused(await curious.ask(asked, **{field: match})) == ErrorCode.NO_SUCH_MATCH
        gc.collect()
        assert not {one.record.id for one in gc.get_objects() if type(one) is Session} & set(matches)
