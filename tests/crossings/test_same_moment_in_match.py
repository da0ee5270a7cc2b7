"""Equal and opposite actions in a match in the same moment, on one node and on two: each pair has one outcome."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tavla_protocol import messages as m

from tests.support.players.moments import (
    Ask,
    Nodes,
    Pair,
    Scene,
    acts,
    both_done,
    late,
    on_roll,
    one_outcome,
    playing,
)
from tests.support.players.plain import Player, Received

pytestmark = pytest.mark.asyncio(loop_scope="module")


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
    await one_outcome(nodes, prepare)
