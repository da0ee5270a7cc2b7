"""A connection to Redis on which commands travel in groups.

The journal's appends are the hot path of the server. redis-py costs about 20 us of CPU for each command even when
pipelined; written straight to the socket and read by hiredis, one costs 1 to 4. `client` puts everything else on a
pipeline of its own.
"""

import asyncio
import contextlib
import random
from collections import deque
from collections.abc import Callable
from typing import Protocol

import structlog

from tavla_server.deadline import time_limit
from tavla_server.errors import StoreRefused, StoreUnavailable
from tavla_server.store.coalescing_window import CoalescingWindow
from tavla_server.store.connection import PASSING, Reply, StoreConnection, connect, why_away
from tavla_server.telemetry.metrics import STORE_ERRORS
from tavla_server.timings import DEFAULTS

RECONNECT_MIN_S = 0.05
RECONNECT_MAX_S = 0.5

log = structlog.get_logger()

LOST = StoreUnavailable("the connection to Redis was lost")  # the reply to a command that is not sent again
UNFIT = ("NOSCRIPT", "LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN")  # connect anew, perhaps to another server
MISPLACED = ("MOVED", "ASK", "TRYAGAIN")  # another server has the command's slot, or is about to

Done = Callable[[Reply], None]


class Sendable(Protocol):
    """A sendable, packed command.

    again: it is sent again, until it is answered, if the connection is lost; else it is answered with LOST. slot: of
    its key.
    """

    @property
    def packed(self) -> bytes: ...

    @property
    def again(self) -> bool: ...

    @property
    def slot(self) -> int: ...

    def on_reply(self, reply: Reply) -> None: ...


class Command:
    """A command whose reply `done` gets."""

    __slots__ = ("again", "done", "packed", "slot")

    def __init__(self, packed: bytes, done: Done, again: bool = True, slot: int = 0) -> None:
        self.packed, self.done, self.again, self.slot = packed, done, again, slot

    def on_reply(self, reply: Reply) -> None:
        """Hand the reply over."""
        self.done(reply)


class Pipeline:
    """A pipeline sends commands in groups: the next group leaves when the last one is answered.

    One round trip, and with `appendfsync always` one fsync, serves all commands of a group. A command whose answer was
    lost with the connection is sent again after reconnecting, unless its sender wants to know: so each must bear being
    run twice.
    """

    def __init__(self, url: str, setup: list[bytes], reply_s: float = DEFAULTS.reply_s) -> None:
        """url: as redis-py reads it. setup: packed commands to run on each new connection before all others. reply_s: a
        server that says nothing for so long, while it is asked, is treated as gone.
        """
        self._url, self._setup, self._reply_s = url, setup, reply_s
        self._commands: deque[Sendable] = deque()  # those that have no answer, in order
        self._sent = 0  # so many of them, the first ones, are on their way
        self._window = CoalescingWindow()
        self._hurries = False  # whether one of those that wait came by `put_at_once`
        self._connection: StoreConnection | None = None
        self.connected = False  # whether commands reach Redis now
        self.why_away = ""  # what keeps us from reaching it, if that is known
        self._flush_all = self._flush  # to be called soon: a method is made anew whenever it is looked up
        self.on_lost: Callable[[], None] = lambda: None  # called when an outage begins
        self.on_back: Callable[[], None] = lambda: None  # and when it is over
        self.on_misplaced: Callable[[Sendable], None] = self.put  # called for each that another server has to get
        self._back = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect, and from now on keep connected.

        Raises: StoreUnavailable when the store cannot be reached, StoreRefused when it refuses us.
        """
        self.use(await connect(self._url, self._setup))
        self.start()

    def start(self) -> None:
        """Keep connected from now on."""
        self._keeper = asyncio.create_task(self._keep())

    def close(self) -> list[Sendable]:
        """Disconnect. Gives the commands that wait for their answer: they never get one from here."""
        if self._keeper:
            self._keeper.cancel()
        if self._connection:
            self._connection.transport.close()
            self._connection, self.connected = None, False  # what is sent now waits for nothing
        self._back.set()
        return list(self._commands)

    @property
    def pending_commands(self) -> int:
        """The number of commands without a reply, sent or not."""
        return len(self._commands)

    async def reach(self, patience_s: float) -> bool:
        """True if commands reach Redis now; waits so long if need be."""
        if not self.connected:
            with contextlib.suppress(TimeoutError):
                async with time_limit(patience_s):
                    await self._back.wait()
        return self.connected

    async def until_back(self) -> None:
        """Wait until commands reach Redis, or go another way."""
        await self._back.wait()

    def put(self, command: Sendable) -> None:
        """Send a command with the next group, together with all others of this turn of the loop.

        In a rush that is at the end of a window, see `CoalescingWindow`.
        """
        commands = self._commands
        if not commands and self.connected:  # else what is there will be sent, and this with it
            self._flush_soon()
        commands.append(command)

    def put_at_once(self, command: Sendable) -> None:
        """Send a command now, if nothing is on its way; else with the next group.

        For what comes one by one: it leaves a turn of the loop earlier, and others of this turn go with the next group.
        """
        self._commands.append(command)
        if self._sent:
            self._hurries = True
        else:
            self._flush()

    def _flush_soon(self) -> None:
        now_s = self._loop.time()
        if (next_s := self._window.next_s(now_s)) > now_s:
            self._loop.call_at(next_s, self._flush_all)
        else:
            self._loop.call_soon(self._flush_all)

    def _flush(self) -> None:
        """Send all there is, unless something is on its way."""
        commands, connection = self._commands, self._connection
        if not commands or self._sent or connection is None or connection.transport.is_closing():
            return  # uvloop raises at a write to what has ended, and then these would be sent twice
        self._sent = count = len(commands)
        self._hurries = False
        self._window.sent += count
        group = commands[0].packed if count == 1 else b"".join([command.packed for command in commands])
        connection.transport.write(group)

    def _received(self, reply: Reply) -> None:
        refused = type(reply) is StoreRefused
        if refused and str(reply).startswith(UNFIT):
            assert self._connection is not None, "a reply comes over a connection"
            self._connection.abort()  # what was sent is sent again
            return
        command = self._commands.popleft()
        self._sent -= 1
        if refused and str(reply).startswith(MISPLACED):
            self.on_misplaced(command)
        else:
            command.on_reply(reply)
        if self._commands and not self._sent:
            if self._hurries:
                self._flush()
            else:
                self._flush_soon()

    def use(self, connection: StoreConnection) -> None:
        """Send commands on a connection from now on, those first that wait."""
        self._loop = asyncio.get_running_loop()
        connection.start(self._received)
        self._connection, self.connected, self.why_away = connection, True, ""
        self._back.set()
        self._flush()

    async def _keep(self) -> None:
        while True:
            if self._connection is None:
                await self._reconnect()
                log.info("store_reconnected")
                self.on_back()
            assert self._connection is not None, "connected"
            await self._connection.wait_for_end(self._reply_s, lambda: self._sent > 0)
            self._connection, self.connected = None, False
            self._back.clear()
            unanswered = list(self._commands)
            self._commands, self._sent = deque(command for command in unanswered if command.again), 0
            STORE_ERRORS.add("disconnected")
            log.warning("store_disconnected", unanswered=len(unanswered))
            for command in unanswered:
                if not command.again:
                    command.on_reply(LOST)
            self.on_lost()

    async def _reconnect(self) -> None:
        delay = RECONNECT_MIN_S
        while True:
            try:
                self.use(await connect(self._url, self._setup))
            except StoreUnavailable as error:
                if (why := why_away(error)) != self.why_away:
                    say = log.warning if why in PASSING else log.error
                    say("store_away", why=why or "no answer", error=str(error))
                self.why_away = why
                await asyncio.sleep(delay * random.uniform(0.5, 1.0))
                delay = min(2 * delay, RECONNECT_MAX_S)
            else:
                return
