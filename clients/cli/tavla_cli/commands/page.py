"""`tavla check` and `tavla page`: whether a server sends the page that it should; and the page without the server's."""

import asyncio
import errno
import sys

import click
from rich.text import Text
from tavla_client import Client
from tavla_protocol import __version__

from tavla_cli.commands.options import Options, common
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.terminal import new_console
from tavla_cli.page.answer import fetch
from tavla_cli.page.comparison import difference, places
from tavla_cli.text.cleaning import clean

ADDRESS = click.argument("address", metavar="[SERVER]", required=False)
AT_ONCE = 4  # requests, as a browser has


@click.command(cls=GroupedCommand)
@ADDRESS
@common
async def check(options: Options, address: str | None) -> None:
    """Compare the page that a server sends with the installed one.

    The page is code that the operator sends: another one could play in your name. This asks as a browser does, without
    your name. It says what came to this computer, now: `tavla page` takes no page from a server at all.
    """
    server = options.at(address).server
    version = await _version(server)
    if version != __version__:
        raise click.ClickException(f"it runs tavla {clean(version)}, you have {__version__}: cannot compare")
    at_once = asyncio.Semaphore(AT_ONCE)

    async def looked_at(path: str) -> tuple[int, str]:
        async with at_once:
            sent = await asyncio.to_thread(fetch, server, path)
            return sent.status, await asyncio.to_thread(difference, path, sent)

    found = await asyncio.gather(*map(looked_at, places()))
    if all(status != 200 for status, _ in found):
        raise click.ClickException(f"{server} sends no page: nothing to compare")
    console = new_console(options.ascii_only, wrap=False)
    faults = [fault for _, fault in found if fault]
    if not faults:
        console.print(Text(f"To this computer, now, it sent the page of tavla {__version__}.", "green"))
        return
    more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
    said = f"WARNING: another page than that of tavla {__version__}: {clean(faults[0])}{more}."
    console.print(Text(said, "bold red"))
    console.print(Text("Whoever changed it, the operator or a service in front of it, can play in your name."))
    sys.exit(1)


@click.command(cls=GroupedCommand)
@ADDRESS
@common
async def page(options: Options, address: str | None) -> None:
    """Serve the installed page here, to play with it at a server.

    Then the operator sends your browser no code. What you type goes to the server, as from its own page.
    """
    from tavla_cli.page.local_page import LocalPage

    server = options.at(address).server
    version, local = await _version(server), LocalPage(server)
    try:
        listening = await local.listen()
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise click.ClickException(f"port {local.port} is taken: is this page open already, at {local.url}?") from None
    click.echo(f"The page of tavla {__version__}, for {server}: {local.url}")
    if version != __version__:
        click.echo(f"(The server runs {clean(version)}: what is new there may be missing.)")
    click.echo("Ctrl-C ends it; a match goes on without you until you are back.")
    await listening.serve_forever()


async def _version(server: str) -> str:
    """The version that a server says it has. Raises: ClientError."""
    async with Client(server) as client:
        return client.me.server
