"""Answers of a server to plain HTTP, as a browser would get them."""

import ssl
import time
import zlib
from email.message import Message
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import NamedTuple
from urllib.parse import urlsplit

from tavla_client import ClientError

READ_S = 15.0  # without a byte
MOST_BYTES = 8_000_000  # thirty times the largest document
TRIES, MOST_WAIT_S = 4, 10.0  # where a server asks to wait
# No name of a player, and none of this program: whoever sends checks another page than browsers has to guess.
BROWSER = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en-US,en;q=0.5",
    "Accept-Encoding": "gzip, deflate",
}


class Answer(NamedTuple):
    """An answer. body: without its codings; None = one of them is unknown, or it is too long."""

    status: int
    headers: Message
    body: bytes | None


def fetch(server: str, path: str) -> Answer:
    """Answer of a server for an address. Raises: ClientError."""
    for _ in range(TRIES):
        sent = _fetch(server, path)
        wait = sent.headers.get("Retry-After", "")
        if sent.status != 429 or not wait.isdecimal():
            break
        time.sleep(min(float(wait), MOST_WAIT_S))
    return sent


def _fetch(server: str, path: str) -> Answer:
    parts = urlsplit(server)
    try:
        if parts.scheme == "wss":
            line: HTTPConnection = HTTPSConnection(parts.netloc, timeout=READ_S, context=ssl.create_default_context())
        else:
            line = HTTPConnection(parts.netloc, timeout=READ_S)
        try:
            line.request("GET", path, headers=BROWSER)
            answer = line.getresponse()
            raw = answer.read(MOST_BYTES + 1)
        finally:
            line.close()
    except (OSError, HTTPException, ValueError) as error:
        raise ClientError(f"cannot read {path} of {parts.netloc}: {error}") from None
    return Answer(answer.status, answer.headers, _plain(raw, answer.headers))


def _plain(body: bytes, headers: Message) -> bytes | None:
    codings = [one.strip().lower() for one in ",".join(headers.get_all("Content-Encoding", [])).split(",")]
    for coding in reversed([one for one in codings if one not in ("", "identity")]):
        if coding not in ("gzip", "x-gzip", "deflate"):
            return None
        unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)  # by its head: gzip or zlib
        try:
            body = unpacking.decompress(body, MOST_BYTES)
        except zlib.error:
            return None
        if not unpacking.eof:
            return None
    return body if len(body) <= MOST_BYTES else None
