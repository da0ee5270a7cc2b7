"""Matches by chance: actions that the rules accept, and the states that they lead to."""

import random
from collections.abc import Iterator

from tavla_engine import actions as a
from tavla_engine.actions import Action, Auto
from tavla_engine.conditions import to_act
from tavla_engine.decide import decide
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Event
from tavla_engine.match import Match, Phase, new_match
from tavla_engine.plays import legal_plays
from tavla_engine.position import Play, Position
from tavla_engine.rules import Rules, preset

NAMES = ("White", "Black")
RULES: list[Rules] = [  # of all kinds that files of records tell apart
    preset("tournament"),
    preset("tournament", {"length": 1}),
    preset("tournament", {"length": 3, "variant": "nackgammon", "crawford": False}),
    preset("tournament", {"length": 5, "forfeit_multiplier": 2, "cube_cap": 4}),
    preset("money"),
    preset("money", {"beavers": 3, "automatic_doubles": 2, "jacoby": False}),
    preset("money", {"variant": "hypergammon", "cube": False}),
    preset("club", {"variant": "hypergammon"}),
    preset("club", {"variant": "longgammon", "cube": False, "cube_cap": 0}),
    preset("club", {"cube_cap": 2**31, "automatic_doubles": 12}),
    preset("mpgn", {"forfeit_multiplier": 5}),
    preset("mpgn", {"length": 7}),
    preset("seats"),
    preset("seats", {"cube": False}),
    preset("seats", {"cube_cap": 1024}),
    preset("tavla"),
    preset("tavla", {"length": 0}),
    preset("portes"),
]


def states_by_chance(rules: Rules, seed: int, count: int) -> Iterator[Match]:
    """The states that a match by chance rests in."""
    rng = random.Random(seed)
    match = new_match(rules)
    while count and match.phase is not Phase.OVER:
        yield match
        count -= 1
        try:
            _, match = decide(match, action_by_chance(match, rng), lambda _: (rng.randint(1, 6), rng.randint(1, 6)))
        except IllegalAction:
            continue
    yield match


def match_by_chance(rules: Rules, seed: int, games: int = 4) -> tuple[Match, list[Event]]:
    """A match of chance, broken off in its last game unless it is over before."""
    rng = random.Random(seed)
    match, log = new_match(rules), list[Event]()
    while match.phase is not Phase.OVER and not (match.game >= games and rng.random() < 0.02):
        try:
            events, match = decide(
                match, action_by_chance(match, rng), lambda _: (rng.randint(1, 6), rng.randint(1, 6))
            )
        except IllegalAction:
            continue
        log += events
    return match, log


def action_by_chance(match: Match, rng: random.Random) -> Action:
    """Something that the match accepts; mostly what lets the game go on."""
    seat = rng.choice(to_act(match))
    match match.phase:
        case Phase.READY:
            return a.Ready(seat)
        case Phase.ROLL:
            return a.Double(seat) if rng.random() < 0.05 else _aside(match, rng) or a.Roll(seat)
        case Phase.CUBE if match.rules.beavers and rng.random() < 0.2:
            return a.Beaver(seat)
        case Phase.CUBE:
            return a.Drop(seat) if rng.random() < 0.2 else a.Take(seat)
        case Phase.RESIGN:
            return a.AcceptResignation(seat) if rng.random() < 0.2 else a.RefuseResignation(seat)
        case _:
            assert match.dice is not None
            return _aside(match, rng) or a.Move(
                seat, _play_by_chance(legal_plays(match.position, match.dice, match.rules.hit_and_run), rng)
            )


def _play_by_chance(plays: dict[Position, Play], rng: random.Random) -> Play:
    """Of three plays the one with the fewest single checkers: games by chance alone go on for long."""
    results = list(plays)
    return plays[min(rng.choices(results, k=3), key=lambda after: after.mine.count(1))]


def _aside(match: Match, rng: random.Random) -> Action | None:
    """Now and then something that either player may do at any time."""
    if rng.random() > 0.02:
        return None
    seat = rng.choice((0, 1))
    if rng.random() < 0.05:
        return a.Forfeit(seat)
    if rng.random() < 0.4 and match.rules.resignations:
        return a.Resign(seat, rng.choice((1, 2, 3) if match.rules.backgammons else (1, 2)))
    if rng.random() < 0.1:
        return a.Abort(seat, rng.random() < 0.6)
    return a.SetAuto(seat, rng.choice((Auto.ROLL, Auto.PLAY)), rng.random() < 0.7)


def choose_action(match: Match, rng: random.Random) -> Action:
    """Some action that the rules allow, for a player to act; resignations and settings come up, too."""
    seat = rng.choice(to_act(match))
    roll = rng.random()
    if match.phase not in (Phase.READY, Phase.RESIGN) and match.rules.resignations and roll < 0.02:
        value = rng.randint(1, 3 if match.rules.backgammons else 2)
        if not match.refused[seat] & 1 << value:
            return a.Resign(seat, value)
    if roll > 0.98:
        return a.SetAuto(seat, rng.choice((Auto.PLAY, Auto.ROLL)), rng.random() < 0.5)
    match match.phase:
        case Phase.READY:
            return a.Leave(seat) if not match.rules.length and match.game > 2 else a.Ready(seat)
        case Phase.ROLL:
            return rng.choice((a.Roll(seat), a.Roll(seat), a.Double(seat)))
        case Phase.CUBE:
            return rng.choice((a.Take(seat), a.Take(seat), a.Drop(seat)))
        case Phase.RESIGN:
            return rng.choice((a.AcceptResignation(seat), a.RefuseResignation(seat)))
    assert match.dice is not None, "a move phase has dice"
    return a.Move(seat, rng.choice(list(legal_plays(match.position, match.dice, match.rules.hit_and_run).values())))
