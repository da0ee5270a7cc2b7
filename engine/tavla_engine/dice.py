"""Dice that anyone can check: committed to before the match, recomputed after it."""

import hashlib
import hmac
import itertools
from collections.abc import Callable

Dice = tuple[int, int]
Roller = Callable[[int], Dice]  # roll number, from 1 in each match -> two dice


def commitment(server_seed: bytes) -> str:
    """What the server shows before the first roll: the SHA-256 of its seed, in hex."""
    return hashlib.sha256(server_seed).hexdigest()


def committed_dice(server_seed: bytes, match_id: str, seeds: tuple[str, str]) -> Roller:
    """The dice of one match.

    Roll k reads HMAC-SHA256(server_seed, "match_id:seed_0:seed_1:k:block"), block 0, 1, ..., byte by byte: a byte of
    252 or more is skipped, since 252 is the largest multiple of 6 in a byte, any other gives byte % 6 + 1.
    The first two are the dice; in an opening roll the first is seat 0's.

    seeds: the players' own seeds, by seat; any text without a colon.
    Raises: ValueError for a colon, with which two players' seeds could be read in two ways.
    """
    if any(":" in text for text in (match_id, *seeds)):
        raise ValueError("a match id and the players' seeds have no colon")
    prefix = f"{match_id}:{seeds[0]}:{seeds[1]}:"

    def roll(k: int) -> Dice:
        dice: list[int] = []
        for block in itertools.count():
            for byte in hmac.digest(server_seed, f"{prefix}{k}:{block}".encode(), "sha256"):
                if byte < 252:
                    dice.append(byte % 6 + 1)
                    if len(dice) == 2:
                        return dice[0], dice[1]
        raise AssertionError("blocks do not end")

    return roll
