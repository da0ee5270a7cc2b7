"""Each view of a match has to follow from the one before: every honest one does, whatever is played."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tavla_cli.records.steps import view_of
from tavla_client.follower import Follower
from tavla_engine import actions as a
from tavla_engine.actions import Seat
from tavla_engine.apply import apply
from tavla_engine.chain import LINKS, chain_commitment, earlier
from tavla_engine.conditions import to_act
from tavla_engine.decide import decide
from tavla_engine.dice import Dice
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Ending, MatchEnded
from tavla_engine.match import Match, Phase, new_match
from tavla_engine.rules import Rules, preset
from tavla_protocol.view import FIELDS, View, fields, from_fields

from tests.support.games.chance import action_by_chance
from tests.support.games.records import ALL_RULES
from tests.support.tries import first_of, tries

ALL = [*ALL_RULES, preset("tournament", {"length": 3, "clock": "fast"}), preset("mpgn", {"automatic_doubles": 3})]


def shown(match: Match) -> View:
    """As a server shows it."""
    before = {"phase": "reveal"} if not match.game else {}
    return replace(view_of(match), players=("ada", "bob"), aborts=match.aborts, **before)


def views(rules: Rules, seed: int, games: int = 3) -> Iterator[View]:
    """A match by chance, after each action."""
    rng = random.Random(seed)

    def roll(number: int) -> Dice:
        chance = random.Random(1000 * seed + number)
        return chance.randint(1, 6), chance.randint(1, 6)

    match = new_match(rules)
    yield shown(match)
    while match.phase is not Phase.OVER and match.game <= games:
        try:
            events, after = decide(match, action_by_chance(match, rng), roll)
        except IllegalAction:
            continue
        if events:
            match = after
            if match.game or not any(match.ready):
                yield shown(match)
    if match.phase is not Phase.OVER and to_act(match):
        loser = to_act(match)[0]
        yield shown(apply(match, MatchEnded(1 - loser, Ending.ABANDONED)))


@pytest.mark.parametrize("rules", ALL)
def test_every_view_of_an_honest_match_follows(rules: Rules) -> None:
    for seed in first_of(range(6), 2):
        follower = Follower()
        for number, view in enumerate(views(rules, seed)):
            fault = follower.step(view) if number else follower.restart(view)
            assert not fault, (number, fault, view)
            assert not follower.unknown


@pytest.mark.parametrize("rules", ALL)
def test_it_may_begin_anywhere(rules: Rules) -> None:
    """A client that comes back is shown the whole match, and sees no more of what was before."""
    for seed in first_of(range(3), 1):
        rng, follower = random.Random(seed), Follower()
        for number, view in enumerate(views(rules, seed)):
            fault = follower.restart(view) if not number or rng.random() < 0.3 else follower.step(view)
            assert not fault, (number, fault, view)


@pytest.mark.parametrize("first", [0, 1])
def test_a_match_that_both_abort_follows(first: Seat) -> None:
    follower, match = Follower(), new_match(preset("tournament", {"length": 3}))
    follower.restart(shown(match))
    other: Seat = 1 if first == 0 else 0
    for action in (a.Ready(0), a.Ready(1), a.Abort(first), a.Abort(other)):
        _, match = decide(match, action, lambda number: (3, 1))
        assert action == a.Ready(0) or follower.step(shown(match)) == ""
    assert shown(match).outcome == (None, 0, 0, "aborted")


# --- what a server could show ---

LINE = [view for view in views(preset("tournament", {"length": 1}), 4) if view.phase in ("reveal", "move", "over")]


A_MOVE = a.Move(0, ((8, 5), (6, 5)))
GIVEN_UP: list[tuple[a.Action, ...]] = [
    (a.Resign(0, 1), a.AcceptResignation(1)),
    (A_MOVE, a.Double(1), a.Drop(0)),
    (a.Forfeit(0),),
    (a.Forfeit(1),),
    (A_MOVE, a.Forfeit(1)),
    (A_MOVE, a.Double(1), a.Forfeit(0)),
    (A_MOVE, a.Double(1), a.Forfeit(1)),
    (a.Resign(0, 1), a.Forfeit(0)),
    (a.Resign(0, 1), a.Forfeit(1)),
    (a.Resign(0, 3), a.Forfeit(0)),  # counts as one, since no cube was turned
]


@pytest.mark.parametrize("actions", GIVEN_UP)
@pytest.mark.parametrize(("burnt", "is_last"), [(0, False), (LINKS - 2, False), (LINKS - 1, True)])
def test_behind_the_last_link_a_sitting_is_over_also_where_links_were_burnt(
    burnt: int, is_last: bool, actions: tuple[a.Action, ...]
) -> None:
    """The first game of a match that was put back: the newest seed that somebody was shown has been burnt."""
    last, match = bytes(32), new_match(preset("money"))
    for seat in (0, 1):
        _, match = decide(match, a.Ready(seat), lambda _: (3, 1))
    match = replace(match, burnt=burnt)
    seeds = {"commitment": chain_commitment(last), "seed": earlier(last, LINKS - burnt).hex() if burnt else ""}
    seen = [shown(match)]
    for action in actions:
        _, match = decide(match, action, lambda _: (3, 1))
        seen.append(shown(match))
    assert (match.phase is Phase.OVER) is is_last
    follower = Follower()
    follower.restart(replace(seen[0], **seeds))
    for action, view in zip(actions, seen[1:], strict=True):
        assert follower.step(replace(view, **seeds)) == ""
        assert follower.last_act == action


def fault_of(*seen: View) -> str:
    """The first fault, if the views come one after the other."""
    follower = Follower()
    faults = [follower.step(view) if number else follower.restart(view) for number, view in enumerate(seen)]
    return next(filter(None, faults), "")


BEFORE, NEXT = LINE[6], LINE[7]
OTHER_DICE = (6, 5) if NEXT.dice != (6, 5) else (4, 3)
FORGED: list[tuple[dict[str, Any], str]] = [
    ({"rolls": NEXT.rolls + 1}, "roll"),
    ({"rolls": NEXT.rolls + 2}, f"roll {NEXT.rolls} was never shown"),
    ({"rolls": NEXT.rolls - 1}, "roll"),
    ({"turn": 1 - NEXT.turn}, "the turn"),
    ({"last": ((NEXT.last[0][0], 6, 6, *NEXT.last[0][3:]),)}, "the last turn is shown|against the rules"),
    ({"last": (*NEXT.last[:-1], (*NEXT.last[-1][:3], 24, 1, 24, 1))}, "was let play 24/1 24/1 with"),
    ({"last": ()}, "the turn that was played is not shown"),
    ({"points": BEFORE.points}, "the board"),
    ({"cube": 4}, "the cube"),
    ({"score": (1, 0)}, "the score"),
    ({"phase": "over"}, "void"),
    ({"phase": "over", "dice": (), "outcome": (0, 0, 0, "time")}, "ended as time, which cannot be"),
]


@pytest.mark.parametrize(("changes", "words"), FORGED)
def test_what_does_not_follow_is_said(changes: dict[str, Any], words: str) -> None:
    fault = fault_of(*LINE[:7], replace(NEXT, **changes))
    assert any(word in fault for word in words.split("|")), fault


def test_the_higher_die_of_the_opening_roll_starts() -> None:
    """The dice are shown higher first: who has it is seen by the seeds alone, but a tie is none."""
    start = next(view for view in LINE if view.game)
    assert fault_of(LINE[0], replace(start, dice=(3, 3))) != ""


def test_rules_of_a_later_version_are_not_judged() -> None:
    follower = Follower()
    for view in LINE:
        odd = replace(view, rules={**view.rules, "ladder": 3})
        assert follower.step(odd) == ""
    assert "does not know the rule ladder" in follower.unknown


values = st.sampled_from(
    [9, -1, 2**70, (), (1,), (9, 9), (0, 7, 7), ((9,),), ((0, 1, 2, 3),), "x", None, bytes(52), True]
)


@pytest.mark.slow
@settings(deadline=None, max_examples=tries(300))
@given(st.integers(0, len(LINE) - 2), st.dictionaries(st.sampled_from(FIELDS[3:19]), values, min_size=1, max_size=3))
def test_an_absurd_view_is_a_fault_and_no_exception(place: int, changes: dict[str, Any]) -> None:
    follower = Follower()
    follower.restart(LINE[place])
    try:
        forged = from_fields(fields(replace(LINE[place + 1], **changes)))
    except ValueError:
        return  # of another type: no view at all
    for see in (follower.step, follower.restart, follower.step):
        assert isinstance(see(forged), str)
    follower.step(LINE[-1])


# --- what the rules allow ---


@pytest.mark.parametrize("rules", ALL)
def test_what_the_rules_refuse_is_never_doubted(rules: Rules) -> None:
    """Any action of either seat, at each point of matches by chance."""
    allowed = 0
    for seed in first_of(range(4), 2):
        rng, chances = random.Random(seed), random.Random(100 + seed)

        def roll(number: int, seed: int = seed) -> Dice:
            chance = random.Random(1000 * seed + number)
            return chance.randint(1, 6), chance.randint(1, 6)

        match, follower, is_first = new_match(rules), Follower(), True
        while match.phase is not Phase.OVER and match.game <= 3:
            if match.game or is_first:
                assert not (follower.restart if is_first else follower.step)(shown(match))
                is_first = False
            for action in (action_by_chance(match, chances), a.Double(chances.randrange(2)), a.Leave(1)):
                if isinstance(action, a.Abort):
                    continue
                try:
                    decide(match, action, roll)
                    allowed += match.game > 0 and follower.allows(action)
                except IllegalAction:
                    assert not (match.game and follower.allows(action)), action
            events = None
            while not events:
                try:
                    events, after = decide(match, action_by_chance(match, rng), roll)
                except IllegalAction:
                    continue
            match = after
    assert allowed > 20


def test_in_a_game_that_was_not_followed_from_its_start_nothing_is_doubted() -> None:
    match, roll = new_match(ALL[0]), iter([(3, 1), (5, 2)]).__next__
    for seat in (0, 1):
        match = decide(match, a.Ready(seat), lambda _: roll())[1]
    follower = Follower()
    assert not follower.restart(shown(match))
    assert not follower.allows(a.Resign(match.turn, 1))
