"""Shared reviews in the store: read and changed, one at a time, and their channels."""

from collections.abc import Mapping

import msgpack
from tavla_protocol import messages as m

from tavla_server.features.reviews.review_state import FIELDS, ReviewState, state_of
from tavla_server.match import wire
from tavla_server.store import keys
from tavla_server.store.client import Client

STATE = b"r"  # how a message begins that has a state; the others are those of a match's channel


class ReviewStore:
    """The store of shared reviews. All methods raise StoreUnavailable."""

    def __init__(self, redis: Client, kept_s: int, people: int) -> None:
        """kept_s: for how long a review is kept without a change. people: connections in one, at most."""
        self._redis, self._kept_s, self._people = redis, kept_s, people
        self._change = redis.script("change_review")

    async def find(self, review: str) -> ReviewState | None:
        """A review as it is now."""
        return state_of(await self._redis.fields(keys.REVIEW(review)))

    async def renew(self, review: str) -> None:
        """Keep a review for another while: somebody is there."""
        await self._redis.all_of([("EXPIRE", key(review), self._kept_s) for key in (keys.REVIEW, keys.REVIEW_FILE)])

    async def add_piece(self, review: str, piece: int, data: bytes) -> bool:
        """Add a piece of the review's file. Returns: False if it has that piece already."""
        key = keys.REVIEW_FILE(review)
        added, _ = await self._redis.all_of([("HSETNX", key, piece, data), ("EXPIRE", key, self._kept_s)])
        return bool(added)

    async def file(self, review: str) -> bytes:
        """The pieces of the review's file, one behind the other."""
        pieces = await self._redis.fields(keys.REVIEW_FILE(review))
        return b"".join(pieces[piece] for piece in sorted(pieces, key=int))

    async def change(
        self, review: str, field: str, has: bytes, to: Mapping[str, bytes]
    ) -> tuple[str, ReviewState | None]:
        """Change fields of a review for all who are there, b"" = it goes; if a field has a value, b"" = is not there.

        Returns: "", or why nothing was changed: `other` = the field has another value, `full`; and how it is then.
        """
        flat = [part for row in to.items() for part in row]
        refusal, fields = await self._change(
            keys=[keys.REVIEW(review), keys.REVIEW_CHANNEL(review)],
            args=[self._kept_s, self._people + FIELDS, field, has, *flat],
        )
        return refusal.decode(), state_of(_pairs(fields))

    async def say(self, node: str, speaker: str, said: m.Said) -> None:
        """Tell all nodes what someone says, by its id, in the review that the message names."""
        payload = wire.encode(wire.ChatSaid(node, speaker, said))
        await self._redis.execute_command("SPUBLISH", keys.REVIEW_CHANNEL(said.match), payload)


def channel_of(review: str) -> bytes:
    """The channel of a review."""
    return keys.REVIEW_CHANNEL(review).encode()


def decode(payload: bytes) -> ReviewState | wire.ChatSaid | None:
    """A message of that channel; None if it is of a kind that is not known here."""
    if payload[:1] == STATE:
        return state_of(_pairs(msgpack.unpackb(payload[1:], raw=True)))
    message = wire.decode(payload)
    return message if isinstance(message, wire.ChatSaid) else None


def _pairs(flat: list[bytes]) -> dict[bytes, bytes]:
    """The fields of a hash as a script gives them: each followed by its value."""
    return dict(zip(flat[::2], flat[1::2], strict=True))
