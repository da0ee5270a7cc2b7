"""The client library challenges, is challenged, and plays again, at a real server."""

import asyncio

import pytest
from tavla_client import Client, Refused
from tavla_client.match import Match
from tavla_protocol import messages as m

from tests.support.patience import ask_until
from tests.support.players.clients import challenges_of, clients
from tests.support.servers.processes import ServerProcess

SHORT: dict[str, bool | int | str] = {"length": 1}


async def challenged(client: Client) -> m.Challenged:
    """The next challenge that reaches us."""
    for known in client.challenges.open.values():
        if known.to == client.me.name:
            return known
    return await challenges_of(client).get()


async def here(client: Client, other: Client) -> None:
    """The server has told everyone that the other one is online."""
    await ask_until(lambda: client.lobby.people(), lambda found: other.me.name in found)


async def test_a_challenge_is_a_match_for_both_and_then_a_rematch(server: ServerProcess) -> None:
    async with clients(server.url, "a", "b") as (ada, bob):
        await here(ada, bob)
        assert bob.me.name is not None
        asked = asyncio.create_task(ada.challenges.send(bob.me.name, SHORT, "white"))
        told = await challenged(bob)
        assert (told.by, told.rules) == (ada.me.name, SHORT)
        black = await bob.challenges.accept(told.challenge)
        assert bob.challenges.open == {}
        white = await asked
        assert (white.id, white.seat, black.seat) == (told.challenge, 0, 1)
        assert ada.challenges.open == {}
        for before, first, second in ((0, ada, bob), (1, bob, ada)):
            await black.forfeit()
            while white.view.phase != "over":
                await white.next_change()
            assert white.view.series == (before, 0)
            again = asyncio.create_task(first.challenges.rematch(white.id))
            assert (await challenged(second)).rematch == white.id
            other = await second.challenges.rematch(white.id)
            white, black = (await again, other) if first is ada else (other, await again)
        assert white.view.series == black.view.series == (2, 0)


async def test_who_gives_up_a_challenge_withdraws_it(server: ServerProcess) -> None:
    async with clients(server.url, "a", "b") as (ada, bob):
        await here(ada, bob)
        assert bob.me.name is not None
        asked = asyncio.create_task(ada.challenges.send(bob.me.name, SHORT))
        await challenged(bob)
        while not ada.challenges.open:
            await ada.lobby.people()  # a request and its answer: what was sent before has come
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        while bob.challenges.open:
            await bob.lobby.people()


async def test_what_comes_to_nothing_is_refused_with_the_reason(server: ServerProcess) -> None:
    async with clients(server.url, "a", "b") as (ada, bob):
        await here(ada, bob)
        assert bob.me.name is not None
        asked = asyncio.create_task(ada.challenges.send(bob.me.name, SHORT))
        await bob.challenges.decline((await challenged(bob)).challenge)
        with pytest.raises(Refused, match="does not want to play now"):
            await asked
        while bob.challenges.open:
            await bob.lobby.people()
        asked = asyncio.create_task(ada.challenges.send(bob.me.name, SHORT))
        told = await challenged(bob)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        while told.challenge in bob.challenges.open:
            await bob.lobby.people()
        with pytest.raises(Refused) as refused:
            await bob.challenges.accept(told.challenge)
        assert refused.value.code == "no_such_challenge"
        await bob.lobby.ignore(ada.me.name or "")
        await bob.lobby.ignore(ada.me.name or "", on=False)
        with pytest.raises(Refused, match="there is no player called"):
            await ada.challenges.send("nobody-at-all")


async def test_each_of_two_callers_in_the_same_moment_gets_the_match(server: ServerProcess) -> None:
    async with clients(server.url, "a", "b") as (ada, bob):
        await here(ada, bob)
        await here(bob, ada)
        names = str(ada.me.name), str(bob.me.name)
        asked = ada.challenges.send(names[1], SHORT), bob.challenges.send(names[0], SHORT)
        matches: list[Match] = list(await asyncio.gather(*asked))
        for callers in ((ada, bob), (ada, ada, bob), (ada, bob, bob)):
            assert len({match.id for match in matches}) == 1
            assert not ada.challenges.open | bob.challenges.open
            await matches[0].forfeit()
            last = matches[0].id
            for match in {*matches}:
                while match.view.phase != "over":
                    await match.next_change()
            matches = list(await asyncio.gather(*(caller.challenges.rematch(last) for caller in callers)))
        assert len({match.id for match in matches}) == 1
