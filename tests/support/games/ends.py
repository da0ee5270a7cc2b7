"""Ways in which a match ends, played at a session."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from tavla_engine import actions as a
from tavla_engine.actions import Seat
from tavla_engine.conditions import to_act
from tavla_engine.match import Phase
from tavla_protocol import messages as m
from tavla_server.features.tournaments.round_time import ruled_by_time
from tavla_server.match.lifecycle import reveal, ruling
from tavla_server.match.session import Session
from tavla_server.record.decider import Decide, engine_decide

from tests.support.games.chance import choose_action
from tests.support.patience import PATIENCE_S
from tests.support.players.seeds import SEEDS
from tests.support.servers.sessions import ask

TICK_MS = 1_000


class Table(NamedTuple):
    """A match that is played, and a way to let time pass there, in ms."""

    session: Session
    pass_time: Callable[[int], Awaitable[None]]

    async def do(self, decide: Decide) -> bool:
        """Have something decided; False: it was refused."""
        return isinstance(await ask(self.session, decide), m.Ok)

    async def act(self, action: a.Action) -> None:
        """An action that the rules allow."""
        assert await self.do(engine_decide(action)), action

    @property
    def seat(self) -> Seat:
        """The one who is to act."""
        return to_act(self.session.record.match)[0]


async def borne_off(table: Table) -> None:
    """Play on without the cube."""
    rng = random.Random(table.session.record.id)
    while not table.session.record.over:
        match = table.session.record.match
        action = a.Roll(table.seat) if match.phase is Phase.ROLL else choose_action(match, rng)
        if not isinstance(action, a.Resign | a.SetAuto):
            await table.act(action)


async def dropped(table: Table) -> None:
    """A sitting for money: a cube that is dropped, and then no other game. (No drop ends a match to points.)"""
    rng = random.Random(table.session.record.id)
    while table.session.record.match.phase is Phase.MOVE:
        action = choose_action(table.session.record.match, rng)
        if isinstance(action, a.Move):
            await table.act(action)
    await table.act(a.Double(table.seat))
    await table.act(a.Drop(table.seat))
    await table.act(a.Leave(0))


async def resigned(table: Table) -> None:
    seat = table.seat
    await table.act(a.Resign(seat, 1))
    await table.act(a.AcceptResignation(1 - seat))


async def left(table: Table) -> None:
    """A sitting for money: a game, and then no other one."""
    await resigned(table)
    await table.act(a.Leave(0))


async def forfeited(table: Table) -> None:
    await table.act(a.Forfeit(1))


async def aborted(table: Table) -> None:
    for seat in (0, 1):
        await table.act(a.Abort(seat, True))


async def timed_out(table: Table) -> None:
    """The flag of the one who is to act falls; or a seed is missing for too long."""
    async with asyncio.timeout(PATIENCE_S):
        while not table.session.record.over:
            await table.pass_time(TICK_MS)


async def unrevealed(table: Table) -> None:
    await table.do(reveal(0, SEEDS[0], table.session.record.binding))
    await timed_out(table)


async def claimed(table: Table) -> None:
    """Programs that nobody sees any more."""
    async with asyncio.timeout(PATIENCE_S):
        while not await table.do(table.session.claims.decision(1 - table.seat)):
            await table.pass_time(TICK_MS)


async def left_by_both(table: Table) -> None:
    """A sweep asks whether both have been away for so long that nobody will come back."""
    async with asyncio.timeout(PATIENCE_S):
        while not table.session.record.over:
            await table.pass_time(TICK_MS)
            await table.do(table.session.claims.left_by_both)


async def won_by_ruling(table: Table) -> None:
    assert await table.do(ruling("white", "mod", "why"))


async def voided(table: Table) -> None:
    assert await table.do(ruling("void", "mod", "why"))


async def voided_after_its_end(table: Table) -> None:
    await forfeited(table)
    await voided(table)


async def round_over(table: Table) -> None:
    now_ms = table.session.record.clock.since + TICK_MS
    assert await table.do(ruled_by_time(now_ms, lambda now_ms, lag_ms: 0))
