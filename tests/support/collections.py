"""Matches in files, sent to a collection as a client sends them."""

from pathlib import Path
from typing import Any

from tavla_cli.records.files import file_match_of, read
from tavla_protocol import messages as m
from tavla_protocol.file_match import pack

from tests.support.players.plain import Player, Received

DATA = Path(__file__).parents[1] / "data"
PIECE = 3072


def document(file: str = "field/concedes.mat") -> bytes:
    """A match in a file, as clients hand it on."""
    return pack(file_match_of(read(DATA / file)))


async def collect(player: Player, data: bytes, **more: Any) -> Received:
    """Send a match; the answer to its last piece."""
    pieces = [data[at : at + PIECE] for at in range(0, len(data), PIECE)]
    for number, piece in enumerate(pieces):
        answer = await player.ask(m.Collect, piece=number, pieces=len(pieces), data=piece, **more)
        if not isinstance(answer, m.Ok):
            break
    return answer


async def collected(player: Player, data: bytes, **more: Any) -> m.CollectedMatch:
    """The match, when it is in the collection."""
    answer = await collect(player, data, **more)
    assert isinstance(answer, m.Collected), answer
    (match,) = answer.matches
    return match


async def collection_of(player: Player) -> list[m.CollectedMatch]:
    """All that a player has collected, as far as one page goes."""
    page = await player.look_back(m.Collection)
    assert isinstance(page, m.Collected), page
    return page.matches
