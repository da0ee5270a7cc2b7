"""Addresses of the page: the document or file at each, and the policy that goes with it."""

import base64
import hashlib
import importlib.util
import re
from pathlib import Path

PACKAGE = "tavla_web"
DOCUMENT = "page.html"
# The home page, a match, a table, a player: all are the one document. No address is a path here. A table's name may
# have any letters, in UTF-8 and with percent signs.
ADDRESS = re.compile(r"/(?:[mtp]/(?:[A-Za-z0-9_-]|%[0-9A-F]{2}){1,480})?")
TOURNAMENT = re.compile(r"/tournaments/[A-Za-z0-9]{0,16}")
# What another site may put into a frame, and nothing else: a match, or a position as programs write it, to look at.
EMBED = re.compile(r"/embed/(?:m/[A-Za-z0-9_-]{1,30}|position/[-=:%A-Za-z0-9+]{10,200})")
# Its other screens; what is looked for there stands behind a # that no server sees.
OTHERS = ("/watch", "/learn", "/puzzles", "/review", "/position", "/dice", "/tournaments", "/top")
SCRIPT = "text/javascript; charset=utf-8"
FILES = {  # what is needed to install it, to explain options and keys, to judge positions; the package that has it
    "/manifest.webmanifest": ("application/manifest+json", PACKAGE),
    "/icon.svg": ("image/svg+xml", PACKAGE),
    "/icon.png": ("image/png", PACKAGE),
    "/help.json": ("application/json", PACKAGE),
    **{f"/{path.name}": (SCRIPT, PACKAGE) for path in sorted(Path(__file__).parent.glob("*.js"))},
    "/network.bin": ("application/octet-stream", "tavla_bots"),
    "/hypergammon.bin": ("application/octet-stream", "tavla_bots"),
}
KIND = "text/html; charset=utf-8"  # of a document
FILE_POLICY = "default-src 'none'; connect-src 'self'"  # a worker's own: it asks this host alone
# The one place in a document that differs: what a link to a match is called where it is shared, and its picture.
TITLE = re.compile(rb'<meta property="og:title" content="([^"]*)">(?:<meta property="og:image" content="[^"]*">)?')
_STYLE = re.compile(rb"<style[^>]*>(.*?)</style>", re.DOTALL)


def is_page(path: str) -> bool:
    """Whether the document is at an address."""
    return any(shape.fullmatch(path) for shape in (ADDRESS, TOURNAMENT, EMBED)) or path in OTHERS


def read(package: str, name: str) -> bytes:
    """A file of a package that is installed, and need not be imported for it."""
    spec = importlib.util.find_spec(package)
    assert spec is not None, f"{package} comes with this program"
    assert spec.submodule_search_locations, f"{package} is a folder"
    return Path(spec.submodule_search_locations[0], name).read_bytes()


def policy_of(document: bytes, path: str = "/") -> str:
    """The Content-Security-Policy at an address: nothing runs but files of this host, and nothing is asked but it.

    Trusted types: there is one policy, which makes the address of the service worker, a constant. Whatever a name or a
    chat line holds, the script cannot make markup of it.
    """
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            f"style-src {' '.join(map(_hashed, _STYLE.findall(document)))}",
            "connect-src 'self'",
            "img-src 'self' data:",
            "manifest-src 'self'",
            "worker-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors *" if EMBED.fullmatch(path) else "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types worker",  # the one that names the service worker
        )
    )


def _hashed(text: bytes) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}'"
