"""Files for everybody: how the dice of this server have fallen."""

import http

from tavla_protocol.messages import Rolls
from websockets.datastructures import Headers
from websockets.http11 import Response

from tavla_server.archive.rolls import as_csv, as_json

FILES = {"/dice.json": ("application/json", as_json), "/dice.csv": ("text/csv; charset=utf-8", as_csv)}


def download(path: str, sums: Rolls) -> Response:
    """The file at an address."""
    kind, written = FILES[path]
    body = written(sums)
    headers = {
        "Content-Type": kind,
        "Content-Length": str(len(body)),
        "Cache-Control": "no-cache",
        "X-Content-Type-Options": "nosniff",
        "Connection": "close",
    }
    return Response(http.HTTPStatus.OK.value, http.HTTPStatus.OK.phrase, Headers(headers), body)
