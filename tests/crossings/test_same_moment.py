"""Equal and opposite requests in the same moment, on one node and on two.

Each pair leads to one match or has one winner; both are answered; both sides end with the same view; and where seeds
are due the match begins, so nothing is counted against anybody.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.features.tables.requests import TableRequests
from tavla_server.gateway.connection import Connection
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S
from tests.support.players.accounts import registered
from tests.support.players.challenges import know_each_other
from tests.support.players.matches import new_match
from tests.support.players.moments import (
    RULES,
    Ask,
    Nodes,
    Pair,
    Scene,
    accepted_once,
    acts,
    answer,
    ask,
    both_done,
    challenge,
    challenged,
    each_answered,
    late,
    on_roll,
    one_match,
    one_winner,
    opened,
    over,
    playing,
    rematch,
    seek,
    withdraw,
)
from tests.support.players.plain import Player, Received, unique, within
from tests.support.players.seeds import COMMITMENTS
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.asyncio(loop_scope="module")

OTHERS: dict[str, bool | int | str] = {"length": 5}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def two_nodes(valkey: Valkey) -> AsyncIterator[Nodes]:
    """Two nodes of one server, for the whole table."""
    timings = Timings(queue_poll_s=0.05)
    async with inside(valkey.url, timings) as here, inside(valkey.url, timings) as there:
        yield here, there


@pytest.fixture(params=["one node", "two nodes"])
def nodes(two_nodes: Nodes, request: pytest.FixtureRequest) -> Nodes:
    """Where ada is, and where bob is."""
    return two_nodes if request.param == "two nodes" else (two_nodes[0], two_nodes[0])


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
    offered = await challenged(scene, scene.ada, scene.bob)
    checked = one_winner(scene, ErrorCode.NO_SUCH_CHALLENGE)
    return Pair(answer(scene.bob, offered), withdraw(scene.ada, offered), checked)


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


def in_match(
    first: type[m.MatchAction], second: type[m.MatchAction], outcome: Callable[[Scene], Any], **fields: Any
) -> Any:
    """A row of two actions in a match, the first by ada, the second by bob. fields: of both, where they have them."""

    async def prepare(scene: Scene) -> Pair:
        await playing(scene)

        def asked(player: Player, action: type[m.MatchAction]) -> Ask:
            own = {name: value for name, value in fields.items() if name in action.__struct_fields__}
            return acts(player, action, scene.match, **own)

        return Pair(asked(scene.ada, first), asked(scene.bob, second), outcome(scene))

    prepare.__name__ = f"{first.__name__}_{second.__name__}".lower()
    return prepare


async def forfeit_twice(scene: Scene) -> Pair:
    await playing(scene)
    forfeit = acts(scene.ada, m.Forfeit, scene.match)
    return Pair(forfeit, forfeit, late(scene))


async def ready_ready(scene: Scene) -> Pair:
    await playing(scene)
    await scene.ada.act(m.Resign, scene.match, value=1)
    await scene.bob.until(scene.match, lambda view: view.phase == "resign")
    await scene.bob.act(m.Accept, scene.match)
    for player in (scene.ada, scene.bob):
        await player.until(scene.match, lambda view: view.phase == "ready")

    async def check(*answers: Received) -> None:
        await both_done(scene)(*answers)
        assert (await scene.ada.until(scene.match, lambda view: view.phase != "ready")).game == 2

    return Pair(acts(scene.ada, m.Ready, scene.match), acts(scene.bob, m.Ready, scene.match), check)


async def accept_forfeit(scene: Scene) -> Pair:
    await playing(scene)
    await scene.ada.act(m.Resign, scene.match, value=1)
    await scene.bob.until(scene.match, lambda view: view.phase == "resign")
    return Pair(acts(scene.bob, m.Accept, scene.match), acts(scene.ada, m.Forfeit, scene.match), late(scene))


def at_the_roll(first: type[m.MatchAction], second: type[m.MatchAction]) -> Any:
    """A row of two actions before a roll, the first by the player on roll, the second by the other one."""

    async def prepare(scene: Scene) -> Pair:
        here, there = await on_roll(scene)
        fields: dict[type[m.MatchAction], dict[str, Any]] = {m.Resign: {"value": 1}, m.Abort: {"on": True}}
        asked = acts(there, second, scene.match, **fields.get(second, {}))
        return Pair(acts(here, first, scene.match), asked, late(scene))

    prepare.__name__ = f"{first.__name__}_{second.__name__}_at_the_roll".lower()
    return prepare


async def double_twice(scene: Scene) -> Pair:
    here, _ = await on_roll(scene)
    double = acts(here, m.Double, scene.match)
    return Pair(double, double, late(scene))


TABLE = [
    rematch_rematch, rematch_challenge, rematch_twice, rematch_of_two_windows,
    challenge_challenge, challenges_of_fitting_sides, challenge_twice, challenges_of_different_terms,
    challenges_for_the_same_side, accept_accept, accept_in_two_windows, accept_withdraw, accept_decline,
    decline_withdraw, accept_challenge,
    seek_seek, seek_in_two_windows, seek_join, join_join, join_cancel, create_create, create_join,
    tournament_tournament,
    in_match(m.Resign, m.Resign, late, value=1), in_match(m.Abort, m.Abort, both_done, on=True),
    in_match(m.Forfeit, m.Forfeit, late), in_match(m.Resign, m.Forfeit, late, value=1),
    in_match(m.Abort, m.Forfeit, late, on=True), in_match(m.Resign, m.Abort, late, value=1, on=True),
    forfeit_twice, ready_ready, accept_forfeit, double_twice, at_the_roll(m.Double, m.Resign),
    at_the_roll(m.Double, m.Abort), at_the_roll(m.Double, m.Forfeit), at_the_roll(m.Roll, m.Resign),
]  # fmt: skip


@pytest.mark.parametrize("prepare", TABLE, ids=lambda row: row.__name__)
async def test_two_requests_in_the_same_moment_have_one_outcome(
    nodes: Nodes, prepare: Callable[[Scene], Awaitable[Pair]]
) -> None:
    here, there = Player(nodes[0], unique("ada")), Player(nodes[1], unique("bob"))
    async with here as ada, there as bob, AsyncExitStack() as others:
        await know_each_other(ada, bob)
        pair = await prepare(Scene(nodes, ada, bob, others))
        asks = pair.first, pair.second
        ids = [await one.send() for one in asks]
        first, second = [await one.answer(id_) for one, id_ in zip(asks, ids, strict=True)]
        await pair.check(first, second)
        for player in (ada, bob):
            career = await player.get(m.Career, m.Profile, name=player.name)
            assert career.unrevealed[0] == 0, "nothing is counted against anybody"


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

    async with Player(two_nodes[0]) as ada, Player(two_nodes[0]) as bob:
        match = await new_match(ada, bob)
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
