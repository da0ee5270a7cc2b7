"""Events from views: of matches that the engine plays, with every kind of action, and of one through a server."""

import random

import pytest
from msgspec.structs import replace
from tavla_cli.records.steps import view_of
from tavla_cli.text.mat import CannotReplay, mat_of
from tavla_engine import actions as a
from tavla_engine.actions import Action
from tavla_engine.decide import decide
from tavla_engine.dice import committed_dice
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Event
from tavla_engine.mat import export_mat
from tavla_engine.match import Match, Phase, new_match, to_act
from tavla_engine.plays import legal_plays
from tavla_engine.rules import Rules, preset
from tavla_protocol.view import View

ID, SEEDS = "k3v7q2xa", ("a1", "b0b")
RULES = [preset("tournament", {"length": 5}), preset("tournament", {"length": 3, "opening": "seat_0"})]


def some_action(match: Match, rng: random.Random) -> Action:
    """Anything that can be done now, resignations and settings now and then."""
    seat = rng.choice(to_act(match))
    chance = rng.random()
    if chance < 0.02:
        return a.SetAuto(rng.randrange(2), rng.choice(list(a.Auto)), rng.random() < 0.5)
    if chance < 0.04 and match.phase is not Phase.READY:
        return a.Resign(rng.randrange(2), rng.choice((1, 2, 3)))
    match match.phase:
        case Phase.READY:
            return a.Ready(seat)
        case Phase.ROLL:
            return a.Double(seat) if rng.random() < 0.2 else a.Roll(seat)
        case Phase.CUBE:
            return a.Take(seat) if rng.random() < 0.7 else a.Drop(seat)
        case Phase.RESIGN:
            return rng.choice((a.AcceptResignation, a.RefuseResignation))(seat)
    assert match.dice is not None
    return a.Move(seat, rng.choice(list(legal_plays(match.position, match.dice).values())))


def some_match(rules: Rules, rng: random.Random) -> tuple[list[Event], list[View]]:
    """A whole match: its events, and what was seen of it."""
    secret = rng.randbytes(32)
    roll, match = committed_dice(secret, ID, SEEDS), new_match(rules)
    events, views = list[Event](), [View(), view_of(match)]
    while match.phase is not Phase.OVER:
        try:
            following, after = decide(match, some_action(match, rng), roll)
        except IllegalAction:
            continue
        if following:
            events += following
            match = after
            views.append(view_of(match))
    views[-1] = replace(views[-1], seed=secret.hex(), seeds=SEEDS)
    return events, views


@pytest.mark.parametrize("rules", RULES)
def test_views_give_the_events_again(rules: Rules, rng: random.Random) -> None:
    for _ in range(5):
        events, views = some_match(rules, rng)
        assert mat_of(ID, views) == export_mat(("white", "black"), new_match(rules), events, {"Match": ID})


def test_a_version_that_is_missing_is_noticed(rng: random.Random) -> None:
    _, views = some_match(RULES[0], rng)
    moved = next(index for index, view in enumerate(views) if view.rolls > 3)
    with pytest.raises(CannotReplay, match="nothing leads to"):
        mat_of(ID, views[:moved] + views[moved + 4 :])
    with pytest.raises(CannotReplay, match="not over"):
        mat_of(ID, views[:-1])


@pytest.mark.parametrize("ending", ["time", "abandoned"])
def test_a_match_that_the_clock_ended_is_written_up_to_that_moment(ending: str, rng: random.Random) -> None:
    events, views = some_match(RULES[0], rng)
    middle = next(index for index, view in enumerate(views) if view.rolls > 6)
    cut = [*views[:middle], replace(views[-1], phase="over", outcome=(0, 5, 0, ending))]
    written = mat_of(ID, cut)
    whole = export_mat(("white", "black"), new_match(RULES[0]), events, {"Match": ID})
    turns = [line for line in written.splitlines() if line[:4].strip().rstrip(")").isdecimal()]
    assert len(turns) >= 3
    assert all(turn.rstrip() in whole for turn in turns[:-1])
    assert len(written) < len(whole)
