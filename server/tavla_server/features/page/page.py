"""The pages for browsers: a document with its script and style inside for all that is live, one for the review of a
match, one to learn the game, one for tournaments, and the files beside them.

All are read at the start, and packed when they are first asked for, in a thread: that takes some ms each, in which
players would wait for the server to be back, or for their turn.
"""

import asyncio
import base64
import functools
import gzip
import hashlib
import html
import http
import importlib.util
import re
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path as File
from typing import NamedTuple

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from tavla_server.delivery.handshake import Handshake
from tavla_server.gateway.downloads import header_values, takes_gzip
from tavla_server.gateway.http import Path

PACKAGE = "tavla_web"
DOCUMENT, REVIEW, LEARN, TOURNAMENTS = "page.html", "review.html", "learn.html", "tournaments.html"
# The home page, a match, a table, a player: all are the one document. No address is a path here.
ADDRESS = re.compile(r"/(?:[mtp]/[A-Za-z0-9_-]{1,30})?")
TOURNAMENT = re.compile(r"/tournaments/[A-Za-z0-9]{0,16}")
OTHERS = {  # addresses of the other documents; what is looked for there stands behind a # that no server sees
    "/position": REVIEW,  # one that is set up
    "/puzzles": REVIEW,
    "/dice": REVIEW,  # all of this server's
    "/learn": LEARN,
    "/tournaments": TOURNAMENTS,
    "/top": TOURNAMENTS,
}
FILES = {  # what is needed to install it, to explain options and keys, to judge positions; the package that has it
    "/manifest.webmanifest": ("application/manifest+json", PACKAGE),
    "/icon.svg": ("image/svg+xml", PACKAGE),
    "/icon.png": ("image/png", PACKAGE),
    "/sw.js": ("text/javascript; charset=utf-8", PACKAGE),
    "/help.json": ("application/json", PACKAGE),
    "/people.js": ("text/javascript; charset=utf-8", PACKAGE),
    "/reasons.js": ("text/javascript; charset=utf-8", PACKAGE),
    "/calls.js": ("text/javascript; charset=utf-8", PACKAGE),
    "/mat.js": ("text/javascript; charset=utf-8", PACKAGE),
    "/evaluator.js": ("text/javascript; charset=utf-8", PACKAGE),
    "/network.bin": ("application/octet-stream", "tavla_bots"),
    "/hypergammon.bin": ("application/octet-stream", "tavla_bots"),
}
ADDRESSES = re.compile("|".join((ADDRESS.pattern, TOURNAMENT.pattern, *map(re.escape, (*OTHERS, *FILES)))))
ANY = re.compile(r"(?!/ws$).*")
LIMIT_BYTES = 100_000  # websockets cuts an answer that is not read within the time of a handshake
_INLINE = {
    "script-src": re.compile(rb"<script[^>]*>(.*?)</script>", re.DOTALL),
    "style-src": re.compile(rb"<style[^>]*>(.*?)</style>", re.DOTALL),
}


# The one place in the document that differs: what a link to a match is called where it is shared.
_TITLE = re.compile(rb'<meta property="og:title" content="([^"]*)">')
BEST, QUICK = 9, 1  # levels of gzip: 66 KB in 30 ms, 76 KB in 3 ms


class PackedPage(NamedTuple):
    """A page as it is sent. body: gzipped. plain: for those who do not take that. policy: see `policy_of`."""

    body: bytes
    plain: bytes
    etag: str
    policy: str
    kind: str


class Document:
    """A document of the page. usual: with the title that it has of itself, ready to be sent."""

    def __init__(self, document: bytes) -> None:
        place = _TITLE.search(document)
        assert place is not None, "the document has a place for a title"
        self._before, self._after = document[: place.start(1)], document[place.end(1) :]
        self._policy = policy_of(document)
        self.usual = self._packed(place[1], BEST)

    def titled_page(self, title: str) -> PackedPage:
        """The document with the title of a link, ready to be sent."""
        return self._packed(html.escape(title).encode(), QUICK)

    def _packed(self, title: bytes, level: int) -> PackedPage:
        plain = b"".join((self._before, title, self._after))
        body = gzip.compress(plain, level, mtime=0)
        assert len(body) <= LIMIT_BYTES, f"the page has {len(body)} bytes: more than a slow client may take in time"
        return PackedPage(body, plain, _etag(body), self._policy, "text/html; charset=utf-8")


def _etag(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:16]}"'


def policy_of(document: bytes) -> str:
    """The Content-Security-Policy: nothing runs but the script of the document, and a file of this host where it asks
    for one; nothing is asked but this host.

    Trusted types: there is one policy, which makes the address of the service worker, a constant. Whatever a name or a
    chat line holds, the script cannot make markup of it.
    """
    inline = [f"{directive} {' '.join(map(_hashed, found.findall(document)))}" for directive, found in _INLINE.items()]
    if b'"/people.js"' in document or b'"/calls.js"' in document:
        inline[0] += " 'self'"
    return "; ".join(
        (
            "default-src 'none'",
            *inline,
            "connect-src 'self'",
            "img-src 'self' data:",
            "manifest-src 'self'",
            "worker-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types worker",  # the one that names the service worker
        )
    )


def _hashed(text: bytes) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}'"


def _read(package: str, name: str) -> bytes:
    """A file of a package that is installed, and need not be imported for it."""
    spec = importlib.util.find_spec(package)
    assert spec is not None, f"{package} comes with this server"
    assert spec.submodule_search_locations, f"{package} is a folder"
    return File(spec.submodule_search_locations[0], name).read_bytes()


_document = functools.cache(Document)


@functools.cache
def _file(plain: bytes, kind: str) -> PackedPage:
    """A file beside the document."""
    body = gzip.compress(plain, 9, mtime=0)
    policy = "default-src 'none'; connect-src 'self'"  # a worker's own: it asks this host alone
    return PackedPage(body, plain, _etag(body), policy, kind)


class Page:
    """The page: the answers to browsers. paths: its addresses, and at last any other, at which it says so."""

    def __init__(self, is_served: bool, title: Callable[[str, str], str] = lambda *_: "") -> None:
        """is_served: else browsers get nothing. title: of a link, from its kind (`m`, `t`, `p`) and name; "" = none."""
        self._documents = {name: _read(PACKAGE, name) for name in (DOCUMENT, REVIEW, LEARN, TOURNAMENTS) if is_served}
        self._files = {path: (_read(package, path[1:]), kind) for path, (kind, package) in FILES.items() if is_served}
        self._packed_documents: dict[str, Document] = {}
        self._packed_files: dict[str, PackedPage] = {}
        self._title = title
        self.paths = (Path(ADDRESSES, self._answer), Path(ANY, self._missing)) if is_served else ()

    async def answer(self, request: Request) -> Response | None:
        """The page, if this is an address of it."""
        found = await self._found(*request.path.partition("?")[::2])
        return None if found is None else self._reply(request, found)

    async def _answer(self, handshake: Handshake, _: re.Match[str]) -> Response | None:
        assert handshake.request is not None, "it has come"
        return await self.answer(handshake.request)

    async def _missing(self, handshake: Handshake, _: re.Match[str]) -> Response | None:
        """The page for a browser at an address that leads nowhere: it says so. Programs are told in plain text."""
        request = handshake.request
        assert request is not None, "it has come"
        if not any("text/html" in kind for kind in header_values(request, "Accept")):
            return None
        return self._reply(request, await self._packed_document(DOCUMENT), http.HTTPStatus.NOT_FOUND)

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

    async def _found(self, path: str, query: str) -> PackedPage | None:
        """The file or document at an address; a match's with `?review` is its review, with `?dice` its dice."""
        name, title = TOURNAMENTS if TOURNAMENT.fullmatch(path) else OTHERS.get(path, ""), ""
        if ADDRESS.fullmatch(path):
            _, kind, *of = path.split("/")
            name = REVIEW if kind == "m" and query in ("review", "dice") else DOCUMENT
            title = self._title(kind, of[0]) if of else ""
        if name in self._documents:
            return await self._packed_document(name, title)
        return await self._packed_file(path) if path in self._files else None

    async def _packed_document(self, name: str, title: str = "") -> PackedPage:
        if name not in self._packed_documents:
            self._packed_documents[name] = await asyncio.to_thread(_document, self._documents[name])
        document = self._packed_documents[name]
        return await asyncio.to_thread(document.titled_page, title) if title else document.usual

    async def _packed_file(self, path: str) -> PackedPage:
        if path not in self._packed_files:
            self._packed_files[path] = await asyncio.to_thread(_file, *self._files[path])
        return self._packed_files[path]


def _response(status: http.HTTPStatus, headers: dict[str, str], body: bytes = b"") -> Response:
    common = {"Date": formatdate(usegmt=True), "Connection": "close"}
    return Response(status.value, status.phrase, Headers(common | headers), body)
