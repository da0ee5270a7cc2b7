"""A second connection of a player: which of the two has the seat, on one node and on two.

A connection that shows the board takes the seat; one that shows something else has it only while no other wants it. The
seat comes back when the newer connection goes, or shows something else.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import NamedTuple

import pytest
import pytest_asyncio
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tests.support.patience import PATIENCE_S
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, guests, refused
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.asyncio(loop_scope="module")

FIRST, SECOND, NOBODY = "first", "second", ""


class Row(NamedTuple):
    """What the two windows of white do, one after the other, and who has the seat then."""

    steps: str
    holder: str


# 1, 2: a window shows the board. -: something else. x: is closed.
TABLE = [
    Row("1 2", SECOND),
    Row("1 -2", FIRST),
    Row("-1", FIRST),
    Row("-1 -2", FIRST),
    Row("-1 2", SECOND),
    Row("-1 -2 2", SECOND),
    Row("1 -2 2", SECOND),
    Row("1 2 x2", FIRST),
    Row("1 -2 x2", FIRST),
    Row("1 -2 x1", SECOND),
    Row("1 2 -2", FIRST),
    Row("1 -1", FIRST),
    Row("1 -1 -2", FIRST),
    Row("1 -1 2 x2", FIRST),
    Row("1 2 1", FIRST),
    Row("1 2 1 x1", SECOND),
    Row("1 2 x2 x1", NOBODY),
]


class Table(NamedTuple):
    """A match of two players, of whom white comes and goes. nodes: those of the server."""

    nodes: tuple[str, str]
    token: str | None
    black: Player
    match: str


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def table(valkey: Valkey) -> AsyncIterator[Table]:
    """One match on two nodes, for all rows."""
    async with inside(valkey.url) as here, inside(valkey.url) as there, guests(here, 2) as (white, black):
        match = await new_match(white, black)
        await white.close()
        yield Table((here, there), white.token, black, match)


@pytest.mark.parametrize("far", [False, True], ids=["one node", "two nodes"])
@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.steps)
async def test_the_seat_is_where_the_board_is_shown(table: Table, row: Row, far: bool) -> None:
    nodes, token, black, match = table
    await until_online(black, match, False)
    async with AsyncExitStack() as windows:
        shown: dict[str, Player] = {}
        steps = row.steps.split()
        for step in steps:
            window = step[-1]
            if step.startswith("x"):
                await shown[window].close()
            else:
                if window not in shown:
                    player = Player(nodes[far and window == "2"], token=token)
                    shown[window] = await windows.enter_async_context(player)
                await shown[window].get(m.Snapshot, m.Attach, table=match, sits=not step.startswith("-"))
            await settled(shown, match, row.holder if step is steps[-1] else None)
        await _is_held(shown, match, row.holder)
        await until_online(black, match, bool(row.holder))
        assert black.matches[match].online == (bool(row.holder), True)


async def until_online(black: Player, match: str, online: bool) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while black.matches[match].online[0] != online:
            await black.receive()


async def settled(shown: dict[str, Player], match: str, holder: str | None) -> None:
    """Each window that is open has heard what has come of a step: one has the seat, the others are told so.

    holder: which one, after the last step.
    """
    async with asyncio.timeout(PATIENCE_S):
        while open_ := {at: player for at, player in shown.items() if player.socket.close_code is None}:
            holding = [at for at, player in open_.items() if await holds(player, match)]
            if len(holding) == 1 and holder in (None, {"1": FIRST, "2": SECOND}[holding[0]]):
                break


async def holds(player: Player, match: str) -> bool:
    """Whether a connection has the seat, as it was told last."""
    await player.sync()
    told = [one for one in player.log if (isinstance(one, m.Snapshot | m.Replaced) and one.match == match)]
    return bool(told) and isinstance(told[-1], m.Snapshot) and told[-1].seat == 0


async def _is_held(shown: dict[str, Player], match: str, holder: str) -> None:
    for window, name in (("1", FIRST), ("2", SECOND)):
        player = shown.get(window)
        if player is None or player.socket.close_code is not None:
            assert name != holder
            continue
        assert await holds(player, match) == (name == holder)
        answer = await player.act(m.Auto, match, what="play", on=True)
        if name == holder:
            assert isinstance(answer, m.Ok), answer
        else:
            assert refused(answer) == ErrorCode.NOT_SEATED
