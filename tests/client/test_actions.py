"""What a player does in a match is a message, and is sent again where it still means the same."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_client import Match, Refused
from tavla_protocol import messages as m

from tests.support.players.plain import within
from tests.support.servers.scripted import MATCH, VIEW, Following, change


async def test_an_action_returns_when_the_view_shows_it(following: Following) -> None:
    view, diff = change(VIEW, phase="move", dice=(5, 3), rolls=2)
    task = asyncio.create_task(following.match.roll())
    request = await following.connection.expect(m.Roll)
    assert (request.match, request.seq) == (MATCH, 5)
    await following.connection.send(m.Ok(id=request.id, seq=6))
    assert await following.connection.silent()
    assert not task.done()
    await following.connection.update(6, diff)
    await within(task)
    assert following.match.view == view


ACTIONS: list[tuple[Callable[[Match], Coroutine[Any, Any, None]], type[m.MatchAction], dict[str, Any]]] = [
    # action, its message, what it says besides
    (Match.ready, m.Ready, {}),
    (Match.roll, m.Roll, {}),
    (Match.double, m.Double, {}),
    (Match.take, m.Take, {}),
    (Match.drop, m.Drop, {}),
    (Match.beaver, m.Beaver, {}),
    (lambda match: match.move([(24, 18), (13, 10)]), m.Move, {"moves": ((24, 18), (13, 10))}),
    (lambda match: match.resign(3), m.Resign, {"value": 3}),
    (Match.accept, m.Accept, {}),
    (Match.refuse, m.Refuse, {}),
    (Match.forfeit, m.Forfeit, {}),
    (Match.leave, m.Leave, {}),
    (Match.claim, m.Claim, {}),
    (lambda match: match.auto("play", True), m.Auto, {"what": "play", "on": True}),
]


@pytest.mark.parametrize(("action", "message", "says"), ACTIONS, ids=[row[1].__name__ for row in ACTIONS])
async def test_each_action_is_a_message_with_the_version_that_it_answers(
    following: Following,
    action: Callable[[Match], Coroutine[Any, Any, None]],
    message: type[m.MatchAction],
    says: dict[str, Any],
) -> None:
    request, _ = await following.connection.answer(action(following.match), message, m.Ok, seq=5)
    assert request == message(id=request.id, match=MATCH, seq=5, **says)


async def test_an_action_returns_when_the_match_ends_before_the_view_shows_it(following: Following) -> None:
    task = asyncio.create_task(following.match.roll())
    request = await following.connection.expect(m.Roll)
    await following.connection.send(m.Ok(id=request.id, seq=9))
    await following.connection.update(6, [3, "over"])
    await within(task)
    assert following.match.seq == 6


async def test_a_refused_action_says_why_and_changes_nothing(following: Following) -> None:
    task = asyncio.create_task(following.match.move([(8, 5), (6, 5)]))
    request = await following.connection.expect(m.Move)
    assert request.moves == ((8, 5), (6, 5))
    await following.connection.send(m.Error(id=request.id, code="wrong_phase", text="roll first", seq=5))
    with pytest.raises(Refused, match="roll first") as error:
        await within(task)
    assert (error.value.code, error.value.seq) == ("wrong_phase", 5)
    assert following.match.view == VIEW


async def test_a_stale_decision_is_not_sent_again(following: Following) -> None:
    task = asyncio.create_task(following.match.double())
    request = await following.connection.expect(m.Double)
    await following.connection.send(m.Error(id=request.id, code="stale", text="look again", seq=6))
    await following.connection.update(6, [3, "move", 5, (2, 1)])
    with pytest.raises(Refused, match="look again"):
        await within(task)


MOVE, READY = {"phase": "move", "dice": (2, 1)}, {"phase": "ready"}

STALE: list[tuple[Callable[[Match], Coroutine[Any, Any, None]], type[m.MatchAction], dict[str, Any], bool]] = [
    # action, its message, what happens meanwhile, whether it is still meant
    (lambda match: match.resign(2), m.Resign, MOVE, True),
    (lambda match: match.resign(2), m.Resign, {"game": 2}, False),
    (lambda match: match.forfeit(), m.Forfeit, MOVE, True),
    (lambda match: match.forfeit(), m.Forfeit, READY, False),
    (lambda match: match.forfeit(), m.Forfeit, {"phase": "over"}, False),
    (lambda match: match.ready(), m.Ready, READY, True),
    (lambda match: match.ready(), m.Ready, MOVE, False),
    (lambda match: match.leave(), m.Leave, READY, True),
    (lambda match: match.leave(), m.Leave, MOVE, False),
    (lambda match: match.auto("roll", True), m.Auto, MOVE, True),
    (lambda match: match.auto("play", False), m.Auto, READY, True),
    (lambda match: match.auto("roll", True), m.Auto, {"game": 2}, False),
    (lambda match: match.roll(), m.Roll, {"turn": 1}, False),
    (lambda match: match.claim(), m.Claim, READY, False),
]


@pytest.mark.parametrize(("action", "message", "meanwhile", "again"), STALE)
async def test_an_action_that_is_bound_to_no_position_is_sent_again(
    following: Following,
    action: Callable[[Match], Coroutine[Any, Any, None]],
    message: type[m.MatchAction],
    meanwhile: dict[str, Any],
    again: bool,
) -> None:
    task = asyncio.create_task(action(following.match))
    request = await following.connection.expect(message)
    await following.connection.send(m.Error(id=request.id, code="stale", text="look again", seq=6))
    await following.connection.update(6, change(VIEW, **meanwhile)[1])
    if not again:
        with pytest.raises(Refused, match="look again"):
            await within(task)
        return
    second = await following.connection.expect(message)
    assert second == replace(request, id=second.id, seq=6)
    assert second.id != request.id
    await following.connection.send(m.Ok(id=second.id, seq=6))
    await within(task)
