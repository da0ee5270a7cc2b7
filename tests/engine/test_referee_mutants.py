"""Whatever is changed in a record is found, or changes no number of its dice."""

import functools
import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tavla_engine.claim import Claim
from tavla_engine.errors import BadText
from tavla_engine.events import Ending
from tavla_engine.match import Phase
from tavla_engine.referee import judge

from tests.support.games.records import ALL_RULES as RULES
from tests.support.games.records import HEAD, claim, played, rolls_in
from tests.support.tries import tries

# --- whatever is changed ---


@functools.cache
def honest_record(number: int) -> Claim:
    """A record of up to three games by these rules, by their place in `RULES`."""
    return claim(played(RULES[number], number, games=3), RULES[number])


def _mutated(events: list[list[Any]], rng: random.Random) -> list[list[Any]]:
    """A changed copy of the events: one left out, told twice, swapped with the next, or with another value in it."""
    events = [list(one) for one in events]
    place = rng.randrange(HEAD, len(events))
    match rng.randrange(4):
        case 0:
            del events[place]
        case 1:
            events.insert(place, events[place])
        case 2 if place + 1 < len(events):
            events[place], events[place + 1] = events[place + 1], events[place]
        case _ if len(events[place]) > 3:
            spot = rng.randrange(3, len(events[place]))
            events[place][spot] = _other_value(events[place][spot], rng)
    return events


def _other_value(value: Any, rng: random.Random) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return rng.choice((value + 1, value - 1, 1 - value))
        case str():
            return rng.choice([*Ending, "play", "roll"])
        case [*steps]:
            return [[max(0, s - rng.randrange(3)), max(0, t - rng.randrange(3))] for s, t in steps]
    return rng.choice((0, None))


@settings(deadline=None, max_examples=tries(300))
@given(st.integers(0, len(RULES) - 1), st.randoms(use_true_random=False))
def test_any_change_of_the_events_is_found_or_leaves_each_number_where_it_was(number: int, rng: random.Random) -> None:
    """An action can be told otherwise if the rules allow that, too: players that were there compare it."""
    honest = honest_record(number)
    forged = replace(honest, events=_mutated(honest.events, rng))
    try:
        finding = judge(forged)
    except BadText:
        return
    drawn = rolls_in(forged.events)
    if not finding.faults:
        assert drawn == rolls_in(honest.events)[: len(drawn)]
        assert (finding.states[-1][1].phase is Phase.OVER) == honest.over
    else:
        assert forged.events != honest.events


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
types = st.sampled_from(["rolled", "moved", "match_ended", "auto_set", "resignation_offered", "revealed", "seated"])


@settings(deadline=None, max_examples=tries(50))
@given(
    st.dictionaries(st.sampled_from(["length", "cube", "opening", "x"]), st.booleans() | st.integers(), max_size=2),
    st.lists(st.tuples(st.just(9), st.just(9), types, anything, anything).map(list) | st.lists(anything), max_size=3),
    st.text(max_size=70),
    st.booleans(),
)
def test_whatever_is_claimed_is_judged_or_refused(
    rules: dict[str, Any], events: list[list[Any]], text: str, over: bool
) -> None:
    try:
        finding = judge(
            Claim(
                match=text,
                rules=rules,
                commitment=text,
                commitments=(text, ""),
                seeds=("", text),
                seed=text,
                over=over,
                events=[*honest_record(0).events[:9], *events],
                players=(text, None),
                kinds=(None, text),
                salts=("", text),
            )
        )
    except BadText:
        return
    assert isinstance(finding.faults, tuple)
