"""Addresses of the page: the document or file at each, and the policy that goes with it."""

import base64
import hashlib
import importlib.util
import re
from pathlib import Path

PACKAGE = "tavla_web"
DOCUMENT, REVIEW, LEARN, TOURNAMENTS = "page.html", "review.html", "learn.html", "tournaments.html"
DOCUMENTS = (DOCUMENT, REVIEW, LEARN, TOURNAMENTS)
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
KIND = "text/html; charset=utf-8"  # of a document
FILE_POLICY = "default-src 'none'; connect-src 'self'"  # a worker's own: it asks this host alone
# The one place in a document that differs: what a link to a match is called where it is shared, and its picture.
TITLE = re.compile(rb'<meta property="og:title" content="([^"]*)">(?:<meta property="og:image" content="[^"]*">)?')
_INLINE = {
    "script-src": re.compile(rb"<script[^>]*>(.*?)</script>", re.DOTALL),
    "style-src": re.compile(rb"<style[^>]*>(.*?)</style>", re.DOTALL),
}


def document_at(path: str, query: str = "") -> str:
    """The document at an address; "" = none. A match's with `?review` is its review, with `?dice` its dice."""
    if ADDRESS.fullmatch(path):
        return REVIEW if path.startswith("/m/") and query in ("review", "dice") else DOCUMENT
    return TOURNAMENTS if TOURNAMENT.fullmatch(path) else OTHERS.get(path, "")


def read(package: str, name: str) -> bytes:
    """A file of a package that is installed, and need not be imported for it."""
    spec = importlib.util.find_spec(package)
    assert spec is not None, f"{package} comes with this program"
    assert spec.submodule_search_locations, f"{package} is a folder"
    return Path(spec.submodule_search_locations[0], name).read_bytes()


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
