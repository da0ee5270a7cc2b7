"""A match at a server that cheats, on the screen: said in red and in words, and nothing is sent until `go on`."""

import asyncio

import pytest
from tavla_cli.input.match_commands import help_lines, possible
from tavla_cli.input.parsing import BadCommand, Command, parse

from tests.support.players.plain import unique
from tests.support.players.programs import Start
from tests.support.servers.processes import ServerProcess
from tests.support.servers.rigged.partner import Friend
from tests.support.wire.match_views import V


async def test_play_stops_until_the_user_says_go_on(rigged: ServerProcess, start: Start) -> None:
    async with Friend(rigged.url, "bad_seeds_text") as helped:
        table = await helped.open_table()
        playing = asyncio.create_task(helped.play_on(table))
        user = await start("join", table, "--as", unique("v"), "--ascii", url=rigged.url)
        await user.expect("WARNING: bad_seeds_text.*'s seed is none: it should be bytes in hex")
        await user.expect(f"nothing is sent any more: type go on to play on all the same, save {table}.json")
        await user.type("roll", "nothing is sent before you go on")
        await user.type("go on", "you play on: the verdict at the end says again what was wrong")
        await user.type("forfeit")
        await user.type("yes", "you forfeit the match")
        await user.expect("WARNING: bad_seeds_text.*'s seed is none")
        playing.cancel()


def test_go_on_is_a_command_of_a_match_that_has_stopped() -> None:
    assert "go" not in possible(V, 0)
    names = possible(V, 0, stopped=True)
    assert ("go on", "play on, though something was wrong with the dice or the plays") in help_lines(V, 0, names)
    assert parse("go on") == Command("go")
    for line in ("go", "go off", "go on then"):
        with pytest.raises(BadCommand, match="type go on to play on, or quit"):
            parse(line)
