"""Rated matches of the same two, or of players of one network: counted as they begin, however they come about."""

from collections.abc import Awaitable, Callable

import pytest
from tavla_protocol import messages as m
from tavla_server.timings import Timings

from tests.support.players.accounts import registered
from tests.support.players.challenges import accepted, challenged
from tests.support.players.matches import new_match
from tests.support.players.plain import Player
from tests.support.players.seeds import COMMITMENTS
from tests.support.players.tournaments import entered
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

RATED: dict[str, bool | int | str] = {"length": 1, "rated": True}
TIMINGS = Timings(pairing_round_s=0.05, queue_poll_s=0.05)


def from_(address: str) -> dict[str, str]:
    return {"X-Forwarded-For": address}


async def met(player: Player, match: str) -> int:
    """How often its players had met, as the record tells."""
    told = await player.look_back(m.Record, match=match)
    assert isinstance(told, m.Recorded), told
    return next((event[3] for event in told.events if event[2] == "met"), 0)


async def at_a_table(white: Player, black: Player) -> str:
    return await new_match(white, black, RATED)


async def at_an_open_table(white: Player, black: Player) -> str:
    opened = await white.get(m.Snapshot, m.Create, rules={**RATED, "clock": "normal"})
    assert isinstance(await black.ask(m.Seek, rules={**RATED, "clock": "normal"}), m.Ok)
    assert (await black.next(m.Matched)).match == opened.match
    return opened.match


async def by_quick_match(white: Player, black: Player) -> str:
    for player in (white, black):
        assert isinstance(await player.ask(m.Seek, rules=RATED), m.Ok)
    return (await white.next(m.Matched)).match


async def by_a_challenge(white: Player, black: Player) -> str:
    offered = await challenged(white, black, rules=RATED)
    await accepted(white, black, offered.challenge)
    return offered.challenge


async def in_a_tournament(white: Player, black: Player) -> str:
    rules = {**RATED, "clock": "fast"}
    made = await white.get(m.Organised, m.CreateTournament, name=f"{white.name}-cup"[:20], rules=rules, format="swiss")
    for player, commitment in zip((white, black), COMMITMENTS, strict=False):
        await entered(player, made.tournament, commitment)
    return (await white.next(m.Matched)).match


@pytest.mark.parametrize("way", [at_a_table, at_an_open_table, by_quick_match, by_a_challenge, in_a_tournament])
async def test_each_way_to_a_rated_match_counts_how_often_its_players_have_met(
    valkey: Valkey, way: Callable[[Player, Player], Awaitable[str]]
) -> None:
    async with (
        inside(valkey.url, TIMINGS, behind_proxy=True) as here,
        inside(valkey.url, TIMINGS, behind_proxy=True) as there,
        Player(here, headers=from_("192.0.2.1")) as ada,
        Player(there, headers=from_("198.51.100.2")) as bob,
        Player(there, headers=from_("198.51.100.2")) as puppet,
        Player(there, headers=from_("203.0.113.3")) as cid,
    ):
        await registered(ada, bob, puppet, cid)
        for times, opponent in enumerate((bob, puppet, bob)):
            match = await new_match(ada, opponent, RATED)
            assert await met(ada, match) == times, "who plays from bob's address counts as bob"
            await ada.act(m.Forfeit, match)
        assert await met(ada, await new_match(ada, bob)) == 0, "a match that is not rated counts for nothing"
        assert await met(ada, await way(ada, bob)) == 3
        assert await met(cid, await new_match(cid, bob, RATED)) == 0, "cid has met nobody from there"
