"""Lots of a tournament: what decides between equals. Pure."""

import hashlib


def draw(seed: bytes, *what: str) -> bytes:
    """A lot for something: not known before the tournament has begun, and the same on every node."""
    return hashlib.sha256(b"\0".join((seed, *(part.encode() for part in what)))).digest()
