"""Match ids: eight letters and digits that can be told apart, drawn or made of what leads to the match."""

import base64
import hashlib
import re
import secrets
import sys

PATTERN = re.compile(r"[a-z2-7]{8}")
BYTES = 5


def drawn() -> str:
    """An id that no other match has."""
    return letters(secrets.token_bytes(BYTES))


def of_request(player: str, request_id: int) -> str:
    """The same for the same request, so that one sent again after a lost connection opens no second table."""
    return _of(f"{player}:{request_id}")


def of_rematch(match: str) -> str:
    """The same whoever of the two asks for another match after this one."""
    return _of(f"rematch:{match}")


def letters(data: bytes) -> str:
    """Bytes as letters and digits that can be told apart."""
    return sys.intern(base64.b32encode(data).decode().lower())  # one object, as the feed's


def _of(what: str) -> str:
    return letters(hashlib.sha256(what.encode()).digest()[:BYTES])
