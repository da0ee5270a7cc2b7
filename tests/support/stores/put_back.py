"""A match that is put back to what an earlier backup had, and how far it goes first."""

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from tavla_engine.chain import LINKS, earlier, link_number
from tavla_protocol import messages as m
from tavla_protocol.view import View
from tavla_server.record.events import Forked
from tavla_server.record.state import Record, apply_all

from tests.support.players.matches import a_turn, by_turn
from tests.support.players.plain import Player
from tests.support.players.seeds import SEALER, reveal, seated
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import Past, entries_of

RULES: dict[str, bool | int | str] = {"preset": "tournament", "length": 7, "cube": False}


GAP_MS = 10_000  # between two heartbeats at most


Pair = tuple[Player, Player]


async def nothing(pair: Pair, match: str) -> None:
    """Both sit."""


async def one_reveals(pair: Pair, match: str) -> None:
    await reveal(pair[0], match)
    await pair[1].reach(match, pair[0].matches[match].seq)


async def both_reveal(pair: Pair, match: str) -> None:
    await one_reveals(pair, match)
    await reveal(pair[1], match)
    await pair[0].reach(match, pair[1].matches[match].seq)


async def plays(pair: Pair, match: str, turns: int = 3) -> None:
    rng = random.Random(match)
    for _ in range(turns):
        mover, other = by_turn(*pair, match)
        answer = await a_turn(mover, match, rng)
        await other.reach(match, answer.seq or 0)


async def resigns(pair: Pair, match: str, most: int = 4) -> None:
    """White resigns the game; then both are ready for the next one. most: so many of these steps."""
    for player, action, fields in (
        (pair[0], m.Resign, {"value": 1}), (pair[1], m.Accept, {}), (pair[0], m.Ready, {}), (pair[1], m.Ready, {}),
    )[:most]:  # fmt: skip
        answer = await player.act(action, match, **fields)
        assert isinstance(answer, m.Ok), answer
        for one in pair:
            await one.reach(match, answer.seq or 0)


async def amid_a_game(pair: Pair, match: str) -> None:
    await both_reveal(pair, match)
    await plays(pair, match)


async def between_games(pair: Pair, match: str) -> None:
    await both_reveal(pair, match)
    await plays(pair, match)
    await resigns(pair, match, most=2)


Step = Callable[[Pair, str], Awaitable[None]]


PLACES: dict[str, tuple[Step, tuple[int, ...]]] = {  # and who reveals after that
    "before a reveal": (nothing, (0, 1)),
    "before the last reveal": (one_reveals, (1,)),
    "at the first roll": (both_reveal, ()),
    "amid a game": (amid_a_game, ()),
    "between two games": (between_games, ()),
}


class PutBack(NamedTuple):
    """A match that is put back, while no server runs. views: what each player was shown. white, black: their tokens."""

    match: str
    past: Past
    views: tuple[View, View]
    white: str
    black: str

    def seeds(self, seat: int = 0) -> dict[str, Any]:
        """The seeds that a player brings."""
        return {"seed": self.views[seat].seed, "seeds": self.views[seat].seeds}


async def put_back(valkey: Valkey, place: str, black_sees: int = 2) -> PutBack:
    """A match of which two games are over, put back to a place. black_sees: so many of the ends."""
    step, reveals = PLACES[place]
    async with inside(valkey.url) as url, Player(url) as white, Player(url) as black:
        match = await seated(white, black, rules=RULES)
        await step((white, black), match)
        past = Past(valkey.url, match)
        for seat in reveals:
            await reveal((white, black)[seat], match)
        for player in (white, black):
            await player.reach(match, max(one.matches[match].seq for one in (white, black)))
        while (over := link_of(white.matches[match].view)) < 2:
            if over == black_sees:
                seen = black.matches[match].view
            await plays((white, black), match)
            await resigns((white, black), match)
        if black_sees == 2:
            seen = black.matches[match].view
        found = PutBack(match, past, (white.matches[match].view, seen), str(white.token), str(black.token))
    past.bring_back()
    return found


@asynccontextmanager
async def back(valkey: Valkey, found: PutBack) -> AsyncIterator[Pair]:
    """Both players, connected to another server."""
    async with (
        inside(valkey.url) as url,
        Player(url, token=found.white) as white,
        Player(url, token=found.black) as black,
    ):
        yield white, black


async def comes(player: Player, match: str, **brings: Any) -> m.Snapshot:
    """A player comes back, and brings what it was shown; its legal answer."""
    return await player.get(m.Snapshot, m.Attach, table=match, **brings)


def forks_of(url: str, match: str) -> list[str]:
    """The seed of each fork."""
    return [event.seed for entry in entries_of(url, match) for event in entry.events if isinstance(event, Forked)]


def link(url: str, match: str, number: int) -> str:
    """The server's seed of a number, as an operator may know it."""
    record = SEALER.unseal(apply_all(Record(match), entries_of(url, match)[0].events))
    return earlier(record.seed, LINKS - number).hex()


def link_of(view: View) -> int:
    """The number of the newest seed that is shown."""
    return (link_number(bytes.fromhex(view.seed), view.commitment) or 0) if view.seed else 0
