"""Quick match from the command line: who is matched, who gives up, and who is told to wait."""

import asyncio
import contextlib
import random
import re
import signal

import pytest
from tavla_protocol import messages as m
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, PAUSE_S, until
from tests.support.players.no_shows import NoReveal
from tests.support.players.plain import Player, unique
from tests.support.players.programs import Start
from tests.support.players.seeds import COMMITMENTS
from tests.support.players.terminal import NewTerminal
from tests.support.servers.processes import ServerProcess, redis_at

pytestmark = pytest.mark.slow  # each starts a program or more


async def test_two_who_press_play_are_matched(start: Start) -> None:
    rules = ("--length", "1", "--variant", "nackgammon", "--no-cube", "--clock", "none")
    ada = await start("play", *rules, "--ascii")
    await ada.expect("looking for an opponent: match to 1 point, nackgammon, no cube")
    bob = await start("play", *rules)
    for who in (ada, bob):
        await who.expect(r"an opponent, after 0:\d\d")
        await who.expect("you play (white|black) against")
    await ada.type("forfeit")
    await ada.type("yes")
    for who in (ada, bob):
        assert (await who.end())[0] == 0


@pytest.mark.parametrize("timings", [Timings(reveal_s=5.0, lag_ms=100)], ids=["impatient"])
async def test_a_victim_of_a_void_match_is_told_and_the_other_is_told_to_wait(start: Start, node: str) -> None:
    """Bob's program promises a seed and does not reveal it; when it seeks again, it hears why it has to wait."""
    rules = ("--length", "1", "--variant", "hypergammon", "--no-cube", "--clock", "none")
    ada = await start("play", *rules, url=node)
    async with Player(node) as bob:
        wanted = {"length": 1, "variant": "hypergammon", "cube": False, "clock": "none"}
        assert isinstance(await bob.ask(m.Seek, rules=wanted, commitment=COMMITMENTS[0]), m.Ok)
        await ada.expect("an opponent was found, but the match is void: no seed for the dice came from")
        await ada.expect("nobody loses anything, and you wait on in your place")
        again = await bob.get(m.Error, m.Seek, rules=wanted, commitment=COMMITMENTS[0])
        assert 0 < again.retry_after <= 15
        assert re.match(r"quick match takes you again in \d+ s: a match was void", again.text)
        async with asyncio.timeout(PATIENCE_S):
            while getattr(await bob.ask(m.Profile, name=bob.name), "unrevealed", None) != (1, 1):  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)
        profile = await start("profile", bob.name or "", url=node)
        assert (await profile.end())[0] == 0
        assert "did not reveal a seed in 1 of 1 matches" in profile.text
        top = await start("top", url=node)
        assert (await top.end())[0] == 0
        assert re.search(r"\d+ of \d+ matches here are void", top.text)
    cy = await start("play", *rules, url=node)
    for who in (ada, cy):
        await who.expect("you play (white|black) against")


@pytest.mark.parametrize("timings", [Timings(reveal_s=1.5, lag_ms=100, return_ms=100)], ids=["impatient"])
@pytest.mark.parametrize("goes_on", [True, False])
async def test_the_second_seed_within_an_hour_that_does_not_come_stops_and_asks(
    goes_on: bool, node: str, terminal_of: NewTerminal, rng: random.Random
) -> None:
    length = rng.randint(11, 64)
    wanted: dict[str, bool | int | str] = {"length": length, "clock": "none"}
    ada = terminal_of(node, unique("ada"), "play", "--length", str(length), "--clock", "none")
    for _ in range(2):
        async with NoReveal(node) as bob:
            await bob.seek(wanted)
            await asyncio.to_thread(ada.wait_for, bob.name or "")
    await asyncio.to_thread(ada.wait_for, "look for an opponent again? yes or no")
    asked, told = len(ada.shown), " ".join(ada.shown.split())
    for text in (
        "wait on in your place. A line may have failed",
        "Of 1 match here 1",
        "not the first time within an hour",
    ):
        assert text in told
    assert f"{bob.name} and the server together could do this to choose the dice. Of 2 matches here 2 ended" in told
    ada.type("yes" if goes_on else "no")
    text = "looking for an opponent" if goes_on else "you look no longer: nothing was played"
    await asyncio.to_thread(ada.wait_for, text, after=asked)
    if goes_on:
        ada.press("\x03")
    assert await asyncio.to_thread(ada.wait) == (0 if goes_on else 1)


async def test_ctrl_c_gives_up_waiting(own_server: ServerProcess, start: Start) -> None:
    ada = await start("play", "--length", "2", "--variant", "hypergammon", "--clock", "slow", url=own_server.url)
    await ada.expect("looking for an opponent")
    with contextlib.closing(redis_at(own_server.store_url)) as redis:
        await asyncio.to_thread(until, lambda: redis.keys("{seek}:tickets:*"), "one who waits")
        ada.process.send_signal(signal.SIGINT)
        assert await ada.end() == (0, "")
        assert ada.text.endswith("you wait no longer\n")
        assert redis.keys("{seek}:tickets:*") == [], "nobody waits any more"


async def test_a_rated_opponent_is_for_accounts(start: Start) -> None:
    ada = await start("play", "--rated")
    code, errors = await ada.end()
    assert code == 1
    assert "register" in errors
