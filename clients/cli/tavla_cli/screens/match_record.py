"""Record of a match that goes on: its turns, its file, and its position for other programs."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tavla_client import Client, Match, match_of
from tavla_engine.errors import BadText

from tavla_cli.input.parsing import BadCommand
from tavla_cli.records.files import BadFile, sound, write
from tavla_cli.records.ids import id_lines
from tavla_cli.records.record import of_server
from tavla_cli.records.steps import steps
from tavla_cli.text.cleaning import clean


async def old_moves(client: Client, match: Match) -> list[str]:
    """The turns of this game, in sentences."""
    told = await client.archive.record(match.id, code=match.view.code)
    with _refused():
        record = sound(of_server(told))
        found = [step for step in steps(record) if step.match.game == match.view.game]
    if not found:
        raise BadCommand("no game has begun yet")
    return [sentence for step in found for sentence in step.said]


async def save(client: Client, match: Match, file: str) -> str:
    """Save the match so far, from the server. file: "" for one with the match's name. Returns: a sentence."""
    file = file or re.sub(r"[^A-Za-z0-9_-]", "_", match.id) + ".mat"  # in this folder, whatever a server calls it
    told = await client.archive.record(match.id, code=match.view.code)
    with _refused():
        write(of_server(told), Path(file))
    return f"saved as {clean(file)}"


def ids(match: Match) -> list[str]:
    """The position as other programs read it."""
    if not match.view.game:
        raise BadCommand("no game has begun yet")
    try:
        return id_lines(match_of(match.view))
    except ValueError as error:
        raise BadCommand(f"the position cannot be told: {clean(str(error))}") from None


@contextmanager
def _refused() -> Iterator[None]:
    try:
        yield
    except (BadFile, BadText) as error:
        raise BadCommand(str(error)) from None
