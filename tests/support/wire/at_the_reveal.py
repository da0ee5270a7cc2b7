"""A match whose players are to reveal their seeds, as its operator shows it."""

from msgspec.structs import replace
from tavla_engine.chain import chain_commitment
from tavla_engine.dice import commitment

from tests.support.wire.match_views import V

SEED, SEEDS = bytes(range(32)), ("0a" * 32, "0b" * 32)


def hash_of(seed: str) -> str:
    """Commitment to a player's seed."""
    return commitment(bytes.fromhex(seed))


BEGUN = replace(
    V,
    phase="reveal",
    game=0,
    rolls=0,
    commitment=chain_commitment(SEED),
    commitments=(hash_of(SEEDS[0]), hash_of(SEEDS[1])),
)
