"""The dice: what anyone can recompute, and that they are fair."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterator
from itertools import repeat
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tavla_engine import dice
from tavla_engine.dice import LinkDice, Roller, commitment, hmac_starts, mac

SEED = bytes(range(32))


def dice_of(seed: bytes, binding: str, seeds: tuple[str, str], link: int = 1) -> Roller:
    return LinkDice(seed, binding, seeds, link).roll


def test_the_commitment_is_the_hash_of_the_seed() -> None:
    assert commitment(SEED) == hashlib.sha256(SEED).hexdigest()
    assert commitment(SEED) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


def recomputed(seed: bytes, text: str) -> list[int]:
    """All dice of one block, as a stranger would compute them from the documented recipe."""
    digest = hmac.new(seed, text.encode("utf-8"), hashlib.sha256).digest()
    return [1 + byte % 6 for byte in digest if byte < 252]


def test_every_roll_can_be_recomputed_from_the_seed() -> None:
    roll = dice_of(SEED, "m-1", ("alpha", "bêta"))
    for number in (1, 2, 3, 500, 10**9):
        assert list(roll(number)) == recomputed(SEED, f"m-1:alpha:bêta:1:{number}:0")[:2]


@given(st.binary(max_size=130), st.binary(), st.binary())
def test_what_is_hashed_once_gives_the_same_as_the_whole(key: bytes, prefix: bytes, rest: bytes) -> None:
    assert mac(*hmac_starts(key, prefix), rest) == hmac.digest(key, prefix + rest, "sha256")


class Hash:
    """A hash whose results are known. given: what it gets, by all copies. results: what these give, in order."""

    def __init__(self, given: list[bytes], results: Iterator[bytes]) -> None:
        self.given, self.results = given, results

    def copy(self) -> "Hash":
        return Hash(self.given, self.results)

    def update(self, data: bytes) -> None:
        self.given.append(data)

    def digest(self) -> bytes:
        return next(self.results)


def test_a_block_with_too_few_good_bytes_is_followed_by_the_next() -> None:
    texts: list[bytes] = []
    blocks = iter([b"\xfc\xfd\xfe\xff" * 8, b"\xff" * 31 + b"\xfb", b"\x00" * 32])
    kept: Any = dice.LinkDice(SEED, "m-1", ("", ""), 1)
    kept._inner, kept._outer = Hash(texts, repeat(b"")), Hash([], blocks)
    assert kept.roll(7) == (6, 1)
    assert texts == [b"7:0", b"7:1", b"7:2"]


def test_rolls_depend_on_everything_that_goes_in_and_on_nothing_else() -> None:
    def rolls(
        seed: bytes = SEED, binding: str = "m", seeds: tuple[str, str] = ("a", "b"), link: int = 1
    ) -> list[tuple[int, int]]:
        roll = dice_of(seed, binding, seeds, link)
        return [roll(number) for number in reversed(range(1, 41))]

    assert rolls() == rolls()
    others = [rolls(b"x"), rolls(binding="n"), rolls(link=2), rolls(seeds=("b", "a")), rolls(seeds=("a", "")), rolls()]
    assert len({tuple(other) for other in others}) == 6


def test_a_hundred_thousand_rolls_are_fair() -> None:
    roll = dice_of(SEED, "fair", ("a", "b"))
    rolls = [roll(number) for number in range(1, 100_001)]
    pairs = Counter(rolls)
    assert chi_square(pairs, 36) < 66.6, "35 degrees of freedom: exceeded by one fair seed in a thousand"
    following = Counter((first[0], second[0]) for first, second in zip(rolls[::2], rolls[1::2], strict=True))
    assert chi_square(following, 36) < 66.6, "one roll says nothing about the next"


def chi_square(counts: Counter[tuple[int, int]], cells: int) -> float:
    """The chi-square statistic: the distance of the counts from equal ones."""
    assert len(counts) == cells
    expected = counts.total() / cells
    return sum((count - expected) ** 2 for count in counts.values()) / expected
