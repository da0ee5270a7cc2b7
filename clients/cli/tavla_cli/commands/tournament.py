"""`tavla tournament`: made, played, watched and directed."""

import asyncio
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click
from rich.console import Group
from rich.live import Live
from rich.text import Text
from tavla_client import Client, Refused
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_cli.commands.options import Options, common, json_option, leave, print_objects
from tavla_cli.commands.records import OUTPUT
from tavla_cli.commands.rule_options import often_chosen_rules
from tavla_cli.download import download
from tavla_cli.input.arguments import NearChoice, player_name, table_name
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.rules_arguments import chosen_options
from tavla_cli.input.terminal import is_interactive, new_console
from tavla_cli.records.files import write_new
from tavla_cli.screens.grids import grid
from tavla_cli.screens.standings_drawing import live_screen, picture, picture_of
from tavla_cli.text.cleaning import clean
from tavla_cli.text.phrases import did_you_mean, word_for
from tavla_cli.text.qr import qr_code
from tavla_cli.text.rounds import match_row
from tavla_cli.text.rules import rules_text
from tavla_cli.text.tournaments import entry_text, round_text, state_text

RATING = click.IntRange(0, 9999)
PAST = 50  # of those that are over are listed
AHEAD = 5  # minutes until a tournament with rounds begins, for players to come
_DIRECTED = {  # by what the director does: what has happened
    "begin": "{tournament} begins now",
    "halt": "{tournament} is halted: no more matches begin until you type resume",
    "resume": "{tournament} goes on",
    "extend": "{tournament} has {minutes} minutes more",
    "end": "{tournament} ends: no more matches begin, and those that are played count",
    "remove": "{player} is removed from {tournament}, and not in its standings",
    "add": "{player} is in {tournament}",
    "rename": "{tournament} is called {name} now",
    "cancel": "{tournament} is cancelled: nobody has played in it",
}


@click.group()
def tournament() -> None:
    """Play in tournaments, or direct one.

    An arena has no rounds, and players come and go; the others have. TOURNAMENT is the id or the name that
    `tavla tournament list` shows.
    """


@tournament.command(cls=GroupedCommand, name="list")
@click.option("--past", is_flag=True, help="Those that are over, newest first.")
@json_option
@common
async def list_(options: Options, past: bool, as_json: bool) -> None:
    """List those that are to come, go on, or were over lately."""
    async with options.client(shared=True, looks_on=True) as client:
        known = await _newest(client) if past else await client.tournaments.all()
    if as_json:
        print_objects(known.values(), tournament=known)
        return
    console, now_s = new_console(options.ascii_only), int(time.time())
    if not known and not past:
        console.print("there is no tournament: tavla tournament create NAME")
        return
    rows = [
        (id_, row.name, row.by, _terms(row), str(row.players), _day(row.starts) if past else state_text(row, now_s))
        for id_, row in (known.items() if past else sorted(known.items(), key=lambda row: row[1].starts))
    ]
    columns = ("id", "name", "by", "rules", "players", "began" if past else "state")
    console.print(grid(columns, rows, ("players",)))


@tournament.command(cls=GroupedCommand)
@click.argument("name", callback=table_name)
@click.option("--format", "format_", type=click.Choice(get_args(m.Format)), default="arena", show_default=True)
@click.option("--rounds", type=click.IntRange(1, 20), help="Of a swiss; else as many as give one player all wins.")
@click.option("--minutes", type=click.IntRange(1, 720), default=60, show_default=True, help="Of it, or of a round.")
@click.option("--in", "in_minutes", type=click.IntRange(0, 10_080), help="Minutes until it begins; 5 if it has rounds.")
@click.option("--private", "in_no_list", is_flag=True, help="In no list: for those whom you tell its id.")
@click.option("--min-rating", type=RATING, default=0, help="With which one may enter.")
@click.option("--max-rating", type=RATING, default=0, help="Likewise.")
@often_chosen_rules
@common
async def create(
    options: Options,
    name: str,
    format_: Any,
    rounds: int | None,
    minutes: int,
    in_minutes: int | None,
    in_no_list: bool,
    min_rating: int,
    max_rating: int,
    **rules: Any,
) -> None:
    """Make one. You need an account for that, and direct it then."""
    ahead = in_minutes if in_minutes is not None else 0 if format_ == "arena" else AHEAD
    async with options.client(known=True) as client:
        id_ = await client.tournaments.create(
            name,
            chosen_options(rules),
            starts=60 * ahead,
            minutes=minutes,
            format=format_,
            rounds=rounds or 0,
            private=in_no_list,
            min_rating=min_rating,
            max_rating=max_rating,
        )
    console = new_console(options.ascii_only)
    console.print(Text(f"{name} is made; who plays types, or opens:"))
    lines = options.invitation(id_ if in_no_list else word_for(name, id_), id_)
    console.print(Text("\n".join(lines), "bold", no_wrap=True, overflow="ignore"))
    if console.is_terminal and not options.ascii_only:
        console.print(qr_code(lines[-1]))


@tournament.command(cls=GroupedCommand)
@click.argument("wanted", metavar="TOURNAMENT")
@common
async def join(options: Options, wanted: str) -> None:
    """Play one match after the other, until it is over. Ctrl-C while you wait leaves it; your points stay."""
    console = new_console(options.ascii_only)
    async with options.client() as client:
        id_ = await _find(client, wanted)
        with suppress(Refused, KeyError):  # it is over
            row = await client.tournaments.row(id_)
            told = entry_text(row, int(time.time()), time.strftime("%H:%M", time.localtime(row.starts)))
            console.print(Text(f"{clean(row.name)}: {told}; {_terms(row)}"))
        client.patience_s, hear = None, client.callbacks.called

        def hear_others(called: m.Called) -> None:
            if (called.tournament, called.what) != (id_, "come"):  # to which we come anyway
                hear(called)

        client.callbacks = replace(client.callbacks, called=hear_others)
        try:
            while True:
                console.print("you wait for an opponent")
                match = await client.tournaments.enter(id_)
                if until := round_text(await client.tournaments.row(id_), int(time.time())):
                    console.print(until)
                match = await options.play(client, match, another=False)
                await leave(client, match)
                if match.view.phase != "over":
                    return  # the user has gone, and is told how to come back to the match
        except Refused as refused:
            if refused.code != ErrorCode.TOURNAMENT_OVER:
                raise
            console.print(Text(refused.text))
        async with client.tournaments.rounds(id_) as lists:
            console.print(picture(await _format(client, id_), lists, options.ascii_only))


@tournament.command(cls=GroupedCommand, name="leave")
@click.argument("wanted", metavar="TOURNAMENT")
@common
async def leave_(options: Options, wanted: str) -> None:
    """Wait for a match no longer. Your points stay, and you may come back."""
    async with options.client(known=True) as client:
        await client.tournaments.leave(await _find(client, wanted))
    new_console(options.ascii_only).print("you have left it; your points stay")


@tournament.command(cls=GroupedCommand)
@click.argument("wanted", metavar="TOURNAMENT")
@common
async def standings(options: Options, wanted: str) -> None:
    """Show the standings, live, until Ctrl-C or the end; with rounds the pairs, the crosstable or the bracket, too."""
    console = new_console(options.ascii_only)
    async with options.client(shared=True, looks_on=True) as client:
        id_ = await _find(client, wanted)
        if id_ not in await client.tournaments.all():
            record = await client.tournaments.record(id_)  # it is in no list, or was over long ago
            format_ = record.about.format if record.about else ""
            console.print(picture_of(format_, record.players, record.pairings, options.ascii_only))
            return
        async with client.tournaments.rounds(id_) as lists:
            if not is_interactive():
                console.print(picture(await _format(client, id_), lists, options.ascii_only))
                return
            client.patience_s = None
            async with client.lobby.lists("tournaments") as all_:

                def screen() -> Group:
                    return live_screen(lists, all_, id_, options.ascii_only)

                with Live(screen(), console=console, auto_refresh=False) as live, suppress(KeyError):
                    while not all_.rows["tournaments"][id_].over:
                        changes = [asyncio.ensure_future(each.wait_for_change()) for each in (lists, all_)]
                        done, others = await asyncio.wait(changes, return_when=asyncio.FIRST_COMPLETED)
                        for change in others:
                            change.cancel()
                        for change in done:
                            change.result()
                        live.update(screen(), refresh=True)


@tournament.command(cls=GroupedCommand)
@click.argument("wanted", metavar="TOURNAMENT")
@json_option
@common
async def matches(options: Options, wanted: str, as_json: bool) -> None:
    """List its matches, newest first: by their ids they are watched, replayed and ruled on."""
    async with options.client(shared=True, looks_on=True) as client:
        record = await client.tournaments.record(await _find(client, wanted))
    played = [pairing for pairing in reversed(record.pairings) if pairing.match]
    if as_json:
        print_objects(played)
        return
    columns = ("match", "white", "black", "won by", *(["code"] if any(pairing.code for pairing in played) else ()))
    new_console(options.ascii_only).print(grid(columns, map(match_row, played)))


@tournament.command(cls=GroupedCommand)
@click.argument("wanted", metavar="TOURNAMENT")
@click.argument("what", type=NearChoice(tuple(_DIRECTED)))
@click.option("--minutes", type=click.IntRange(1, 720), default=10, show_default=True, help="For extend: by how many.")
@click.option("--player", "whom", callback=player_name, help="For remove and add.")
@click.option("--name", callback=table_name, help="For rename.")
@click.option("--reason", required=True, help="It is written down.")
@common
async def direct(
    options: Options, wanted: str, what: Any, minutes: int, whom: str | None, name: str | None, reason: str
) -> None:
    """Direct one that you made: begin it now, halt and resume the pairing, extend it or its round, end it now, remove a
    player or add one, rename it, or cancel it before its first match."""
    if (what in ("remove", "add")) != (whom is not None):
        raise click.UsageError(f"say whom: {what} --player NAME" if whom is None else f"{what} takes no player")
    if (what == "rename") != (name is not None):
        raise click.UsageError("say how: rename --name NAME" if name is None else f"{what} takes no name")
    async with options.client(known=True) as client:
        id_, by = await _find(client, wanted), minutes if what == "extend" else 0
        does: Any = "extend" if what == "end" else what
        await client.tournaments.direct(id_, does, reason, minutes=by, player=whom, name=name)
    said = _DIRECTED[what].format(tournament=wanted, minutes=by, player=whom, name=name)
    new_console(options.ascii_only).print(Text(said))


@tournament.command(cls=GroupedCommand)
@click.argument("wanted", metavar="TOURNAMENT")
@OUTPUT
@common
async def export(options: Options, wanted: str, output: Path | None) -> None:
    """Write all public matches of a tournament, one after the other, as .mat.

    To a FILE.json terms, table, pairings and rulings.
    """
    async with options.client(shared=True, looks_on=True) as client:
        id_ = await _find(client, wanted)
    suffix = "json" if output is not None and output.suffix == ".json" else "mat"
    text = await asyncio.to_thread(download, options.server, f"/t/{id_}.{suffix}")
    if output is None:
        click.echo(text, nl=False)
    else:
        write_new(output, text)


async def _find(client: Client, wanted: str) -> str:
    """The id of a tournament, by that or by its name; of several of a name, the last to begin.

    It may be in no list, or have been over long ago: then a name is looked for among the newest of these.
    """
    if (id_ := await client.tournaments.find(wanted)) != wanted:
        return id_
    known = await client.tournaments.all()
    if wanted in known:
        return wanted
    with suppress(Refused):
        return (await client.tournaments.record(wanted)).tournament
    past = await _newest(client)
    named = client.tournaments.ids_of(wanted, past)
    if not named:
        likely = did_you_mean(wanted, [row.name for row in (known | past).values()])
        raise click.ClickException(f"there is no tournament {wanted}{likely}: tavla tournament list")
    return named[0]


async def _format(client: Client, id_: str) -> str:
    """The format of a tournament, which may be in no list."""
    row = (await client.tournaments.all()).get(id_) or (await client.tournaments.record(id_)).about
    return row.format if row is not None else ""


def _day(time_s: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(time_s))


async def _newest(client: Client) -> dict[str, m.Tournament]:
    """The newest of those that are over, the last one first."""
    found = dict[str, m.Tournament]()
    async for id_, row in client.tournaments.past():
        found[id_] = row
        if len(found) == PAST:
            break
    return found


def _terms(row: m.Tournament) -> str:
    rules = rules_text(row.rules)
    return rules if row.format == "arena" else f"{row.format}, {rules}"
