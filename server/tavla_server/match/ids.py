"""Match ids: twelve letters and digits that can be told apart, drawn or made of what leads to the match."""

import base64
import hashlib
import re
import secrets

LETTERS = 12  # 60 bits: among ten million matches the chance that any two have the same id is 1 in 23,000
PATTERN = re.compile(r"[a-z2-7]{12}")
CODE_LETTERS = 8
BYTES = 8  # enough for LETTERS


def new_id() -> str:
    """An id that no other match has."""
    return _id(secrets.token_bytes(BYTES))


def of_request(player: str, request_id: int) -> str:
    """The same for the same request, so that one sent again after a lost connection opens no second table."""
    return _of(f"{player}:{request_id}")


def of_rematch(match: str) -> str:
    """The same id, whichever of the two asks for a rematch."""
    return _of(f"rematch:{match}")


def of_tournament(tournament: str, number: int, paired_ms: int) -> str:
    """The id of a match of a tournament, by its number and when it was paired: the same on every node.

    A store that is brought back may pair the same number anew: the archive may have the match that was played before.
    """
    return _of(f"tournament:{tournament}:{number}:{paired_ms}")


def of_plan(name: str, starts_ms: int) -> str:
    """The id of a tournament that an operator has planned: the same on every node."""
    return _of(f"plan:{name}:{starts_ms}")


def code_of(tournament: str, match: str) -> str:
    """The code of a match of a private tournament, which opens no other one."""
    return _of(f"code:{tournament}:{match}")[:CODE_LETTERS]


def letters(data: bytes) -> str:
    """Bytes as letters and digits that can be told apart."""
    return base64.b32encode(data).decode().lower().rstrip("=")


def _of(what: str) -> str:
    return _id(hashlib.sha256(what.encode()).digest()[:BYTES])


def _id(data: bytes) -> str:
    return letters(data)[:LETTERS]
