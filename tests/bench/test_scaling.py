"""`python -m bench.scaling` runs, in small: every part of it, on a real store. Of the figures only counts matter."""

import asyncio

import pytest

from bench.processes import store
from bench.scaling import lobby, matches, matchmaking
from bench.scaling.costs import counted, lines_of


def test_tickets_are_paired_and_nobody_twice() -> None:
    with store() as valkey, counted(valkey.url) as costs:
        players = asyncio.run(matchmaking.tickets(valkey.url, count=400, rate=4_000, nodes=3, pools=8))
    assert set(players.values()) == {2}
    assert 300 < players.total() <= 400
    assert costs.commands > 400
    assert costs.store_s > 0
    assert costs.disk > 0


@pytest.mark.slow
def test_matches_are_opened() -> None:
    with store() as valkey:
        costs = asyncio.run(matchmaking.matches(valkey.url, count=300, nodes=2))
    assert costs.commands > 300


@pytest.mark.long
def test_the_tables_are_printed() -> None:
    for part in (
        matchmaking.starts([50], nodes=2),
        matches.appends([10], 200, cluster=False),
        lobby.rows([200]),
        lobby.heartbeats([3]),
        lobby.ratings([50], 20),
    ):
        head, line, row, *_ = lines_of(part)
        assert head.count("|") == line.count("|") == row.count("|")
