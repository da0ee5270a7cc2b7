"""Collections: matches in files that an account keeps, for itself alone, read in a process of their own."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tavla_cli.records.files import parse, read, record_in_collection
from tavla_client import Client
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_protocol.file_match import MOST_BYTES, FileMatch, pack, unpack
from tavla_server.features.analysis.analyst import Analyst
from tavla_server.features.analysis.judge import JUDGE
from tavla_server.features.archive.analyses import Analyses
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.collection import collection
from tavla_server.gateway.connection import Connection
from tavla_server.limits import Limits, Quota

from tests.support.bombs import bomb
from tests.support.collections import DATA, collect, collected, collection_of, document
from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.players.accounts import SECRET, registered
from tests.support.players.plain import Player, refused, unique
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.slow  # it starts programs

LONG = "foreign/commented-9.xg"  # of two pieces, with a judge of its own
WHOLE = unpack(document())


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/archive.sqlite3"


@pytest.fixture
async def ada(valkey: Valkey, url: str) -> AsyncIterator[Player]:
    """A player with an account, at a server with an archive."""
    async with inside(valkey.url, archive=url) as node, Player(node) as player:
        yield await registered(player)


@asynccontextmanager
async def judging(url: str) -> AsyncIterator[None]:
    """The house judges what is in the archive."""
    database = Database(url)
    judge = JUDGE._replace(choice="house")
    task = asyncio.create_task(Analyst(Archive(database), Analyses(database, "one"), judge).run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        await database.close()


async def test_what_is_collected_is_listed_and_read_back_as_it_was_played(ada: Player) -> None:
    first = await collected(ada, document(), name="concedes.mat")
    second = await collected(ada, document(LONG), name="club\x1b[31m.xg", seat=1)
    assert (first.players, first.seat, first.score, first.winner) == (("cem", "dea"), None, (3, 0), 0)
    assert (second.name, second.players, second.seat, second.winner) == ("club.xg", ("Ada Öz", "Bob Çelik"), 1, 1)
    assert await collection_of(ada) == [second, first]
    told = await ada.get(m.CollectedFile, m.ReadCollected, match=second.match)
    record, own = record_in_collection(told), read(DATA / LONG)
    assert (record.events, record.verdicts, record.names) == (own.events, own.verdicts, own.names)


async def test_the_same_match_again_takes_the_place_of_the_one_before(ada: Player) -> None:
    first = await collected(ada, document(), seat=0)
    again = await collected(ada, document(), seat=1, name="again")
    assert again.match == first.match
    assert [(one.seat, one.name) for one in await collection_of(ada)] == [(1, "again")]


async def test_the_servers_judge_judges_it_beside_that_of_the_file(ada: Player, url: str) -> None:
    own = "eXtreme Gammon: cem 5.00, dea 4.00"
    match = await collected(ada, pack(replace(WHOLE, tags={"Judgement": own})), seat=0)
    async with judging(url), asyncio.timeout(4 * PATIENCE_S):
        while (found := (await collection_of(ada))[0].analysis) is None or found.rough:  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_S)
    told = await ada.look_back(m.ReadCollected, match=match.match)
    assert isinstance(told, m.CollectedFile), told
    assert told.match.analysis == found
    assert found.by == "the house evaluator"
    assert min(found.decisions) > 0
    record = record_in_collection(told)
    assert record.verdicts == tuple(told.findings)
    assert record.tags["Judgement"].startswith("the house evaluator: cem ")
    assert record.tags["FileJudgement"] == own


async def test_a_collection_is_its_owners_alone(ada: Player) -> None:
    match = (await collected(ada, document())).match
    async with Player(ada.url) as bob:
        assert refused(await collect(bob, document())) == ErrorCode.ACCOUNT_NEEDED
        await registered(bob)
        for request in (m.ReadCollected, m.Discard, m.Record):
            assert refused(await bob.ask(request, match=match)) == ErrorCode.NO_SUCH_MATCH
        assert await collection_of(bob) == []
        assert (await bob.get(m.Played, m.History, name=ada.name)).matches == []
        assert (await collected(bob, document())).match != match, "each has its own"
    assert isinstance(await ada.ask(m.Discard, match=match), m.Ok)
    assert refused(await ada.ask(m.Discard, match=match)) == ErrorCode.NO_SUCH_MATCH
    assert await collection_of(ada) == []


async def test_without_an_archive_there_is_none(valkey: Valkey) -> None:
    async with inside(valkey.url) as node, Player(node) as ada:
        await registered(ada)
        assert refused(await collect(ada, document())) == ErrorCode.NO_ARCHIVE
        assert refused(await ada.ask(m.Collection)) == ErrorCode.NO_ARCHIVE


HOSTILE: dict[str, Callable[[], bytes]] = {  # made when they are wanted
    "no zlib": lambda: b"RGMH" * 20,
    "bomb": lambda: bomb(256)[:30_000],
    "cut": lambda: document()[:-9],
    "too large": lambda: zlib.compress(b" " * (MOST_BYTES + 1)),
    "no JSON": lambda: zlib.compress(b"[" * 100_000),
    "another kind of JSON": lambda: zlib.compress(b'{"view": {}}'),
    "a roll of 7": lambda: pack(replace(WHOLE, events=[[1, 0, "game_started", False], [2, 0, "opening_rolled", 7, 1]])),
    "nothing played": lambda: pack(replace(WHOLE, events=[])),
    "a play that is none": lambda: pack(
        replace(WHOLE, events=[[*one[:4], [[24, 1]]] if one[2] == "moved" else one for one in WHOLE.events])
    ),
    "rules that cannot be": lambda: pack(replace(WHOLE, rules={"length": 10**9})),
    "a long name": lambda: pack(replace(WHOLE, players=("x" * 100_000, "b"))),
}


@pytest.mark.parametrize("kind", HOSTILE)
async def test_what_is_no_match_is_refused_in_a_sentence(ada: Player, kind: str) -> None:
    assert refused(await collect(ada, HOSTILE[kind]())) == ErrorCode.BAD_MESSAGE
    assert await collection_of(ada) == []


async def test_pieces_come_in_order_and_whole(ada: Player) -> None:
    for piece, pieces in ((1, 2), (3, 3)):
        asked = await ada.ask(m.Collect, piece=piece, pieces=pieces, data=b"x")
        assert refused(asked) == ErrorCode.STALE
    assert isinstance(await ada.ask(m.Collect, piece=0, pieces=3, data=b"a part of another match"), m.Ok)
    await collected(ada, document(LONG))  # it begins anew


async def test_a_client_sends_anew_what_was_lost_with_its_connection(
    valkey: Valkey, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, lost = collection.Collection.collect, list[int]()

    async def forgetful(self: collection.Collection, connection: Connection, request: m.Collect) -> None:
        if request.piece and not lost:  # the pieces before came by another connection
            lost.append(request.piece)
            self.closed(connection, False)
        await whole(self, connection, request)

    monkeypatch.setattr(collection.Collection, "collect", forgetful)
    async with inside(valkey.url, archive=url) as node, Client(node, name=unique("ada")) as ada:
        await ada.account.register(SECRET)
        added = await ada.archive.collect(document(LONG), "club.xg", 1)
        assert (lost, [one async for one in ada.archive.collection()]) == ([1], [added])


async def test_limits_hold(valkey: Valkey, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    few = Limits(collected=1, collected_a_day=Quota(3, 86_400))
    monkeypatch.setattr(collection, "SENDING", 1)
    async with inside(valkey.url, limits=few, archive=url) as node, Player(node) as ada, Player(node) as bob:
        await registered(ada, bob)
        kept = await collected(ada, document())
        assert refused(await collect(ada, document("field/dated.mat"))) == ErrorCode.TOO_MANY
        assert await collection_of(ada) == [kept]
        assert isinstance(await ada.ask(m.Collect, piece=0, pieces=2, data=b"x"), m.Ok)
        waiting = await bob.ask(m.Collect, piece=0, pieces=2, data=b"x")
        assert refused(waiting) == ErrorCode.TOO_MANY, "one sends already"
        assert refused(await ada.ask(m.Collect, piece=0, pieces=2, data=b"x")) == ErrorCode.TOO_MANY, "three a day"
        await ada.close()
        async with asyncio.timeout(PATIENCE_S):
            while isinstance(await bob.ask(m.Collect, piece=0, pieces=2, data=b"x"), m.Error):  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)


async def test_a_reader_that_does_not_answer_is_ended_and_its_match_refused(
    valkey: Valkey, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "READER", collection.READER._replace(program="http.server", limit_s=PAUSE_S))
    async with inside(valkey.url, archive=url) as node, Player(node) as ada:
        await registered(ada)
        assert refused(await collect(ada, document())) == ErrorCode.BAD_MESSAGE
        assert await collection_of(ada) == []


def test_a_match_travels_as_it_is() -> None:
    again: Any = unpack(pack(WHOLE))
    assert again == WHOLE
    assert parse(msgspec.json.encode(msgspec.to_builtins(WHOLE)).decode()).events == tuple(WHOLE.record().events)
    assert isinstance(again, FileMatch)
