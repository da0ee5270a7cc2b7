"""Downloads: a file as an answer to HTTP."""

import http
import re
from collections.abc import Iterator

from websockets.datastructures import Headers
from websockets.http11 import Request, Response


def file(kind: str, body: bytes, packed: bool = False) -> Response:
    """A file as an answer. packed: it is gzipped."""
    headers = {
        "Content-Type": kind,
        "Content-Length": str(len(body)),
        "Cache-Control": "no-cache",
        "Connection": "close",
    }
    headers |= {"Content-Encoding": "gzip"} if packed else {}
    return Response(http.HTTPStatus.OK.value, http.HTTPStatus.OK.phrase, Headers(headers), body)


def takes(request: Request, coding: str) -> bool:
    """True if a coding is accepted. A client that says nothing, as curl does, gets plain bytes."""
    taken = {}
    for part in header_values(request, "Accept-Encoding"):
        name, _, weight = part.partition(";")
        taken[name.strip().lower()] = not re.fullmatch(r"\s*q=0(\.0*)?\s*", weight)
    return taken.get(coding, taken.get("*", False))


def header_values(request: Request, name: str) -> Iterator[str]:
    """The values of a header that lists some, also if it comes more than once."""
    return (part for value in request.headers.get_all(name) for part in value.split(","))
