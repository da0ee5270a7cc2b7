"""Having an account: register, log in and out, and see how one has played."""

import contextlib
import shlex
import sys
import time
from collections.abc import Iterable, Sequence
from functools import partial

import click
from rich.text import Text
from tavla_client import Client, Refused
from tavla_protocol import messages as m

from tavla_cli.commands.options import Options, common, json_option, meaning, print_objects
from tavla_cli.identity import Identities
from tavla_cli.input import completion
from tavla_cli.input.arguments import player_name
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.password import interruptible, new_password, read_password
from tavla_cli.input.terminal import new_console
from tavla_cli.screens.grids import grid
from tavla_cli.text import phrases
from tavla_cli.text.cleaning import clean
from tavla_cli.text.moderation import figure_lines
from tavla_cli.text.people import career_text, voids_text

NUMBERS = ("place", "rating", "change", "experience")  # columns that end where their numbers do
NAME = click.argument("name", required=False, callback=player_name)


@click.command(cls=GroupedCommand)
@NAME
@common
async def register(options: Options, name: str | None) -> None:
    """Keep your name for good: become an account, with a password."""
    options.take_name(name)
    async with options.client(shared=True) as client:  # a name that is taken is told before a password is typed
        options.player = client.me.name
        if client.me.rating is not None:
            raise click.ClickException(f"{client.me.name} has an account: tavla password gives it another password")
    password = new_password(f"password for {options.player}")
    async with options.client(shared=True) as client:
        await client.account.register(password)
        elsewhere = shlex.join(["tavla", "login", client.me.name or "", "--server", options.server])
        _say(options, f"{client.me.name} has an account now; to log in elsewhere: {elsewhere}")


@click.command(cls=GroupedCommand)
@NAME
@common
async def login(options: Options, name: str | None) -> None:
    """Be here who you are elsewhere."""
    options.take_name(name)
    if options.player is None:
        raise click.UsageError("say as whom: tavla login NAME")
    password, identities = read_password("password"), Identities(options.server)
    keep = partial(identities.keep, options.player)
    async with Client(options.server, name=options.player, password=password, on_token=keep) as client:
        await _show_career(options, client, client.me.name or "")


@click.command(cls=GroupedCommand)
@common
async def password(options: Options) -> None:
    """Change your password. Wherever else you are logged in, you are not any more."""
    old, new = read_password("old password"), new_password("new password")
    async with options.client(known=True) as client:
        await client.account.change_password(old, new)
        _say(options, "your password is changed, and you are logged out everywhere else")


@click.command(cls=GroupedCommand)
@click.option("--everywhere", is_flag=True, help="On every machine; for an account.")
@common
async def logout(options: Options, everywhere: bool) -> None:
    """Be nobody on this machine again. A guest cannot come back."""
    async with options.client(known=True) as client:
        name, guest = client.me.name or "", client.me.rating is None
        if guest and sys.stdin.isatty():
            with interruptible():
                click.confirm(f"{name} is a guest, whom the server then forgets. Go on?", abort=True, err=True)
        await client.account.logout(everywhere)
    Identities(options.server).forget(name)
    _say(options, f"{name} is logged out" + (" everywhere" if everywhere else "") + (" and forgotten" if guest else ""))


@click.command(cls=GroupedCommand)
@json_option
@common
async def whoami(options: Options, as_json: bool) -> None:
    """Show who you are here, your rating, and what came to nothing."""
    async with options.client(known=True) as client:
        await _show_career(options, client, client.me.name or "", as_json)
        if not as_json and client.counts.matches:
            _say(options, client.counts.text)


@click.command(cls=GroupedCommand)
@click.argument("name", callback=player_name, shell_complete=completion.people)
@json_option
@common
async def profile(options: Options, name: str, as_json: bool) -> None:
    """Show how someone has played."""
    async with options.client(shared=True, looks_on=True) as client:
        await _show_career(options, client, name, as_json)


@click.command(cls=GroupedCommand)
@json_option
@common
async def top(options: Options, as_json: bool) -> None:
    """List the highest ratings, and how many matches are void."""
    async with options.client(shared=True, looks_on=True) as client:
        leaders = await client.archive.top()
    if as_json:
        print_objects(leaders)
        return
    if leaders:
        rows = [
            (str(place), phrases.player_text(one.name, one.kind), phrases.rating_text(one.rating), str(one.experience))
            for place, one in enumerate(leaders, 1)
        ]
        _print_grid(options, ("place", "player", "rating", "experience"), rows)
    else:
        _say(options, "nobody has met five opponents in rated matches yet: open a table with tavla create --rated")
    if client.me.voids[0]:
        _say(options, voids_text(client.me.voids))


@click.command(cls=GroupedCommand)
@click.argument("address", metavar="SERVER")
@common
async def forget(options: Options, address: str) -> None:
    """Throw away all that this computer remembers of a server.

    Those are your names there, the seeds of matches that are not over, what you have seen of those that are, and how
    many came to nothing. A guest cannot come back then, and an account has to log in.
    """
    server = options.at(address).server
    identities = Identities(server)
    names = ", ".join(identities.known_names()) or "nobody"
    if sys.stdin.isatty():
        with interruptible():
            click.confirm(
                f"You are {names} at {server}. A guest cannot come back, and a match that is not over is void or has"
                " dice that nobody checks. Forget all of it?",
                abort=True,
                err=True,
            )
    identities.forget_server()
    _say(options, f"this computer remembers nothing of {server}")


@click.command(cls=GroupedCommand)
@common
async def unregister(options: Options) -> None:
    """Close your account for good.

    Your rating, results and tokens go at once. The matches that you have played stay, for they are your opponents' as
    well, but in them you are "someone"; a match that is not over goes on under your name until it is. After 30 days
    somebody else may take the name. It cannot be taken back.
    """
    async with options.client(known=True) as client:  # a guest is told before a password is typed
        name = options.player = client.me.name or ""
        if client.me.rating is None:
            raise click.ClickException(f"{name} is a guest: tavla logout forgets a guest")
    if sys.stdin.isatty():
        click.echo(f"{name} loses rating and results, and is called someone in old matches.", err=True)
        click.echo("This cannot be taken back. Ctrl-C leaves everything as it is.", err=True)
    password = read_password("password")
    async with options.client(known=True) as client:
        await client.account.close(password)
    Identities(options.server).forget(name)
    _say(options, f"the account {name} is closed")


async def _show_career(options: Options, client: Client, name: str, as_json: bool = False) -> None:
    async with meaning(name, client, completion.known_names):
        career = await client.archive.profile(name)
    if as_json:
        print_objects([career])
        return
    _say(options, career_text(career, options.server))
    if career.results:
        columns = ("when", "opponent", "played", "score", "change", "rating")
        _print_grid(options, columns, map(_line, career.results))
    if client.me.rating is not None and career.name == client.me.name:
        with contextlib.suppress(Refused):  # a server without an archive, or an older one
            figures = await client.archive.fair_play()
            if figures.matches:
                for line in figure_lines(figures):
                    _say(options, line)


def _line(result: m.Result) -> tuple[str, ...]:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(result.time / 1000))
    match = f"match to {phrases.plural(result.length, 'point')}" if result.length else "money play"
    score, change = "{}-{}".format(*result.score), f"{result.change:+.2f}"
    return when, result.opponent, match, score, change, phrases.rating_text(result.rating)


def _print_grid(options: Options, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    new_console(options.ascii_only).print(grid(columns, rows, NUMBERS))


def _say(options: Options, sentence: str) -> None:
    new_console(options.ascii_only, wrap=False).print(Text(clean(sentence)))  # to be copied in one piece
