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
from typing import NamedTuple

from tavla_web.addresses import (
    ADDRESS,
    DOCUMENT,
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
from tavla_server.features.pictures.pictures import HAS_PNG
from tavla_server.gateway.downloads import header_values, takes_gzip
from tavla_server.gateway.http import Path

ADDRESSES = re.compile("|".join((ADDRESS.pattern, TOURNAMENT.pattern, *map(re.escape, (*OTHERS, *FILES)))))
ANY = re.compile(r"(?!/ws$).*")
LIMIT_BYTES = 100_000  # websockets cuts an answer that is not read within the time of a handshake
BEST, QUICK = 9, 1  # levels of gzip


class PackedPage(NamedTuple):
    """A page as it is sent. body: gzipped. plain: for those who do not take that. policy: see `policy_of`."""

    body: bytes
    plain: bytes
    etag: str
    policy: str
    kind: str


class Document:
    """The document of the page. usual: with the title that it has of itself, ready to be sent."""

    def __init__(self, document: bytes) -> None:
        place = TITLE.search(document)
        assert place is not None, "the document has a place for a title"
        self._before, self._after = document[: place.start(1)], document[place.end(1) :]
        self._policy = policy_of(document)
        self.usual = self._packed(place[1], BEST)

    def titled_page(self, title: str, image: str = "") -> PackedPage:
        """The document with the title of a link, ready to be sent. image: the address of its picture, "" = none."""
        picture = f'"><meta property="og:image" content="{html.escape(image)}' if image else ""
        return self._packed((html.escape(title) + picture).encode(), QUICK)

    def _packed(self, title: bytes, level: int) -> PackedPage:
        plain = b"".join((self._before, title, self._after))
        body = gzip.compress(plain, level, mtime=0)
        assert len(body) <= LIMIT_BYTES, f"the page has {len(body)} bytes: more than a slow client may take in time"
        return PackedPage(body, plain, _etag(body), self._policy, KIND)


def _etag(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:16]}"'


_document = functools.cache(Document)


@functools.cache
def _file(plain: bytes, kind: str) -> PackedPage:
    """A file beside the document."""
    body = gzip.compress(plain, 9, mtime=0)
    return PackedPage(body, plain, _etag(body), FILE_POLICY, kind)


class Page:
    """The page: the answers to browsers. paths: its addresses, and at last any other, at which it says so."""

    def __init__(
        self, is_served: bool, title: Callable[[str, str], str] = lambda *_: "", behind_proxy: bool = False
    ) -> None:
        """is_served: else browsers get nothing. title: of a link, from its kind (`m`, `t`, `p`) and name; "" = none."""
        self._files = {path: (read(package, path[1:]), kind) for path, (kind, package) in FILES.items() if is_served}
        self._document: Document | None = None
        self._packed_files: dict[str, PackedPage] = {}
        self._title, self._behind_proxy = title, behind_proxy
        self.paths = (Path(ADDRESSES, self._answer), Path(ANY, self._missing)) if is_served else ()

    async def answer(self, request: Request, scheme: str = "http") -> Response | None:
        """The page, if this is an address of it. scheme: by which it is asked for."""
        found = await self._found(request.path.partition("?")[0], f"{scheme}://{request.headers.get('Host', '')}")
        return None if found is None else self._reply(request, found)

    async def _answer(self, handshake: Handshake, _: re.Match[str]) -> Response | None:
        assert handshake.request is not None, "it has come"
        return await self.answer(handshake.request, "https" if handshake.is_encrypted or self._behind_proxy else "http")

    async def _missing(self, handshake: Handshake, _: re.Match[str]) -> Response | None:
        """The page for a browser at an address that leads nowhere: it says so. Programs are told in plain text."""
        request = handshake.request
        assert request is not None, "it has come"
        if not any("text/html" in kind for kind in header_values(request, "Accept")):
            return None
        return self._reply(request, await self._packed_document(), http.HTTPStatus.NOT_FOUND)

    def _reply(self, request: Request, found: PackedPage, status: http.HTTPStatus = http.HTTPStatus.OK) -> Response:
        packed = takes_gzip(request)
        etag = found.etag if packed else f'{found.etag[:-1]}-plain"'
        headers = {
            "ETag": etag,
            "Vary": "Accept-Encoding",
            "Cache-Control": "no-cache",  # to be asked for each time, and mostly answered with 304
            "Content-Security-Policy": found.policy,
            "Cross-Origin-Opener-Policy": "same-origin",
        }
        if etag in [tag.strip().removeprefix("W/") for tag in header_values(request, "If-None-Match")]:
            return _response(http.HTTPStatus.NOT_MODIFIED, headers)
        body = found.body if packed else found.plain
        headers |= {"Content-Type": found.kind, "Content-Length": str(len(body))}
        headers |= {"Content-Encoding": "gzip"} if packed else {}
        return _response(status, headers, body)

    async def _found(self, path: str, base: str) -> PackedPage | None:
        """The file or document at an address. base: of this server's addresses."""
        if not is_page(path):
            return await self._packed_file(path) if path in self._files else None
        title = image = ""
        if ADDRESS.fullmatch(path) and path != "/":
            _, kind, of = path.split("/")
            title = self._title(kind, of)
            image = f"{base}/m/{of}.png" if HAS_PNG and kind == "m" and title else ""
        return await self._packed_document(title, image)

    async def _packed_document(self, title: str = "", image: str = "") -> PackedPage:
        if self._document is None:
            self._document = await asyncio.to_thread(_document, read(PACKAGE, DOCUMENT))
        return await asyncio.to_thread(self._document.titled_page, title, image) if title else self._document.usual

    async def _packed_file(self, path: str) -> PackedPage:
        if path not in self._packed_files:
            self._packed_files[path] = await asyncio.to_thread(_file, *self._files[path])
        return self._packed_files[path]


def _response(status: http.HTTPStatus, headers: dict[str, str], body: bytes = b"") -> Response:
    common = {"Date": formatdate(usegmt=True), "Connection": "close"}
    return Response(status.value, status.phrase, Headers(common | headers), body)
