"""Matches on a real journal without connections: opened, and asked for changes."""

import asyncio
import itertools
import random

from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.match import Phase
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_server.match.command import MatchCommand
from tavla_server.match.registry import Registry
from tavla_server.match.session import Session
from tavla_server.player import Player as Guest
from tavla_server.record.decider import Decide, engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Created, Event, Seated
from tavla_server.record.rating import was_played
from tavla_server.record.state import Record, apply_all

from tests.support.games.chance import choose_action
from tests.support.players.plain import within

ids = itertools.count(1)
ADA, BOB = Guest("ada", "ada"), Guest("bob", "bob")


async def ask(session: Session, decide: Decide, seq: int | None = None, id_: int = 0) -> m.Ok | m.Error:
    """Ask a session for a change; its answer."""
    answer: asyncio.Future[m.Ok | m.Error] = asyncio.get_running_loop().create_future()
    session.submit(MatchCommand(ADA.id, id_ or next(ids), seq, decide, answer))
    return await within(answer)


async def opened(
    sessions: Registry, rng: random.Random, white: Guest = ADA, black: Guest = BOB, **rules: bool | int | str
) -> Session:
    """A match that has begun."""
    session = await sessions.get(f"m{rng.randbytes(4).hex()}")
    created = Created("table", preset("money", rules), rng.randbytes(32))
    first: list[Event] = [created, Seated(0, white), Seated(1, black)]

    def decide(record: Record, dice: MatchDice) -> tuple[list[Event], Record]:
        events, begun = engine_decide(a.Ready(0), a.Ready(1))(apply_all(record, first), dice)
        return [*first, *events], begun

    assert isinstance(await ask(session, decide), m.Ok)
    return session


async def played_on(session: Session, rng: random.Random) -> None:
    """A match that has begun goes on until both have made two plays."""
    while not was_played(session.record.match):
        match = session.record.match
        action = a.Roll(match.turn) if match.phase is Phase.ROLL else choose_action(match, rng)
        if isinstance(action, a.Roll | a.Move):
            assert isinstance(await ask(session, engine_decide(action)), m.Ok)


def toggle(record: Record, _: MatchDice) -> tuple[list[Event], Record]:
    """Something that is always allowed, and always changes the match."""
    event = e.AutoSet(0, a.Auto.PLAY, not record.match.auto_play[0])
    return [event], apply_all(record, [event])
