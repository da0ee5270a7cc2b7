"""Real matches on the wire: updates stay small, and a client that patches them sees what the server sees."""

import random
from collections.abc import Iterator
from statistics import median

import pytest
from msgspec.structs import replace
from tavla_engine import actions as a
from tavla_engine.actions import Action
from tavla_engine.decide import decide
from tavla_engine.events import GameEnded, MatchEnded, Moved
from tavla_engine.match import Match, Phase, new_match
from tavla_engine.plays import legal_plays
from tavla_engine.rules import preset
from tavla_protocol.codec import decode_reply, pack
from tavla_protocol.messages import Update
from tavla_protocol.view import checksum, diff, fields, from_fields, patch
from tavla_server.player import Player
from tavla_server.record.dice import MatchDice
from tavla_server.record.projection import view_of
from tavla_server.record.state import Record

MEDIAN_BYTES, MOST_BYTES = 64, 96  # of a whole turn: a play and what follows from it, the opponent's roll included
PLAYERS = (Player("p1", "ada"), Player("p2", "bob"))


def random_action(match: Match, rng: random.Random) -> Action:
    match match.phase:
        case Phase.READY:
            return a.Ready(match.ready.index(False))
        case Phase.ROLL:
            return a.Double(match.turn) if rng.random() < 0.05 else a.Roll(match.turn)
        case Phase.CUBE:
            assert match.offer is not None
            return a.Take(1 - match.offer.seat) if rng.random() < 0.7 else a.Drop(1 - match.offer.seat)
        case _:
            assert match.dice is not None
            return a.Move(
                match.turn, rng.choice(list(legal_plays(match.position, match.dice, match.rules.hit_and_run).values()))
            )


def turns_of_a_match(rng: random.Random, cube: bool) -> Iterator[int]:
    """The sizes of all updates of a random match that hold a whole turn and no game's end."""
    rules = preset("tournament", {"length": 5, "cube": cube})
    record = Record("k3v7q2xa", "sofa", rng.randbytes(32), players=PLAYERS, match=new_match(rules))
    roll, shown, seq = MatchDice().roller(record), view_of(record), 2
    seen = from_fields(fields(shown))
    while record.match.phase is not Phase.OVER:
        events, match = decide(record.match, random_action(record.match, rng), roll)
        record, seq = replace(record, match=match), seq + 1
        before, shown = shown, view_of(record)
        frame = pack((record.id, seq, diff(before, shown)))
        update = decode_reply(frame)
        assert isinstance(update, Update)
        seen = patch(seen, update.diff)
        assert seen == shown
        assert checksum(seen) == checksum(shown)
        if any(isinstance(event, Moved) for event in events) and not any(
            isinstance(event, GameEnded | MatchEnded) for event in events
        ):
            yield len(frame)


@pytest.mark.parametrize("cube", [True, False])
def test_a_whole_turn_is_small_and_shows_the_same_to_everyone(cube: bool) -> None:
    rng = random.Random(7)
    sizes = sorted(size for _ in range(8) for size in turns_of_a_match(rng, cube))
    print(f"{len(sizes)} turns: median {median(sizes)}, p99 {sizes[len(sizes) * 99 // 100]}, most {sizes[-1]} bytes")
    assert median(sizes) <= MEDIAN_BYTES
    assert sizes[-1] <= MOST_BYTES
