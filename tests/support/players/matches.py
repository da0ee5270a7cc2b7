"""Matches of players who speak the protocol: begun, played on, and a turn of one."""

import contextlib
import random
from collections.abc import AsyncIterator
from typing import Any

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tests.support.players.plain import PLAYS, Player, begun, unique
from tests.support.players.turns import choose, waits_for


async def new_match(
    white: Player, black: Player, rules: dict[str, bool | int | str] | None = None, **create: Any
) -> str:
    """White opens a table and black joins; the match id, when both see the first game and each other."""
    snapshot = await white.ask(
        m.Create, name=unique("t"), rules=rules or {"preset": "tournament", "length": 1}, side="white", **create
    )
    assert isinstance(snapshot, m.Snapshot), snapshot
    code = str(snapshot.view.get("code", ""))
    while isinstance(joined := await black.ask(m.Join, table=snapshot.match, code=code), m.Error):
        assert joined.code == ErrorCode.NOT_ONLINE, joined  # white's node is late to say that it sits there
    await white.find(lambda message: message == m.Presence(match=snapshot.match, seat=1, online=True))
    await begun(snapshot.match, white, black)
    white.inbox, black.inbox = [], []
    return snapshot.match


@contextlib.asynccontextmanager
async def at_match(
    url: str, rules: dict[str, bool | int | str] | None = None, **create: Any
) -> AsyncIterator[tuple[Player, Player, str]]:
    """White and black at a new match, and its id."""
    async with Player(url) as white, Player(url) as black:
        yield white, black, await new_match(white, black, rules, **create)


async def played_on(match: str, *players: Player) -> None:
    """A game goes on from its start until both have made two plays: from then on its result counts for the winner."""
    rng, seen = random.Random(match), players[0].matches[match]
    opened = seen.view.rolls - bool(seen.view.dice)
    while seen.view.rolls - opened <= PLAYS:
        (seat,) = seen.view.to_act
        (actor,) = (player for player in players if player.matches[match].seat == seat)
        request, fields = (m.Roll, {}) if seen.view.phase == "roll" else choose(seen.view, seat, rng)
        assert isinstance(await actor.act(request, match, **fields), m.Ok)
        seq = 1 + seen.seq
        for player in players:
            await player.reach(match, seq)


def by_turn(white: Player, black: Player, match: str) -> tuple[Player, Player]:
    """The player that the match waits for, and the other."""
    return (white, black) if waits_for(white.matches[match].view, 0) else (black, white)


async def a_turn(player: Player, match: str, rng: random.Random) -> m.Ok:
    """Some action of the player on turn."""
    request, fields = choose(player.matches[match].view, player.matches[match].seat, rng)
    answer = await player.act(request, match, **fields)
    assert isinstance(answer, m.Ok), answer
    await player.reach(match, answer.seq or 0)
    return answer
