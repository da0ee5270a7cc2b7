"""Dice that anyone can check: committed to before the match, recomputed after it."""

import hashlib
from collections.abc import Callable

_BLOCK = 64  # bytes that SHA-256 takes at a time
_INNER_PAD = bytes(byte ^ 0x36 for byte in range(256))
_OUTER_PAD = bytes(byte ^ 0x5C for byte in range(256))
_FAIR = 252  # the largest multiple of 6 in a byte: so many of its values give each face as often
_FACES = [byte % 6 + 1 for byte in range(256)]  # by byte; a list gives one at a tenth of what bytes do
_TO_FACES = bytes(_FACES)
_SKIPPED = bytes(range(_FAIR, 256))
_KEPT = 1024  # rolls: more than most matches have
_FIRST_BLOCKS = [b"%d:0" % k for k in range(_KEPT)]  # by roll: the end of the message for the first block of it

Dice = tuple[int, int]
Roller = Callable[[int], Dice]  # roll number, from 1 in each match -> two dice


def commitment(seed: bytes) -> str:
    """Commitment to a seed, shown before any is revealed: its SHA-256, in hex."""
    return hashlib.sha256(seed).hexdigest()


def keeps(seed: str, committed: str) -> bool:
    """True if a seed, in hex, is the one that was committed to; nobody who committed to none can break that."""
    return not committed or (bool(seed) and commitment(bytes.fromhex(seed)) == committed)


class LinkDice:
    """The dice of one game, to be kept while it is played.

    Roll k, counted through the match, reads HMAC-SHA256(seed, "BINDING:SEED_0:SEED_1:LINK:k:block"), block 0, 1, ...,
    byte by byte: a byte of 252 or more is skipped, since 252 is the largest multiple of 6 in a byte, any other gives
    byte % 6 + 1. The first two are the dice; in an opening roll the first is seat 0's.
    """

    __slots__ = ("_inner", "_outer", "link", "seed")

    def __init__(self, seed: bytes, binding: str, seeds: tuple[str, str], link: int) -> None:
        """seed: the server's, of this link; see `chain`. binding: see `terms`. seeds: the players', in hex, by seat.

        Raises: ValueError for a colon, with which two players' seeds could be read in two ways.
        """
        if any(":" in text for text in (binding, *seeds)):
            raise ValueError("the binding and the players' seeds have no colon")
        self.seed, self.link = seed, link
        self._inner, self._outer = hmac_starts(seed, f"{binding}:{seeds[0]}:{seeds[1]}:{link}:".encode())

    def roll(self, k: int) -> Dice:
        """Roll k."""
        inner, outer = self._inner.copy(), self._outer.copy()  # (as `mac` has it: for each turn)
        inner.update(_FIRST_BLOCKS[k] if k < _KEPT else b"%d:0" % k)
        outer.update(inner.digest())
        block = outer.digest()
        one, two = block[0], block[1]
        if one < _FAIR and two < _FAIR:  # as a rule
            return _FACES[one], _FACES[two]
        dice, number = block.translate(_TO_FACES, _SKIPPED), 1
        while len(dice) < 2:
            dice += mac(self._inner, self._outer, b"%d:%d" % (k, number)).translate(_TO_FACES, _SKIPPED)
            number += 1
        return dice[0], dice[1]


def hmac_starts(key: bytes, prefix: bytes) -> tuple["hashlib._Hash", "hashlib._Hash"]:
    """HMAC-SHA256 of messages that begin with a prefix: what is the same for all of them is hashed once.

    Holds bench/ceilings.toml: with `hmac.digest` an action would take 5,700 instructions more. Source: RFC 2104.
    """
    padded = (hashlib.sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    return hashlib.sha256(padded.translate(_INNER_PAD) + prefix), hashlib.sha256(padded.translate(_OUTER_PAD))


def mac(inner: "hashlib._Hash", outer: "hashlib._Hash", rest: bytes) -> bytes:
    """The HMAC of the prefix and the rest of a message. inner, outer: as `hmac_starts` gives them."""
    first, second = inner.copy(), outer.copy()
    first.update(rest)
    second.update(first.digest())
    return second.digest()
