"""Standings of a tournament, drawn: a table, and with rounds the pairs, the crosstable or the brackets."""

import time
from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.text import Text
from tavla_client import Lists
from tavla_protocol import messages as m

from tavla_cli.screens.grids import grid
from tavla_cli.text.rounds import Ranked, brackets, crosstable, in_order, round_lines, swiss_columns, swiss_rows
from tavla_cli.text.tournaments import COLUMNS, NUMBERS, rows_in_order, standing_rows, state_text

SHOWN = 30  # rows of live standings: what a screen has room for


def picture(format_: str, lists: Lists, ascii_only: bool, most: int | None = None) -> Group:
    rows, pairings = rows_in_order(lists.rows["standings"]), in_order(lists.rows["pairings"])
    return picture_of(format_, rows[:most], pairings, ascii_only)


def picture_of(format_: str, rows: Ranked, pairings: list[m.Pairing], ascii_only: bool) -> Group:
    """The standings; with rounds the crosstable, or the brackets before all else, and the pairs of the last round."""
    if format_ == "swiss":
        columns = swiss_columns(pairings)
        table: RenderableType = grid(columns, swiss_rows(rows, pairings), columns[:1] + columns[2:])
    elif format_ == "round-robin":
        table = _lines(crosstable(rows, pairings))
    elif format_ == "knock-out":
        drawn = [_lines([title, *lines]) for title, lines in brackets(pairings, ascii_only)]
        return Group(*drawn, _lines(["this round", *round_lines(pairings)]))
    else:
        return Group(grid(COLUMNS, standing_rows(rows), NUMBERS))
    return Group(table, _lines(["", "this round", *round_lines(pairings)] if pairings else []))


def _lines(lines: Iterable[str]) -> Text:
    return Text("\n".join(lines), no_wrap=True, overflow="ignore")


def live_screen(lists: Lists, all_: Lists, id_: str, ascii_only: bool) -> Group:
    row = all_.rows["tournaments"][id_]
    head = f"{row.name}: {state_text(row, int(time.time()))}, {row.players} players"
    return Group(Text(head, "bold"), picture(row.format, lists, ascii_only, SHOWN))
