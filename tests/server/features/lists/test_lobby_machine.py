"""Whatever people do and whichever server dies: every list, on every node, ends up equal to the truth."""

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tavla_protocol import messages as m

from tests.support.patience import LATE_S
from tests.support.players.lobby import Rows, Watch
from tests.support.players.plain import Player, unique
from tests.support.servers.processes import NewServer, ServerProcess
from tests.support.servers.valkey import Valkey
from tests.support.tries import MANY

PEOPLE = 4
EXAMPLES = 4 if MANY else 1  # of 20 steps, and others in each run
STEPS = 20
SETTLED_S = 5 + LATE_S  # for lists to be right again: a node is evicted after 2 s, a table closed after 2 more

people = st.integers(0, PEOPLE - 1)
Nodes = tuple[ServerProcess, ServerProcess]


class Lobby(RuleBasedStateMachine):
    """Four people and two servers.

    open: each table's maker. fading: those whose maker has left, which may be closed at any moment. live: the players
    of each match.
    """

    def __init__(self, nodes: Nodes) -> None:
        super().__init__()
        self.nodes = nodes
        self.runner = asyncio.Runner()
        self.people = [Player(nodes[0].url) for _ in range(PEOPLE)]
        self.online: dict[int, int] = {}  # person -> node
        self.open: dict[str, int] = {}
        self.fading: dict[str, int] = {}
        self.live: dict[str, tuple[int, int]] = {}
        self.watches: list[Watch] = []

    def run(self, what: Any) -> Any:
        return self.runner.run(what)

    @initialize()
    def begin(self) -> None:
        self.run(self._watch())

    async def _watch(self) -> None:
        """Follow every list, on each node."""
        for watch in self.watches:
            await watch.player.close()
        self.watches = []
        for node in self.nodes:
            player = Player(node.url)
            await player.open()
            self.watches.append(Watch(player))
            for what in ("tables", "matches", "people"):
                await self.watches[-1].follow(what)

    # --- what people do ---

    @rule(person=people, node=st.integers(0, 1))
    def come(self, person: int, node: int) -> None:
        if person not in self.online:
            self.run(self._come(person, node))

    async def _come(self, person: int, node: int) -> None:
        player = self.people[person]
        player.url = self.nodes[node].url
        await player.open()
        self.online[person] = node
        for watch in self.watches:  # until then a node may close a table whose maker it still takes for gone
            await watch.until("people", self._is_here, SETTLED_S)
        mine = await player.get(m.Listing, m.List, what="mine")
        for match in [match for match, maker in self.fading.items() if maker == person]:
            del self.fading[match]
            if match in mine.rows:
                self.open[match] = person

    @precondition(lambda self: self.online)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        person = data.draw(st.sampled_from(sorted(self.online)))
        self.run(self.people[person].close())
        self._gone(person)

    def _gone(self, person: int) -> None:
        del self.online[person]
        for match in [match for match, maker in self.open.items() if maker == person]:
            self.fading[match] = self.open.pop(match)

    @precondition(lambda self: self.online)
    @rule(data=st.data())
    def create(self, data: st.DataObject) -> None:
        person = data.draw(st.sampled_from(sorted(self.online)))
        snapshot = self.run(self.people[person].ask(m.Create, name=unique("t"), rules={"length": 1}))
        assert isinstance(snapshot, m.Snapshot), snapshot
        self.open[snapshot.match] = person

    @precondition(lambda self: self.online and self.open)
    @rule(data=st.data())
    def join(self, data: st.DataObject) -> None:
        person = data.draw(st.sampled_from(sorted(self.online)))
        match = data.draw(st.sampled_from(sorted(self.open)))
        joined = self.run(self.people[person].ask(m.Join, table=match))
        assert isinstance(joined, m.Snapshot), joined
        if self.open[match] != person:
            self.live[match] = (self.open.pop(match), person)

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        match = data.draw(st.sampled_from(sorted(self.open)))
        answer = self.run(self.people[self.open.pop(match)].ask(m.Cancel, match=match))
        assert isinstance(answer, m.Ok), answer

    @precondition(lambda self: any(self.online.keys() & set(players) for players in self.live.values()))
    @rule(data=st.data())
    def forfeit(self, data: st.DataObject) -> None:
        here = [match for match, players in self.live.items() if self.online.keys() & set(players)]
        match = data.draw(st.sampled_from(sorted(here)))
        person = next(person for person in self.live.pop(match) if person in self.online)
        self.run(self._forfeit(self.people[person], match))

    async def _forfeit(self, player: Player, match: str) -> None:
        assert isinstance(await player.ask(m.Attach, table=match), m.Snapshot | m.Ok)
        await player.get(m.Ok, m.Forfeit, match=match, seq=0)

    # --- what happens to them ---

    @rule(number=st.integers(0, 1))
    def die(self, number: int) -> None:
        """kill -9, and a new one in its place."""
        self.nodes[number].kill()
        for person in [person for person, node in self.online.items() if node == number]:
            self._gone(person)
        self.nodes[number].restart()
        self.run(self._watch())

    @precondition(lambda self: self.fading)
    @rule()
    def wait(self) -> None:
        """Tables whose makers have gone are closed."""
        self.fading.clear()

    # --- and how it looks ---

    @invariant()
    def every_list_is_equal_to_the_truth(self) -> None:
        for number, watch in enumerate(self.watches):
            for what, right in (("people", self._is_here), ("tables", self._is_open), ("matches", self._is_live)):
                self.run(self._settled(number, watch, what, right))

    async def _settled(self, number: int, watch: Watch, what: str, right: Callable[[Rows], bool]) -> None:
        try:
            await watch.until(what, right, SETTLED_S)
        except TimeoutError:
            fresh = await watch.player.ask(m.List, what=what)
            raise AssertionError(f"node {number} shows {what} {watch.rows[what]}, asked {fresh}; {self}") from None

    def __str__(self) -> str:
        """The truth, for one who looks for what differs from it."""
        names = [player.name for player in self.people]
        return f"people {names}, online {self.online}, open {self.open}, fading {self.fading}, live {self.live}"

    def _is_here(self, rows: dict[str, Any]) -> bool:
        ours = {player.name for player in self.people}
        return ours & rows.keys() == {self.people[person].name for person in self.online}

    def _is_open(self, rows: dict[str, Any]) -> bool:
        ours = {key: row["players"] for key, row in rows.items() if self._of_ours(row)}
        right = all(self.people[maker].name in ours.get(key, ()) for key, maker in self.open.items())
        return right and ours.keys() - self.fading.keys() == self.open.keys()

    def _is_live(self, rows: dict[str, Any]) -> bool:
        ours = {key: set(row["players"]) for key, row in rows.items() if self._of_ours(row)}
        return ours == {key: {self.people[person].name for person in live} for key, live in self.live.items()}

    def _of_ours(self, row: dict[str, Any]) -> bool:
        return bool({player.name for player in self.people} & set(row["players"]))

    def teardown(self) -> None:
        for player in (*self.people, *(watch.player for watch in self.watches)):
            self.run(player.close())
        self.runner.close()


@pytest.fixture
def nodes(valkey: Valkey, new_server: NewServer) -> Nodes:
    """Two impatient servers on one store."""
    command = [sys.executable, "-m", "tests.support.servers.impatient"]
    first, second = (new_server("--redis", valkey.url, command=command) for _ in range(2))
    first.start()
    second.start()
    return first, second


@pytest.mark.long
def test_every_list_stays_equal_to_the_truth(nodes: Nodes) -> None:
    run_state_machine_as_test(
        lambda: Lobby(nodes),  # type: ignore[arg-type] # it is called, and that is all
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],  # to shrink what has failed would wait SETTLED_S again and again
            report_multiple_bugs=False,
        ),
    )
