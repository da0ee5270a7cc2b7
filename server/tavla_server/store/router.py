"""A pipeline to each master, and every command on the one of its key."""

import asyncio
from collections.abc import Callable

from tavla_server.errors import StoreRefused
from tavla_server.store.pipeline import LOST, UNFIT, Command, Done, Pipeline, Sendable
from tavla_server.store.topology import Topology, host_of
from tavla_server.timings import DEFAULTS

RESEND_S = 0.05  # after a master has said that it has not, or not yet, what a command is about


class Masters(dict[str, Pipeline]):
    """The masters of a store: a pipeline to each, by its address."""

    @property
    def connected(self) -> bool:
        """True if all masters are reached."""
        return not self.away

    @property
    def away(self) -> list[str]:
        """The masters that are not reached, as host:port."""
        return [host_of(url) for url, pipeline in self.items() if not pipeline.connected]

    @property
    def why_away(self) -> str:
        """The cause that keeps us from reaching a master, if that is known; see `connection.why_away`."""
        return next((pipeline.why_away for pipeline in self.values() if pipeline.why_away), "")

    @property
    def pending_commands(self) -> int:
        """The number of commands without a reply, sent or not."""
        return sum(pipeline.pending_commands for pipeline in self.values())

    @property
    def any(self) -> Pipeline:
        """A pipeline for what concerns no key, to a master that is reached if there is one."""
        return next((pipeline for pipeline in self.values() if pipeline.connected), next(iter(self.values())))


class Router:
    """A router sends commands in groups, as `Pipeline` does; a slot that moves to another master is followed.

    by_slot: the pipelines, by the slots of their keys; one list for ever, of which the pipelines may change.
    on_lost: called when a master cannot be reached. on_back: when one can be again, or others have taken its place.
    """

    def __init__(self, topology: Topology, setup: list[bytes], reply_s: float = DEFAULTS.reply_s) -> None:
        """setup: packed commands to run on each new connection before all others. reply_s: as a `Pipeline` has it."""
        self._reply_s = reply_s
        self.on_lost: Callable[[], None] = lambda: None
        self.on_back: Callable[[], None] = lambda: None
        self._topology, self._setup = topology, [*topology.check, *setup]
        self.masters = Masters()
        self.by_slot: list[Pipeline] = []
        self._arrange()

    async def open(self) -> None:
        """Connect, and from now on keep connected. Of several masters, any that is away may come later.

        Raises: StoreUnavailable when the only server cannot be reached, StoreRefused when one refuses us.
        """
        self._topology.changed.append(self._rearrange)
        self._topology.reached.append(lambda: self.masters.connected)
        pipelines = list(self.masters.values())
        opened = await asyncio.gather(*(pipeline.open() for pipeline in pipelines), return_exceptions=True)
        for pipeline, error in zip(pipelines, opened, strict=True):
            if error is not None:
                if self._topology.fixed or not _is_away(error):
                    raise error
                pipeline.start()

    async def close(self) -> None:
        """Disconnect. Commands that wait for their answer never get one."""
        for pipeline in self.masters.values():
            pipeline.close()

    def of(self, key: bytes) -> Pipeline:
        """The pipeline to a key's master."""
        return self.by_slot[self._topology.slot(key)]

    def send(self, key: bytes, packed: bytes, done: Done, again: bool = True) -> None:
        """Send a packed command about a key with the next group; see `Command`."""
        self._put(Command(packed, done, again, self.slot(key)))

    def slot(self, key: bytes) -> int:
        """The slot of a key, the index of its pipeline in `by_slot`; it outlives a master."""
        return self._topology.slot(key)

    def prepare(self, packed: bytes) -> None:
        """Run a packed command once on every new connection before all others, and on all there are now."""
        if packed in self._setup:
            return
        self._setup.append(packed)
        for pipeline in self.masters.values():
            if pipeline.connected:
                pipeline.put(Command(packed, lambda reply: None))

    def _arrange(self) -> None:
        urls = self._topology.by_slot
        for url in dict.fromkeys(urls):
            if url not in self.masters:
                self.masters[url] = self._new(url)
        self.by_slot[:] = [self.masters[url] for url in urls]

    def _new(self, url: str) -> Pipeline:
        pipeline = Pipeline(url, self._setup, self._reply_s)
        pipeline.on_lost, pipeline.on_back = self._lost, lambda: self.on_back()
        pipeline.on_misplaced = self._misplaced
        return pipeline

    def _rearrange(self) -> None:
        before = dict(self.masters)
        self._arrange()
        for url in self.masters.keys() - before.keys():
            self.masters[url].start()
        for url in before.keys() - set(self._topology.by_slot):
            for command in self.masters.pop(url).close():
                if command.again:
                    self._put(command)
                else:
                    command.on_reply(LOST)
        if self.masters.keys() != before.keys():  # a slot that moves from one master to another brings all it has
            self.on_back()

    def _lost(self) -> None:
        self._topology.invalidate()
        self.on_lost()

    def _misplaced(self, command: Sendable) -> None:
        self._topology.invalidate()
        asyncio.get_running_loop().call_later(RESEND_S, self._put, command)

    def _put(self, command: Sendable) -> None:
        self.by_slot[command.slot].put(command)


def _is_away(error: BaseException) -> bool:
    """True if a master may be there later, or another in its place; else it refuses us for good."""
    return not isinstance(error, StoreRefused) or str(error).startswith(UNFIT)
