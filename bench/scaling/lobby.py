"""Costs of the state that all nodes share: people, tables, heartbeats, the leaderboard; by their numbers."""

import asyncio
import random
from collections.abc import Iterator
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

from bench.scaling.costs import Costs, Measured, counted, on_a_store
from tests.support.patience import wait_until
from tests.support.servers.rooms import node_on

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
    await wait_until(lambda: all(node.feed.rows(TABLES).get(last.key) == last.value for node in nodes))


async def _rows(url: str, people: int) -> tuple[Costs, Costs, Costs]:
    """Costs of changes on one node, with further nodes, and of these nodes' loading all rows."""
    async with AsyncExitStack() as stack:
        putter = await stack.enter_async_context(node_on(url))
        await _fill(putter, people)
        with counted(url) as one:
            await _changed(putter, [putter], 2)
        with counted(url) as loading:
            others = [await stack.enter_async_context(node_on(url)) for _ in range(FURTHER)]
        with counted(url) as many:
            await _changed(putter, others, 3)
    return one, many, loading


def rows(sizes: list[int]) -> Iterator[Measured]:
    """The lobby's rows, by people online."""
    for people in sizes:
        one, many, loading = on_a_store(_rows, people)
        yield f"{people:,} people, a change", one, CHANGES
        yield f"{people:,}, a change for each further node", many - one, CHANGES * FURTHER
        yield f"{people:,}, all loaded by a node", loading, FURTHER


# --- heartbeats ---


async def _beats(url: str, nodes: int) -> Costs:
    async with connection_to(url) as redis:
        beating = [Liveness(redis, Clock(), f"{number:08x}") for number in range(nodes)]
        with counted(url) as costs:
            for _ in range(BEATS):
                for first in range(0, nodes, AT_ONCE):
                    await asyncio.gather(*(each.heartbeat() for each in beating[first : first + AT_ONCE]))
        return costs


def heartbeats(sizes: list[int]) -> Iterator[Measured]:
    """A node's heartbeat, of which there is one each second, by how many nodes there are."""
    for nodes in sizes:
        yield f"a heartbeat, {nodes:,} nodes", on_a_store(_beats, nodes), nodes * BEATS


# --- ratings ---


async def _rate(url: str, players: int, count: int) -> Costs:
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
            Record(
                f"m{number}",
                players=(Player(ids[one], f"player{one}"), Player(ids[two], f"player{two}")),
                match=over,
                tally=Tally(1, (4.0, -4.0), 7),
            )
            for number, (one, two) in enumerate(pairs)
        ]
        with counted(url) as costs:
            for first in range(0, count, 20):
                await asyncio.gather(*(node.ratings.apply(record, 1) for record in records[first : first + 20]))
        return costs


def ratings(sizes: list[int], count: int = 1000) -> Iterator[Measured]:
    """A rated match that is over, by how many players stand on the board."""
    for players in sizes:
        yield f"a match, {players:,} players on the board", on_a_store(_rate, players, count), count
