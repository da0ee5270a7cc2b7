"""The page for browsers: one document for all addresses, and its scripts, one for each part, beside it.

All are read at the start, and packed when they are first asked for, in a thread: that takes some ms each, in which
players would wait for the server to be back, or for their turn.
"""

import asyncio
import functools
import gzip
import hashlib
import html
import http
import re
from collections.abc import Callable
from email.utils import formatdate
from typing import NamedTuple, Self
from urllib.parse import unquote

import brotli
from tavla_web.addresses import (
    ADDRESS,
    DOCUMENT,
    EMBED,
    FILE_POLICY,
    FILES,
    KIND,
    OTHERS,
    PACKAGE,
    TITLE,
    TOURNAMENT,
    is_page,
    policy_of,
    read,
)
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from tavla_server.delivery.handshake import Handshake
from tavla_server.feature import Feature
from tavla_server.features.pictures.pictures import HAS_PNG
from tavla_server.gateway.downloads import header_values, takes
from tavla_server.gateway.http import Path

PICTURED = "m", "tournaments"
ADDRESSES = re.compile(
    "|".join((ADDRESS.pattern, TOURNAMENT.pattern, EMBED.pattern, *map(re.escape, (*OTHERS, *FILES))))
)
ANY = re.compile(r"(?!/ws$).*")
LIMIT_BYTES = 100_000  # websockets cuts an answer that is not read within the time of a handshake
CODINGS = ("br", "gzip")  # the better one first, for which browsers ask through TLS alone
USUAL = ""  # the document among the files: it is at many addresses


class PackedPage(NamedTuple):
    """A page as it is sent. body: in the coding, "" = none. policy: see `policy_of`."""

    body: bytes
    coding: str
    etag: str
    policy: str
    kind: str

    @classmethod
    def of(cls, plain: bytes, coding: str, policy: str, kind: str, is_kept: bool = True) -> Self:
        """A page in a coding; as small as it gets if it is kept, in 0.2 s at most, else in a millisecond."""
        body = plain
        if coding == "br":
            body = brotli.compress(plain, quality=11 if is_kept else 4)
        elif coding == "gzip":
            body = gzip.compress(plain, 9 if is_kept else 1, mtime=0)
        return cls(body, coding, f'"{hashlib.sha256(body).hexdigest()[:16]}"', policy, kind)


@functools.cache
def kept_page(plain: bytes, kind: str, coding: str) -> PackedPage:
    """The document with the title that it has of itself, or a file beside it, ready to be sent."""
    page = PackedPage.of(plain, coding, policy_of(plain) if kind == KIND else FILE_POLICY, kind)
    size = len(page.body)
    assert kind != KIND or size <= LIMIT_BYTES, f"{size} bytes: more than a slow client may take in time"
    return page


def titled_page(document: bytes, coding: str, title: str, image: str = "") -> PackedPage:
    """The document with the title of a link, ready to be sent. image: the address of its picture, "" = none."""
    place = TITLE.search(document)
    assert place is not None, "the document has a place for a title"
    picture = f'"><meta property="og:image" content="{html.escape(image)}' if image else ""
    inserted = html.escape(title) + picture
    whole = document[: place.start(1)] + inserted.encode() + document[place.end(1) :]
    return PackedPage.of(whole, coding, policy_of(document), KIND, is_kept=False)


class Page(Feature):
    """The page that browsers see: at its addresses, and at last at any other, where it says so."""

    def __init__(
        self, is_served: bool, title: Callable[[str, str], str] = lambda *_: "", behind_proxy: bool = False
    ) -> None:
        """is_served: else browsers get nothing. title: of a link, from its kind (`m`, `t`, `p`) and name; "" = none."""
        self._files = {path: (read(package, path[1:]), kind) for path, (kind, package) in FILES.items() if is_served}
        if is_served:
            self._files[USUAL] = read(PACKAGE, DOCUMENT), KIND
        self._kept: dict[tuple[str, str], PackedPage] = {}
        self._title, self._behind_proxy = title, behind_proxy
        self.paths = (Path(ADDRESSES, self._answer), Path(ANY, self._missing)) if is_served else ()

    async def answer(self, request: Request, scheme: str = "http") -> Response | None:
        """The page, if this is an address of it. scheme: by which it is asked for."""
        path, base = request.path.partition("?")[0], f"{scheme}://{request.headers.get('Host', '')}"
        found = await self._found(path, base, _coding(request))
        return None if found is None else _reply(request, found)

    async def _answer(self, handshake: Handshake, _: re.Match[str]) -> Response | None:
        return await self.answer(
            handshake.whole_request, "https" if handshake.is_encrypted or self._behind_proxy else "http"
        )

    async def _missing(self, handshake: Handshake, _: re.Match[str]) -> Response | None:
        """The page for a browser at an address that leads nowhere: it says so. Programs are told in plain text."""
        request = handshake.whole_request
        if not any("text/html" in kind for kind in header_values(request, "Accept")):
            return None
        return _reply(request, await self._packed(USUAL, _coding(request)), http.HTTPStatus.NOT_FOUND)

    async def _found(self, path: str, base: str, coding: str) -> PackedPage | None:
        """The file or document at an address. base: of this server's addresses."""
        if not is_page(path):
            return await self._packed(path, coding) if path in self._files else None
        document, _ = self._files[USUAL]
        if EMBED.fullmatch(path):
            return (await self._packed(USUAL, coding))._replace(policy=policy_of(document, path))
        title = image = ""
        if path.count("/") == 2:
            _, kind, of = path.split("/")
            title = self._title(kind, unquote(of))
            image = f"{base}{path}.png" if HAS_PNG and kind in PICTURED and title else ""
        if not title:
            return await self._packed(USUAL, coding)
        return await asyncio.to_thread(titled_page, document, coding, title, image)

    async def _packed(self, path: str, coding: str) -> PackedPage:
        """A file, or the document with its usual title."""
        if (path, coding) not in self._kept:
            self._kept[path, coding] = await asyncio.to_thread(kept_page, *self._files[path], coding)
        return self._kept[path, coding]


def _coding(request: Request) -> str:
    return next((coding for coding in CODINGS if takes(request, coding)), "")


def _reply(request: Request, found: PackedPage, status: http.HTTPStatus = http.HTTPStatus.OK) -> Response:
    headers = {
        "ETag": found.etag,
        "Vary": "Accept-Encoding",
        "Cache-Control": "no-cache",  # to be asked for each time, and mostly answered with 304
        "Content-Security-Policy": found.policy,
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    if found.etag in [tag.strip().removeprefix("W/") for tag in header_values(request, "If-None-Match")]:
        return _response(http.HTTPStatus.NOT_MODIFIED, headers)
    headers |= {"Content-Type": found.kind, "Content-Length": str(len(found.body))}
    headers |= {"Content-Encoding": found.coding} if found.coding else {}
    return _response(status, headers, found.body)


def _response(status: http.HTTPStatus, headers: dict[str, str], body: bytes = b"") -> Response:
    common = {"Date": formatdate(usegmt=True), "Connection": "close"}
    return Response(status.value, status.phrase, Headers(common | headers), body)
