"""Instructions that one action costs: `python -m bench.hotpath` counts them with valgrind's cachegrind.

Real masked frames go into two connections of one match, without a socket: connection, session, pipeline, a store that
answers at once, and two transports that take what is written. User space alone, and no clock is read: a machine may be
as busy as it likes. The difference between a long run and a short one leaves out what is done once.

`python -m bench.hotpath ACTIONS...` runs so many actions: each time in a child of one process, whose imports are
counted in all of them and made once.
"""

import asyncio
import gc
import math
import os
import random
import re
import subprocess
import sys
import traceback
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import uvloop
from tavla_engine import actions as a
from tavla_engine.match import Phase
from tavla_engine.plays import legal_plays
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_protocol.codec import encode
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.liveness import Liveness
from tavla_server.delivery.socket import Socket
from tavla_server.feature import handlers_of
from tavla_server.features.results.effects import MatchEffects
from tavla_server.gateway.connection import Connection
from tavla_server.limits import Limits
from tavla_server.match.journal import Journal
from tavla_server.match.registry import Registry
from tavla_server.match.session import Session
from tavla_server.match.session_context import SessionContext
from tavla_server.player import Player
from tavla_server.record.decider import engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Created, Entry, Event, Seated
from tavla_server.record.reducer import with_clock_and_tally
from tavla_server.record.sealing import Sealer
from tavla_server.record.state import Record, apply_all
from tavla_server.store.connection import StoreConnection as StoreConnection
from tavla_server.store.router import Router
from tavla_server.store.topology import Topology
from tavla_server.telemetry.metrics import count_notes
from tavla_server.timings import Timings
from tavla_server.token_bucket import Rate
from websockets.frames import Frame, Opcode

from tests.support.servers.cores import core_of
from tests.support.wire.fed import Wire, new_port

SHORT, LONG = 200, 600  # actions
MATCH = "aaaaaaaa"
PLAYERS = [Player("1" * 16, "ada"), Player("2" * 16, "bob")]


def new_record() -> Record:
    """A money game without a cube, so that every action is a whole turn, both seated and the first roll made."""
    events: list[Event] = [Created("bench", preset("club", {"cube": False, "length": 0}), bytes(32))]
    events += [Seated(seat, PLAYERS[seat], f"{seat}" * 32) for seat in (0, 1)]
    return engine_decide(a.Ready(0), a.Ready(1))(apply_all(Record(MATCH), events), MatchDice())[1]


def played(record: Record) -> list[tuple[int, bytes]]:
    """The frames of a match of random plays, and who sends each."""
    chance, dice, frames = random.Random(3), MatchDice(), list[tuple[int, bytes]]()
    while len(frames) < LONG:
        match = record.match
        actions: list[a.Ready | a.Move] = [a.Ready(0), a.Ready(1)]
        if match.phase is not Phase.READY:
            assert match.dice is not None
            actions = [a.Move(match.turn, chance.choice(list(legal_plays(match.position, match.dice).values())))]
        for action in actions:
            asked: dict[str, Any] = {"id": 10**15 + len(frames), "match": MATCH, "seq": 1 + len(frames)}
            request = m.Move(**asked, moves=action.moves) if isinstance(action, a.Move) else m.Ready(**asked)
            frames.append((action.seat, Frame(Opcode.BINARY, encode(request)).serialize(mask=True)))
            events, after = engine_decide(action)(record, dice)
            record = with_clock_and_tally(after, record.match, Entry("", 0, 0, 0, tuple(events)))
    return frames[:LONG]


class Sink(Wire):
    """A transport that hands over what is written."""

    def __init__(self, written: Callable[[bytes], object]) -> None:
        super().__init__()
        self.write = written  # type: ignore[assignment,method-assign]


async def store_that_answers() -> Router:
    """A router whose only master says yes to every append, in the next turn of the loop."""
    loop = asyncio.get_running_loop()

    async def find() -> list[str]:
        return ["unix:///none"]

    topology = Topology(find, [], fixed=True)
    await topology.look()
    router, store = Router(topology, []), StoreConnection()
    pipeline = router.of(b"")

    def answer() -> None:
        store.data_received(b":1\r\n")
        go_on()

    store.connection_made(Sink(lambda _: loop.call_soon(answer)))
    pipeline.use(store)
    return router


async def new_session(record: Record) -> Session:
    """A session on it, with all that a real one has to tell of its entries."""

    async def nothing(*_: object) -> None:
        pass

    silent: Any = SimpleNamespace(enter=lambda _: None, tell=lambda _: None, leave=lambda _: None)
    store: Any = SimpleNamespace(script=lambda _: None, set=nothing)
    timings = Timings(away_s=3600.0)  # nobody is looked after in a run that takes long
    journal, clock = Journal(store, await store_that_answers(), "n"), Clock()
    liveness = Liveness(store, clock, "n", timings)
    shown: Any = SimpleNamespace(show=nothing)
    listener = MatchEffects(core_of(journal=journal, clock=clock, timings=timings), silent, shown, silent, silent)
    registry = Registry(journal, clock, liveness, silent, Sealer([bytes(32)]), timings)
    registry.listen(listener)
    context: SessionContext = registry._context
    return Session(record, 1, context)


async def unused(*_: object) -> bool:
    """No token: none is new."""
    return True


async def connected(session: Session, seat: int, written: Callable[[bytes], None]) -> Socket:
    """A player's connection, past hello and attach."""
    core = core_of(
        timings=Timings(),
        limits=Limits(requests=Rate(math.inf, math.inf)),  # it does not matter how fast this machine is
        registry=SimpleNamespace(live={MATCH: session}, unused=SimpleNamespace(keep=lambda _: None)),
    )
    socket = Socket(new_port(), Sink(written))
    connection = Connection(core, handlers_of([], unused), socket, "")
    connection.player = PLAYERS[seat]
    connection.following.add(session)
    readers.add(asyncio.create_task(connection.run()))
    await asyncio.sleep(0)  # it reads
    return socket


readers: set[asyncio.Task[None]] = set()


def go_on() -> None:
    """Take the next action, if both players have the last one's update. To be called when the store has answered."""


async def drive(record: Record, frames: list[tuple[int, bytes]]) -> int:
    """Some actions, each when the last one's update has reached both players. Gives the version then."""
    global go_on
    session = await new_session(record)
    rest, done = iter(frames), asyncio.get_running_loop().create_future()
    written: list[bytes] = []

    def step() -> None:
        assert not len(written) % 2, "both have been shown it"
        if (following := next(rest, None)) is None:
            done.set_result(None)
        else:
            sockets[following[0]].data_received(following[1])

    sockets = [await connected(session, seat, written.append) for seat in (0, 1)]
    written.clear()  # what they were shown first
    go_on = step
    step()
    await done
    count_notes()  # as it is done ten times a second
    return session.seq


def instructions(*runs: str) -> list[int]:
    """Instructions of each run, its imports included. runs: arguments of this program."""
    counter = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    command = [*counter, sys.executable, "-m", "bench.hotpath", *runs]
    # Nothing that traces a test is counted. How long paths and variables are decides where objects lie: which pools of
    # the allocator are full, and the order of msgspec's table of types. That makes some 100 instructions.
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    environment |= {"PYTHONHASHSEED": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    *found, _ = re.findall(r"I +refs: +([\d,]+)", done.stderr)  # the last to end is the parent
    assert len(found) == len(runs), done.stderr
    return [int(count.replace(",", "")) for count in found]


def runtime() -> str:
    """The version of Python, as bench/ceilings.toml names it."""
    return f"Python {sys.version_info.major}.{sys.version_info.minor}"


def measure() -> int:
    """Instructions for each action."""
    short, long = instructions(str(SHORT), str(LONG))
    return (long - short) // (LONG - SHORT)


def main() -> None:
    """Count and say it; or be what is counted."""
    if len(sys.argv) == 1:
        print(f"{runtime()}: {measure():,} instructions for each action.")
        return
    gc.disable()  # a collection more or less would be seen
    record = new_record()
    frames = played(record)
    for count in map(int, sys.argv[1:]):
        if child := os.fork():
            _, status = os.waitpid(child, 0)
            if status:
                sys.exit(1)
        else:
            run(record, frames[:count])
    os._exit(0)


def run(record: Record, frames: list[tuple[int, bytes]]) -> None:
    """A run to its end, and that of the process."""
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(drive(record, frames))
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()
