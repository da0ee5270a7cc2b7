"""A live match that both players have left, by its rules and by what it waits for: it ends after `absence_s`."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tavla_engine.events import Ending, MatchEnded
from tavla_protocol import messages as m
from tavla_protocol.view import View
from tavla_server.timings import Timings

from tests.support.patience import ask_until
from tests.support.players.matches import new_match
from tests.support.players.plain import Player
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import entries_of

Rules = dict[str, bool | int | str]
POINTS: Rules = {"preset": "tournament", "length": 3}
CLOCK: Rules = {"preset": "tournament", "length": 3, "clock": "fast"}
MONEY: Rules = {"preset": "money"}

# No time is days here: whoever is away, and is shown so, has been away for long enough.
SOON = Timings(absence_s=0, claim_s=0, claim_least_s=0, sweep_s=0.02, away_s=0.0)


async def turn(white: Player, black: Player, match: str) -> View:
    """It waits for one of them."""
    return await both(white, black, match, lambda view: len(view.to_act) == 1)


async def resignation(white: Player, black: Player, match: str) -> View:
    """It waits for the answer to an offer."""
    (seat,) = (await turn(white, black, match)).to_act
    assert isinstance(await (white, black)[seat].act(m.Resign, match, value=1), m.Ok)
    return await both(white, black, match, lambda view: view.to_act == (1 - seat,))


async def pause(white: Player, black: Player, match: str) -> View:
    """It waits for both, between two games."""
    (seat,) = (await resignation(white, black, match)).to_act
    assert isinstance(await (white, black)[seat].act(m.Accept, match), m.Ok)
    return await both(white, black, match, lambda view: view.phase == "ready")


async def both(white: Player, black: Player, match: str, wanted: Callable[[View], bool]) -> View:
    """The match when both have seen it so."""
    await white.until(match, wanted)
    return await black.until(match, wanted)


ROWS = [  # rules, what it waits for, how it ends; white leaves first
    (POINTS, turn, Ending.ABANDONED),
    (POINTS, resignation, Ending.ABANDONED),
    (POINTS, pause, Ending.ABANDONED),
    (CLOCK, turn, Ending.ABANDONED),
    (MONEY, turn, Ending.ABANDONED),
    (MONEY, pause, Ending.LEFT),
]


@pytest.mark.parametrize(("rules", "state", "ending"), ROWS)
async def test_a_match_that_both_have_left_ends(
    valkey: Valkey, rules: Rules, state: Callable[..., Awaitable[View]], ending: Ending
) -> None:
    async with inside(valkey.url, SOON) as url, Player(url) as stays, Player(url) as white, Player(url) as black:
        async with Player(url) as gone:
            other = await new_match(stays, gone, POINTS)
        match = await new_match(white, black, rules)
        view = await state(white, black, match)
        await white.close()
        await black.find(lambda message: isinstance(message, m.Presence) and not message.online)
        await black.close()
        ends = await ask_until(lambda: asyncio.to_thread(ended, valkey.url, match))
        loser = view.to_act[0] if len(view.to_act) == 1 else 0
        assert [end.ending for end in ends] == [ending]
        assert ending is Ending.LEFT or ends[0].winner == 1 - loser
        assert not ended(valkey.url, other), "one of the two is there"


def ended(store: str, match: str) -> list[Any]:
    """The ends in a match's journal."""
    return [event for entry in entries_of(store, match) for event in entry.events if isinstance(event, MatchEnded)]
