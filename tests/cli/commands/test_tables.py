"""`tavla create`, `join`, `watch`, `resume`: what is refused, and why."""

from functools import partial
from pathlib import Path

import pytest
from tavla_cli.identity import Identities
from tavla_client import Client

from tests.support.players.plain import unique
from tests.support.players.programs import Start
from tests.support.servers.processes import ServerProcess

pytestmark = pytest.mark.slow  # each starts a program or more


def as_user(server: ServerProcess, folder: Path, name: str) -> Client:
    """A player whose token is kept in a folder, as if they had come by `tavla`."""
    return Client(server.url, name=name, on_token=partial(Identities(server.url, folder).keep, name))


async def test_resume_asks_which_match_if_there_are_several(
    server: ServerProcess, start: Start, tmp_path: Path
) -> None:
    name = unique("ada")
    async with as_user(server, tmp_path, name) as ada, Client(server.url, name=unique("bob")) as bob:
        code, errors = await (await start("resume", "--as", name)).end()
        assert (code, errors) == (1, f"Error: {name} has no match to come back to\n")
        matches = [await ada.create(unique("t")) for _ in range(2)]
        code, errors = await (await start("resume", "--as", name)).end()
        assert code == 1
        assert errors.startswith("Error: say which match, tavla resume MATCH:\n")
        assert all(f"  {match.id}  nobody yet, match to 7 points\n" in errors for match in matches)
        other = await bob.create(unique("t"))
        code, errors = await (await start("resume", other.id, "--as", name)).end()
        assert code == 1
        assert f"{name} does not play this match: watch it with tavla watch {other.id}" in errors
        code, errors = await (await start("resume", "no-such-match")).end()
        assert (code, errors) == (1, f"Error: you play no match no-such-match at {server.url}\n")
        await matches[0].cancel()
        one = await start("resume", "--as", name)
        await one.expect(f"table {matches[1].view.name} is open")


HIDDEN = [("sofa",), ("--private",), ("--no-spectators",)]


@pytest.mark.parametrize("arguments", HIDDEN)
async def test_a_match_against_the_computer_has_no_table_to_be_named_or_hidden(
    start: Start, arguments: tuple[str, ...]
) -> None:
    code, errors = await (await start("create", "--vs", "computer", *arguments)).end()
    assert code == 2
    assert "against the computer there is no table" in errors


async def test_a_terminal_that_knows_no_unicode_gets_a_board_in_ascii(start: Start) -> None:
    name = unique("t")
    ada = await start("create", name, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    await ada.expect("> waiting for an opponent")
    bob = await start("join", name)
    await ada.expect(r"\+-{18}\+---\+-{18}\+---\+")
    await bob.expect("╭─{18}┬───┬─{18}┬───╮")
    assert ada.text.isascii()
