"""Tournaments that are over, and what of them is in the store and in the archive."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
from msgspec.structs import replace
from tavla_engine.rules import Rules
from tavla_protocol.codec import pack
from tavla_server.features.archive.tournaments import KeptTournament
from tavla_server.features.lists.listings import TournamentRow, unpack_row
from tavla_server.features.tournaments import events as e
from tavla_server.features.tournaments.journal import entries
from tavla_server.features.tournaments.state import Tournament, replay
from tavla_server.features.tournaments.views import row_of
from tavla_server.player import Player as Person
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.plain import Player
from tests.support.players.tournaments import record_of, standings_of
from tests.support.servers.processes import inside, page
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at

NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"
ADA, BOB, EVE, DAN = (Person(f"{name}-000000000000", name, "account", 1500.0) for name in ("ada", "bob", "eve", "dan"))
SOON = Timings(pairing_round_s=0.05)


def journal_of(*events: e.Event, name: str = "friday", closed_ms: int = 9_000) -> list[bytes]:
    """A tournament of three who play each other once, and what else happened."""
    opened = e.Opened(name, ADA, Rules(length=1, reserve_s=60), 0, 5_000, bytes(16))
    told: list[e.Event] = [opened, *(e.Entered(one, "0f") for one in (ADA, BOB, EVE))]
    for number, (one, other) in enumerate(((ADA, BOB), (BOB, EVE), (EVE, ADA))):
        told += [e.Paired((one.id, other.id)), e.Scored(number, 0)]
    rows = [e.TournamentEntry(1_000 + number, (event,)) for number, event in enumerate([*told, *events])]
    return [e.encode_entry(entry) for entry in (*rows, e.TournamentEntry(closed_ms, (e.Closed(),)))]


def rounds_of(*players: Person) -> list[bytes]:
    """A round of a tournament with rounds: the first two play each other, the third has a bye."""
    opened = e.Opened("swiss", ADA, Rules(length=1, reserve_s=60), 0, 5_000, bytes(16), format="swiss", round_ms=60_000)
    one, other, third = (player.id for player in players)
    begun = e.Round(9_000, 1), e.Paired((one, other)), e.Paired((third, ""), absent=(1,)), e.Scored(0, 0)
    told: list[e.Event] = [opened, *(e.Entered(player, "0f") for player in players), *begun]
    return [e.encode_entry(e.TournamentEntry(1, (event,))) for event in told]


def kept_of(tournament: str, journal: list[bytes], ended_ms: int = 9_000) -> KeptTournament:
    state = state_of(journal)
    return KeptTournament(tournament, ended_ms, True, row_of(state), list(state.entrants), journal)


def state_of(journal: list[bytes] | None) -> Tournament:
    """What a journal leads to."""
    assert journal is not None, "it is there"
    return replay(entries("t", journal))


async def is_closed(redis: Client) -> bool:
    """True if no account is left to be forgotten by the archive."""
    return not await redis.hlen(keys.ARCHIVE_CLOSING())


async def is_listed_no_more(redis: Client, tournament: str) -> bool:
    return await row_in(redis, tournament) is None


async def until_named(player: Player, tournament: str, names: set[Any]) -> None:
    """Until the standings have these names."""
    await ask_until(lambda: standings_of(player, tournament), lambda found: {*found} == names)


def file_at(url: str, path: str) -> Any:
    """The JSON at an address."""
    status, text = page(url, path)
    assert status == 200, text
    return msgspec.json.decode(text)


@contextlib.asynccontextmanager
async def archived_at(url: str, valkey: Valkey) -> AsyncIterator[None]:
    """A server on an empty archive, from when a tournament is there."""
    async with archive_at(url) as archive, inside(valkey.url, SOON, archive=url):
        await ask_until(lambda: archive.tournaments.page(""), lambda page: bool(page[0]))
        yield


def counted(method: Callable[..., Any], count: list[int]) -> Callable[..., Any]:
    """A method, and how often it was called."""

    def call(*args: Any) -> Any:
        count[0] += 1
        return method(*args)

    return call


async def until_more(count: list[int]) -> None:
    """Until it is more than now, twice."""
    wanted = count[0] + 2
    async with asyncio.timeout(PATIENCE_S):
        while count[0] < wanted:  # noqa: ASYNC110 - it goes up where servers run
            await asyncio.sleep(0)


async def until_scored(player: Player, tournament: str) -> None:
    await ask_until(lambda: record_of(player, tournament), lambda found: found.pairings[0].over)


async def row_in(redis: Client, tournament: str) -> tuple[bytes, TournamentRow] | None:
    """Its row in the list, and the version of that."""
    row = await redis.hget(keys.LOBBY_ROWS("tournaments"), tournament)
    if not isinstance(row, bytes):
        return None
    version, _, data = row.partition(b" ")
    return version, unpack_row(data)


async def listed_until(redis: Client, tournament: str) -> int:
    """Until when it is in the list, in ms since 1970; 0 = something is left to be done for it."""
    found = await row_in(redis, tournament)
    return 0 if found is None else found[1].until_ms


async def list_until(redis: Client, tournament: str, until_ms: int) -> None:
    """Have it in the list so long; no server may run."""
    found = await row_in(redis, tournament)
    assert found is not None, "it is listed"
    version, row = found
    data = version + b" " + pack(replace(row, until_ms=until_ms))
    await redis.hset(keys.LOBBY_ROWS("tournaments"), tournament, data)


async def is_over(redis: Client, tournament: str) -> bool:
    """True if its table is final."""
    found = await row_in(redis, tournament)
    return found is not None and found[1].shown.over


async def leaves(redis: Client, key: str) -> bool:
    """True if a key will go."""
    return await redis.ttl(key) >= 0
