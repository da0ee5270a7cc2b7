"""Two players who ask for something in the same moment: what came before, what they ask, and what comes of it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

from tavla_protocol import messages as m

from tests.support.patience import PATIENCE_S
from tests.support.players.challenges import know_each_other
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, Received, unique
from tests.support.players.seeds import COMMITMENTS, SEEDS
from tests.support.players.turns import plays_of

RULES: dict[str, bool | int | str] = {"length": 3}
Nodes = tuple[str, str]


class Scene:
    """Two players, ada and bob, and what has happened between them. match: the one that they play, or have played.

    challenges: that are open, as bob's node tells of them. table: ada's, which is open.
    """

    def __init__(self, nodes: Nodes, ada: Player, bob: Player, others: AsyncExitStack) -> None:
        self.nodes, self.ada, self.bob, self._others = nodes, ada, bob, others
        self.match = self.table = ""
        self.challenges: list[str] = []
        self.watched: list[Player] = [ada, bob]

    async def again(self, player: Player) -> Player:
        """Another connection of a player, on the other node if there are two."""
        url = self.nodes[0] if player is self.bob else self.nodes[1]
        return await self._others.enter_async_context(Player(url, token=player.token))

    async def third(self) -> Player:
        """Another player."""
        return await self._others.enter_async_context(Player(self.nodes[1]))


class Ask(NamedTuple):
    """A request of a connection."""

    by: Player
    request: type[m.RequestBase]
    fields: dict[str, Any]

    async def send(self) -> int:
        """Make the request; its id."""
        return await self.by.send(self.request, **self.fields)

    async def answer(self, id_: int) -> Received:
        """Wait for the answer to the request of this id."""
        return await self.by.find(lambda message: getattr(message, "id", None) == id_)

    async def alone(self) -> Received:
        """Make the request at no particular moment."""
        return await self.by.ask(self.request, **self.fields)


Check = Callable[..., Awaitable[None]]


class Pair(NamedTuple):
    """Two requests of the same moment, and what is to come of them."""

    first: Ask
    second: Ask
    check: Check


# --- what is asked ---


def ask(by: Player, request: type[m.RequestBase], **fields: Any) -> Ask:
    return Ask(by, request, fields)


def challenge(by: Player, to: Player, rules: dict[str, bool | int | str] = RULES, side: str = "either") -> Ask:
    return ask(by, m.Challenge, player=to.name, rules=rules, side=side, commitment=own(by))


def rematch(scene: Scene, by: Player) -> Ask:
    return ask(by, m.Rematch, match=scene.match, commitment=own(by))


def answer(by: Player, challenge_: str, accept: bool = True) -> Ask:
    return ask(by, m.Answer, challenge=challenge_, accept=accept, commitment=own(by) if accept else None)


def withdraw(by: Player, challenge_: str) -> Ask:
    return ask(by, m.Withdraw, challenge=challenge_)


def seek(by: Player, rules: dict[str, bool | int | str]) -> Ask:
    return ask(by, m.Seek, rules=rules, commitment=own(by))


def acts(by: Player, action: type[m.MatchAction], match: str, **fields: Any) -> Ask:
    return ask(by, action, match=match, seq=by.matches[match].seq, **fields)


def own(player: Player) -> str:
    """The commitment of a player: each has one seed in these tests."""
    return COMMITMENTS[_seed_of(player)]


def _seed_of(player: Player) -> int:
    return 0 if str(player.name).startswith("ada") else 1


# --- what came before ---


async def over(scene: Scene) -> None:
    """Ada has won a match against bob, just now."""
    await playing(scene)
    await scene.bob.act(m.Forfeit, scene.match)
    for player in (scene.ada, scene.bob):
        await player.until(scene.match, lambda view: view.phase == "over")


async def playing(scene: Scene) -> None:
    scene.match = await new_match(scene.ada, scene.bob, {"preset": "tournament", **RULES, "clock": "none"})


async def on_roll(scene: Scene) -> tuple[Player, Player]:
    """The player on roll in a match, and the other one."""
    await playing(scene)
    view = scene.ada.matches[scene.match].view
    first = scene.ada.matches[scene.match].seat == view.turn
    before, now = (scene.ada, scene.bob) if first else (scene.bob, scene.ada)
    await before.act(m.Move, scene.match, moves=plays_of(view)[0])
    for player in (scene.ada, scene.bob):
        await player.until(scene.match, lambda view: view.phase == "roll")
    return now, before


async def challenged(scene: Scene, by: Player, to: Player, rules: dict[str, bool | int | str] = RULES) -> str:
    """A challenge of which both know."""
    asked = await challenge(by, to, rules).alone()
    assert isinstance(asked, m.Challenged), asked
    await to.find(lambda message: isinstance(message, m.Challenged) and message.challenge == asked.challenge)
    return asked.challenge


async def opened(scene: Scene, **fields: Any) -> str:
    """A table of ada's, of which bob's node knows that she sits there."""
    snapshot = await scene.ada.ask(m.Create, name=unique("t"), rules=RULES, commitment=own(scene.ada), **fields)
    assert isinstance(snapshot, m.Snapshot), snapshot
    await scene.bob.ask(m.Attach, table=snapshot.match)
    async with asyncio.timeout(PATIENCE_S):
        while True not in scene.bob.matches[snapshot.match].online:
            await scene.bob.receive()
    await scene.bob.ask(m.Detach, match=snapshot.match)
    del scene.bob.matches[snapshot.match]
    return snapshot.match


# --- what comes of it ---


async def begun(player: Player, old: str = "") -> str:
    """The one match that a player has come to, when it has begun."""
    async with asyncio.timeout(PATIENCE_S):
        while not (new := [id_ for id_ in player.matches if id_ != old]):
            await player.receive()
        (match,) = new
        while player.matches[match].view.game == 0:
            seen = player.matches[match]
            if seen.seat in seen.view.unrevealed:
                await player.ask(m.Reveal, match=match, seq=seen.seq, seed=SEEDS[_seed_of(player)])
            else:
                await player.receive()
    return match


def one_match(scene: Scene) -> Check:
    """Both requests led to the same match, which has begun; nothing is open any more."""

    async def check(*answers: Received) -> None:
        assert all(isinstance(one, m.Challenged | m.Snapshot | m.Ok) for one in answers), answers
        ada, bob = await asyncio.gather(begun(scene.ada, scene.match), begun(scene.bob, scene.match))
        assert ada == bob
        assert {scene.ada.matches[ada].seat, scene.bob.matches[bob].seat} == {0, 1}
        assert len([one for one in answers if isinstance(one, m.Snapshot) and one.match != ada]) == 0
        await nothing_open(scene)

    return check


async def nothing_open(scene: Scene) -> None:
    """A connection that comes now hears of no challenge."""
    async with asyncio.timeout(PATIENCE_S):
        for player in (scene.ada, scene.bob):
            while True:
                later = await scene.again(player)
                if not [told for told in await later.sync() if isinstance(told, m.Challenged)]:
                    break


def one_winner(scene: Scene, *refused: str) -> Check:
    """One request was done and the other refused, with one of these codes; both see the same match."""

    async def check(*answers: Received) -> None:
        codes = [one.code for one in answers if isinstance(one, m.Error)]
        assert len(codes) == 1, answers
        assert codes[0] in refused, answers
        await same_view(scene)

    return check


def both_done(scene: Scene) -> Check:
    """Both requests were done, and both see the same match."""

    async def check(*answers: Received) -> None:
        assert not [one for one in answers if isinstance(one, m.Error)], answers
        await same_view(scene)

    return check


def each_answered(scene: Scene, *refused: str) -> Check:
    """Both requests were answered, done or refused with one of these codes; one at least was done."""

    async def check(*answers: Received) -> None:
        codes = [one.code for one in answers if isinstance(one, m.Error)]
        assert len(codes) < 2, answers
        assert set(codes) <= set(refused), answers
        await same_view(scene)

    return check


async def same_view(scene: Scene) -> None:
    for match in scene.ada.matches.keys() & scene.bob.matches.keys():
        await scene.ada.sync()
        await scene.bob.sync()
        seq = max(player.matches[match].seq for player in (scene.ada, scene.bob))
        assert await scene.ada.reach(match, seq) == await scene.bob.reach(match, seq)


def accepted_once(scene: Scene, offered: str) -> Check:
    """The challenge was accepted; the other request led there as well, or to another one."""

    async def check(accepted: Received, asked: Received) -> None:
        assert isinstance(accepted, m.Snapshot), accepted
        assert {*await asyncio.gather(begun(scene.ada), begun(scene.bob))} == {offered}
        if isinstance(asked, m.Challenged) and asked.challenge != offered:  # it came later: another match
            await scene.ada.ask(m.Withdraw, challenge=asked.challenge)
        elif isinstance(asked, m.Snapshot):
            assert asked.match == offered

    return check


def late(scene: Scene) -> Check:
    """One request was done; the other one, too, or it came too late."""
    return each_answered(scene, "wrong_phase", "not_your_turn", "stale")


async def one_outcome(nodes: Nodes, prepare: Callable[[Scene], Awaitable[Pair]]) -> None:
    """Send both requests of a row in the same moment, and check what becomes of them."""
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
