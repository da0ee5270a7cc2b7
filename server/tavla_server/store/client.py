"""redis-py's commands, sent in groups over a pipeline.

redis-py's own way costs some 150 us of CPU a command: a connection is taken from a pool, locked, watched and measured.
Here a command is packed, waits for the next group and for its answer, and costs a tenth of that; of many that are asked
for with `all_of`, each costs a tenth again. Never send a command that blocks: all others would wait for it.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Any

import hiredis
from redis.asyncio import Redis
from redis.commands.core import AsyncScript
from redis.typing import EncodableT, FieldT, KeyT

from tavla_server.deadline import Deadline
from tavla_server.errors import StoreRefused, StoreUnavailable
from tavla_server.store import scripts
from tavla_server.store.connection import Reply
from tavla_server.store.pipeline import LOST, Pipeline
from tavla_server.store.router import Router
from tavla_server.store.topology import Topology, find_topology
from tavla_server.telemetry.metrics import STORE_ERRORS
from tavla_server.timings import DEFAULTS

ANSWER_S = 5.0  # for a command; beyond that its outcome is unknown
ATTEMPTS = 3  # to send a command whose answer is lost with the connection
PATIENCE_S = 0.3  # for a lost connection to be back, before each of them

StoreCommand = tuple[Any, ...]  # its name, and its arguments
Row = tuple[bytes, dict[bytes, bytes]]  # of a stream: id and fields
Fields = dict[FieldT, EncodableT]  # to be written


class Client(Redis):
    """The client of the store, with redis-py's methods. All raise StoreUnavailable.

    A command whose answer was lost is sent again, so each must bear being run twice.
    """

    def __init__(self, topology: Topology, reply_s: float = DEFAULTS.reply_s) -> None:
        super().__init__(protocol=2)
        self.router = Router(topology, [], reply_s)

    async def aclose(self, close_connection_pool: bool | None = None) -> None:
        """Disconnect."""
        await self.router.close()

    @property
    def slots(self) -> int:
        """The number of slots: those of a cluster, or one."""
        return len(self.router.by_slot)

    def script(self, name: str) -> AsyncScript:
        """A script of `store/scripts`, to be called with keys and args. New connections know it before it is called."""
        self.router.prepare(scripts.loading(name))
        return self.register_script(scripts.source(name))

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        """Send a command with the next group; its answer, in redis-py's form.

        Raises: StoreUnavailable, StoreRefused.
        """
        (reply,) = await self._replies([args])
        options.pop("keys", None)  # of redis-py's own cache
        return self._parsed(args[0], reply, **options)

    async def all_of(self, commands: Sequence[StoreCommand]) -> list[Any]:
        """Send some commands at once; their answers, in redis-py's form. Raises: StoreUnavailable, StoreRefused."""
        replies = await self._replies(commands) if commands else []
        return [self._parsed(args[0], reply) for args, reply in zip(commands, replies, strict=True)]

    def _parsed(self, name: str, reply: Reply, **options: Any) -> Any:
        if isinstance(reply, StoreRefused):
            STORE_ERRORS.add("refused")
            raise reply
        callback = self.response_callbacks.get(name)
        return callback(reply, **options) if callback else reply

    async def fields(self, key: str) -> dict[bytes, bytes]:
        """All fields of a hash."""
        fields: dict[bytes, bytes] = await self.execute_command("HGETALL", key)
        return fields

    async def entries(self, stream: KeyT, first: str = "-", last: str = "+", count: int | None = None) -> list[Row]:
        """The entries of a stream, the oldest first."""
        limit = () if count is None else ("COUNT", count)
        rows: list[Row] = await self.execute_command("XRANGE", stream, first, last, *limit)
        return rows

    async def newest(self, stream: str, count: int, last: str = "+") -> list[Row]:
        """The last entries of a stream, the newest first."""
        rows: list[Row] = await self.execute_command("XREVRANGE", stream, last, "-", "COUNT", count)
        return rows

    async def slices(self, pattern: str, at_once: int) -> AsyncIterator[list[bytes]]:
        """All keys that a pattern fits, of all masters; the store looks at so many at once. A key may come twice.

        What moves from one master to another meanwhile may be missing. Raises: StoreUnavailable.
        """
        for master in self.router.masters.values():
            cursor = b"0"
            while True:
                command = _packed(("SCAN", cursor, "MATCH", pattern, "COUNT", at_once))
                answers = _Answers(1)
                master.put(_PendingReply(command, 0, 0, answers))
                reply = (await answers.all())[0]
                if isinstance(reply, StoreUnavailable):
                    raise reply
                cursor, found = reply
                yield found
                if cursor == b"0":
                    break

    async def _replies(self, commands: Sequence[StoreCommand]) -> list[Reply]:
        """The reply to each. Commands whose reply is lost are sent again, up to a limit."""
        asked = [(_key(args), _packed(args)) for args in commands]
        replies: list[Reply] = [LOST] * len(asked)
        lost: Sequence[int] = range(len(asked))
        for _ in range(ATTEMPTS):
            if not lost:
                break
            masters = {self._pipeline(asked[at][0]) for at in lost}
            if all([master.connected or await master.reach(PATIENCE_S) for master in masters]):
                for at, reply in zip(lost, await self._answers([asked[at] for at in lost]), strict=True):
                    replies[at] = reply
                lost = [at for at in lost if replies[at] is LOST]
        if lost:
            STORE_ERRORS.add("unreachable")
            raise StoreUnavailable("Redis cannot be reached")
        return replies

    async def until_back(self, key: str) -> None:
        """Wait until a key's master is reached: that costs nothing, while thousands that ask in vain take a core."""
        await self._pipeline(key.encode()).until_back()

    def _pipeline(self, key: bytes | None) -> Pipeline:
        return self.router.masters.any if key is None else self.router.of(key)

    async def _answers(self, asked: Sequence[tuple[bytes | None, bytes]]) -> list[Reply]:
        """The replies to packed commands, each with its key. Raises: StoreUnavailable after ANSWER_S."""
        answers = _Answers(len(asked))
        for at, (key, packed) in enumerate(asked):
            slot = 0 if key is None else self.router.slot(key)
            self._pipeline(key).put(_PendingReply(packed, slot, at, answers))
        return await answers.all()


class _Answers:
    """The answers to some commands, as they come."""

    __slots__ = ("_all_there", "_left", "_replies")

    def __init__(self, number: int) -> None:
        self._replies: list[Reply] = [LOST] * number
        self._left, self._all_there = number, asyncio.get_running_loop().create_future()

    def take(self, at: int, reply: Reply) -> None:
        """Take in a reply."""
        self._replies[at] = reply
        self._left -= 1
        if not self._left and not self._all_there.done():
            self._all_there.set_result(None)

    async def all(self) -> list[Reply]:
        """All replies, in order. Raises: StoreUnavailable after ANSWER_S."""
        deadline = Deadline(ANSWER_S, self._give_up)  # (a third of what asyncio.timeout costs)
        try:
            await self._all_there
        finally:
            deadline.cancel()
        return self._replies

    def _give_up(self) -> None:
        if not self._all_there.done():
            STORE_ERRORS.add("unanswered")
            self._all_there.set_exception(StoreUnavailable("Redis does not answer"))


class _PendingReply:
    """A command whose reply is awaited, with others; after a lost connection its caller sends it again."""

    __slots__ = ("_answers", "_at", "again", "packed", "slot")

    def __init__(self, packed: bytes, slot: int, at: int, answers: _Answers) -> None:
        self.packed, self.again, self.slot = packed, False, slot
        self._at, self._answers = at, answers

    def on_reply(self, reply: Reply) -> None:
        """Hand the reply over."""
        self._answers.take(self._at, reply)


@contextlib.asynccontextmanager
async def connection_to(url: str) -> AsyncIterator[Client]:
    """A client of the store at this URL, until the context ends.

    Raises: ValueError when it is no URL of a store; StoreUnavailable.
    """
    client = Client(await find_topology(url))
    try:
        await client.router.open()
        yield client
    finally:
        await client.aclose()


def text(value: object) -> str:
    """An ASCII reply as text: the stubs of redis-py cannot know that replies are not decoded."""
    assert isinstance(value, bytes), "replies are not decoded"
    return value.decode("ascii")


def _key(args: StoreCommand) -> bytes | None:
    """The first key of a command; None if it has none."""
    place = 1
    if args[0] in ("EVAL", "EVALSHA"):
        place = 3 if int(args[2]) else len(args)
    if len(args) <= place:
        return None
    return args[place] if isinstance(args[place], bytes) else str(args[place]).encode()


def _packed(args: StoreCommand) -> bytes:
    words = args[0].encode().split()  # some of redis-py's commands are two words in one
    packed: bytes = hiredis.pack_command((*words, *args[1:]))
    return packed
