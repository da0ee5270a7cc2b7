"""Costs of the state that all nodes share: people, tables, heartbeats, the leaderboard; by their numbers."""

import asyncio
import random
from contextlib import AsyncExitStack
from typing import Any

import msgpack
import msgspec
from msgspec.structs import replace
from tavla_engine.match import Phase
from tavla_protocol.messages import Table
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import PEOPLE, TABLES, RowUpdate
from tavla_server.cluster.liveness import Liveness
from tavla_server.features.tables.tables import Note
from tavla_server.player import Player
from tavla_server.record.rating import Tally
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.client import connection_to

from bench.processes import store
from bench.scaling.costs import counted
from tests.support.results import table
from tests.support.servers.rooms import node_on, until

CHANGES = 2_000  # rows changed while it is counted
AT_ONCE = 50  # commands under way
PUT = 100  # rows in one command, as presence does where many come at once
FURTHER = 4  # nodes that hear of it, too
BEATS = 5
OTHERS = "elsewhere"  # the node that the rows are of


def person_row(number: int) -> RowUpdate:
    """A player online, as presence publishes it."""
    person = {"kind": "account", "rating": 1500 + number % 300, "since": 1_700_000_000 + number}
    return RowUpdate(PEOPLE, f"{OTHERS}:{number:016x}", msgpack.packb((f"player{number}", person)))


def table_row(number: int, version: int = 1) -> RowUpdate:
    """A match that is played, as tables show it."""
    players = f"{2 * number:016x}", f"{2 * number + 1:016x}"
    names = f"player{2 * number}", f"player{2 * number + 1}"
    shown = Table(
        name=f"{number:016x}",
        players=names,
        rules={"length": 7},
        score=(version % 7, 1),
        since=1_700_000_000 + number,
        kinds=("account", "account"),
        ratings=(1500, 1600),
    )
    note = Note(1_700_000_000_000 + number, players, True, shown)
    return RowUpdate(TABLES, f"{number:016x}", msgpack.packb(msgspec.to_builtins(note)), version)


async def _fill(node: Any, people: int) -> None:
    """So many people are online, and half as many matches go on."""
    changes = [*map(person_row, range(people)), *map(table_row, range(people // 2))]
    for first in range(0, len(changes), PUT):
        await node.feed.writer.put(*changes[first : first + PUT])


async def _changed(putter: Any, nodes: list[Any], version: int) -> None:
    """Matches' rows change, one in a command, until all nodes have heard of it."""
    for start in range(0, CHANGES, AT_ONCE):
        rows = (table_row(number, version) for number in range(start, start + AT_ONCE))
        await asyncio.gather(*map(putter.feed.writer.put, rows))
    last = table_row(start + AT_ONCE - 1, version)
    await until(lambda: all(node.feed.rows(TABLES).get(last.key) == last.value for node in nodes))


async def _rows(url: str, people: int) -> list[object]:
    """Costs of a row's change, alone and for each further node, and of loading it all."""
    async with AsyncExitStack() as stack:
        putter = await stack.enter_async_context(node_on(url))
        await _fill(putter, people)
        with counted(url) as one:
            await _changed(putter, [putter], 2)
        with counted(url) as loading:
            others = [await stack.enter_async_context(node_on(url)) for _ in range(FURTHER)]
        with counted(url) as many:
            await _changed(putter, others, 3)
    micro = 1e6 / CHANGES
    return [
        f"{people:,}",
        f"{micro * one.store_s:.0f} us",
        f"{micro * one.own_s:.0f} us",
        f"{micro * (many.store_s - one.store_s) / FURTHER:.1f} us",
        f"{micro * (many.own_s - one.own_s) / FURTHER:.1f} us",
        f"{(many.sent - one.sent) / FURTHER / CHANGES:.0f} B",
        f"{1000 * loading.store_s / FURTHER:.0f} ms",
        f"{1000 * loading.own_s / FURTHER:.0f} ms",
    ]


def rows(sizes: list[int]) -> list[str]:
    """The lobby's rows, by people online."""
    lines = []
    for people in sizes:
        with store() as valkey:
            lines.append(asyncio.run(_rows(valkey.url, people)))
    head = "people | a change: store CPU | our CPU | each further node: store CPU | its CPU | bytes"
    return table(f"{head} | all loaded: store CPU | our CPU", lines)


# --- heartbeats ---


async def _beats(url: str, nodes: int) -> None:
    async with connection_to(url) as redis:
        beating = [Liveness(redis, Clock(), f"{number:08x}") for number in range(nodes)]
        for _ in range(BEATS):
            for first in range(0, nodes, 50):
                await asyncio.gather(*(each.heartbeat() for each in beating[first : first + 50]))


def heartbeats(sizes: list[int]) -> list[str]:
    """A node's heartbeat, of which there is one each second, by how many nodes there are."""
    lines = []
    for nodes in sizes:
        with store() as valkey, counted(valkey.url) as costs:
            asyncio.run(_beats(valkey.url, nodes))
        count = nodes * BEATS
        cells = [f"{1e6 * costs.store_s / count:.0f} us", f"{1e6 * costs.own_s / count:.0f} us"]
        lines.append([f"{nodes:,}", *cells, f"{costs.sent / count:,.0f} B", f"{costs.store_s / BEATS:.3f}"])
    return table("nodes | store CPU | our CPU | bytes to it | all of them, of a core of the store", lines)


# --- ratings ---


async def _rate(url: str, players: int, count: int) -> Any:
    async with node_on(url) as node:
        ids = [f"{number:016x}" for number in range(players)]
        for first in range(0, players, 1000):
            board = {id_: 1500 + number % 997 for number, id_ in enumerate(ids[first : first + 1000])}
            await node.redis.zadd(keys.TOP_RATINGS(), board)
            await node.redis.hset(keys.TOP_CHANGES(), mapping=dict.fromkeys(board, 1))
        chance = random.Random(1)
        pairs = [chance.sample(range(players), 2) for _ in range(count)]
        for number in {number for pair in pairs for number in pair}:
            fields = {"name": f"player{number}", "kind": "account", "rating": 1500, "experience": 0, "changes": 1}
            await node.redis.hset(keys.PLAYER(ids[number]), mapping=fields)
        over = replace(Record("").match, phase=Phase.OVER, score=(7, 3))
        records = [
            Record(f"m{number}", players=(_player(one), _player(two)), match=over, tally=Tally(1, (4.0, -4.0), 7))
            for number, (one, two) in enumerate(pairs)
        ]
        with counted(url) as costs:
            for first in range(0, count, 20):
                await asyncio.gather(*(node.ratings.apply(record, 1) for record in records[first : first + 20]))
        return costs


def _player(number: int) -> Player:
    return Player(f"{number:016x}", f"player{number}")


def ratings(sizes: list[int], count: int = 1000) -> list[str]:
    """A rated match that is over, by how many players stand on the board."""
    lines = []
    for players in sizes:
        with store() as valkey:
            costs = asyncio.run(_rate(valkey.url, players, count))
        cells = [f"{1e6 * costs.store_s / count:.0f} us", f"{1e6 * costs.own_s / count:.0f} us"]
        lines.append([f"{players:,}", *cells, f"{costs.commands / count:.0f}", f"{costs.disk / count:,.0f} B"])
    return table("players | store CPU | our CPU | commands | on disk", lines)
