"""A match's journal as one piece of bytes: a byte that says how, then the entries, msgpack, deflated.

The entries are those of the store, byte for byte. Deflate, since it is in every Python and in every language: a year's
matches are to be readable without us.
"""

import zlib
from collections.abc import Sequence

import msgspec

DEFLATED = b"\x01"
UNPACKABLE = (ValueError, zlib.error, msgspec.MsgspecError)  # raised by what is damaged


def pack(entries: Sequence[bytes]) -> bytes:
    """Entries, in order, as one piece."""
    return DEFLATED + zlib.compress(msgspec.msgpack.encode(list(entries)), 9)


def unpack(data: bytes) -> list[bytes]:
    """The entries again. Raises: UNPACKABLE."""
    if data[:1] != DEFLATED:
        raise ValueError("damaged, or packed by a later version")
    return msgspec.msgpack.decode(zlib.decompress(data[1:]), type=list[bytes])
