"""Completion for the shell: names of tables, matches and people, asked of the server. Silent about failures."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import click
from click.shell_completion import CompletionItem
from tavla_client import Client, ClientError, Refused

from tavla_cli.identity import Identities
from tavla_cli.input.common_options import DEFAULT_SERVER
from tavla_cli.text.cleaning import clean
from tavla_cli.text.phrases import word_for

TIMEOUT_S = 2.0  # a shell that hangs is worse than one that knows no name

Ask = Callable[[Client], Awaitable[dict[str, str]]]  # what can be typed, and what it is
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completing(ask: Ask) -> Complete:
    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        given = context.find_root().params
        server, player = given.get("server") or DEFAULT_SERVER, given.get("player")
        try:
            found = asyncio.run(_asked(ask, server, player))
        except (ClientError, OSError, TimeoutError):
            return []
        wanted = incomplete.lower()
        return [CompletionItem(text, help=clean(is_)) for text, is_ in found.items() if fits(text, wanted)]

    def fits(text: str, wanted: str) -> bool:
        return text.lower().startswith(wanted) and clean(text) == text

    return complete


async def _asked(ask: Ask, server: str, player: str | None) -> dict[str, str]:
    """Ask as a player who was here before: pressing Tab makes no guest."""
    identities = Identities(server)
    name = player or next(iter(identities.known_names()), None)
    token = identities.token(name) if name else None
    if name is None or token is None:
        return {}
    async with (
        asyncio.timeout(TIMEOUT_S),
        Client(server, token=token, on_token=partial(identities.keep, name)) as client,
    ):
        return await ask(client)


async def table_names(client: Client) -> dict[str, str]:
    """The open tables, and who sits there."""
    rows = await client.lobby.tables()
    return {word_for(table.name, id_): " ".join(filter(None, table.players)) for id_, table in rows.items()}


async def match_names(client: Client) -> dict[str, str]:
    """The tables with a match, and the open ones, with their players."""
    rows = await client.lobby.tables("matches")
    known = {word_for(table.name, id_): " - ".join(filter(None, table.players)) for id_, table in rows.items()}
    return known | await table_names(client)


async def _mine(client: Client) -> dict[str, str]:
    return {id_: table.name for id_, table in (await client.lobby.tables("mine")).items()}


async def people_names(client: Client) -> dict[str, str]:
    """The players who are here, and of which kind each is."""
    return {name: person.kind for name, person in (await client.lobby.people()).items()}


async def known_names(client: Client) -> list[str]:
    """Players whom somebody may mean: who is here, whom the user follows, and the leaderboard."""
    names = [*await people_names(client)]
    with suppress(Refused):  # who only looks on follows nobody
        names += (await client.friends.list()).friends
    with suppress(Refused):  # no archive
        names += (leader.name for leader in await client.archive.top())
    return names


tables, matches, mine, people = map(_completing, (table_names, match_names, _mine, people_names))
