"""`tavla friends`: whom you follow, and whether others may follow you."""

import click
from rich.text import Text
from tavla_client import Client
from tavla_protocol import messages as m

from tavla_cli.commands.options import Options, common, json_option, meaning, print_objects
from tavla_cli.input import completion
from tavla_cli.input.arguments import player_name
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.terminal import new_console
from tavla_cli.screens.grids import grid

FOLLOW, CHOOSE = ("add", "remove"), ("refuse", "allow")


@click.command(cls=GroupedCommand)
@click.argument("action", required=False, type=click.Choice([*FOLLOW, *CHOOSE]), metavar="[add|remove|refuse|allow]")
@click.argument("name", required=False, callback=player_name, shell_complete=completion.people)
@json_option
@common
async def friends(options: Options, action: str | None, name: str | None, as_json: bool) -> None:
    """List, add or remove players whom you follow.

    `refuse` to be followed, and `allow` it again. Nobody is told who follows whom. `tavla lobby` tells when a friend
    comes, opens a table or begins a match.
    """
    if (action in FOLLOW) != (name is not None):
        raise click.UsageError("say whom: tavla friends add NAME" if name is None else f"{action} takes no name")
    async with options.client(known=True) as client:
        if name is not None:
            async with meaning(name, client, completion.known_names):
                await client.friends.follow(name, action == "add")
            said = f"you follow {name}" + ("" if action == "add" else " no longer")
        elif action is not None:
            await client.friends.allow_followers(action == "allow")
            said = "others may follow you" if action == "allow" else "nobody can follow you now"
        elif as_json:
            known = (await client.friends.list()).friends
            print_objects(known.values(), name=known)
            return
        else:
            _show(options, client, await client.friends.list())
            return
    new_console(options.ascii_only).print(Text(said))


def _show(options: Options, client: Client, known: m.Following) -> None:
    console = new_console(options.ascii_only)
    if known.friends:
        there_first = sorted(known.friends.items(), key=lambda row: not row[1].online)
        rows = [(name, _rating(friend), _state(options, client, friend)) for name, friend in there_first]
        console.print(grid(("friend", "rating", "now"), rows))
    else:
        console.print("you follow nobody: tavla friends add NAME")
    if not known.followers:
        console.print("nobody can follow you: tavla friends allow")


def _rating(friend: m.Followed) -> str:
    return "" if friend.rating is None else str(friend.rating)


def _state(options: Options, client: Client, friend: m.Followed) -> str:
    if friend.shy:
        return "does not want to be followed"
    if friend.match:
        return options.command("watch", friend.match, client=client)
    if friend.table:
        return options.command("join", friend.table, client=client)
    return "is here" if friend.online else ""
