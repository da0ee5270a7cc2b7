"""Tournaments: made, entered, played and directed."""

from typing import Any

import msgspec
from tavla_protocol import messages as m

from tests.support.players.accounts import registered
from tests.support.players.matches import played_on
from tests.support.players.plain import Player, unique
from tests.support.players.seeds import COMMITMENTS, SEEDS

RULES: dict[str, bool | int | str] = {"length": 1, "variant": "hypergammon"}


async def arena_of(director: Player, **fields: Any) -> str:
    """A tournament that has begun, made by this player."""
    await registered(director)
    organised = await director.get(m.Organised, m.CreateTournament, name=unique("a"), rules=RULES, **fields)
    return organised.tournament


async def direct(director: Player, tournament: str, what: str, **fields: Any) -> None:
    """Decide something of it."""
    await director.get(m.Ok, m.DirectTournament, tournament=tournament, what=what, reason="so it is", **fields)


async def standings_of(player: Player, tournament: str) -> dict[str, m.Standing]:
    """The standings as they are now, by name."""
    listing = await player.get(m.Listing, m.List, what="standings", tournament=tournament)
    return msgspec.convert(listing.rows, dict[str, m.Standing])


async def entered(player: Player, tournament: str, commitment: str) -> int:
    """Enter, and be told that it is so; the id of the request."""
    answer = await player.get(m.Ok, m.EnterTournament, tournament=tournament, commitment=commitment)
    return answer.id


async def one_match(tournament: str, loser: Player, other: Player) -> str:
    """A match of a tournament that is over by a forfeit; its id."""
    for player, commitment in zip((loser, other), COMMITMENTS, strict=False):
        await entered(player, tournament, commitment)
    for player, seed in zip((loser, other), SEEDS, strict=False):
        match = (await player.next(m.Matched)).match
        await player.next(m.Snapshot)
        await player.act(m.Reveal, match, seed=seed)
    for player in (loser, other):
        await player.until(match, lambda view: view.game > 0)
    await played_on(match, loser, other)
    await loser.act(m.Forfeit, match)
    await other.until(match, lambda view: view.phase == "over")
    return match


async def record_of(player: Player, tournament: str) -> m.TournamentRecorded:
    """All that is told of it."""
    told = await player.look_back(m.TournamentRecord, tournament=tournament)
    assert isinstance(told, m.TournamentRecorded), told
    return told
