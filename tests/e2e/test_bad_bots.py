"""Programs that are cut off in a match: its opponent's match goes on, or is claimed by the rules."""

import asyncio
import random
from collections.abc import Callable

import pytest
from tavla_engine.events import Ending
from tavla_protocol import messages as m
from tavla_protocol.view import View
from tavla_server.timings import Timings

from tests.support.players.matches import new_match
from tests.support.players.plain import Player, refused, unique
from tests.support.players.turns import choose
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.long

THREE: dict[str, bool | int | str] = {"length": 3}

Wanted = Callable[[View], bool]


def bot(url: str) -> Player:
    """A program that has not connected yet."""
    return Player(url, hello={"name": unique("bot"), "bot": True})


PHASES: dict[str, Wanted] = {  # the program plays seat 1
    "opening": lambda view: view.game == 1 and not view.last,
    "roll": lambda view: view.phase == "roll" and view.turn == 1,
    "cube": lambda view: view.phase == "cube" and view.to_act == (1,),
    "move": lambda view: view.phase == "move" and view.turn == 1 and bool(view.last),
    "resign": lambda view: view.phase == "resign" and view.to_act == (1,),
    "between games": lambda view: view.phase == "ready" and view.game == 1,
}


def steered(name: str, view: View, seat: int, rng: random.Random) -> tuple[type[m.MatchAction], dict[str, object]]:
    """The action that leads to a phase soon."""
    if seat == 0 and name == "cube" and view.phase == "roll":
        return m.Double, {}
    if seat == 0 and name in ("resign", "between games") and view.phase in ("roll", "move"):
        return m.Resign, {"value": 1}
    if view.phase == "resign":
        return m.Accept, {}
    if view.phase == "roll":
        return m.Roll, {}
    return choose(view, seat, rng)


async def led_to(name: str, person: Player, program: Player, match: str, rng: random.Random) -> None:
    """Both play until the match is in a phase."""
    while not PHASES[name](person.matches[match].view):
        view, seq = person.matches[match].view, person.matches[match].seq
        seat = view.to_act[0]
        action, fields = steered(name, view, seat, rng)
        answer = await (person, program)[seat].act(action, match, **fields)
        assert isinstance(answer, m.Ok), answer
        for one in (person, program):
            await one.reach(match, seq + 1)


async def lost(person: Player, match: str) -> m.Presence:
    """The presence that tells the player of the lost program."""
    found = await person.find(lambda message: isinstance(message, m.Presence) and not message.online)
    assert isinstance(found, m.Presence)
    assert (found.match, found.seat) == (match, 1)
    return found


@pytest.mark.parametrize("name", PHASES)
@pytest.mark.parametrize("comes_back", [False, True], ids=["for good", "and comes back"])
async def test_a_program_that_is_cut_off_in_any_phase(
    valkey: Valkey, rng: random.Random, name: str, comes_back: bool
) -> None:
    timings = Timings(claim_s=600) if comes_back else Timings(claim_s=0, claim_least_s=0)
    async with inside(valkey.url, timings) as url, Player(url) as person, bot(url) as program:
        match = await new_match(person, program, THREE)
        await led_to(name, person, program, match, rng)
        seen = person.matches[match].view
        program.socket.transport.abort()
        gone = await lost(person, match)
        if not comes_back:
            assert gone.claim_after == 0
            if 1 not in seen.to_act:
                assert refused(await person.act(m.Claim, match)) == "no_claim", "it is the person's turn"
                return
            assert isinstance(await person.act(m.Claim, match), m.Ok)
            view = await person.until(match, lambda view: view.phase == "over")
            assert view.outcome is not None
            assert (view.outcome[0], view.outcome[3]) == (0, Ending.ABANDONED)
            return
        assert gone.claim_after == 600
        assert refused(await person.act(m.Claim, match)) == "no_claim"
        async with Player(url, token=program.token) as again:
            assert match in again.playing
            await again.ask(m.Attach, table=match)
            assert again.matches[match].view == seen
            both = (person.play(match, rng), again.play(match, rng))
            ended, _ = await asyncio.gather(*both)
            assert max(ended.score) >= 3
