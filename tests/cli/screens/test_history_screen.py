"""A long history, as it is printed through a pipe."""

import io
import random
from pathlib import Path

from rich.console import Console
from tavla_cli.screens.history_screen import show_history
from tavla_client import Client

from tests.support.players.plain import unique
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at
from tests.support.stores.finished import journal_of, match_id, player, put_into

MATCHES = 51  # more than one page of the server's, and of what is printed at once


async def test_all_pages_are_printed_each_with_its_head(valkey: Valkey, memory: Path, rng: random.Random) -> None:
    async with archive_at(f"sqlite:///{memory}/archive.sqlite3") as archive:
        ada, bob, made = player(rng, unique("ada")), player(rng, "bob"), list[str]()  # no other test's match is hers
        for number in range(MATCHES):
            match = match_id(rng)
            journal = journal_of(rng, match, (ada, bob), began_ms=1_789_000_000_000 + 60_000_000 * number, most=3)
            await put_into(archive, match, journal)
            made.append(match)
    printed = io.StringIO()
    async with (
        inside(valkey.url, archive=f"sqlite:///{memory}/archive.sqlite3") as url,
        Client(url, name=unique("eve")) as client,
    ):
        await show_history(client, Console(file=printed, width=120), ada.name)
    heads, rows = list[str](), list[str]()
    for line in printed.getvalue().splitlines():
        (rows if any(match in line for match in made) else heads).append(line)
    assert (len(rows), len(heads)) == (MATCHES, 2)
    assert [next(match for match in made if match in row) for row in rows] == made[::-1]
