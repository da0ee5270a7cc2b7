"""Acts in a player's name at an honest server, of every cause: nothing is said of any."""

import asyncio

import pytest
from tavla_client import Client, Match
from tavla_server.timings import Timings

from tests.support.players.plain import unique, within
from tests.support.players.turns import plays_of
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.slow  # most of them wait by the clock

RULES: dict[str, bool | int | str] = {"preset": "tournament", "length": 3}


async def at_table(landing_s: float, ada: Client, bob: Client, **more: str) -> tuple[Match, Match]:
    """A match of two, older than what an earlier connection may have asked for."""
    opened = await ada.create(unique("t"), {**RULES, **more}, "white")
    joined = await bob.join(opened.id)
    for match in (opened, joined):
        await match.wait_for_start()
    await asyncio.sleep(landing_s)
    return opened, joined


async def turns_of(match: Match, count: int) -> None:
    """Play some turns, or to the end; no doubles."""
    while count and match.view.phase != "over":
        if not match.to_act or match.view.phase == "ready":
            await match.next_change()
        elif match.view.phase == "roll":
            await match.roll()
        else:
            await match.move(plays_of(match.view)[-1])
            count -= 1


async def until_one_is_done(playing: list["asyncio.Task[None]"]) -> None:
    """Wait until one of two has played all turns: the other, who could not move in one of them, lacks some for ever."""
    done, rest = await asyncio.wait(playing, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    await asyncio.gather(*done)
    await asyncio.gather(*rest, return_exceptions=True)


async def assert_nothing_told(landing_s: float, *matches: Match) -> None:
    """No doubt is left, and none was told."""
    await asyncio.sleep(landing_s)
    for match in matches:
        assert (match.is_in_doubt, match.oddities, match.dice.fault) == (False, [], "")


@pytest.mark.parametrize("far", [False, True], ids=["one node", "two nodes"])
async def test_another_device_plays_and_forfeits(valkey: Valkey, far: bool, landing_s: float) -> None:
    async with (
        inside(valkey.url) as here,
        inside(valkey.url) as there,
        Client(here, name=unique("ada")) as ada,
        Client(here, name=unique("bob")) as bob,
    ):
        opened, joined = await at_table(landing_s, ada, bob)
        async with Client(there if far else here, token=ada.me.token) as phone:
            same = await phone.attach(opened.id)
            await within(asyncio.gather(turns_of(same, 2), turns_of(joined, 2)))
            await same.forfeit()
            await assert_nothing_told(landing_s, opened, joined, same)


@pytest.mark.parametrize("timings", [Timings(next_game_s=0.1)], ids=["soon"])
async def test_what_the_server_does_by_itself(node: str, landing_s: float) -> None:
    """Rolls and forced turns that were left to it, passes, and the next game."""
    async with Client(node, name=unique("ada")) as ada, Client(node, name=unique("bob")) as bob:
        opened, joined = await at_table(landing_s, ada, bob, variant="hypergammon")
        for match in (opened, joined):
            await match.auto("roll", on=True)
            await match.auto("play", on=True)
        playing = [asyncio.create_task(turns_of(match, 1000)) for match in (opened, joined)]
        while opened.view.game < 2 and opened.view.phase != "over":
            await within(opened.next_change())
        for task in playing:
            task.cancel()
        await asyncio.wait(playing)
        await assert_nothing_told(landing_s, opened, joined)


async def test_a_server_that_is_killed_while_requests_are_under_way(
    own_server: ServerProcess, landing_s: float
) -> None:
    async with Client(own_server.url, name=unique("ada")) as ada, Client(own_server.url, name=unique("bob")) as bob:
        opened, joined = await at_table(landing_s, ada, bob)
        playing = [asyncio.create_task(turns_of(match, 8)) for match in (opened, joined)]
        await within(opened.next_change())
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.restart)
        await within(until_one_is_done(playing))
        await assert_nothing_told(landing_s, opened, joined)
