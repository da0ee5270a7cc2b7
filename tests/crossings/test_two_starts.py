"""Two ways to a match that lead there in the same moment: a player may be in several at a time, so both matches begin.

Each has both its players, and nothing of the one is lost, or blamed on anybody, for the other.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from tavla_protocol import messages as m
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S
from tests.support.players.challenges import accepted, challenged, know_each_other
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, Received, unique
from tests.support.players.seeds import COMMITMENTS, SEEDS
from tests.support.players.tournaments import arena_of, entered
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.asyncio(loop_scope="module")

SEED_OF = dict(zip(COMMITMENTS, SEEDS, strict=True))
Nodes = tuple[str, str]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def nodes(valkey: Valkey) -> AsyncIterator[Nodes]:
    """Two nodes of one server: ada is on the first one, all others are on the second one."""
    timings = Timings(queue_poll_s=0.05, pairing_round_s=0.05)
    async with inside(valkey.url, timings) as here, inside(valkey.url, timings) as there:
        yield here, there


class Ask(NamedTuple):
    """The request after which a match begins."""

    by: Player
    request: type[m.RequestBase]
    fields: dict[str, Any]


class Meeting(NamedTuple):
    """Two players who are about to begin a match, and the commitment of ada's seed for it."""

    ada: Player
    other: Player
    commitment: str

    @property
    def others(self) -> str:
        """The commitment of the other one's seed."""
        return COMMITMENTS[1 - COMMITMENTS.index(self.commitment)]

    def rules(self) -> dict[str, bool | int | str]:
        """Rules that nobody else seeks."""
        return {"length": 9, "reserve_s": 100 + id(self.other) % 400}

    async def sought(self) -> Ask:
        """The other one waits for a quick match, and ada seeks the same."""
        await self.other.ask(m.Seek, rules=self.rules(), commitment=self.others)
        return Ask(self.ada, m.Seek, {"rules": self.rules(), "commitment": self.commitment})

    async def challenge_accepted(self) -> Ask:
        heard = await challenged(self.ada, self.other, commitment=self.commitment)
        fields = {"challenge": heard.challenge, "accept": True, "commitment": self.others}
        return Ask(self.other, m.Answer, fields)

    async def table_joined(self) -> Ask:
        snapshot = await self.ada.ask(m.Create, name=unique("t"), commitment=self.commitment)
        assert isinstance(snapshot, m.Snapshot), snapshot
        await self.other.ask(m.Attach, table=snapshot.match)
        async with asyncio.timeout(PATIENCE_S):
            while True not in self.other.matches[snapshot.match].online:
                await self.other.receive()
        return Ask(self.other, m.Join, {"table": snapshot.match, "commitment": self.others})

    async def rematch_accepted(self) -> Ask:
        old = await new_match(self.ada, self.other, {"length": 3})
        await self.other.act(m.Forfeit, old)
        for player in (self.ada, self.other):
            await player.until(old, lambda view: view.phase == "over")
        asked = await self.ada.ask(m.Rematch, match=old, commitment=self.commitment)
        assert isinstance(asked, m.Challenged), asked
        await self.other.find(lambda one: isinstance(one, m.Challenged) and one.challenge == asked.challenge)
        del self.ada.matches[old], self.other.matches[old]
        return Ask(self.other, m.Rematch, {"match": old, "commitment": self.others})

    async def tournament_paired(self) -> Ask:
        async with Player(self.other.url) as director:
            tournament = await arena_of(director)
        await entered(self.ada, tournament, self.commitment)
        return Ask(self.other, m.EnterTournament, {"tournament": tournament, "commitment": self.others})


Way = Callable[[Meeting], Awaitable[Ask]]
WAYS: list[Way] = [
    Meeting.sought,
    Meeting.challenge_accepted,
    Meeting.table_joined,
    Meeting.rematch_accepted,
    Meeting.tournament_paired,
]
PAIRS = list(itertools.combinations(WAYS, 2))


@pytest.mark.parametrize("ways", PAIRS, ids=lambda ways: "-".join(way.__name__ for way in ways))
async def test_two_matches_that_begin_in_the_same_moment_both_begin(nodes: Nodes, ways: tuple[Way, Way]) -> None:
    async with Player(nodes[0], unique("ada")) as ada, Player(nodes[1]) as bob, Player(nodes[1]) as eve:
        await know_each_other(ada, bob, eve)
        meetings = [Meeting(ada, bob, COMMITMENTS[0]), Meeting(ada, eve, COMMITMENTS[1])]
        asks = [await way(meeting) for way, meeting in zip(ways, meetings, strict=True)]
        ids = [await one.by.send(one.request, **one.fields) for one in asks]
        for one, id_ in zip(asks, ids, strict=True):
            assert not isinstance(answer := await answer_to(one.by, id_), m.Error), answer
        await asyncio.gather(begun(ada, 2), begun(bob, 1), begun(eve, 1))
        theirs = {player: next(iter(player.matches)) for player in (bob, eve)}
        assert {*theirs.values()} == ada.matches.keys()
        for player, match in theirs.items():
            seq = max(ada.matches[match].seq, player.matches[match].seq)
            assert await ada.reach(match, seq) == await player.reach(match, seq)
        for player in (ada, bob, eve):
            career = await player.ask(m.Profile, name=player.name)
            assert isinstance(career, m.Career), career
            assert career.unrevealed[0] == 0, "nothing is counted against anybody"


async def test_a_seek_in_two_windows_leads_to_one_match(nodes: Nodes) -> None:
    async with Player(nodes[0], unique("ada")) as ada, Player(nodes[1]) as bob:
        ask = await Meeting(ada, bob, COMMITMENTS[0]).sought()
        async with Player(nodes[1], token=ada.token) as window:
            ids = [await one.send(ask.request, **ask.fields) for one in (ada, window)]
            for one, id_ in zip((ada, window), ids, strict=True):
                assert isinstance(await answer_to(one, id_), m.Ok)
            async with asyncio.timeout(PATIENCE_S):
                while not (arrived := [one for one in (ada, window) if one.matches]):
                    await asyncio.gather(ada.sync(), window.sync())
            await asyncio.gather(*(begun(one, 1) for one in (*arrived, bob)))
            assert {*ada.matches, *window.matches} == bob.matches.keys(), "one, in one window or in both"


async def test_a_seek_goes_on_when_another_match_begins_and_ends_when_it_is_taken_back(nodes: Nodes) -> None:
    async with Player(nodes[0], unique("ada")) as ada, Player(nodes[1]) as bob, Player(nodes[1]) as eve:
        await know_each_other(ada, bob)
        rules = Meeting(ada, eve, "").rules()
        for taken_back in (False, True):
            assert isinstance(await ada.ask(m.Seek, rules=rules), m.Ok)
            await accepted(ada, bob, (await challenged(ada, bob)).challenge)
            if taken_back:
                assert isinstance(await ada.ask(m.Unseek), m.Ok)
            assert isinstance(await eve.ask(m.Seek, rules=rules), m.Ok)
            if taken_back:
                assert isinstance(await eve.ask(m.Unseek), m.Ok), "nobody was found"
                assert len(eve.matches) == 1
            else:
                match = (await eve.next(m.Matched)).match
                async with asyncio.timeout(PATIENCE_S):
                    while match not in ada.matches:
                        await ada.sync()


async def answer_to(player: Player, request: int) -> Received:
    return await player.find(lambda message: getattr(message, "id", None) == request)


async def begun(player: Player, count: int) -> None:
    """So many matches of a player have begun; what they wait for from that player is given."""
    async with asyncio.timeout(PATIENCE_S):
        while len(player.matches) < count or not all(seen.view.game for seen in player.matches.values()):
            await player.receive()
            for match, seen in list(player.matches.items()):
                if seen.seat in seen.view.unrevealed and seen.view.phase == "reveal":
                    seed = SEED_OF[seen.view.commitments[seen.seat]]
                    await player.ask(m.Reveal, match=match, seq=seen.seq, seed=seed)
