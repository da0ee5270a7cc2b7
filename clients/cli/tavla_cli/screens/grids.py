"""Rows of text as a table without lines. Pure; nothing of others is shown as it came."""

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from tavla_cli.text.cleaning import clean


def grid(columns: Iterable[str], rows: Iterable[Iterable[str]], numbers: Iterable[str] = ()) -> Table:
    """Rows below the names of their columns. numbers: columns that end where their numbers do."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(clean(cell)) for cell in row))
    return table


def pairs(rows: Iterable[tuple[str, str]], gap: int = 2) -> Table:
    """Words, and what there is to say of each."""
    table = Table.grid(padding=(0, gap))
    for word, text in rows:
        table.add_row(Text(clean(word), "bold"), Text(clean(text)))
    return table
