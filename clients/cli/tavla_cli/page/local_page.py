"""A page on this computer that plays at a server: its files are the installed ones, its WebSocket is passed on."""

import asyncio
import hashlib
import re
import ssl
from contextlib import closing, suppress
from email.message import Message
from http import HTTPStatus
from http.client import parse_headers
from io import BytesIO
from urllib.parse import unquote, urlsplit

from tavla_client import ClientError
from tavla_web.qr import qr_svg

from tavla_cli.page.answer import fetch
from tavla_cli.page.comparison import installed_file

HERE = "127.0.0.1"
FIRST_PORT, PORTS = 20_000, 12_000  # below those that outgoing connections take
CONNECT_S, HEAD_S = 10.0, 10.0
CHUNK_BYTES = 65_536
DATA = re.compile(r"/dice\.json|/t/[a-z2-7]{1,16}\.(?:mat|json)")  # what the page has players save
REQUEST = re.compile(rb"GET (/[!-~]*) HTTP/1\.1\r\n")
QR, LINK_LENGTH = "/qr.svg?", 200  # of an invitation
NO_CODE = "default-src 'none'; sandbox"  # the policy of what is no part of the page


class LocalPage:
    """A page of a server, for browsers on this computer alone.

    Each server has a port of its own, so that a browser keeps what it stores for two servers apart.
    """

    def __init__(self, server: str) -> None:
        self._server = server
        self._upstream = urlsplit(server)
        self.port = FIRST_PORT + int.from_bytes(hashlib.sha256(server.encode()).digest()[:4]) % PORTS
        self._hosts = {f"localhost:{self.port}", f"{HERE}:{self.port}"}

    @property
    def url(self) -> str:
        """Address of the page on this computer."""
        return f"http://localhost:{self.port}"

    async def listen(self) -> asyncio.Server:
        """Begin to serve. Raises: OSError, if the port is taken."""
        return await asyncio.start_server(self._connected, HERE, self.port)

    async def _connected(self, browser: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        with closing(answer), suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            async with asyncio.timeout(HEAD_S):
                head = await browser.readuntil(b"\r\n\r\n")
            request = REQUEST.match(head)
            path = "" if request is None else request[1].decode()
            headers = parse_headers(BytesIO(head.partition(b"\r\n")[2]))
            if headers.get("Host") in self._hosts and "websocket" in headers.get("Upgrade", "").lower():
                if headers.get("Origin", "") == f"http://{headers['Host']}":  # no other page may play through this one
                    await self._pass_on(headers, browser, answer)
                    return
                path = ""
            answer.write(await self._answer(path, headers))
            await answer.drain()

    async def _answer(self, path: str, headers: Message) -> bytes:
        """The answer to plain HTTP."""
        if headers.get("Host") not in self._hosts:  # a name elsewhere that leads here
            return _response(HTTPStatus.MISDIRECTED_REQUEST, b"this page is for this computer alone")
        if path == "/address":  # for invitations
            scheme = "https" if self._upstream.scheme == "wss" else "http"
            return _response(HTTPStatus.OK, f"{scheme}://{self._upstream.netloc}".encode())
        if path.startswith(QR):
            return _response(HTTPStatus.OK, qr_svg(unquote(path[len(QR) :])[:LINK_LENGTH]), "image/svg+xml")
        if DATA.fullmatch(path):
            return await self._data(path)
        try:
            body, kind, policy = await asyncio.to_thread(installed_file, path)
        except KeyError:
            return _response(HTTPStatus.NOT_FOUND, b"nothing is here")
        return _response(HTTPStatus.OK, body, kind, policy)

    async def _data(self, path: str) -> bytes:
        """A file of the server's, which the browser saves and does not show."""
        try:
            sent = await asyncio.to_thread(fetch, self._server, path)
        except ClientError as error:
            return _response(HTTPStatus.BAD_GATEWAY, str(error).encode())
        if sent.status != HTTPStatus.OK or sent.body is None:
            return _response(HTTPStatus.NOT_FOUND, b"the server has no such file")
        kind = "application/json" if path.endswith(".json") else "text/plain; charset=utf-8"
        return _response(HTTPStatus.OK, sent.body, kind, saved_as=path.rpartition("/")[2])

    async def _pass_on(self, headers: Message, browser: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        """Pass a WebSocket on, byte by byte, until one side ends."""
        is_tls = self._upstream.scheme == "wss"
        tls = ssl.create_default_context() if is_tls else None
        async with asyncio.timeout(CONNECT_S):
            line = await asyncio.open_connection(
                self._upstream.hostname, self._upstream.port or (443 if is_tls else 80), ssl=tls
            )
        server, request = line
        kept = [f"{name}: {value}" for name, value in headers.items() if name.lower().startswith("sec-websocket-")]
        head = [f"GET {self._upstream.path or '/'} HTTP/1.1", f"Host: {self._upstream.netloc}", *kept]
        request.write("\r\n".join([*head, "Connection: Upgrade", "Upgrade: websocket", "", ""]).encode())
        with closing(request):
            ways = [asyncio.create_task(_pipe(*way)) for way in ((browser, request), (server, answer))]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)


async def _pipe(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(CHUNK_BYTES):
        target.write(data)
        await target.drain()


def _response(
    status: HTTPStatus, body: bytes, kind: str = "text/plain; charset=utf-8", policy: str = NO_CODE, saved_as: str = ""
) -> bytes:
    headers = {
        "Content-Type": kind,
        "Content-Length": str(len(body)),
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Connection": "close",
    }
    headers |= {"Content-Disposition": f'attachment; filename="{saved_as}"'} if saved_as else {}
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body
