"""`tavla page`: the installed page on this computer, with the server's WebSocket and nothing else of the server."""

import asyncio
import http.client
import json
from collections.abc import AsyncIterator
from contextlib import closing

import pytest
from tavla_cli.page.local_page import LocalPage
from tavla_protocol import messages as m
from tavla_web.addresses import policy_of, read
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import Player, unique
from tests.support.players.programs import Start
from tests.support.servers.processes import ServerProcess


@pytest.fixture
async def local(server: ServerProcess) -> AsyncIterator[LocalPage]:
    page = LocalPage(server.url)
    async with await page.listen():
        yield page


async def ask(page: LocalPage, path: str, **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    def asked() -> tuple[int, http.client.HTTPMessage, bytes]:
        with closing(http.client.HTTPConnection("127.0.0.1", page.port, timeout=PATIENCE_S)) as line:
            line.request("GET", path, headers={"Host": f"localhost:{page.port}"} | headers)
            answer = line.getresponse()
            return answer.status, answer.headers, answer.read()

    return await asyncio.to_thread(asked)


async def test_its_files_are_the_installed_ones(local: LocalPage, server: ServerProcess) -> None:
    document = read("tavla_web", "page.html")
    status, headers, body = await ask(local, "/m/k3v7q2xa")
    assert (status, body, headers["Content-Security-Policy"]) == (200, document, policy_of(document))
    assert (await ask(local, "/m/k3v7q2xa?review"))[2] == document
    assert (await ask(local, "/evaluator.js"))[2] == read("tavla_web", "evaluator.js")
    assert (await ask(local, "/address"))[2] == server.url.replace("ws", "http").encode()
    assert (await ask(local, "/readyz"))[0] == 404, "nothing else of the server's"


async def test_what_players_save_comes_from_the_server_and_is_not_shown(local: LocalPage) -> None:
    status, headers, body = await ask(local, "/dice.json")
    assert (status, headers["Content-Security-Policy"]) == (200, "default-src 'none'; sandbox")
    assert headers["Content-Disposition"] == 'attachment; filename="dice.json"'
    assert json.loads(body)["matches"] >= 0
    assert (await ask(local, "/t/nosuchone.mat"))[2] == b"the server has no such file"


async def test_one_plays_through_it(local: LocalPage, server: ServerProcess) -> None:
    through = Player(f"ws://localhost:{local.port}/ws", headers={"Origin": local.url})
    async with Player(server.url) as ada, through as bob:
        opened = await ada.get(m.Snapshot, m.Create, name=unique("t"), rules={"length": 1}, side="white")
        joined = await bob.get(m.Snapshot, m.Join, table=opened.match)
        assert joined.match == opened.match
        assert isinstance(await bob.act(m.Forfeit, joined.match), m.Ok)
        await ada.until(opened.match, lambda view: view.phase == "over")


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Host": "evil.example:1"}])
async def test_a_name_that_was_led_here_gets_nothing(local: LocalPage, headers: dict[str, str]) -> None:
    assert (await ask(local, "/", **headers))[0] == 421


@pytest.mark.parametrize("origin", [None, "http://evil.example", "http://localhost:1", "https://localhost"])
async def test_no_other_page_plays_through_it(local: LocalPage, origin: str | None) -> None:
    with pytest.raises(InvalidStatus):
        async with connect(f"ws://localhost:{local.port}/ws", origin=Origin(origin) if origin else None):
            pass


async def test_two_servers_have_two_ports_and_one_that_is_taken_is_said(
    local: LocalPage, server: ServerProcess, start: Start
) -> None:
    assert LocalPage("wss://example.org").port != LocalPage("wss://example.com").port
    program = await start("page", server.url)
    code, errors = await program.end()
    assert (code, f"port {local.port} is taken: is this page open already, at {local.url}?" in errors) == (1, True)


async def test_the_program_says_where_the_page_is(server: ServerProcess, start: Start) -> None:
    program, page = await start("page", server.url), LocalPage(server.url)
    await program.expect(f"for {server.url}: {page.url}")
    assert (await ask(page, "/"))[0] == 200
