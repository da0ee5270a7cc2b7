"""What the page says while a match is played: nothing on an honest one, and all that cannot follow from what it saw."""

import random
from collections.abc import Callable
from itertools import groupby
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_cli.records.steps import view_of
from tavla_client.follower import Follower
from tavla_client.own_acts import ACTS
from tavla_engine.actions import (
    AcceptResignation,
    Action,
    Auto,
    Beaver,
    Double,
    Drop,
    Forfeit,
    Leave,
    Move,
    Ready,
    RefuseResignation,
    Resign,
    Roll,
    SetAuto,
    Take,
)
from tavla_engine.chain import LINKS, link_after
from tavla_engine.decide import decide
from tavla_engine.errors import IllegalAction
from tavla_engine.match import Match, Phase, new_match
from tavla_engine.plays import legal_plays
from tavla_engine.rules import preset
from tavla_protocol.codec import pack
from tavla_protocol.view import View

from tests.support.browser.node import ask_modules
from tests.support.browser.verdicts import (
    COMMITMENTS,
    MATCHES,
    OTHER,
    SECRET,
    SERVER,
    match_of,
    moved_at,
    packed,
    shown,
)
from tests.support.games.agreed import dice_of, link
from tests.support.games.chance import RULES, action_by_chance, states_by_chance
from tests.support.games.records import ID, SEEDS

pytestmark = pytest.mark.slow


def test_nothing_is_wrong_with_an_honest_match_while_it_is_played() -> None:
    """In every preset: resignations, forfeits, cubes, automatic steps; and with views that were missed."""
    questions, rng = [], random.Random(5)
    for name, seed in MATCHES:
        views: list[str | None] = [packed(view) for view in match_of(name, seed)[0]]
        missed = [None if rng.random() < 0.3 else view for view in views]
        questions += [{"views": views}, {"views": missed}]
    for (name, seed), faults in zip(
        [one for one in MATCHES for _ in "12"], ask_modules("witness", questions), strict=True
    ):
        assert faults == [], (name, seed)


def acts_of(views: list[View]) -> list[tuple[str, int] | None]:
    """What has led from each view to the next, as the library knows it."""
    follower, found = Follower(), list[tuple[str, int] | None]()
    follower.restart(views[0])
    for view in views[1:]:
        assert follower.step(view) == ""
        act = follower.last_act
        found.append((ACTS[type(act)][0].__name__.lower(), act.seat) if act and type(act) in ACTS else None)
    return found


def test_the_page_knows_who_has_done_what_as_the_library_does() -> None:
    """And finds that an honest server has left to the players what is theirs to decide."""
    matches = [[view for view, _ in groupby(match_of(name, seed)[0])] for name, seed in MATCHES]
    answers = ask_modules("acts", [[packed(view) for view in views] for views in matches])
    for name, views, answer in zip(MATCHES, matches, answers, strict=True):
        assert answer == [[act and list(act), None] for act in acts_of(views)], name


LAST_GAME: list[list[Action]] = [
    [Forfeit(0)],
    [Forfeit(1)],
    [Move(0, ((8, 5), (6, 5))), Forfeit(1)],
    [Move(0, ((8, 5), (6, 5))), Double(1), Forfeit(0)],
    [Move(0, ((8, 5), (6, 5))), Double(1), Forfeit(1)],
    [Move(0, ((8, 5), (6, 5))), Double(1), Drop(0)],
    [Resign(0, 1), AcceptResignation(1)],
    [Resign(0, 1), Forfeit(0)],
    [Resign(0, 1), Forfeit(1)],
]


def test_the_page_knows_who_has_ended_the_last_game_that_a_sitting_can_have() -> None:
    questions = []
    for actions in LAST_GAME:
        match = new_match(preset("money"))
        for seat in (0, 1):
            _, match = decide(match, Ready(seat), lambda _: (3, 1))
        states = [replace(match, burnt=LINKS - 1)]
        for action in actions:
            states.append(decide(states[-1], action, lambda _: (3, 1))[1])
        assert (states[-1].phase, states[-1].outcome and states[-1].outcome.ending) == (Phase.OVER, "left")
        questions.append([packed(shown(view_of(one))) for one in states[-2:]])
    found = [act for ((act, _),) in ask_modules("acts", questions)]
    assert found == [[ACTS[type(last)][0].__name__.lower(), last.seat] for *_, last in LAST_GAME]


def candidates(match: Match, rng: random.Random) -> list[tuple[Action, str, dict[str, Any]]]:
    """Actions of both seats, and their requests: those of all phases, plays of these dice and of others."""
    found: list[tuple[Action, str, dict[str, Any]]] = []
    for seat in (0, 1):
        kinds = Roll, Double, Take, Drop, Beaver, AcceptResignation, RefuseResignation, Forfeit
        found += [(kind(seat), ACTS[kind][0].__name__.lower(), {}) for kind in kinds]
        found += [(Leave(seat), "leave", {}), (Ready(seat), "ready", {}), (SetAuto(seat, Auto.ROLL, True), "auto", {})]
        if not any(match.refused):
            found += [(Resign(seat, value), "resign", {"value": value}) for value in (1, 2, 3)]
        for dice in (match.dice or (6, 1), (rng.randint(1, 6), rng.randint(1, 6))):
            plays = list(legal_plays(match.position, dice, match.rules.hit_and_run).values())
            found += [(Move(seat, moves), "move", {"moves": moves}) for moves in rng.sample(plays, min(2, len(plays)))]
    return found


def is_allowed(match: Match, action: Action) -> bool:
    try:
        decide(match, action, lambda _: (3, 1))
    except IllegalAction:
        return False
    return True


def test_the_page_takes_nothing_for_allowed_that_the_engine_refuses_and_knows_nearly_all_that_is() -> None:
    """It knows no step by two dice at once, which it does not send, only those resignations that count, and only those
    beavers of which a view tells that few enough have gone before.
    """
    rng, questions, expected = random.Random(7), list[Any](), list[bool]()
    for rules in RULES:
        for match in states_by_chance(rules, 3, 20):
            asked = candidates(match, rng)
            expected += [is_allowed(match, action) for action, _, _ in asked]
            questions.append([packed(shown(view_of(match))), [[one.seat, *request] for one, *request in asked]])
    requests = [request for _, asked in questions for request in asked]
    answers = [answer for answers in ask_modules("allows", questions) for answer in answers]
    for request, engine, page in zip(requests, expected, answers, strict=True):
        assert page == engine or (not page and request[1] in ("resign", "move", "beaver")), request
    assert sum(answers) > 0.9 * sum(expected)


# --- what a server may try while a match is played ---

Change = Callable[[list[View], int], None]


def later(**changes: Any) -> Change:
    """From a place on all views say something else."""

    def change(views: list[View], at: int) -> None:
        views[at:] = [replace(view, **changes) for view in views[at:]]

    return change


def other_dice(views: list[View], at: int) -> None:
    """Another pair is shown for a number first, and the right one later."""
    views.insert(at, replace(views[at], dice=(6, 6) if views[at].dice != (6, 6) else (5, 5)))


def skipped(views: list[View], at: int) -> None:
    views[at:] = [replace(view, rolls=view.rolls + 2) for view in views[at:]]


def fewer(views: list[View], at: int) -> None:
    views.append(replace(views[-1], rolls=views[-1].rolls - 1))


def illegal(views: list[View], at: int) -> None:
    seat, *_ = views[at].last[-1]
    turn = (seat, 6, 5, 24, 13) if views[at].last[-1][1:3] != (6, 5) else (seat, 4, 2, 24, 13)
    views[at] = replace(views[at], last=(*views[at].last[:-1], turn))
    views[at - 1] = replace(views[at - 1], dice=turn[1:3])


def moved_checker(views: list[View], at: int) -> None:
    points = bytearray(views[at].points)
    point = next(point for point in range(24, 0, -1) if points[point])
    points[point] -= 1
    points[point - 1] += 1
    views[at] = replace(views[at], points=bytes(points))


def other_side(views: list[View], at: int) -> None:
    views[at] = replace(views[at], turn=1 - views[at].turn)


def doubled(views: list[View], at: int) -> None:
    views[at:] = [replace(view, cube=2 * view.cube, owner=0) for view in views[at:]]


def scored(views: list[View], at: int) -> None:
    """The points of a game go to its loser."""
    ended = next(i for i in range(at, len(views)) if views[i].outcome)
    winner, *rest = views[ended].outcome or (0,)
    white, black = views[ended].score
    views[ended] = replace(views[ended], outcome=(1 - (winner or 0), *rest), score=(black, white))


def no_play(views: list[View], at: int) -> None:
    """The opponent is shown as one who could not move."""
    *others, last = views[at].last
    views[at] = replace(views[at], last=(*others, last[:3]), points=views[at - 1].points)


TRIED: list[tuple[Change, str]] = [
    (other_dice, "was shown before with other dice"),
    (skipped, "numbers of the dice were skipped"),
    (fewer, "rolls before, and counts"),
    (illegal, "do not allow the play"),
    (no_play, "do not allow the play"),
    (moved_checker, "do not stand where the plays lead"),
    (doubled, "The cube was offered or taken"),
    (scored, "The result after roll"),
    (other_side, "by the player whose turn it is"),
    (later(commitment=OTHER), "A commitment has changed"),
    (later(commitments=(COMMITMENTS[0], OTHER)), "A commitment has changed"),
    (later(commitments=("", "")), "A commitment has changed"),
    (later(commitment=""), "A commitment to a seed for the dice is missing"),
    (later(seeds=(SEEDS[0], "00" * 16)), "The seed shown as that of bob"),
    (later(commitments=(COMMITMENTS[0], "")), "A commitment has changed"),
    (later(seeds=(SEEDS[0], "")), "Dice were rolled before the seed of bob"),
]


@pytest.mark.parametrize(("change", "words"), TRIED)
def test_what_cannot_follow_from_what_was_shown_is_said_at_once(change: Change, words: str) -> None:
    views = list(match_of("portes", 1)[0])
    change(views, moved_at(views))
    (faults,) = ask_modules("witness", [{"views": [packed(view) for view in views]}])
    assert any(words in fault for fault in faults), faults


BAD_SEEDS = ["zz" * 16, "a1", "A1" * 16, "a1" * 40, "x", "\x00" * 32]


def test_a_seed_that_is_none_is_a_fault() -> None:
    views, events = match_of("portes", 1)
    bad = [[packed(replace(view, seeds=(SEEDS[0], seed))) for view in views[:5]] for seed in BAD_SEEDS]
    fault = "The seed shown as that of bob is not the one committed to, or it has changed."
    assert ask_modules("witness", [{"views": some} for some in bad]) == [[fault] for _ in BAD_SEEDS]
    lasts = [packed(replace(views[-1], seed=seed)) for seed in BAD_SEEDS]
    told_ = pack(events).hex()
    for said in ask_modules("verdict", [{"match": ID, "view": last, "events": told_} for last in lasts]):
        assert "not the one it committed to" in said["text"]


OWN = {"seat": 0, "sent": COMMITMENTS[0], "server": "", "other": ""}
REVEALED = {**OWN, "server": SERVER, "other": COMMITMENTS[1]}
PROMISES: list[tuple[dict[str, Any], dict[str, Any], str]] = [  # ours, what is shown in place of it, what is said
    (OWN, {}, ""),
    (REVEALED, {}, ""),
    (OWN, {"commitments": (OTHER, COMMITMENTS[1]), "seeds": ("", SEEDS[1])}, "the commitment that this page sent"),
    (OWN, {"commitments": ("", ""), "seeds": ("", "")}, "the commitment that this page sent"),
    (OWN, {"commitments": (COMMITMENTS[0], "")}, "The seed shown as that of bob"),
    (REVEALED, {"commitment": OTHER}, "A commitment has changed"),
    (REVEALED, {"commitments": (COMMITMENTS[0], OTHER), "seeds": (SEEDS[0], "")}, "A commitment has changed"),
]


@pytest.mark.parametrize(("own", "changes", "words"), PROMISES)
def test_what_was_sent_is_compared_with_the_first_view(
    own: dict[str, Any], changes: dict[str, Any], words: str
) -> None:
    view = replace(match_of("portes", 1)[0][0], phase="reveal", **changes)
    (faults,) = ask_modules("witness", [{"views": [packed(view)], "own": [[0, own]]}])
    assert bool(faults) == bool(words)
    assert sum(words in fault for fault in faults) == bool(words), "a commitment that is missing is a fault besides"


def test_what_a_store_has_lost_may_be_played_otherwise_but_with_the_same_dice() -> None:
    views = match_of("portes", 1)[0]
    at = moved_at(views)
    back: list[str] = [packed(view) for view in views[:at]]
    (faults,) = ask_modules("witness", [{"views": [*map(packed, views[: at + 4]), "forget", *back]}])
    assert faults == []
    other = replace(views[at], dice=(6, 6) if views[at].dice != (6, 6) else (5, 5))
    (faults,) = ask_modules("witness", [{"views": [*map(packed, views[: at + 4]), "forget", *back, packed(other)]}])
    assert len(faults) == 1


# --- what cannot be in a view ---
def put_back(shown_link: int) -> list[str]:
    """A match by chance, whose server is put back by some turns when it has shown so many games' seeds: its views."""
    rng, match = random.Random(shown_link), new_match(preset("tournament", {"length": 7, "cube": False}))
    dice, views, newest = dice_of(ID, view_of(match), SECRET, SEEDS), list[str](), 0
    states: list[Match] = []
    while match.rolls < 30 or match.phase is Phase.READY:
        try:
            _, after = decide(match, action_by_chance(match, rng), dice.roller(match))
        except IllegalAction:
            continue
        if after.phase is Phase.OVER:
            break
        newest += after.phase is Phase.READY and match.phase is not Phase.READY
        match = after
        states.append(match)
        view = shown(view_of(match))
        views.append(packed(replace(view, seed=link(SECRET, newest) if newest else "")))
        if len(states) == 12:
            match = link_after(states[5], shown_link) if shown_link else states[5]
            newest = shown_link or newest
            views += ["forget", packed(replace(shown(view_of(match)), seed=link(SECRET, newest) if newest else ""))]
    return views


def test_a_match_that_was_put_back_goes_on_by_the_seed_after_the_one_that_was_shown() -> None:
    none, one, three = ask_modules("witness", [{"views": put_back(number)} for number in (0, 1, 3)])
    assert none == [], "what was rolled comes again"
    for faults in (one, three):
        assert faults == [
            "The server was put back; the dice to come are new ones. Somebody may have seen the old ones."
        ]
