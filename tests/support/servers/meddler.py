"""A service in front of a server that may change what browsers get; WebSockets it passes on."""

import asyncio
import gzip
import http.client
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.support.patience import PATIENCE_S


class Reply(NamedTuple):
    """An answer as it leaves. body: unpacked, unless a change packs it."""

    status: int
    headers: dict[str, str]
    body: bytes


Change = Callable[[str, Reply], Reply]


@asynccontextmanager
async def meddler(url: str, change: Change) -> AsyncIterator[str]:
    """A service in front of the server at `url`; its own URL."""
    upstream = urlsplit(url).netloc

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ")[1].decode()
            if b"upgrade: websocket" in head.lower():
                await _pass_on(upstream, head, reader, writer)
            else:
                reply = await asyncio.to_thread(_ask, upstream, path)
                writer.write(_packed(change(path, reply)))
                await writer.drain()

    async with await asyncio.start_server(connected, "127.0.0.1") as service:
        yield f"ws://127.0.0.1:{service.sockets[0].getsockname()[1]}"


async def _pass_on(upstream: str, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    there, back = await asyncio.open_connection(*upstream.split(":"))
    back.write(head)
    with closing(back):
        ways = [asyncio.create_task(_pipe(*way)) for way in ((reader, back), (there, writer))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def _pipe(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        target.write(data)
        await target.drain()


def _ask(upstream: str, path: str) -> Reply:
    with closing(http.client.HTTPConnection(upstream, timeout=PATIENCE_S)) as line:
        line.request("GET", path, headers={"Accept-Encoding": "gzip"})
        answer = line.getresponse()
        headers, body = dict(answer.headers.items()), answer.read()
        if headers.pop("Content-Encoding", "") == "gzip":
            body = gzip.decompress(body)
        return Reply(answer.status, headers, body)


def _packed(reply: Reply) -> bytes:
    headers = reply.headers | {"Content-Length": str(len(reply.body))}
    lines = [f"HTTP/1.1 {reply.status} Said", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + reply.body
