"""Private tables in the terminal: for those who have the code."""

import re

import pytest

from tests.support.players.plain import unique
from tests.support.players.programs import Start

pytestmark = pytest.mark.slow  # each starts a program or more


async def test_a_private_table_is_for_those_who_have_its_code(start: Start) -> None:
    name, ada = unique("t"), unique("ada")
    white = await start("create", name, "--private", "--no-spectators", "--as", ada, "--length", "1")
    await white.expect(f"table {name} is open: match to 1 point, private, nobody may watch")
    command = (await white.expect(rf"tavla join {name} --code [a-z2-7]+ --server \S+")).split()
    code = command[4]
    lobby = await start("lobby")
    await lobby.end()
    assert name not in lobby.text
    mine = await start("matches", "--as", ada)
    await mine.end()
    assert re.search(rf"^{name} +match to 1 point +waiting for an opponent", mine.text, re.MULTILINE)
    assert f"the other player types:\n{' '.join(command)}\n" in mine.text
    for wrong, sentence in (((), "private: give the code"), (("--code", "abc"), "abc is not this table's code")):
        code_, errors = await (await start("join", name, *wrong)).end()
        assert code_ == 1
        assert sentence in errors
    code_, errors = await (await start("join", name, "--code", "no good")).end()
    assert code_ == 2
    assert "such as k3x7" in errors
    black = await start(*command[1:4], code.upper(), *command[5:])
    await black.expect("you play (white|black)")
    code_, errors = await (await start("watch", name, "--code", code)).end()
    assert code_ == 1
    assert "do not want to be watched" in errors
    for program in (white, black):
        await program.type("quit")
        assert await program.end() == (0, "")


async def test_a_private_match_is_watched_with_its_code(start: Start) -> None:
    name = unique("t")
    white = await start("create", name, "--private")
    code = (await white.expect(r"--code [a-z2-7]+ ")).split()[1]
    eve = await start("watch", name, "--code", code)
    await eve.expect("> waiting for an opponent")
    await eve.type("say hello")  # the name here is taken, by the window that plays: so this one is nobody's
    await eve.expect("to say something, watch with --as NAME")
    for program in (eve, white):
        await program.type("quit")
        assert await program.end() == (0, "")
