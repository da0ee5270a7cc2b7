"""Requests for a match, equal and opposite, in the same moment, on one node and on two.

Each pair leads to one match or has one winner; both are answered; both sides end with the same view; and where seeds
are due the match begins, so nothing is counted against anybody.
"""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.features.tables.requests import TableRequests
from tavla_server.gateway.connection import Connection

from tests.support.patience import PATIENCE_S
from tests.support.players.accounts import registered
from tests.support.players.matches import at_match
from tests.support.players.moments import (
    RULES,
    Ask,
    Nodes,
    Pair,
    Scene,
    accepted_once,
    answer,
    ask,
    challenge,
    challenged,
    each_answered,
    nothing_open,
    one_match,
    one_outcome,
    one_winner,
    opened,
    over,
    rematch,
    seek,
    withdraw,
)
from tests.support.players.plain import Player, Received, unique, within
from tests.support.players.seeds import COMMITMENTS

pytestmark = pytest.mark.asyncio(loop_scope="module")

OTHERS: dict[str, bool | int | str] = {"length": 5}


async def rematch_rematch(scene: Scene) -> Pair:
    await over(scene)
    return Pair(rematch(scene, scene.ada), rematch(scene, scene.bob), one_match(scene))


async def rematch_challenge(scene: Scene) -> Pair:
    await over(scene)
    asked = challenge(scene.bob, scene.ada, {**RULES, "clock": "none"})
    return Pair(rematch(scene, scene.ada), asked, one_match(scene))


async def rematch_twice(scene: Scene) -> Pair:
    await over(scene)

    async def check(*answers: Received) -> None:
        ids = {one.challenge for one in answers if isinstance(one, m.Challenged)}
        assert len(ids) == 1, answers
        await one_match(scene)(await rematch(scene, scene.bob).alone())

    return Pair(rematch(scene, scene.ada), rematch(scene, scene.ada), check)


async def rematch_of_two_windows(scene: Scene) -> Pair:
    await over(scene)
    window = await scene.again(scene.ada)

    async def check(*answers: Received) -> None:
        assert all(isinstance(one, m.Challenged) for one in answers), answers
        assert isinstance(await rematch(scene, scene.bob).alone(), m.Snapshot)
        windows = scene.ada, window
        told = [await each.find(lambda one: isinstance(one, m.Matched | m.Unchallenged)) for each in windows]
        assert sorted(getattr(one, "why", "matched") for one in told) == ["accepted", "matched"]

    theirs = rematch(scene, window)._replace(fields={"match": scene.match, "commitment": "5" * 64})  # nobody else's
    return Pair(rematch(scene, scene.ada), theirs, check)


async def challenge_challenge(scene: Scene) -> Pair:
    return Pair(challenge(scene.ada, scene.bob), challenge(scene.bob, scene.ada), one_match(scene))


async def challenges_of_fitting_sides(scene: Scene) -> Pair:
    ada, bob = scene.ada, scene.bob
    return Pair(challenge(ada, bob, side="white"), challenge(bob, ada, side="black"), one_match(scene))


async def challenge_twice(scene: Scene) -> Pair:
    async def check(*answers: Received) -> None:
        ids = [one.challenge for one in answers if isinstance(one, m.Challenged)]
        assert ids == 2 * ids[:1], answers
        await scene.bob.next(m.Challenged)
        await one_match(scene)(await answer(scene.bob, ids[0]).alone())

    return Pair(challenge(scene.ada, scene.bob), challenge(scene.ada, scene.bob), check)


async def challenges_of_different_terms(scene: Scene) -> Pair:
    """Nobody has agreed to anything: both are open, until one is accepted, which ends the other."""

    async def check(*answers: Received) -> None:
        assert all(isinstance(one, m.Challenged) for one in answers), answers
        (theirs,) = [one for one in answers if isinstance(one, m.Challenged) and one.by == scene.ada.name]
        while not any(isinstance(one, m.Challenged) and one.challenge == theirs.challenge for one in scene.bob.log):
            await scene.bob.receive()
        await one_match(scene)(await answer(scene.bob, theirs.challenge).alone())

    return Pair(challenge(scene.ada, scene.bob, RULES), challenge(scene.bob, scene.ada, OTHERS), check)


async def challenges_for_the_same_side(scene: Scene) -> Pair:
    ada, bob = scene.ada, scene.bob
    pair = await challenges_of_different_terms(scene)
    return pair._replace(first=challenge(ada, bob, side="white"), second=challenge(bob, ada, side="white"))


async def accept_accept(scene: Scene) -> Pair:
    """Two challenges are open, one each way, and each accepts the other's."""
    ours = await challenged(scene, scene.ada, scene.bob)
    theirs = await challenged(scene, scene.bob, scene.ada, OTHERS)

    async def check(*answers: Received) -> None:
        refused = [one.code for one in answers if isinstance(one, m.Error)]
        assert refused in ([], [ErrorCode.NO_SUCH_CHALLENGE]), answers  # it came later, or was it
        await one_match(scene)(*[one for one in answers if not isinstance(one, m.Error)])

    return Pair(answer(scene.ada, theirs), answer(scene.bob, ours), check)


async def accept_in_two_windows(scene: Scene) -> Pair:
    offered = await challenged(scene, scene.ada, scene.bob)
    window = await scene.again(scene.bob)

    async def check(*answers: Received) -> None:
        assert [one.match for one in answers if isinstance(one, m.Snapshot)] == [offered, offered], answers

    return Pair(answer(scene.bob, offered), answer(window, offered), check)


async def accept_withdraw(scene: Scene) -> Pair:
    """A match of both, or none, whoever was first; the other one is told."""
    offered = await challenged(scene, scene.ada, scene.bob)

    async def check(accepted: Received, withdrawn: Received) -> None:
        await one_winner(scene, ErrorCode.NO_SUCH_CHALLENGE)(accepted, withdrawn)
        if isinstance(accepted, m.Snapshot):
            await accepted_once(scene, offered)(accepted, withdrawn)
        else:
            await scene.bob.find(lambda one: isinstance(one, m.Unchallenged) and one.challenge == offered)
            assert not {**scene.ada.matches, **scene.bob.matches}
        await nothing_open(scene)

    return Pair(answer(scene.bob, offered), withdraw(scene.ada, offered), check)


async def accept_decline(scene: Scene) -> Pair:
    offered = await challenged(scene, scene.ada, scene.bob)
    window = await scene.again(scene.bob)
    declined = answer(window, offered, accept=False)

    async def check(*answers: Received) -> None:
        await each_answered(scene, ErrorCode.NO_SUCH_CHALLENGE)(*answers)
        told = await scene.ada.find(lambda one: isinstance(one, m.Matched | m.Unchallenged))
        assert isinstance(told, m.Matched) == any(isinstance(one, m.Snapshot) for one in answers)

    return Pair(answer(scene.bob, offered), declined, check)


async def decline_withdraw(scene: Scene) -> Pair:
    offered = await challenged(scene, scene.ada, scene.bob)
    checked = one_winner(scene, ErrorCode.NO_SUCH_CHALLENGE)
    return Pair(answer(scene.bob, offered, accept=False), withdraw(scene.ada, offered), checked)


async def accept_challenge(scene: Scene) -> Pair:
    """Bob accepts, and ada asks once more."""
    offered = await challenged(scene, scene.ada, scene.bob)
    return Pair(answer(scene.bob, offered), challenge(scene.ada, scene.bob), accepted_once(scene, offered))


async def seek_seek(scene: Scene) -> Pair:
    rules: dict[str, bool | int | str] = {"length": 9, "reserve_s": 100 + id(scene) % 400}
    return Pair(seek(scene.ada, rules), seek(scene.bob, rules), one_match(scene))


async def seek_in_two_windows(scene: Scene) -> Pair:
    rules: dict[str, bool | int | str] = {"length": 11, "reserve_s": 100 + id(scene) % 400}
    window = await scene.again(scene.ada)

    async def check(*answers: Received) -> None:
        assert all(isinstance(one, m.Ok) for one in answers), answers
        async with asyncio.timeout(PATIENCE_S):
            while not [one for each in (scene.ada, window) for one in each.log if isinstance(one, m.Seeking)]:
                await asyncio.gather(scene.ada.sync(), window.sync())
        assert not {**scene.ada.matches, **window.matches}

    return Pair(seek(scene.ada, rules), seek(window, rules), check)


async def seek_join(scene: Scene) -> Pair:
    """A table that fits is joined, and sought."""
    table, eve = await opened(scene), await scene.third()

    async def check(joined: Received, sought: Received) -> None:
        assert isinstance(sought, m.Ok), sought
        view = await scene.ada.until(table, lambda view: None not in view.players)
        assert (scene.bob.name in view.players) == isinstance(joined, m.Snapshot)

    return Pair(ask(scene.bob, m.Join, table=table), seek(eve, RULES), check)


async def join_join(scene: Scene) -> Pair:
    table, eve = await opened(scene), await scene.third()
    await eve.ask(m.Attach, table=table)
    first, second = [ask(who, m.Join, table=table) for who in (scene.bob, eve)]
    return Pair(first, second, one_winner(scene, ErrorCode.TABLE_FULL))


async def join_cancel(scene: Scene) -> Pair:
    table = await opened(scene)
    checked = one_winner(scene, ErrorCode.TABLE_FULL, ErrorCode.NO_SUCH_MATCH)
    return Pair(ask(scene.bob, m.Join, table=table), ask(scene.ada, m.Cancel, match=table), checked)


async def create_create(scene: Scene) -> Pair:
    name = unique("t")
    first, second = [ask(who, m.Create, name=name) for who in (scene.ada, scene.bob)]
    return Pair(first, second, one_winner(scene, ErrorCode.NAME_TAKEN))


async def tournament_tournament(scene: Scene) -> Pair:
    """Two tournaments of one name."""
    name = unique("cup")
    for player in (scene.ada, scene.bob):
        await registered(player)

    async def check(*answers: Received) -> None:
        refusals = [one.code for one in answers if isinstance(one, m.Error)]
        assert refusals == [ErrorCode.NAME_TAKEN], answers

    first, second = [
        Ask(who, m.CreateTournament, {"name": name, "starts": 3600, "rules": {"length": 1}})
        for who in (scene.ada, scene.bob)
    ]
    return Pair(first, second, check)


async def create_join(scene: Scene) -> Pair:
    name = unique("t")
    early = each_answered(scene, ErrorCode.NO_SUCH_MATCH, ErrorCode.NOT_ONLINE)
    return Pair(ask(scene.ada, m.Create, name=name, rules=RULES), ask(scene.bob, m.Join, table=name), early)


TABLE = [
    rematch_rematch, rematch_challenge, rematch_twice, rematch_of_two_windows,
    challenge_challenge, challenges_of_fitting_sides, challenge_twice, challenges_of_different_terms,
    challenges_for_the_same_side, accept_accept, accept_in_two_windows, accept_withdraw, accept_decline,
    decline_withdraw, accept_challenge,
    seek_seek, seek_in_two_windows, seek_join, join_join, join_cancel, create_create, create_join,
    tournament_tournament,
]  # fmt: skip


@pytest.mark.parametrize("prepare", TABLE, ids=lambda row: row.__name__)
async def test_two_requests_in_the_same_moment_have_one_outcome(
    nodes: Nodes, prepare: Callable[[Scene], Awaitable[Pair]]
) -> None:
    await one_outcome(nodes, prepare)


async def test_a_rematch_asked_for_again_while_it_begins_leads_to_it(
    two_nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third request has found no match yet, and is held up there until the first two have led to one."""
    held, go, check = asyncio.Event(), asyncio.Event(), TableRequests.check_may_play

    async def slow(requests: TableRequests, connection: Connection) -> None:
        await check(requests, connection)
        if not held.is_set():
            held.set()
            await go.wait()

    async with at_match(two_nodes[0]) as (ada, bob, match):
        await bob.act(m.Forfeit, match)
        monkeypatch.setattr(TableRequests, "check_may_play", slow)
        async with Player(two_nodes[0], token=ada.token) as window:
            late = await window.send(m.Rematch, match=match, commitment=COMMITMENTS[0])
            await within(held.wait())
            await ada.get(m.Challenged, m.Rematch, match=match, commitment=COMMITMENTS[0])
            begun = await bob.get(m.Snapshot, m.Rematch, match=match, commitment=COMMITMENTS[1])
            go.set()
            answer = await window.find(lambda message: getattr(message, "id", None) == late)
            assert isinstance(answer, m.Snapshot), answer
            assert answer.match == begun.match
