"""The client library and a real server: a whole match, a server that is killed in the middle, many clients at once."""

import asyncio
import random
from pathlib import Path

import pytest
from tavla_client import Client, Match, Pledges, Refused
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position
from tavla_protocol.view import View

from tests.support.patience import PATIENCE_S
from tests.support.players.clients import clients, play
from tests.support.players.plain import unique
from tests.support.servers.processes import ServerProcess
from tests.support.wire.proxy import Proxy

SHORT: dict[str, bool | int | str] = {"preset": "tournament", "length": 3, "hints": True}


async def watch(match: Match) -> list[tuple[int, View]]:
    """Every version of a match up to its end."""
    return [(change.seq, change.view) async for change in match.changes() if change.what in ("snapshot", "update")]


async def test_two_play_a_match_and_a_third_sees_the_same(server: ServerProcess, rng: random.Random) -> None:
    async with clients(server.url, "a", "b", "w") as (ada, bob, eve):
        table = unique("t")
        white = await ada.create(table, SHORT, "white")
        watched = await eve.attach(table)
        seen = asyncio.create_task(watch(watched))
        black = await bob.join(table)
        assert (white.seat, black.seat) == (0, 1)
        ends = await asyncio.gather(play(white, rng), play(black, rng))
        views = await seen
        assert ends[0] == ends[1] == views[-1][1]
        assert [seq for seq, _ in views] == list(range(views[0][0], views[-1][0] + 1)), "no version is missing"
        assert all(ends[0].seeds)
        for match in (white, black, watched):
            text = f"dice: all {ends[0].rolls} rolls seen agree with the seeds that were committed to"
            assert match.dice.verdict(match.view) == (True, text, True)
            record = "" if match is watched else "; so does the whole record"
            assert await match.verdict() == (True, text + record, True)
            assert not match.is_stopped


async def test_a_killed_server_is_only_a_pause(own_server: ServerProcess, rng: random.Random) -> None:
    async with clients(own_server.url, "a", "b") as (ada, bob):
        white = await ada.create(rules={"preset": "tournament", "length": 5})
        black = await bob.join(white.id)
        playing = asyncio.gather(play(white, rng), play(black, rng))
        for seq in (10, 25, 40):
            while white.seq < seq and not playing.done():
                await white.next_change()
            own_server.kill(store=seq == 25)
            own_server.restart()
        ends = await playing
        assert ends[0] == ends[1]
        assert ends[0].phase == "over"
        assert [(await match.verdict()).sound for match in (white, black)] == [True, True]


async def test_a_program_that_was_killed_still_knows_its_seed(server: ServerProcess, tmp_path: Path) -> None:
    """Before it could reveal it, and in the middle of a game."""
    folder, name = tmp_path / "seeds", unique("a")
    async with asyncio.timeout(PATIENCE_S), Client(server.url, name=unique("b")) as bob:
        async with (
            Proxy.to_port(server.port) as wire,
            Client(f"ws://127.0.0.1:{wire.port}", name=name, pledges=Pledges(folder)) as ada,
        ):
            match, token = await ada.create(unique("t"), SHORT, "white"), ada.me.token
            wire.stall()  # neither side knows yet that it is dead
            black = await bob.join(match.id)
            wire.reset()
        async with Client(server.url, token=token, pledges=Pledges(folder)) as ada:
            await (await ada.attach(match.id)).wait_for_start()
            await black.wait_for_start()
        async with Client(server.url, token=token, pledges=Pledges(folder)) as ada:
            white = await ada.attach(match.id)
            assert white.dice.pledge is not None
            assert (white.dice.pledge.match, white.dice.pledge.seed) == (match.id, white.view.seeds[0])
            await white.forfeit()
            assert (await white.verdict()).sound
        kept = Pledges(folder).revealed_for(match.id)
        assert kept is not None, "it stays when its match is over"
        assert (kept.taken, kept.end, kept.shown) == (True, "played", white.view.seed)


async def test_plays_come_with_the_turn_to_who_asks(server: ServerProcess) -> None:
    async with clients(server.url, "a", "b") as (ada, bob):
        white = await ada.create(unique("t"), SHORT, "white")
        black = await bob.join(white.id)
        await white.wait_for_start()
        await black.wait_for_start()
        turn, other = (white, black) if white.to_act else (black, white)
        await (ada if turn is white else bob).attach(turn.id, plays=True)
        while not turn.plays:
            await turn.next_change()
        board = Position(turn.view.row(turn.view.turn), turn.view.row(1 - turn.view.turn))
        assert len(turn.plays) == len(legal_plays(board, (turn.view.dice[0], turn.view.dice[1])))
        assert other.plays == []
        await turn.move(turn.plays[0])


async def test_a_client_without_a_name_looks_on(server: ServerProcess) -> None:
    async with Client(server.url, name=unique("ada")) as ada, Client(server.url) as nobody:
        assert nobody.me.name is None
        table = await ada.create(unique("t"))
        assert (await nobody.attach(table.id)).seat is None
        with pytest.raises(Refused, match="say hello with a name"):
            await nobody.join(table.id)
