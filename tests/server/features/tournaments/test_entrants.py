"""Entrants of a tournament: who may enter, how they are measured, and who they are. Without a server."""

import contextlib

import pytest
from msgspec.structs import replace
from tavla_server.errors import Refused
from tavla_server.features.tournaments import decider, renaming
from tavla_server.features.tournaments import events as e
from tavla_server.features.tournaments.state import Entrant, Tournament, apply
from tavla_server.player import Player

from tests.support.games.tournaments import ADA, BOB, DAN, EVE, OPENED, decided, of

BANDS = [  # lowest and highest rating, who may enter
    ((0, 0), "abed"),
    ((1500, 0), "abe"),
    ((0, 1500), "ed"),
    ((1500, 1600), "be"),
]


@pytest.mark.parametrize(("band", "wanted"), BANDS)
def test_a_rating_is_to_be_within_the_band_when_its_player_comes(band: tuple[int, int], wanted: str) -> None:
    state = decided(Tournament(), decider.opening(replace(OPENED, band=band)))
    for player in (ADA, BOB, EVE, DAN):
        with contextlib.suppress(Refused):
            state = decided(state, decider.entry(player, f"x-{player.id}", 99))
    assert {*state.entrants} == {*wanted}
    first = state.entrants[wanted[0]].player
    risen = decided(state, decider.entry(first._replace(rating=3000.0), "y", 99))
    assert risen.entrants[first.id].commitment == "y", "who has come once may come back"


def test_a_guest_has_no_rating() -> None:
    guest, asking = Player("g", "g"), decided(Tournament(), decider.opening(replace(OPENED, band=(1, 0))))
    with pytest.raises(Refused, match="register first"):
        decided(asking, decider.entry(guest, "x", 99))
    decided(decided(Tournament(), decider.opening(OPENED)), decider.entry(guest, "x", 99))


def test_whom_the_director_adds_may_enter_whatever_the_rating_and_after_a_removal() -> None:
    state = decided(Tournament(), decider.opening(replace(OPENED, band=(2000, 0))))
    for _ in range(2):
        state = decided(state, decider.addition(ADA, 1))
    assert not state.entrants["a"].commitment, "no match is made before the player enters"
    state = decided(state, decider.entry(ADA, "x", 1))
    with pytest.raises(Refused, match="full"):
        decided(state, decider.addition(BOB, 1))
    state = decided(decided(state, decider.removal("a")), decider.addition(ADA, 1))
    assert decided(state, decider.entry(ADA, "y", 1)).entrants["a"].commitment == "y"
    with pytest.raises(Refused, match="over"):
        decided(apply(state, e.TournamentEntry(9, (e.Closed(),))), decider.addition(BOB, 9))


def test_no_two_wait_with_the_same_commitment() -> None:
    state = decided(decided(Tournament(), decider.opening(OPENED)), decider.entry(ADA, "x", 9))
    with pytest.raises(Refused, match="commit to a fresh one"):
        decided(state, decider.entry(BOB, "x", 9))
    assert decided(state, decider.entry(BOB, "y", 9)).entrants["b"].commitment == "y"


def test_who_closes_the_account_is_someone_and_keeps_the_place() -> None:
    state = of([(ADA, BOB, 0), (BOB, EVE, 0), (EVE, ADA, 0)])
    for gone in ("a", "b", "b"):
        state = decided(state, renaming.anonymity(gone))
    assert {one.player.name for one in state.entrants.values()} == {"someone", "someone-2", "e"}
    assert state.entrants["a"].player.name == "someone"
    assert state.opened is not None
    assert state.opened.by.name == "someone", "who has made it"
    assert not renaming.anonymity("nobody")(state, 0)


def test_who_becomes_another_player_plays_on_as_that() -> None:
    state = of([(ADA, BOB, 0), (ADA, EVE, 0)])
    before = state.entrants["a"]
    state = decided(state, renaming.merge("a", DAN))
    assert "a" not in state.entrants
    assert state.entrants["d"].score == before.score
    assert [pair.players for pair in state.pairs] == [("d", "b"), ("d", "e")]
    assert {state.entrants[id_].last for id_ in "be"} == {"d"}
    assert not renaming.merge("a", DAN)(state, 0), "done again it changes nothing"
    assert renaming.merge("b", EVE)(state, 0) == [e.Left("b")], "of one who was there as both, one goes on"
    assert not renaming.merge("b", EVE)(decided(state, renaming.merge("b", EVE)), 0)
    named = decided(state, renaming.merge("e", EVE._replace(name="evi")))
    assert named.entrants["e"].player.name == "evi"


def test_an_entrant_is_measured_by_the_rating_or_by_what_everyone_starts_with() -> None:
    assert [Entrant(player).rating for player in (ADA, Player("g", "g"))] == [1700.0, 1500.0]
