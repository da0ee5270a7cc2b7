"""A bot as an external player of GNU Backgammon: it is asked line by line over a socket, see `tavla_engine.fibs`."""

import asyncio
import contextlib
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator

from tavla_client import Bot, Failures, Turn
from tavla_engine import actions as a
from tavla_engine.actions import Action
from tavla_engine.errors import BadText
from tavla_engine.fibs import parse_fibs
from tavla_engine.match import Match
from tavla_engine.notation import format_play
from tavla_engine.questions import to_act

from tavla_cli.bots.local_match import Side
from tavla_cli.records.steps import view_of

_WORDS: dict[type[Action], str] = {a.Roll: "roll", a.Double: "double", a.Take: "take", a.Drop: "drop"}


@contextlib.asynccontextmanager
async def waiting(new_bot: type[Bot], host: str, port: int, failures: Failures) -> AsyncIterator[int]:
    """Answer all who connect, each by a bot of its own; the port. port: 0 = any that is free. Raises: OSError."""

    writers: set[StreamWriter] = set()

    async def answer_all(reader: StreamReader, writer: StreamWriter) -> None:
        bot = new_bot()
        writers.add(writer)
        with contextlib.suppress(ConnectionError, ValueError):  # they have gone, or sent no end of a line
            while line := await reader.readline():
                if text := line.decode("utf-8", "replace").strip("\0\r\n "):
                    writer.write(f"{await answer(bot, text, failures)}\n".encode())
                    await writer.drain()
        await _closed(writer)
        writers.discard(writer)

    async with await asyncio.start_server(answer_all, host, port) as server:
        yield server.sockets[0].getsockname()[1]
    for writer in list(writers):
        await _closed(writer)


async def _closed(writer: StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


async def answer(bot: Bot, line: str, failures: Failures) -> str:
    """Answer of a bot to the position of a line: a word, or a play; no text where nothing can be played."""
    try:
        match = parse_fibs(line)
    except BadText as bad:
        return f"Error: {bad}"
    (seat,) = to_act(match)
    return _told(match, await Side(bot, Turn("", view_of(match), seat), failures).action(match))


def _told(match: Match, action: Action) -> str:
    return format_play(match.position, action.moves) if isinstance(action, a.Move) else _WORDS[type(action)]
