"""Files that a server has for everybody, over HTTP."""

from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

from tavla_client import ClientError

READ_S = 60.0  # without a byte
MOST_BYTES = 200_000_000  # ten hours of 1,000 players
SCHEMES = {"ws": "http", "wss": "https"}


def download(server: str, path: str) -> str:
    """The text at an address of a server. Raises: ClientError."""
    parts = urlsplit(server)
    url = f"{SCHEMES.get(parts.scheme, parts.scheme)}://{parts.netloc}{path}"
    try:
        with urlopen(url, timeout=READ_S) as answer:
            return str(answer.read(MOST_BYTES).decode(errors="replace"))
    except HTTPError as error:
        with error:
            said = error.read(1000).decode(errors="replace").strip()
        raise ClientError(said or f"{url}: {error}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise ClientError(f"cannot read {url}: {error}") from None
