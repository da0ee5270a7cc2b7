"""Updates and checksums are made from what has changed: they have to say what two whole views would."""

import random

import pytest
from tavla_engine import actions as a
from tavla_engine.rules import PRESETS, Rules
from tavla_protocol.view import checksum, diff, patch
from tavla_server.player import Player
from tavla_server.record.decider import engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Cancelled, Created, Entry, Event, Forked, Seated
from tavla_server.record.projection import changes_between, checksum_of, view_of
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record

from tests.support.games.chance import choose_action

SEATED: list[Event] = [Seated(0, Player("a" * 16, "ada")), Seated(1, Player("b" * 16, "bob", "account", 1500.0))]
RULES = [
    *(preset.rules._replace(length=min(preset.rules.length, 3)) for preset in PRESETS.values()),
    PRESETS["tournament"].rules._replace(length=1, delay_s=8, reserve_s=20, rated=True),
]


def shown(record: Record, *events: Event, time_ms: int = 0) -> Record:
    """The record after an entry, whose update was compared with the two views."""
    after = apply_entry(record, Entry("", 0, time_ms, 0, events))
    before_view, view = view_of(record), view_of(after)
    changes = changes_between(record, after, events)
    assert changes == diff(before_view, view), events
    assert patch(before_view, changes) == view
    assert checksum_of(after) == checksum(view)
    return after


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: "-".join(map(str, rules))[:50])
def test_an_update_says_what_the_two_views_differ_in(rules: Rules, rng: random.Random) -> None:
    record = shown(Record("abcdefgh"), Created("table", rules, rng.randbytes(32)))
    shown(record, Cancelled())
    for seated in SEATED:
        record = shown(record, seated)
    for step in range(600):
        if record.over:
            break
        events, _ = engine_decide(choose_action(record.match, rng))(record, MatchDice())
        record = shown(record, *events, time_ms=700 * step)
    shown(record, Forked())


def test_a_wish_to_abort_the_match_is_shown_and_goes_with_the_game() -> None:
    record = Record("abcdefgh")
    record = shown(
        record, Created("table", PRESETS["money"].rules._replace(cube=False, jacoby=False, beavers=0), bytes(32))
    )
    for seated in SEATED:
        record = shown(record, seated)
    actions: list[a.Action] = [a.Ready(0), a.Ready(1), a.Abort(0), a.Abort(0, False), a.Abort(1), a.Resign(0, 1)]
    for action in actions:
        record = shown(record, *engine_decide(action)(record, MatchDice())[0])
    assert record.match.aborts == (None, record.match.rolls)
    for action in (a.AcceptResignation(1), a.Ready(0), a.Ready(1)):
        record = shown(record, *engine_decide(action)(record, MatchDice())[0])
    assert record.match.aborts == (None, None)
    for seat in (0, 1):
        record = shown(record, *engine_decide(a.Abort(seat))(record, MatchDice())[0])
    assert record.over


def test_two_turns_in_one_entry_are_shown_whole(rng: random.Random) -> None:
    """No player makes them, but an update does not depend on that."""
    record = Record("abcdefgh")
    record = shown(record, Created("table", PRESETS["money"].rules._replace(cube=False), bytes(32)), *SEATED)
    since, events = record, list[Event]()
    for _ in range(40):
        more, record = engine_decide(choose_action(record.match, rng))(record, MatchDice())
        events += more
    shown(since, *events)
