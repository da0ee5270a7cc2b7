"""A server that says what a test tells it to, over real sockets; and the match that it tells of."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any, TypeVar
from unittest.mock import patch

from msgspec.structs import replace
from tavla_client import Client, Match, lists, match_request
from tavla_protocol import SUBPROTOCOL
from tavla_protocol import messages as m
from tavla_protocol.codec import decode_request, encode, pack
from tavla_protocol.view import View, checksum, diff, fields
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import within
from tests.support.wire.match_views import V

MATCH = "m1"
TOKEN = "t0ken"
PROBE = 1  # no request has this id
VIEW = replace(V, rules={}, phase="roll")

T = TypeVar("T")
Asked = TypeVar("Asked", bound=m.RequestBase)
Result = TypeVar("Result")


class Connection:
    """Connection of the client, from the server's side. hello: the first message of the client."""

    def __init__(self, socket: ServerConnection, hello: m.Hello) -> None:
        self.socket, self.hello = socket, hello

    async def expect(self, kind: type[T]) -> T:
        """The next request, which is of this kind."""
        async with asyncio.timeout(PATIENCE_S):
            request = decode_request(await self.socket.recv(decode=False))
        assert isinstance(request, kind), request
        return request

    async def send(self, *messages: m.Message) -> None:
        """Send messages."""
        for message in messages:
            await self.socket.send(encode(message))

    async def answer(
        self, asking: Coroutine[Any, Any, Result], request: type[Asked], reply: Callable[..., m.Message], **fields: Any
    ) -> tuple[Asked, Result]:
        """Answer what the client asks for: its request, and what it makes of the answer."""
        task = asyncio.create_task(asking)
        asked = await self.expect(request)
        await self.send(reply(id=asked.id, **fields))
        return asked, await within(task)

    async def update(self, seq: int, changes: Sequence[Any], match: str = MATCH) -> None:
        """Send an update."""
        await self.socket.send(pack((match, seq, changes)))

    def cut(self) -> None:
        """Cut the connection without a word."""
        self.socket.transport.abort()

    async def silent(self) -> bool:
        """True if the client has sent nothing until now: what it sends next is the answer to what it is asked here."""
        await self.send(m.Challenged(id=PROBE, challenge="probe", by="ada", to="bob", seat=0, expires=60))
        async with asyncio.timeout(PATIENCE_S):
            request = decode_request(await self.socket.recv(decode=False))
        return isinstance(request, m.Withdraw)  # no match waits for that challenge


class ScriptedServer:
    """Answers hello by itself; everything else is the test's. hello: what it answers instead of welcome."""

    def __init__(self) -> None:
        self.url = ""
        self.answer_hello: Callable[[m.Hello], m.Message] = _welcome
        self._accepted: asyncio.Queue[Connection] = asyncio.Queue()

    async def accept(self) -> Connection:
        """The next connection that has said hello."""
        return await within(self._accepted.get())

    async def handle(self, socket: ServerConnection) -> None:
        """Serve one connection until the client or the test ends it."""
        with contextlib.suppress(ConnectionClosed):
            hello = decode_request(await socket.recv(decode=False))
            assert isinstance(hello, m.Hello), hello
            answer = self.answer_hello(hello)
            await socket.send(encode(answer))
            if isinstance(answer, m.Welcome):
                self._accepted.put_nowait(Connection(socket, hello))
                await socket.wait_closed()


def _welcome(hello: m.Hello) -> m.Message:
    return m.Welcome(id=hello.id, player="p1", name=hello.name or "ada", token=TOKEN, matches=[MATCH])


@contextlib.asynccontextmanager
async def scripted(
    subprotocol: str = SUBPROTOCOL, server: ScriptedServer | None = None
) -> AsyncIterator[ScriptedServer]:
    """A scripted server on a free port. Clients in this process do not wait long for an answer to what they give up."""
    server = server or ScriptedServer()
    protocols = [Subprotocol(subprotocol)]
    async with serve(
        server.handle,
        "127.0.0.1",
        0,
        subprotocols=protocols,
        select_subprotocol=lambda _, offered: protocols[0] if subprotocol in offered else None,
        ping_interval=None,
        close_timeout=0.1,
    ) as listening:
        server.url = f"ws://127.0.0.1:{next(iter(listening.sockets)).getsockname()[1]}"
        with patch.object(match_request, "GIVE_UP_S", 0.2), patch.object(lists, "UNSUBSCRIBE_S", 0.2):
            yield server


class Waits:
    """Stands for time: every wait is noted, and over at once. gate: cleared, it holds a wait up."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await self.gate.wait()
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def connected(server: ScriptedServer, waits: Waits | None = None) -> AsyncIterator[tuple[Client, Connection]]:
    """A client whose waits are over at once, and its first connection."""
    async with Client(server.url, name="ada", sleep=waits or Waits()) as client:
        yield client, await server.accept()


async def attached(
    client: Client, connection: Connection, view: View = VIEW, seq: int = 5, seat: int | None = 0
) -> Match:
    """The client attaches to a match, and gets a snapshot."""
    task = asyncio.create_task(client.attach(MATCH))
    request = await connection.expect(m.Attach)
    await connection.send(snapshot(request.id, view, seq, seat))
    match = await within(task)
    match.go_on()  # what a script tells is seldom a match by the rules
    return match


class Following:
    """A client that follows a match at seq 5, and its connection."""

    def __init__(self, client: Client, connection: Connection, match: Match) -> None:
        self.client, self.connection, self.match = client, connection, match

    async def reaches(self, seq: int) -> None:
        """Wait until the match is at this version."""
        while self.match.seq < seq:
            await within(self.match.next_change())


def snapshot(
    id_: int | None, view: View = VIEW, seq: int = 5, seat: int | None = 0, epoch: int = 1, elapsed: int = 0
) -> m.Snapshot:
    """The whole match."""
    return m.Snapshot(
        id=id_, match=MATCH, epoch=epoch, seq=seq, seat=seat, online=(True, True), view=fields(view), elapsed=elapsed
    )


def change(view: View, **changes: Any) -> tuple[View, list[Any]]:
    """A view with some fields changed, and the diff to it."""
    after = replace(view, **changes)
    return after, diff(view, after)


def heartbeat(view: View, seq: int, epoch: int = 1) -> m.Heartbeat:
    """The state of the match, as the server sees it."""
    return m.Heartbeat(matches=[(MATCH, epoch, seq, checksum(view))])


async def refuse(connection: Connection, *kinds: type[m.RequestBase], code: str = "no_such_match") -> None:
    """The server knows nothing of the match."""
    for kind in kinds:
        await connection.send(m.Error(id=(await connection.expect(kind)).id, code=code, text="there is no match m1"))
