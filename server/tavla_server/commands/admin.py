"""The commands of `tavla-server admin`."""

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

import click
import uvloop

from tavla_server.commands.administrator import LISTS, Administrator, administrator
from tavla_server.errors import StartError
from tavla_server.gateway.client_address import UNKNOWN, whom
from tavla_server.gateway.text_filter import clean
from tavla_server.moderation.penalties import ADDRESS, What, until_text
from tavla_server.options import Options

UNITS = {"m": 1, "h": 60, "d": 24 * 60}  # in minutes
TIME = re.compile(r"([1-9][0-9]{0,5})([mhd])")

Lines = Iterable[str]


class Time(click.ParamType[int | None]):
    """A time such as 30m, 2h or 7d, in minutes; None = `ever`."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, context: click.Context | None) -> int | None:
        """From what was typed."""
        if value == "ever":
            return None
        if (found := TIME.fullmatch(str(value))) is None:
            self.fail(f"{value!r} is no time: say 30m, 2h, 7d or ever", param, context)
        return int(found[1]) * UNITS[found[2]]


class Reason(click.ParamType[str]):
    """Words that can be shown anywhere."""

    name = "text"

    def convert(self, value: object, param: click.Parameter | None, context: click.Context | None) -> str:
        """From what was typed."""
        if not (said := clean(str(value))[:200]):
            self.fail("say something that can be shown", param, context)
        return said


_name = click.argument("name")
_reason = click.argument("reason", type=Reason())
_for = click.option("--for", "minutes", type=Time(), required=True, help="For how long: 30m, 2h, 7d, or ever.")
_addresses = click.option("--addresses", is_flag=True, help="Those from which the player is connected now, too.")


@click.group()
@click.option("--data", default=None, type=click.Path(path_type=Path), help="Folder of the embedded store.")
@click.option("--redis", default=None, help="URL of the store.")
@click.option("--archive", default=None, help="URL of the archive.")
@click.pass_context
def admin(context: click.Context, /, **given: Any) -> None:
    """Moderate and inspect while servers run. Each command is written into an audit: see `admin audit`.

    Whoever can open the data folder, or the Redis, is an operator. A REASON is one word, or stands in quotes; who is
    kicked, muted or banned is told it.
    """
    context.obj = Options.of_command(context, **given)


def _run(options: Options, what: Callable[[Administrator], Awaitable[Lines | None]]) -> None:
    """Do it, and print what comes of it: nothing, a line, or lines."""

    async def run() -> Lines:
        async with administrator(options) as found:
            said = await what(found)
            return [said] if isinstance(said, str) else said or []

    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            for line in runner.run(run()):
                click.echo(line)
    except StartError as error:
        click.echo(f"tavla-server: {error}", err=True)
        sys.exit(1)


@admin.command("list")
@click.argument("what", type=click.Choice(LISTS), default="nodes")
@click.pass_obj
def _list(options: Options, what: str) -> None:
    """List nodes, people, matches, penalties, moderators, reports or closed reports."""
    _run(options, lambda found: found.listed(what))


@admin.command("inspect")
@_name
@click.pass_obj
def _inspect(options: Options, name: str) -> None:
    """Print what is known of a player. (Of a match: tavla-server inspect.)"""
    _run(options, lambda found: found.inspect(name))


@admin.command("kick")
@_name
@_reason
@click.pass_obj
def _kick(options: Options, name: str, reason: str) -> None:
    """Close a player's connections. The player may come back at once."""

    async def kick(found: Administrator) -> Lines:
        await found.check_served()
        await found.powers.kick(found.by, name, reason)
        return [f"{name} is sent away"]

    _run(options, kick)


@admin.command("mute")
@_name
@_reason
@_for
@_addresses
@click.pass_obj
def _mute(options: Options, name: str, reason: str, minutes: int | None, addresses: bool) -> None:
    """Let a player, or an address, say nothing for a time."""
    _penalize(options, "mute", name, reason, minutes, addresses)


@admin.command("ban")
@_name
@_reason
@_for
@_addresses
@click.pass_obj
def _ban(options: Options, name: str, reason: str, minutes: int | None, addresses: bool) -> None:
    """Keep a player, or an address, out for a time. Live matches wait as for any absent player."""
    _penalize(options, "ban", name, reason, minutes, addresses)


def _penalize(options: Options, what: What, name: str, reason: str, minutes: int | None, addresses: bool) -> None:
    async def penalize(found: Administrator) -> Lines:
        made = await found.powers.penalize(found.by, what, _whom(name), reason, minutes, addresses)
        return [f"{made.shown}: {what} {until_text(made.until_ms)}"]

    _run(options, penalize)


@admin.command("unmute")
@_name
@_reason
@click.pass_obj
def _unmute(options: Options, name: str, reason: str) -> None:
    """Give a player, or an address, the word back."""
    _pardon(options, "mute", name, reason)


@admin.command("unban")
@_name
@_reason
@click.pass_obj
def _unban(options: Options, name: str, reason: str) -> None:
    """Let a player, or an address, come in again."""
    _pardon(options, "ban", name, reason)


def _pardon(options: Options, what: What, name: str, reason: str) -> None:
    async def pardon(found: Administrator) -> Lines:
        await found.powers.pardon(found.by, what, _whom(name), reason)
        return [f"{name}: no {what} any more"]

    _run(options, pardon)


def _whom(name: str) -> str:
    """A player's name; or an address, as limits count it."""
    if name.lower() == UNKNOWN:
        text = f"{UNKNOWN} is no address: all players whose address the proxy does not tell count as it. Name players"
        raise click.BadParameter(text)
    if "." not in name and ":" not in name:
        return name
    address = whom(name, [], behind_proxy=False)
    if not address:
        text = f"{name} is no address, or this machine's own: programs beside the server come from there, name players"
        raise click.BadParameter(text)
    return ADDRESS + address


@admin.command("broadcast")
@click.argument("said", metavar="TEXT", type=Reason())
@click.pass_obj
def _broadcast(options: Options, said: str) -> None:
    """Send a line to all connected clients."""
    _run(options, lambda found: found.broadcast(said))


@admin.command("drain")
@click.argument("node")
@_reason
@click.pass_obj
def _drain(options: Options, node: str, reason: str) -> None:
    """Have a node send its clients to the others, and take no more. It runs on, empty, until it is stopped."""

    async def drain(found: Administrator) -> Lines:
        await found.drain(node, reason)
        return [f"{node} sends its clients away: see tavla-server admin list nodes, then stop it"]

    _run(options, drain)


@admin.command("void")
@click.argument("match")
@_reason
@click.pass_obj
def _void(options: Options, match: str, reason: str) -> None:
    """A match, by its id or its table, does not count, over or not: no rating moves, or it moves back."""
    _run(options, lambda found: found.rule(match, "void", reason))


@admin.command("adjudicate")
@click.argument("match")
@click.argument("winner")
@_reason
@click.pass_obj
def _adjudicate(options: Options, match: str, winner: str, reason: str) -> None:
    """End a match for WINNER: white, black or a player's name. It counts as if it had been played."""
    _run(options, lambda found: found.rule(match, winner, reason))


@admin.command("appoint")
@_name
@_reason
@click.pass_obj
def _appoint(options: Options, name: str, reason: str) -> None:
    """Make an account a moderator's."""
    _set_role(options, name, True, reason)


@admin.command("dismiss")
@_name
@_reason
@click.pass_obj
def _dismiss(options: Options, name: str, reason: str) -> None:
    """Make a moderator's account a player's again."""
    _set_role(options, name, False, reason)


def _set_role(options: Options, name: str, on: bool, reason: str) -> None:
    async def set_role(found: Administrator) -> Lines:
        player = await found.powers.appoint(found.by, name, on, reason)
        return [f"{player.name} is {'a moderator now' if on else 'no moderator any more'}"]

    _run(options, set_role)


@admin.command("merge")
@click.argument("old")
@click.argument("into")
@_reason
@click.pass_obj
def _merge(options: Options, old: str, into: str, reason: str) -> None:
    """Player OLD and account INTO are one person: OLD becomes INTO, for good.

    INTO keeps its rating and its password, and gets OLD's matches, experience and name.
    """
    _run(options, lambda found: found.merge(old, into, reason))


@admin.command("resolve")
@click.argument("report")
@_reason
@click.pass_obj
def _resolve(options: Options, report: str, reason: str) -> None:
    """Close a report, which is kept with REASON: see `admin list closed-reports`."""
    _run(options, lambda found: found.resolve(report, reason))


@admin.command("audit")
@click.option("--last", default=100, type=click.IntRange(1, 10_000), help="So many uses.", show_default=True)
@click.pass_obj
def _audit(options: Options, last: int) -> None:
    """Print the audit: uses of powers, by whom, when, on whom and why."""
    _run(options, lambda found: found.audit(last))
