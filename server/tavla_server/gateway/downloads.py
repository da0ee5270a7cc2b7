"""Files for everybody: how the dice of this server have fallen, and whatever else is one."""

import http

from tavla_protocol.messages import Rolls
from websockets.datastructures import Headers
from websockets.http11 import Response

from tavla_server.archive.rolls import as_csv, as_json

DICE = {"/dice.json": ("application/json", as_json), "/dice.csv": ("text/csv; charset=utf-8", as_csv)}


def dice_file(path: str, sums: Rolls) -> Response:
    """The file of the dice at an address."""
    kind, written = DICE[path]
    return file(kind, written(sums))


def file(kind: str, body: bytes, packed: bool = False) -> Response:
    """A file as an answer. packed: it is gzipped."""
    headers = {
        "Content-Type": kind,
        "Content-Length": str(len(body)),
        "Cache-Control": "no-cache",
        "X-Content-Type-Options": "nosniff",
        "Connection": "close",
    }
    headers |= {"Content-Encoding": "gzip"} if packed else {}
    return Response(http.HTTPStatus.OK.value, http.HTTPStatus.OK.phrase, Headers(headers), body)
