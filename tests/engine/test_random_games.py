"""Many games by chance: whatever is asked, checkers stay, games end, and the events tell everything."""

import random
from collections import Counter
from operator import mul

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tavla_engine import actions as a
from tavla_engine.actions import Action, Auto
from tavla_engine.conditions import no_double, to_act
from tavla_engine.decide import decide
from tavla_engine.dice import Dice
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Ending, Event, GameEnded
from tavla_engine.match import Match, Phase, new_match
from tavla_engine.plays import has_play
from tavla_engine.position import BAR, OFF
from tavla_engine.rules import STARTS, Rules, preset

from tests.support.games.chance import action_by_chance
from tests.support.games.engine import replayed
from tests.support.tries import MANY, tries


def check(match: Match) -> None:
    """Check the invariants of a match that waits for a player."""
    rules, (white, black) = match.rules, match.board
    assert sum(white) == sum(black) == sum(STARTS[rules.variant])
    assert not any(map(mul, white[1:BAR], black[BAR - 1 : 0 : -1])), "a point belongs to one side"
    assert match.phase is not Phase.OPENING
    assert (match.resignation is not None) == (match.phase is Phase.RESIGN)
    if match.resignation is None:  # else it keeps what it interrupted
        assert (match.dice is not None) == (match.phase is Phase.MOVE)
        assert (match.offer is not None) == (match.phase is Phase.CUBE)
    if match.phase in (Phase.ROLL, Phase.CUBE, Phase.MOVE, Phase.RESIGN):
        assert max(white[OFF], black[OFF]) < sum(white), "nobody has borne off all"
        assert len(to_act(match)) == 1
    if match.phase is Phase.ROLL:
        assert no_double(match, match.turn) is None
        assert not match.auto_roll[match.turn]
    if match.phase is Phase.MOVE:
        assert match.dice is not None
        assert has_play(match.position, match.dice)
    cube = match.cube
    assert cube.value & (cube.value - 1) == 0
    assert 1 <= cube.value <= rules.cube_limit
    assert cube.value < rules.cube_limit or (cube.owner is None) != rules.cap_kept
    assert rules.cube or cube.value == 1
    if rules.length:
        assert (max(match.score) >= rules.length) <= (match.phase is Phase.OVER)


GAMES: list[tuple[Rules, int]] = [  # 10,000 together; fewer of those that take long
    (preset("tournament"), 600),
    (preset("tournament", {"length": 1}), 600),
    (preset("tournament", {"length": 3, "variant": "nackgammon"}), 400),
    (preset("tournament", {"length": 5, "forfeit_multiplier": 2, "cube_cap": 4}), 600),
    (preset("money"), 600),
    (preset("money", {"beavers": 3, "automatic_doubles": 1}), 600),
    (preset("club", {"variant": "hypergammon"}), 5300),
    (preset("club", {"variant": "longgammon", "cube": False}), 100),
    (preset("mpgn"), 600),
    (preset("seats"), 500),
    (preset("tavla"), 100),
]
EVENTS_LIMIT = 5000  # of a game; the longest game of chance seen has some hundreds


def play_games(rules: Rules, games: int, rng: random.Random) -> list[GameEnded]:
    """So many games, one match after the other; each match is checked all the way and replayed at its end."""

    def roll(_: int) -> Dice:
        return rng.randrange(6) + 1, rng.randrange(6) + 1

    ends: list[GameEnded] = []
    while len(ends) < games:
        match = new_match(rules)
        log: list[Event] = []
        while match.phase is not Phase.OVER and len(ends) < games:
            try:
                events, match = decide(match, action_by_chance(match, rng), roll)
            except IllegalAction:
                continue
            log += events
            check(match)
            ends += [event for event in events if isinstance(event, GameEnded)]
            assert len(log) < EVENTS_LIMIT * max(1, match.game)
        again = replayed(new_match(rules), log)
        assert again == match
        assert msgspec.msgpack.encode(again) == msgspec.msgpack.encode(match)
    return ends


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "games"), GAMES)
def test_games_of_chance_end_and_their_events_tell_everything(rules: Rules, games: int) -> None:
    count = tries(games)
    ends = play_games(rules, count, random.Random(games))
    assert len(ends) == count
    endings = Counter(end.ending for end in ends)
    assert endings[Ending.BORNE_OFF] == max(endings.values()), "more games are played out than end in any other way"
    if not MANY:
        return
    assert {end.kind for end in ends} >= ({1, 2, 3} if rules.backgammons else {1, 2})
    assert (endings[Ending.DROP] > 0) == (rules.cube and rules.length != 1)


def test_they_are_ten_thousand() -> None:
    assert sum(games for _, games in GAMES) == 10_000


seats = st.sampled_from((0, 1))
points = st.integers(-2, 27) | st.integers()
PLAIN = (
    a.Ready,
    a.Roll,
    a.Double,
    a.Take,
    a.Drop,
    a.Beaver,
    a.AcceptResignation,
    a.RefuseResignation,
    a.Forfeit,
    a.Leave,
)
any_action: st.SearchStrategy[Action] = st.one_of(
    *(st.builds(kind, seats) for kind in PLAIN),
    st.builds(a.Move, seats, st.lists(st.tuples(points, points), max_size=6).map(tuple)),
    st.builds(a.Resign, seats, points),
    st.builds(a.SetAuto, seats, st.sampled_from(Auto), st.booleans()),
)


@settings(deadline=None, max_examples=tries(200))
@given(st.sampled_from([rules for rules, _ in GAMES]), st.lists(st.none() | any_action, max_size=80), st.integers())
def test_any_actions_are_played_or_refused(rules: Rules, asked: list[Action | None], seed: int) -> None:
    rng = random.Random(seed)
    match, log = new_match(rules), list[Event]()
    for action in asked:
        if match.phase is Phase.OVER and action is None:
            break
        try:
            events, match = decide(
                match,
                action or action_by_chance(match, rng),  # None: go on with something that may be asked now
                lambda _: (rng.randrange(6) + 1, rng.randrange(6) + 1),
            )
        except IllegalAction:
            continue
        log += events
        check(match)
    again = replayed(new_match(rules), log)
    assert again == match
    assert msgspec.msgpack.encode(again) == msgspec.msgpack.encode(match)
