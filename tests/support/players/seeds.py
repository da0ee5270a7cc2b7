"""Two players' seeds for the dice, what they commit to, and how they reveal them by hand."""

from typing import Any

from tavla_engine.dice import commitment
from tavla_protocol import messages as m
from tavla_protocol.view import View
from tavla_server.match.seed_keys import read_keys

from tests.support.players.plain import Player, unique
from tests.support.servers.processes import SEED_KEY

SEALER = read_keys(SEED_KEY, make=False)  # as all servers of the tests have it
SEEDS = ("0a" * 32, "0b" * 32)
COMMITMENTS = (commitment(bytes.fromhex(SEEDS[0])), commitment(bytes.fromhex(SEEDS[1])))


async def seated(white: Player, black: Player, commitments: tuple[str, str] = COMMITMENTS, **create: Any) -> str:
    """White opens a table and black joins, each with a commitment; the match id, when both have seen that."""
    create.setdefault("rules", {"length": 1})
    snapshot = await white.ask(m.Create, name=unique("t"), side="white", commitment=commitments[0], **create)
    assert isinstance(snapshot, m.Snapshot), snapshot
    joined = await black.get(m.Snapshot, m.Join, table=snapshot.match, commitment=commitments[1])
    await white.reach(joined.match, joined.seq)
    return joined.match


async def reveal(player: Player, match: str) -> View:
    """Reveal the seed of the seat that one has; the view with it."""
    answer = await player.act(m.Reveal, match, seed=SEEDS[player.matches[match].seat or 0])
    assert isinstance(answer, m.Ok), answer
    return await player.reach(match, answer.seq or 0)
