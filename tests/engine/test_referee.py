"""A record is sound when the rules and the seeds give its events and no others."""

import re
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tavla_engine import events as e
from tavla_engine.actions import Auto
from tavla_engine.chain import chain_commitment
from tavla_engine.claim import Claim, is_commitment
from tavla_engine.errors import BadText
from tavla_engine.events import Event
from tavla_engine.referee import judge
from tavla_engine.rules import Rules, preset
from tavla_protocol.claims import claim_of

from tests.support.games.agreed import link
from tests.support.games.forks import FORKS
from tests.support.games.orders import ORDERS
from tests.support.games.records import ALL_RULES as RULES
from tests.support.games.records import HEAD, SEEDS, START_MS, claim, played, recorded, rolls_in, told

SECRET = bytes(32)


@pytest.mark.parametrize("rules", RULES)
def test_an_honest_record_is_sound_at_its_end_and_on_the_way(rules: Rules) -> None:
    for seed in range(4):
        events = played(rules, seed, games=4)
        whole = claim(events, rules)
        finding = judge(whole)
        assert finding.faults == ()
        assert finding.states[-1][0] == whole.events[-1][0]
        assert finding.states[-1][1].rolls == len(rolls_in(whole.events))


# --- what a server could do ---

PLAIN = preset("tournament", {"length": 1})
EVENTS: list[Any] = played(PLAIN, 5)
FIRST = 2  # events before the opening roll's: both are ready, and the game has started ...
assert isinstance(EVENTS[FIRST], e.GameStarted)
ROLLS = [place for place, event in enumerate(EVENTS) if isinstance(event, e.Rolled)]
MOVES = [place for place, event in enumerate(EVENTS) if isinstance(event, e.Moved) and event.moves and not event.auto]


def changed(place: int, *instead: Event) -> list[Any]:
    """The events with others in the place of one."""
    return [*EVENTS[:place], *instead, *EVENTS[place + 1 :]]


def other(event: Any) -> Any:
    """The same roll with other dice."""
    return e.Rolled(event.seat, event.die_1 % 6 + 1, event.die_2)


def opened_by_the_loser() -> list[Any]:
    place = next(n for n, event in enumerate(EVENTS) if isinstance(event, e.Moved))
    return changed(place, replace(EVENTS[place], seat=1 - EVENTS[place].seat))


PHANTOM = ROLLS[3]
FORGED: dict[str, tuple[list[Any], str]] = {
    "a number is skipped by a roll that nobody plays": (
        [*EVENTS[:PHANTOM], EVENTS[PHANTOM], *EVENTS[PHANTOM:]],
        "roll 6 is drawn when|does not follow|against the rules",
    ),
    "other dice": (changed(ROLLS[5], other(EVENTS[ROLLS[5]])), r"roll \d+ is \d-\d, but \d-\d follows from the seeds"),
    "a roll is missing": ([*EVENTS[: ROLLS[2]], *EVENTS[ROLLS[2] + 1 :]], r"roll \d+ is missing"),
    "the loser of the opening roll starts": (opened_by_the_loser(), "it is not your turn|cannot|against the rules"),
    "an illegal play": (changed(MOVES[4], replace(EVENTS[MOVES[4]], moves=((6, 1), (6, 1)))), "against the rules"),
    "a turn is passed by": (changed(MOVES[4], e.Moved(EVENTS[MOVES[4]].seat, (), True)), "which does not follow"),
    "another winner": (changed(len(EVENTS) - 2, replace(EVENTS[-2], winner=1 - EVENTS[-2].winner)), "wins"),
    "the end is missing": (EVENTS[:-1], "wins the match"),
    "something follows the end": ([*EVENTS, e.Readied(0)], "against the rules"),
    "a resignation follows the end": (
        [*EVENTS, e.ResignationOffered(0, 1)],
        "white offers to resign 1, against the rules",
    ),
    "a player is ready twice": ([EVENTS[0], *EVENTS], "(white|black) is ready twice"),
    "an opening is rolled within a game": (
        [*EVENTS[: MOVES[4]], e.OpeningRolled(3, 1), *EVENTS[MOVES[4] :]],
        r"roll (\d+) is drawn when roll \d+ has not been played",
    ),
    "a switch is turned off that was not on": (
        [*EVENTS[: MOVES[4]], e.AutoSet(0, Auto.PLAY, False), *EVENTS[MOVES[4] :]],
        "which changes nothing",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_what_does_not_follow_is_found_and_said(name: str) -> None:
    events, words = FORGED[name]
    honest = claim(EVENTS, PLAIN)
    head = [one for one in honest.events if one[0] == 1]
    forged = replace(honest, events=[*head, *(told(event, seq) for seq, event in enumerate(events, 2))])
    faults = judge(forged).faults
    assert faults
    assert any(re.search(words, fault) for fault in faults), faults


HONEST = claim(EVENTS, PLAIN)
REVEALS = [one for one in HONEST.events if one[2] == "revealed"]


def without(*gone: list[Any]) -> list[list[Any]]:
    return [one for one in HONEST.events if one not in gone]


SEEDS_CHANGED: list[tuple[dict[str, Any], str]] = [
    ({"seed": bytes(range(32)).hex()}, "the server's seed is not the one it committed to"),
    ({"seed": "zz" * 32}, "the server's seed is none"),
    ({"seed": "00" * 31}, "the server's seed is none"),
    ({"seed": ""}, "the server does not show its seed"),
    ({"commitment": "x"}, "the server's seed is not the one"),
    ({"seeds": ("0c" * 16, SEEDS[1])}, "white's seed is not the one"),
    ({"seeds": (SEEDS[0], "")}, "black's seed is missing"),
    ({"seeds": (SEEDS[0], "\u0661" * 32)}, "black's seed is none"),
    ({"commitments": ("", HONEST.commitments[1])}, "white has committed to no seed for the dice"),
    ({"commitments": ("", HONEST.commitments[1]), "seeds": ("", SEEDS[1])}, "white has committed to no seed"),
    ({"commitments": ("", ""), "seeds": ("", "")}, "black has committed to no seed"),
    ({"commitments": ("é", "")}, "white's seed is not the one"),
    ({"events": without(REVEALS[0])}, "there were dice before white had revealed"),
    ({"events": [*without(REVEALS[1]), REVEALS[1]]}, "there were dice before black had revealed"),
    ({"seed": link(SECRET, 2)}, "the server shows the seed of game 2, where game 1 was the last"),
    ({"seed": HONEST.commitment}, "the server shows the seed of game 0, where game 1 was the last"),
]


@pytest.mark.parametrize(("changes", "words"), SEEDS_CHANGED)
def test_seeds_that_do_not_fit_are_faults(changes: dict[str, Any], words: str) -> None:
    faults = judge(replace(HONEST, **changes)).faults
    assert any(words in fault for fault in faults), faults


AGREED = next(one for one in HONEST.events if one[2] == "agreed")
TERMS = AGREED[3]
OTHER = [*AGREED[:3], TERMS.replace('"length":1', '"length":3')]
TERMS_CHANGED: list[tuple[dict[str, Any], str]] = [
    ({"match": "k3v7q2xb"}, "the terms of the match have another match"),
    ({"rules": {**HONEST.rules, "length": 3}}, "the terms of the match have another rules"),
    ({"players": ("ada", "eve")}, "the terms of the match have another black player"),
    ({"kinds": ("bot", "guest")}, "the terms of the match have another white player"),
    ({"salts": ("00" * 16, HONEST.salts[1])}, "the terms of the match have another white player"),
    ({"salts": ("", HONEST.salts[1])}, "nothing shows that white's name is the one in the terms"),
    ({"commitments": (HONEST.commitments[1], HONEST.commitments[0])}, "the terms of the match have another white's"),
    ({"events": without(AGREED)}, "the match began without terms"),
    ({"events": [AGREED, *HONEST.events]}, "the terms of the match were changed"),
    ({"events": [*without(AGREED), AGREED]}, "the terms of the match were changed"),
    ({"events": [OTHER if one is AGREED else one for one in HONEST.events]}, "have another rules"),
    ({"events": [OTHER if one is AGREED else one for one in HONEST.events]}, "follows from the seeds"),
    ({"events": [[*AGREED[:3], "x"] if one is AGREED else one for one in HONEST.events]}, "are not eight lines"),
]


@pytest.mark.parametrize(("changes", "words"), TERMS_CHANGED)
def test_terms_that_do_not_fit_are_faults(changes: dict[str, Any], words: str) -> None:
    faults = judge(replace(HONEST, **changes)).faults
    assert any(words in fault for fault in faults), faults


@pytest.mark.parametrize("gone", [(0,), (1,), (0, 1)])
def test_a_match_whose_players_have_closed_their_accounts_stays_sound(gone: tuple[int, ...]) -> None:
    players = tuple("someone" if seat in gone else name for seat, name in enumerate(HONEST.players))
    salts = tuple("" if seat in gone else salt for seat, salt in enumerate(HONEST.salts))
    assert judge(replace(HONEST, players=players, salts=salts)).faults == ()


def test_each_game_is_proven_when_it_is_over_and_the_next_one_goes_on() -> None:
    rules = preset("tournament", {"length": 64, "cube_cap": 4})  # which no two games decide
    events = played(rules, 3, games=2)
    later = [*events, e.Readied(0), e.Readied(1), e.GameStarted(False), e.OpeningRolled(6, 1)]
    assert judge(claim(later, rules)).faults == (), "the dice of a game in hand are taken as they are told"
    place = next(n for n, event in enumerate(later) if isinstance(event, e.Rolled))
    other_dice = [*later[:place], other(later[place]), *later[place + 1 :]]
    assert any("follows from the seeds" in fault for fault in judge(claim(other_dice, rules)).faults)


# --- what only a server decides ---


def stopped(count: int, *ends: list[Any], **changes: Any) -> Claim:
    """The match cut off after so many of its events, with something told at its end."""
    seq = HONEST.events[-1][0]
    head = HONEST.events[: HEAD + count]
    return replace(HONEST, events=[*head, *([seq, 0, *end] for end in ends)], **changes)


AT_MOVE = MOVES[6]  # events before it: the match waits for this play
SEAT = EVENTS[AT_MOVE].seat
RULED = ["ruled", "mod", "why"]
DECIDED: list[tuple[str, Claim, bool]] = [
    ("abandoned", stopped(AT_MOVE, ["match_ended", 1 - SEAT, "abandoned"]), True),
    ("abandoned by the one who waits", stopped(AT_MOVE, ["match_ended", SEAT, "abandoned"]), False),
    ("time without a clock", stopped(AT_MOVE, ["match_ended", 1 - SEAT, "time"]), False),
    ("adjudicated", stopped(AT_MOVE, RULED, ["match_ended", 0, "adjudicated"]), True),
    ("adjudicated by nobody", stopped(AT_MOVE, ["match_ended", 0, "adjudicated"]), False),
    ("voided", stopped(AT_MOVE, RULED, ["match_ended", None, "voided"], seed=""), True),
    ("voided, and the seed is shown", stopped(AT_MOVE, RULED, ["match_ended", None, "voided"]), False),
    ("voided with a winner", stopped(AT_MOVE, RULED, ["match_ended", 0, "voided"]), False),
    ("voided when it was over", stopped(len(EVENTS), RULED, ["match_ended", None, "voided"]), True),
    ("put back, as no event of the match says", stopped(2, ["match_ended", None, "put_back"], seed=""), False),
    ("forfeited", stopped(AT_MOVE, ["match_ended", 0, "forfeit"]), True),
    ("aborted by one alone", stopped(AT_MOVE, ["match_ended", None, "aborted"]), False),
    ("ended instead of a roll", stopped(AT_MOVE - 1, ["match_ended", SEAT, "abandoned"]), False),
    ("closed as it went on", stopped(AT_MOVE, ["cancelled"]), False),
    ("void, since a seed did not come", stopped(2, ["cancelled"], seed=""), True),
    ("it goes on after it was closed", stopped(2, ["cancelled"], ["match_ended", None, "aborted"]), False),
    ("abandoned, and nobody has won", stopped(AT_MOVE, ["match_ended", None, "abandoned"]), False),
    ("left before it began", stopped(2, ["match_ended", None, "left"]), False),
    ("played to an end that nobody played", stopped(AT_MOVE, ["match_ended", 0, "score"]), False),
    ("the store forgot, and it goes on", stopped(AT_MOVE, ["forked"], over=False, seed=""), True),
    ("it goes on", stopped(AT_MOVE, over=False, seed=""), True),
    ("it goes on, and its game's seed is known", stopped(AT_MOVE, over=False), True),
    ("it goes on, and a roll is due", stopped(AT_MOVE - 1, over=False, seed=""), False),
]


@pytest.mark.parametrize(("name", "ended", "sound"), DECIDED, ids=[name for name, *_ in DECIDED])
def test_an_end_by_the_server_is_accepted_where_it_may_be_and_hides_no_roll(
    name: str, ended: Claim, sound: bool
) -> None:
    assert (not judge(ended).faults) is sound, judge(ended).faults


@pytest.mark.parametrize("name", FORKS)
def test_a_match_that_was_put_back_goes_on_with_the_link_after_the_one_that_was_shown(name: str) -> None:
    record, words = FORKS[name]
    faults = judge(claim_of(record)).faults
    assert [bool(re.search(words, fault)) for fault in faults[:1]] == [True] * bool(words), faults


@pytest.mark.parametrize("name", ORDERS)
def test_the_order_of_a_record_is_judged_and_its_flags_by_its_times(name: str) -> None:
    record, words = ORDERS[name]
    faults = judge(claim_of(record)).faults
    assert [fault for fault in faults if words and re.search(words, fault)] == [*faults], faults
    assert bool(faults) is bool(words)


def test_an_event_of_a_later_version_is_no_fault_of_the_server() -> None:
    later = replace(HONEST, events=[*HONEST.events[: HEAD + AT_MOVE], [99, 0, "teleported", 1], *HONEST.events[-2:]])
    with pytest.raises(BadText, match="does not know the event teleported: update it"):
        judge(later)


def test_an_event_of_a_later_version_makes_a_record_neither_sound_nor_wrong() -> None:
    finding = judge(replace(HONEST, events=[*HONEST.events[:7], [3, START_MS, "teleported", 1], *HONEST.events[7:]]))
    assert (finding.faults, finding.unknown) == ((), "teleported")


def test_a_seed_that_could_be_read_in_two_ways_is_refused() -> None:
    with pytest.raises(BadText, match="colon"):
        judge(replace(HONEST, seeds=("a:b", "")))


def test_a_record_whose_view_is_none_is_refused() -> None:
    with pytest.raises(BadText, match="its view is none"):
        claim_of(msgspec.structs.replace(recorded(PLAIN, EVENTS, SECRET), view=["x"]))


def test_a_claim_is_plain_data() -> None:
    assert msgspec.convert(msgspec.to_builtins(HONEST), Claim) == HONEST
    assert chain_commitment(SECRET) == HONEST.commitment


def test_a_match_that_is_over_has_its_end() -> None:
    faults = judge(stopped(AT_MOVE, over=True)).faults
    assert any("the match is over, but its events end before that" in fault for fault in faults), faults
    faults = judge(stopped(AT_MOVE, ["cancelled"])).faults
    assert any("the table was closed, but its match had begun" in fault for fault in faults), faults


def test_a_commitment_is_64_digits_of_hex() -> None:
    texts = (HONEST.commitment, HONEST.commitment[1:], "x" * 64, "")
    assert [is_commitment(text) for text in texts] == [True, False, False, False]
