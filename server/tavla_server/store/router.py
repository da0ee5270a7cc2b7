"""A pipe to each master, and every command on the one of its key."""

import asyncio
import ssl
from collections.abc import Callable

from tavla_server.store.pipeline import LOST, UNFIT, Command, Done, Pipe
from tavla_server.store.topology import Masters, host_of

RESEND_S = 0.05  # after a master has said that it has not, or not yet, what a command is about


class Pipes:
    """Sends commands in groups, as `Pipe` does; what changes places is followed.

    on_lost: called when a master cannot be reached. on_back: when one can be again, or others have taken its place.
    """

    def __init__(self, masters: Masters, setup: list[bytes]) -> None:
        """setup: packed commands to run on each new connection before all others."""
        self.on_lost: Callable[[], None] = lambda: None
        self.on_back: Callable[[], None] = lambda: None
        self._masters, self._setup = masters, [*masters.check, *setup]
        self._pipes: dict[str, Pipe] = {}
        self._by_slot: list[Pipe] = []
        self._sharded = False
        self._arrange()

    async def open(self) -> None:
        """Connect, and from now on keep connected. Of several masters, any that is away may come later.

        Raises: OSError when the only server cannot be reached, hiredis.ReplyError when one refuses us.
        """
        self._masters.changed.append(self._rearrange)
        self._masters.reached.append(lambda: self.connected)
        pipes = list(self._pipes.values())
        opened = await asyncio.gather(*(pipe.open() for pipe in pipes), return_exceptions=True)
        for pipe, error in zip(pipes, opened, strict=True):
            if error is not None:
                if self._masters.fixed or not _is_away(error):
                    raise error
                pipe.start()

    async def close(self) -> None:
        """Disconnect. Commands that wait for their answer never get one."""
        for pipe in self._pipes.values():
            pipe.close()

    @property
    def connected(self) -> bool:
        """Whether all masters are reached."""
        return not self.away

    @property
    def away(self) -> list[str]:
        """The masters that are not reached, as host:port."""
        return [host_of(url) for url, pipe in self._pipes.items() if not pipe.connected]

    @property
    def any(self) -> Pipe:
        """A pipe for what concerns no key, to a master that is reached if there is one."""
        return next((pipe for pipe in self._pipes.values() if pipe.connected), self._by_slot[0])

    def of(self, key: bytes) -> Pipe:
        """The pipe to a key's master."""
        return self._by_slot[self._masters.slot(key)]

    def send(self, key: bytes, packed: bytes, done: Done, again: bool = True) -> None:
        """Send a packed command about a key with the next group; see `Command`."""
        slot = self._masters.slot(key) if self._sharded else 0
        self._by_slot[slot].put(Command(packed, done, again, slot))

    def prepare(self, packed: bytes) -> None:
        """Run a packed command once on every new connection before all others, and on all there are now."""
        self._setup.append(packed)
        for pipe in self._pipes.values():
            if pipe.connected:
                pipe.put(Command(packed, lambda reply: None))

    def _arrange(self) -> None:
        urls = self._masters.by_slot
        for url in dict.fromkeys(urls):
            if url not in self._pipes:
                self._pipes[url] = self._new(url)
        self._by_slot = [self._pipes[url] for url in urls]
        self._sharded = len(urls) > 1

    def _new(self, url: str) -> Pipe:
        pipe = Pipe(url, self._setup)
        pipe.on_lost, pipe.on_back = self._lost, lambda: self.on_back()
        pipe.on_misplaced = self._misplaced
        return pipe

    def _rearrange(self) -> None:
        before = dict(self._pipes)
        self._arrange()
        for url in self._pipes.keys() - before.keys():
            self._pipes[url].start()
        for url in before.keys() - set(self._masters.by_slot):
            for command in self._pipes.pop(url).close():
                if command.again:
                    self._put(command)
                else:
                    command.done(LOST)
        if self._pipes.keys() != before.keys():  # a slot that moves from one master to another brings all it has
            self.on_back()

    def _lost(self) -> None:
        self._masters.doubt()
        self.on_lost()

    def _misplaced(self, command: Command) -> None:
        self._masters.doubt()
        asyncio.get_running_loop().call_later(RESEND_S, self._put, command)

    def _put(self, command: Command) -> None:
        self._by_slot[command.slot].put(command)


def _is_away(error: BaseException) -> bool:
    """Whether a master may be there later, or another in its place; else it refuses us for good."""
    if isinstance(error, ssl.SSLError):  # it is there, and not whom we trust
        return False
    return isinstance(error, OSError) or str(error).startswith(UNFIT)
