"""The page for browsers: one document with its script and style inside, read and packed once, at the start."""

import base64
import gzip
import hashlib
import http
import re
from collections.abc import Iterable
from email.utils import formatdate
from importlib import resources
from typing import NamedTuple

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

DOCUMENT = ("tavla_web", "page.html")  # its package, and the file in it
# The home page, the leaderboard, a match, a table, a player: all are the one document. No address is a path here.
ADDRESS = re.compile(r"/(?:top|[mtp]/[A-Za-z0-9_-]{1,30})?")
LIMIT_BYTES = 100_000  # websockets cuts an answer that is not read within the time of a handshake
_INLINE = {
    "script-src": re.compile(rb"<script[^>]*>(.*?)</script>", re.DOTALL),
    "style-src": re.compile(rb"<style[^>]*>(.*?)</style>", re.DOTALL),
}


class Packed(NamedTuple):
    """A document as it is sent. body: gzipped. policy: what it may do, see `policy_of`."""

    body: bytes
    etag: str
    policy: str


def packed(document: bytes) -> Packed:
    """Make a document ready to be sent."""
    body = gzip.compress(document, 9, mtime=0)
    assert len(body) <= LIMIT_BYTES, f"the page has {len(body)} bytes: more than a slow client may take in time"
    return Packed(body, f'"{hashlib.sha256(body).hexdigest()[:16]}"', policy_of(document))


def policy_of(document: bytes) -> str:
    """The Content-Security-Policy: nothing runs but the script of the document, nothing is asked but this host.

    Trusted types: whatever a name or a chat line holds, the script cannot make markup of it.
    """
    inline = [f"{directive} {' '.join(map(_hashed, found.findall(document)))}" for directive, found in _INLINE.items()]
    return "; ".join(
        (
            "default-src 'none'",
            *inline,
            "connect-src 'self'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _hashed(text: bytes) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}'"


def read_document() -> bytes:
    """The document of the installed package."""
    package, name = DOCUMENT
    return resources.files(package).joinpath(name).read_bytes()


class Page:
    """Answers browsers, and says which pages of others may open a WebSocket here.

    origins: whose pages may, beside our own, such as `https://play.example.org`.
    """

    def __init__(self, document: bytes | None, origins: Iterable[str] = ()) -> None:
        """document: None = no page is served."""
        self._packed = None if document is None else packed(document)
        self._origins = {origin.lower().rstrip("/") for origin in origins}

    def answer(self, request: Request) -> Response | None:
        """The page, if this is an address of it and no WebSocket is asked for."""
        if self._packed is None or not ADDRESS.fullmatch(request.path.partition("?")[0]) or is_upgrade(request):
            return None
        if request.method not in ("GET", "HEAD"):
            return _response(http.HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": "GET, HEAD", "Content-Length": "0"})
        headers = {
            "ETag": self._packed.etag,
            "Cache-Control": "no-cache",  # to be asked for each time, and mostly answered with 304
            "Content-Security-Policy": self._packed.policy,
            "Cross-Origin-Opener-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        }
        if self._packed.etag in [tag.strip().removeprefix("W/") for tag in _all(request, "If-None-Match")]:
            return _response(http.HTTPStatus.NOT_MODIFIED, headers)
        headers |= {
            "Content-Type": "text/html; charset=utf-8",
            "Content-Encoding": "gzip",  # every browser takes it, and there is no other form
            "Content-Length": str(len(self._packed.body)),
        }
        return _response(http.HTTPStatus.OK, headers, self._packed.body if request.method == "GET" else b"")

    def may_connect(self, request: Request) -> bool:
        """Whether a WebSocket may be opened: by a program, which has no origin, by our own page, or a page allowed."""
        origins = request.headers.get_all("Origin")
        if not origins:
            return True
        hosts = [host.lower() for host in request.headers.get_all("Host")]
        origin = origins[0].lower()
        is_own = bool(origin) and [origin.partition("://")[2]] == hosts
        return len(origins) == 1 and (is_own or origin in self._origins)


def is_upgrade(request: Request) -> bool:
    """Whether a WebSocket is asked for."""
    return any("websocket" in value.lower() for value in request.headers.get_all("Upgrade"))


def _all(request: Request, name: str) -> list[str]:
    return [part for value in request.headers.get_all(name) for part in value.split(",")]


def _response(status: http.HTTPStatus, headers: dict[str, str], body: bytes = b"") -> Response:
    common = {"Date": formatdate(usegmt=True), "Connection": "close"}
    return Response(status.value, status.phrase, Headers(common | headers), body)
