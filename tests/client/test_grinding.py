"""Attacks on the dice: an operator tries seeds until they please, alone or with a player. Each is caught."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace
from tavla_client.dice_check import DiceCheck
from tavla_client.pledges import Pledges
from tavla_engine.chain import chain_commitment
from tavla_engine.dice import Dice, commitment
from tavla_protocol.claims import terms_in
from tavla_protocol.view import View

from tests.support.games.agreed import dice_of, link
from tests.support.wire.at_the_reveal import BEGUN, SEED, SEEDS, hash_of

pytestmark = pytest.mark.slow

OTHER = "0f" * 32
KEPT = True, True, True


def rolls(server: bytes, seeds: tuple[str, str]) -> list[Dice]:
    roll = dice_of("m1", BEGUN, server, seeds).of_link(1).roll
    return [roll(1), roll(2)]


class Victim:
    """A player's client, of which the operator shows a match. seat: the player's."""

    def __init__(self, seat: int) -> None:
        self.seat, self.pledges, self.check = seat, Pledges(), DiceCheck("m1")
        self.pledges.make(SEEDS[seat])

    def see(self, view: View) -> None:
        self.check.pledge = self.check.pledge or self.pledges.find(view.commitments[self.seat])
        self.check.see(view, self.seat)

    def reveal(self, view: View) -> bool:
        """True if the seed is given away."""
        self.see(view)
        pledge = self.pledges.find(view.commitments[self.seat])
        bound = pledge and self.pledges.bind(pledge, "m1", terms_in("m1", view), self.seat)
        if bound is not None:
            self.check.pledge = bound
        return bound is not None and not self.check.fault

    def finds(self, over: View) -> bool:
        """True if the dice are known to be wrong at the end, or were before."""
        self.see(over)
        return not self.check.verdict(over).sound


def play(victim: Victim, shown: View, dice: list[Dice]) -> None:
    """The first rolls, as the operator shows them."""
    for number, roll in enumerate(dice, 1):
        high_first = (max(roll), min(roll))
        victim.see(replace(shown, phase="move", game=1, rolls=number, dice=high_first))


def both_have_revealed() -> list[Victim]:
    victims = [Victim(0), Victim(1)]
    assert all(victim.reveal(BEGUN) for victim in victims)
    return victims


hexes = st.binary(min_size=16, max_size=32).map(bytes.hex)


@given(
    st.sampled_from([SEED]) | st.binary(min_size=32, max_size=32),
    st.tuples(*(st.sampled_from([one]) | hexes for one in SEEDS)),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
@example(SEED, SEEDS, KEPT)  # an honest match
@example(bytes(32), SEEDS, KEPT)  # the operator tries seeds when both are known, and shows the old commitment
@example(bytes(32), SEEDS, (False, True, True))  # or its own
@example(SEED, (SEEDS[0], OTHER), KEPT)  # a joiner in league with the operator does
@example(SEED, (SEEDS[0], OTHER), (True, True, False))
@example(SEED, (OTHER, SEEDS[1]), (True, False, True))  # the operator leaves a player's seed out
def test_whatever_is_put_in_the_place_of_a_seed_after_the_first_was_revealed_is_found(
    server: bytes, seeds: tuple[str, str], kept: tuple[bool, bool, bool]
) -> None:
    """Both clients hold the three to what they saw, however the operator shows what has taken their place.

    kept: the commitments of server and players, as they were.
    """
    changed = (server, *seeds) != (SEED, *SEEDS)
    shown = replace(
        BEGUN,
        seeds=seeds,
        commitment=BEGUN.commitment if kept[0] else chain_commitment(server),
        commitments=tuple(BEGUN.commitments[seat] if kept[1 + seat] else hash_of(seeds[seat]) for seat in (0, 1)),
    )
    for victim in both_have_revealed():
        play(victim, shown, rolls(server, seeds))
        assert victim.finds(replace(shown, phase="over", game=1, seed=link(server, 1))) == changed


def test_a_seed_is_given_away_once() -> None:
    """A match that is void, a second table with the same commitment, a store that forgets: it is the same trick."""
    victim = Victim(0)
    assert victim.reveal(BEGUN)
    assert victim.reveal(BEGUN), "the same once more, after a lost connection"
    for again in (
        replace(BEGUN, commitment=commitment(b"other")),
        replace(BEGUN, commitments=(BEGUN.commitments[0], hash_of("0c" * 32))),
        replace(BEGUN, commitments=(BEGUN.commitments[0], "")),
    ):
        assert not victim.reveal(again)
    elsewhere = victim.pledges.find(BEGUN.commitments[0])
    assert elsewhere is not None
    assert victim.pledges.bind(elsewhere, "m2", terms_in("m1", BEGUN), 0) is None
