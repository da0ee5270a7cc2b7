"""The end of certificates: the server's own and the store's. Logged once a day when it is near, and a metric."""

import base64
import re
import time
from datetime import UTC, datetime
from typing import Literal

import structlog

NEAR_S = 14 * 86_400  # an authority's robot renews 30 days before the end: something is wrong with it then
LINE_S = 86_400.0  # between two lines of the log
LOOK_S = 3600.0

log = structlog.get_logger()

FIRST_CERTIFICATE = re.compile(r"-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----(.*?)-----END \1-----", re.DOTALL)
VERSION, UTC_TIME = 0xA0, 0x17  # tags of DER
DATE_FORMATS = {UTC_TIME: "%y%m%d%H%M%SZ"}  # the other one, from 2050 on, has years of four digits

ends: dict[str, float] = {}  # in s since 1970, by whose certificate it is
_logged: dict[str, float] = {}


def note(whose: Literal["server", "store"], end: float) -> None:
    """Note the end of a certificate, in s since 1970; logged if it is near, or has passed."""
    ends[whose] = end
    _log(whose)


def end_of(pem: str) -> float:
    """The end of the first certificate of a PEM file, in s since 1970: the one that a server shows as its own.

    `ssl` tells the end of a peer's certificate alone: so the fields before the validity are skipped here (RFC 5280).
    Raises: ValueError, when there is none.
    """
    found = FIRST_CERTIFICATE.search(pem)
    if found is None:
        raise ValueError("there is no certificate in it")
    _, certificate, _ = _element(base64.b64decode(found[2]))
    _, fields, _ = _element(certificate)
    if fields[0] == VERSION:
        _, _, fields = _element(fields)
    for _ in ("serial number", "algorithm", "issuer"):
        _, _, fields = _element(fields)
    _, validity, _ = _element(fields)
    _, _, rest = _element(validity)
    tag, date, _ = _element(rest)
    return datetime.strptime(date.decode(), DATE_FORMATS.get(tag, "%Y%m%d%H%M%SZ")).replace(tzinfo=UTC).timestamp()


def _element(der: bytes) -> tuple[int, bytes, bytes]:
    """The tag of the first element, its content, and what follows it."""
    tag, size, start = der[0], der[1], 2
    if size > 0x7F:  # the number of bytes that hold the size
        start += size & 0x7F
        size = int.from_bytes(der[2:start])
    return tag, der[start : start + size], der[start + size :]


async def look() -> None:
    """Log which certificates are near their end, once a day each."""
    for whose in ends:
        _log(whose)


def _log(whose: str) -> None:
    left_s, now_s = ends[whose] - time.time(), time.monotonic()
    if left_s < NEAR_S and now_s - _logged.get(whose, -LINE_S) >= LINE_S:
        _logged[whose] = now_s
        days = round(left_s / 86_400, 1)
        log.warning("certificate_expires", whose=whose, in_days=days, what="renew it, before nobody can connect")
