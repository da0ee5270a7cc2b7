"""The commands of `tavla-server admin`."""

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tavla_server.gateway.client_address import UNKNOWN, whom
from tavla_server.gateway.text_filter import clean
from tavla_server.options import Options

if TYPE_CHECKING:
    from tavla_server.commands.administrator import Administrator
    from tavla_server.features.sanctions.penalties import What

LISTS = ("nodes", "people", "matches", "tournaments", "penalties", "moderators", "reports", "closed-reports")
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

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Addition to the message of click."""
        return "Say 30m, 2h, 7d or ever"


class Reason(click.ParamType[str]):
    """A reason, in words that can be shown anywhere."""

    name = "text"

    def convert(self, value: object, param: click.Parameter | None, context: click.Context | None) -> str:
        """From what was typed."""
        if not (said := clean(str(value))[:200]):
            self.fail("say something that can be shown", param, context)
        return said


NAME, REASON, MATCH = click.Argument(["name"]), click.Argument(["reason"], type=Reason()), click.Argument(["match"])
FOR = click.Option(["--for", "minutes"], type=Time(), required=True, help="For how long: 30m, 2h, 7d, or ever.")
JSON = click.Option(["--json", "as_json"], is_flag=True, help="One JSON object a line.")
ADDRESSES = click.Option(["--addresses"], is_flag=True, help="Those from which the player is connected now, too.")


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


Does = Callable[..., Awaitable[Lines | None]]


def _command(name: str, *params: click.Parameter) -> Callable[[Does], Does]:
    """Add a command to the group: an operator does it, and what comes of it is printed: nothing, a line, or lines."""

    def add(does: Does) -> Does:
        @click.pass_obj
        def callback(options: Options, /, **given: object) -> None:
            from tavla_server.commands.administrator import administrator  # takes longer than all of a server's options
            from tavla_server.commands.printing import print_lines
            from tavla_server.telemetry.log import configure_log

            async def lines() -> Lines:
                async with administrator(options) as found:
                    said = await does(found, **given)
                    return [said] if isinstance(said, str) else said or []

            configure_log("console", "error")
            print_lines(lines())

        admin.add_command(click.Command(name, callback=callback, params=[*params], help=inspect.getdoc(does)))
        return does

    return add


@_command("list", click.Argument(["what"], type=click.Choice(LISTS), default="nodes"), JSON)
async def _list(found: "Administrator", what: str, as_json: bool) -> Lines:
    """List nodes, people, matches, tournaments, penalties, moderators, reports or closed reports."""
    return (await found.overview.listing(what)).lines(as_json)


@_command("inspect", NAME)
async def _inspect(found: "Administrator", name: str) -> Lines:
    """Print what is known of a player. (Of a match: tavla-server inspect.)"""
    return await found.overview.inspect(name)


@_command("kick", NAME, REASON)
async def _kick(found: "Administrator", name: str, reason: str) -> str:
    """Close a player's connections. The player may come back at once."""
    await found.check_server()
    await found.powers.kick(found.by, name, reason)
    return f"{name} is sent away"


@_command("mute", NAME, REASON, FOR, ADDRESSES)
async def _mute(found: "Administrator", name: str, reason: str, minutes: int | None, addresses: bool) -> str:
    """Let a player, or an address, say nothing for a time."""
    return await _penalize(found, "mute", name, reason, minutes, addresses)


@_command("ban", NAME, REASON, FOR, ADDRESSES)
async def _ban(found: "Administrator", name: str, reason: str, minutes: int | None, addresses: bool) -> str:
    """Keep a player, or an address, out for a time. Live matches wait as for any absent player."""
    return await _penalize(found, "ban", name, reason, minutes, addresses)


async def _penalize(
    found: "Administrator", what: "What", name: str, reason: str, minutes: int | None, addresses: bool
) -> str:
    from tavla_server.features.sanctions.penalties import until_text

    made = await found.powers.penalize(found.by, what, _whom(name), reason, minutes, addresses)
    return f"{made.shown}: {what} {until_text(made.until_ms)}"


@_command("unmute", NAME, REASON)
async def _unmute(found: "Administrator", name: str, reason: str) -> str:
    """Give a player, or an address, the word back."""
    return await _pardon(found, "mute", name, reason)


@_command("unban", NAME, REASON)
async def _unban(found: "Administrator", name: str, reason: str) -> str:
    """Let a player, or an address, come in again."""
    return await _pardon(found, "ban", name, reason)


async def _pardon(found: "Administrator", what: "What", name: str, reason: str) -> str:
    await found.powers.pardon(found.by, what, _whom(name), reason)
    return f"{name}: no {what} any more"


def _whom(name: str) -> str:
    """A player's name; or an address, as limits count it."""
    if name.lower() == UNKNOWN:
        text = f"{UNKNOWN} is no address: all players whose address the proxy does not tell count as it. Name players"
        raise click.BadParameter(text)
    if "." not in name and ":" not in name:
        return name
    from tavla_server.features.sanctions.penalties import ADDRESS

    address = whom(name, [], behind_proxy=False)
    if not address:
        text = f"{name} is no address, or this machine's own: programs beside the server come from there, name players"
        raise click.BadParameter(text)
    return ADDRESS + address


@_command("broadcast", click.Argument(["said"], metavar="TEXT", type=Reason()))
async def _broadcast(found: "Administrator", said: str) -> None:
    """Send a line to all connected clients."""
    await found.broadcast(said)


@_command("drain", click.Argument(["node"]), REASON)
async def _drain(found: "Administrator", node: str, reason: str) -> str:
    """Have a node send its clients to the others, and take no more. It runs on, empty, until it is stopped."""
    await found.drain(node, reason)
    return f"{node} sends its clients away: see tavla-server admin list nodes, then stop it"


@_command("void", MATCH, REASON)
async def _void(found: "Administrator", match: str, reason: str) -> str:
    """A match, by its id or its table, does not count, over or not: no rating moves, or it moves back."""
    return await found.rule(match, "void", reason)


@_command("adjudicate", MATCH, click.Argument(["winner"]), REASON)
async def _adjudicate(found: "Administrator", match: str, winner: str, reason: str) -> str:
    """End a match for WINNER: white, black or a player's name. It counts as if it had been played."""
    return await found.rule(match, winner, reason)


@_command("end-tournament", click.Argument(["tournament"]), REASON)
async def _end_tournament(found: "Administrator", tournament: str, reason: str) -> str:
    """Have no more matches of a tournament begin, by its id: see `admin list tournaments`. Those that run count."""
    return await found.end_tournament(tournament, reason)


@_command("appoint", NAME, REASON)
async def _appoint(found: "Administrator", name: str, reason: str) -> str:
    """Make an account a moderator's."""
    player = await found.powers.appoint(found.by, name, True, reason)
    return f"{player.name} is a moderator now"


@_command("dismiss", NAME, REASON)
async def _dismiss(found: "Administrator", name: str, reason: str) -> str:
    """Make a moderator's account a player's again."""
    player = await found.powers.appoint(found.by, name, False, reason)
    return f"{player.name} is no moderator any more"


@_command("merge", click.Argument(["old"]), click.Argument(["into"]), REASON)
async def _merge(found: "Administrator", old: str, into: str, reason: str) -> str:
    """Player OLD and account INTO are one person: OLD becomes INTO, for good.

    INTO keeps its rating and its password, and gets OLD's matches, experience and name.
    """
    return await found.merge(old, into, reason)


@_command("resolve", click.Argument(["report"]), REASON)
async def _resolve(found: "Administrator", report: str, reason: str) -> None:
    """Close a report, which is kept with REASON: see `admin list closed-reports`."""
    await found.powers.close_report(found.by, report, reason)


LAST = click.Option(["--last"], default=100, type=click.IntRange(1, 10_000), help="So many uses.", show_default=True)


@_command("audit", LAST, JSON)
async def _audit(found: "Administrator", last: int, as_json: bool) -> Lines:
    """Print the audit: uses of powers, by whom, when, on whom and why."""
    return await found.overview.audit(last, as_json)
