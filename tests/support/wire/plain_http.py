"""Plain HTTP, as a browser or a program asks for a file."""

import http.client
from urllib.parse import urlsplit

from tests.support.patience import PATIENCE_S


def ask(url: str, path: str, method: str = "GET", **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    """Send one plain request; return the answer and its body as it came."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE_S)
    given = {"Accept-Encoding": "gzip"} | {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers=given)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body
