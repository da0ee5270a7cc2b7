"""`tavla-server admin`, as an operator types it, beside two nodes that serve."""

import asyncio
import re

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode, ErrorCode

from tests.support.players.accounts import registered
from tests.support.players.lobby import until_listed
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, close_code, guests, refused
from tests.support.servers.our_programs import run_program
from tests.support.servers.processes import inside, page
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.long  # it starts fourteen programs, one after the other


class Operator:
    """Runs the command on a store."""

    def __init__(self, store_url: str) -> None:
        self._options = ["--redis", store_url]

    async def run(self, *words: str) -> tuple[int, str]:
        """The exit code, and all that was said."""
        done = await asyncio.to_thread(run_program, "tavla-server", "admin", *self._options, *words)
        return done.returncode, done.stdout + done.stderr

    async def does(self, *words: str) -> str:
        """Output of a command that works."""
        code, said = await self.run(*words)
        assert code == 0, said
        return said


async def test_an_evening_of_an_operator(own_valkey: Valkey) -> None:
    operator = Operator(own_valkey.url)
    code, said = await operator.run("broadcast", "hello")
    assert (code, said) == (1, "tavla-server: no server runs on this store: start one first\n")
    async with (
        inside(own_valkey.url) as here,
        inside(own_valkey.url) as there,
        guests(here, 2) as (eve, ada),
        Player(there) as bob,
    ):
        await registered(eve)
        match = await new_match(ada, bob)
        assert await operator.does("appoint", eve.name or "", "knows everybody") == f"{eve.name} is a moderator now\n"
        await operator.does("broadcast", "at ten we \x1b[31mrest")
        for player in (eve, ada, bob):
            assert (await player.next(m.Notice)).text == "at ten we rest"
        assert await operator.does("adjudicate", match, bob.name or "", "ada is a program") == f"match {match}: black\n"
        view = await ada.until(match, lambda view: view.phase == "over")
        assert view.outcome == (1, 0, 0, "adjudicated")
        assert (await bob.next(m.Notice)).text.endswith("is won by black: ada is a program")
        assert await operator.does("ban", "192.0.2.7", "floods", "--for", "ever") == "@192.0.2.7: ban for good\n"
        assert "until 20" in await operator.does("ban", ada.name or "", "is a program", "--for", "7d")
        assert await close_code(ada) == CloseCode.REMOVED
        inspected = await operator.does("inspect", ada.name or "")
        assert re.search(rf"(?s)^{ada.name} \(guest .*not online\nban .*is a program.*0 reports wait\n$", inspected)
        assert isinstance(await eve.ask(m.Pardon, player=ada.name, what="ban", reason="it was not"), m.Ok)
        assert refused(await eve.ask(m.Sanction, player=eve.name, what="kick", reason="r")) == ErrorCode.NOT_ALLOWED
        await until_listed(eve, match, None)
        assert (
            await operator.does("merge", ada.name or "", eve.name or "", "is eve") == f"{ada.name} is {eve.name} now\n"
        )
        await drained(operator, there, bob)
        audit = (await operator.does("audit", "--last", "9")).splitlines()
        words = "appoint", "broadcast", "adjudicate", "ban", "ban", "unban", "merge", "drain"
        assert [line.split("  ")[2].split()[0].rstrip(":") for line in audit] == [*words]
        assert audit[-3].endswith(f"  {eve.name}  unban {ada.name}: it was not")


async def drained(operator: Operator, url: str, player: Player) -> None:
    """The node at which a player is gives its clients to the other one."""
    people = (await operator.does("list", "people")).splitlines()
    (node,) = [line.rpartition(" at ")[2] for line in people if line.startswith(f"{player.name} ")]
    await operator.does("drain", node, "a new disk")
    assert (await player.next(m.Closing)).text.startswith("this server is emptied")
    assert await close_code(player) == CloseCode.RESTART
    assert await asyncio.to_thread(page, url, "/readyz") == (503, "draining\n")
