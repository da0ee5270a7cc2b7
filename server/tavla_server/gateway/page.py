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
import struct
import zlib
from collections.abc import Callable, Iterable
from email.utils import formatdate
from pathlib import Path
from typing import NamedTuple

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

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
    "/evaluator.js": ("text/javascript; charset=utf-8", PACKAGE),
    "/network.bin": ("application/octet-stream", "tavla_bots"),
}
LIMIT_BYTES = 100_000  # websockets cuts an answer that is not read within the time of a handshake
_INLINE = {
    "script-src": re.compile(rb"<script[^>]*>(.*?)</script>", re.DOTALL),
    "style-src": re.compile(rb"<style[^>]*>(.*?)</style>", re.DOTALL),
}


# The one place in the document that differs: what a link to a match is called where it is shared.
_TITLE = re.compile(rb'<meta property="og:title" content="([^"]*)">')
# Between colours, style, script and texts: each has a deflate block of its own, for its letters are its own.
_BORDERS = re.compile(rb"(?<=</style>)|(?=/\*! \*/)")
_GZIP_HEAD = b"\x1f\x8b\x08\0\0\0\0\0\x02\xff"  # RFC 1952: deflated, no name, no time


class Packed(NamedTuple):
    """Something as it is sent. body: gzipped. plain: for those who do not take that. policy: see `policy_of`."""

    body: bytes
    plain: bytes
    etag: str
    policy: str
    kind: str


class Document:
    """The document, deflated but for its title: so that another title costs next to nothing.

    A flushed deflate stream can be cut and joined. What is left to do for a title is the checksum of the whole.
    """

    def __init__(self, document: bytes) -> None:
        place = _TITLE.search(document)
        assert place is not None, "the document has a place for a title"
        self.title = html.unescape(place[1].decode())
        self._before, self._after = document[: place.start(1)], document[place.end(1) :]
        self._head, self._tail = _deflated(self._before, zlib.Z_FULL_FLUSH), _deflated(self._after, zlib.Z_FINISH)
        self._policy = policy_of(document)
        self._mark = hashlib.sha256(document).hexdigest()[:16]
        size = len(self.packed(self.title).body)
        assert size <= LIMIT_BYTES, f"the page has {size} bytes: more than a slow client may take in time"

    def packed(self, title: str) -> Packed:
        """The document with this title, ready to be sent."""
        piece = html.escape(title).encode()
        whole = (self._before, piece, self._after)
        crc = 0
        for part in whole:
            crc = zlib.crc32(part, crc)
        end = struct.pack("<LL", crc, sum(map(len, whole)))
        body = b"".join((_GZIP_HEAD, self._head, _deflated(piece, zlib.Z_FULL_FLUSH), self._tail, end))
        return Packed(body, b"".join(whole), f'"{self._mark}-{crc:08x}"', self._policy, "text/html; charset=utf-8")


def _deflated(part: bytes, flush: int) -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    *before, last = _BORDERS.split(part)
    blocks = [deflate.compress(piece) + deflate.flush(zlib.Z_BLOCK) for piece in before]
    return b"".join((*blocks, deflate.compress(last), deflate.flush(flush)))


def policy_of(document: bytes) -> str:
    """The Content-Security-Policy: nothing runs but the script of the document, and a file of this host where it asks
    for one; nothing is asked but this host.

    Trusted types: there is one policy, which makes the address of the service worker, a constant. Whatever a name or a
    chat line holds, the script cannot make markup of it.
    """
    inline = [f"{directive} {' '.join(map(_hashed, found.findall(document)))}" for directive, found in _INLINE.items()]
    if b'"/people.js"' in document:
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
    return Path(spec.submodule_search_locations[0], name).read_bytes()


_document = functools.cache(Document)


@functools.cache
def _file(plain: bytes, kind: str) -> Packed:
    """A file beside the document."""
    body = gzip.compress(plain, 9, mtime=0)
    policy = "default-src 'none'; connect-src 'self'"  # a worker's own: it asks this host alone
    return Packed(body, plain, f'"{hashlib.sha256(body).hexdigest()[:16]}"', policy, kind)


class Page:
    """Answers browsers, and says which pages of others may open a WebSocket here.

    origins: whose pages may, beside our own, such as `https://play.example.org`.
    """

    def __init__(
        self, is_served: bool, origins: Iterable[str] = (), title: Callable[[str, str], str] = lambda *_: ""
    ) -> None:
        """is_served: else browsers get nothing. title: of a link, from its kind (`m`, `t`, `p`) and name; "" = none."""
        self._documents = {name: _read(PACKAGE, name) for name in (DOCUMENT, REVIEW, LEARN, TOURNAMENTS) if is_served}
        self._files = {path: (_read(package, path[1:]), kind) for path, (kind, package) in FILES.items() if is_served}
        self._packed_documents: dict[str, Document] = {}
        self._packed_files: dict[str, Packed] = {}
        self._title = title
        self._origins = {origin.lower().rstrip("/") for origin in origins}

    async def answer(self, request: Request) -> Response | None:
        """The page, if this is an address of it and no WebSocket is asked for."""
        found = None if is_upgrade(request) else await self._found(*request.path.partition("?")[::2])
        return None if found is None else self._reply(request, found)

    async def missing(self, request: Request) -> Response | None:
        """The page for a browser at an address that leads nowhere: it says so. Programs are told in plain text."""
        if not self._documents or not any("text/html" in kind for kind in _all(request, "Accept")):
            return None
        return self._reply(request, await self._packed_document(DOCUMENT), http.HTTPStatus.NOT_FOUND)

    def _reply(self, request: Request, found: Packed, status: http.HTTPStatus = http.HTTPStatus.OK) -> Response:
        packed = takes_gzip(request)
        etag = found.etag if packed else f'{found.etag[:-1]}-plain"'
        headers = {
            "ETag": etag,
            "Vary": "Accept-Encoding",
            "Cache-Control": "no-cache",  # to be asked for each time, and mostly answered with 304
            "Content-Security-Policy": found.policy,
            "Cross-Origin-Opener-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        }
        if etag in [tag.strip().removeprefix("W/") for tag in _all(request, "If-None-Match")]:
            return _response(http.HTTPStatus.NOT_MODIFIED, headers)
        body = found.body if packed else found.plain
        headers |= {"Content-Type": found.kind, "Content-Length": str(len(body))}
        headers |= {"Content-Encoding": "gzip"} if packed else {}
        return _response(status, headers, body)

    async def _found(self, path: str, query: str) -> Packed | None:
        """The file or document at an address; a match's with `?review` is its review, with `?dice` its dice."""
        name, title = TOURNAMENTS if TOURNAMENT.fullmatch(path) else OTHERS.get(path, ""), ""
        if ADDRESS.fullmatch(path):
            _, kind, *of = path.split("/")
            name = REVIEW if kind == "m" and query in ("review", "dice") else DOCUMENT
            title = self._title(kind, of[0]) if of else ""
        if name in self._documents:
            return await self._packed_document(name, title)
        return await self._packed_file(path) if path in self._files else None

    async def _packed_document(self, name: str, title: str = "") -> Packed:
        if name not in self._packed_documents:
            self._packed_documents[name] = await asyncio.to_thread(_document, self._documents[name])
        document = self._packed_documents[name]
        return document.packed(title or document.title)

    async def _packed_file(self, path: str) -> Packed:
        if path not in self._packed_files:
            self._packed_files[path] = await asyncio.to_thread(_file, *self._files[path])
        return self._packed_files[path]

    def may_connect(self, request: Request) -> bool:
        """True if a WebSocket may be opened: by a program, which has no origin, by our own page, or a page allowed."""
        origins = request.headers.get_all("Origin")
        if not origins:
            return True
        hosts = [host.lower() for host in request.headers.get_all("Host")]
        origin = origins[0].lower()
        is_own = bool(origin) and [origin.partition("://")[2]] == hosts
        return len(origins) == 1 and (is_own or origin in self._origins)


def is_upgrade(request: Request) -> bool:
    """True if a request asks for a WebSocket."""
    return any("websocket" in value.lower() for value in request.headers.get_all("Upgrade"))


def takes_gzip(request: Request) -> bool:
    """True if gzip is accepted. A client that says nothing, as curl does, gets plain bytes."""
    taken = {}
    for part in _all(request, "Accept-Encoding"):
        coding, _, weight = part.partition(";")
        taken[coding.strip().lower()] = not re.fullmatch(r"\s*q=0(\.0*)?\s*", weight)
    return taken.get("gzip", taken.get("*", False))


def _all(request: Request, name: str) -> list[str]:
    return [part for value in request.headers.get_all(name) for part in value.split(",")]


def _response(status: http.HTTPStatus, headers: dict[str, str], body: bytes = b"") -> Response:
    common = {"Date": formatdate(usegmt=True), "Connection": "close"}
    return Response(status.value, status.phrase, Headers(common | headers), body)
