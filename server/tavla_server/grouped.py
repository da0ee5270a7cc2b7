"""redis-py's commands, sent in groups over a pipe.

redis-py's own way costs some 150 us of CPU a command: a connection is taken from a pool, locked, watched and measured.
Here a command is packed, waits for the next group and for its answer, and costs a tenth of that. Pipelines, and whoever
subscribes, still use connections of their own. Never send a command that blocks: all others would wait for it.
"""

import asyncio
from typing import Any

import hiredis
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError

from tavla_server.link import Reply, pack_command
from tavla_server.pipe import LOST, Pipe

ANSWER_S = 5.0  # for a command; past that nobody knows whether it was carried out
ATTEMPTS = 3  # to send a command whose answer is lost with the connection
PATIENCE_S = 0.3  # for a lost connection to be back, before each of them
CONNECTIONS = 16  # for pipelines
CONNECTION_WAIT_S = 20.0  # for one of them, when a whole club comes at once


class GroupedRedis(Redis):
    """A Redis client. A command whose answer was lost is sent again, so each must bear being run twice."""

    def __init__(self, url: str) -> None:
        """Raises: ValueError, when the URL is not one of a Redis."""
        retry = Retry(ExponentialBackoff(cap=0.5, base=0.05), retries=3)
        limits = {"max_connections": CONNECTIONS, "timeout": CONNECTION_WAIT_S, "socket_timeout": ANSWER_S}
        pool = BlockingConnectionPool.from_url(url, retry=retry, protocol=2, **limits)
        super().__init__(connection_pool=pool)
        self._pipe = Pipe(url, [])

    async def open(self) -> None:
        """Connect, and from now on keep connected.

        Raises: OSError when Redis cannot be reached, hiredis.ReplyError when it refuses us.
        """
        await self._pipe.open()

    async def aclose(self, close_connection_pool: bool | None = None) -> None:
        """Disconnect."""
        await self._pipe.close()
        await super().aclose(close_connection_pool=True)

    def register_script(self, script: Any) -> Any:
        """A script that every new connection knows before it is called."""
        text = script.encode() if isinstance(script, str) else script
        self._pipe.prepare(pack_command(b"SCRIPT", b"LOAD", text))
        return super().register_script(script)

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        """Send a command with the next group; its answer, in redis-py's form.

        Raises: redis.exceptions.ResponseError, redis.exceptions.ConnectionError; TimeoutError.
        """
        reply, command = LOST, _packed(args)
        for _ in range(ATTEMPTS):
            if reply is LOST and await self._pipe.reach(PATIENCE_S):
                reply = await self._sent(command)
        if reply is LOST:
            raise RedisConnectionError("Redis cannot be reached")
        if isinstance(reply, hiredis.ReplyError):
            raise ResponseError(str(reply))
        callback = self.response_callbacks.get(args[0])
        options.pop("keys", None)  # of redis-py's own cache
        return callback(reply, **options) if callback else reply

    async def _sent(self, command: bytes) -> Reply:
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()

        def done(reply: Reply) -> None:
            if not answer.done():
                answer.set_result(reply)

        self._pipe.send(command, done, again=False)
        async with asyncio.timeout(ANSWER_S):
            return await answer


def _packed(args: tuple[Any, ...]) -> bytes:
    words = args[0].encode().split()  # some of redis-py's commands are two words in one
    packed: bytes = hiredis.pack_command((*words, *args[1:]))
    return packed
