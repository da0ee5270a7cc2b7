"""Sealing of the server's seeds: the store, or a copy of it, does not betray the dice of live matches."""

from collections.abc import Sequence
from hashlib import sha256

import structlog
from msgspec.structs import replace
from nacl.exceptions import CryptoError
from nacl.secret import Aead
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.record.events import Created, Event
from tavla_server.record.state import Record

MARK_BYTES = 4  # of a key's hash, in front of what it has sealed

log = structlog.get_logger()


class Sealer:
    """A sealer seals with the first of its keys, and opens with any.

    Source: libsodium's AEAD, bound to the match's id.
    """

    def __init__(self, keys_: Sequence[bytes]) -> None:
        self._boxes = {_mark(key): Aead(key) for key in keys_}
        self.marks = list(self._boxes)

    def seal(self, events: Sequence[Event], record: Record) -> tuple[list[Event], Record]:
        """A new match's events, of which the first has its seed, and the record; for the store."""
        created, *others = events
        assert isinstance(created, Created), "a match begins with it"
        mark = self.marks[0]
        sealed = mark + self._boxes[mark].encrypt(record.seed, record.id.encode())
        created = replace(created, seed=b"", sealed=sealed, commitment=record.commitment)
        return [created, *others], replace(record, sealed=sealed)

    def unseal(self, record: Record) -> Record:
        """The record with its seed. Raises: Refused, without the right key."""
        if record.seed or not record.sealed:
            return record
        mark, sealed = record.sealed[:MARK_BYTES], record.sealed[MARK_BYTES:]
        try:
            return replace(record, seed=self._boxes[mark].decrypt(sealed, record.id.encode()))
        except (KeyError, CryptoError):
            log.error("seed_cannot_be_opened", match=record.id, key=mark.hex())
            text_ = "the server lacks the key to this match's dice: nothing has changed, tell the operator"
            raise Refused(ErrorCode.UNAVAILABLE, text_) from None


def _mark(key: bytes) -> bytes:
    return sha256(b"tavla seed key " + key).digest()[:MARK_BYTES]
