"""Records whose order was changed, with what is to be said of them by each who judges records."""

import random
from typing import Any

from msgspec.structs import replace
from tavla_cli.records.steps import view_of
from tavla_engine import events as e
from tavla_engine.conditions import to_act
from tavla_engine.decide import decide
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Ending, Event
from tavla_engine.match import Phase, new_match
from tavla_engine.record_order import RecordClock
from tavla_engine.rules import preset
from tavla_protocol import messages as m

from tests.support.games.agreed import dice_of
from tests.support.games.chance import action_by_chance
from tests.support.games.records import ID, SEEDS, START_MS, played, recorded

HEAD = 6  # events of the table before the match
PLAIN, FAST = preset("tournament", {"length": 1}), preset("tournament", {"length": 1, "clock": "fast"})
HONEST = recorded(PLAIN, played(PLAIN, 5))
LAST = HONEST.seq
RULED = ["ruled", "mod", "why"]


def with_rows(*rows: list[Any]) -> m.Recorded:
    """The honest record, and more behind its end."""
    return replace(HONEST, events=[*HONEST.events, *rows])


def behind(*rows: list[Any]) -> m.Recorded:
    """The same, in an entry of their own."""
    return with_rows(*([LAST + 1, START_MS, *row] for row in rows))


def flag(after_ms: int, of_mover: bool = True) -> m.Recorded:
    """A match with 8 s free and 20 s in all that ends on time, so long after the entry before.

    A tenth of a second after each event comes the next: all of the reserve is left.
    """
    events = played(FAST, 5)
    place = [place for place, one in enumerate(events) if isinstance(one, e.Moved) and one.moves][6]
    mover = events[place]
    assert isinstance(mover, e.Moved)
    winner = 1 - mover.seat if of_mover else mover.seat
    found = recorded(FAST, [*events[:place], e.MatchEnded(winner, Ending.TIME)])
    *rows, (seq, _, *ended) = [[seq, seq * 100, *rest] for seq, _, *rest in found.events]
    return replace(found, events=[*rows, [seq, rows[-1][1] + after_ms, *ended]])


ORDERS: dict[str, tuple[m.Recorded, str]] = {  # "" = sound
    "one entry": (replace(HONEST, events=[[7, *rest] for _, *rest in HONEST.events]), ""),
    "numbers that fall": (
        replace(HONEST, events=[[seq if seq != 9 else 3, *rest] for seq, *rest in HONEST.events]),
        "he numbers of the entries fall: 3 stands behind 8",
    ),
    "the seed that the end shows": (with_rows([LAST, START_MS, "revealed", None, HONEST.view["seed"]]), ""),
    "a void by a moderator": (behind(RULED, ["match_ended", None, "voided"]), ""),
    "the store forgot it": (behind(["forked"]), ""),
    "a ruling that rules nothing": (behind(RULED), " ruling stands behind the end of the match, and rules nothing"),
    "a player sits down": (behind(["seated", 0, "eve"]), "seated stands behind the end of the match"),
    "a player's seed": (behind(["revealed", 0, SEEDS[0]]), "revealed stands behind the end of the match"),
    "the server's seed again": (behind(["revealed", None, "00" * 32]), "revealed stands behind the end of the match"),
    "a table is opened": (behind(["created"]), "created stands behind the end of the match"),
    "a flag when free time and reserve are used up": (flag(28_000), ""),
    "a flag a second before that": (flag(26_000), "loses on time with 0:01 left by the times of the record"),
    "a flag by a clock that was set back": (flag(-1_000), "loses on time with 0:2[78] left by the times of the record"),
    "a flag of the player who waits": (flag(28_000, of_mover=False), "ends as time, which cannot be|he result after"),
}


def flagged(rng: random.Random) -> m.Recorded:
    """A match by chance, each entry at its time, that ends on time anywhere: too early, or when the time is up."""
    rules = preset("tournament", {"length": 3, "clock": "fast"})
    match, clock, now_ms = new_match(rules), RecordClock(), START_MS
    dice, entries = dice_of(ID, view_of(match), bytes(32), SEEDS), list[tuple[int, list[Event]]]()
    for _ in range(rng.randrange(10, 200)):
        try:
            events, after = decide(match, action_by_chance(match, rng), dice.roller(match))
        except IllegalAction:
            continue
        if after.phase is Phase.OVER:
            break
        now_ms += rng.choice((0, 1, 500, 3_000, 9_000))
        entries.append((now_ms, events))
        clock.run(match, after, now_ms)
        match = after
    winner = 1 - to_act(match)[0]
    end_ms = now_ms + max(0, clock.left_ms(now_ms) + rng.choice((-7_000, -1, 0, 1)))
    entries.append((end_ms, [e.MatchEnded(winner, Ending.TIME)]))
    found = recorded(rules, [event for _, events in entries for event in events])
    at = [(seq, time_ms) for seq, (time_ms, events) in enumerate(entries, 2) for _ in events]
    rows = [[*place, *row[2:]] for place, row in zip(at, found.events[HEAD:], strict=True)]
    return replace(found, seq=len(entries) + 1, events=[*found.events[:HEAD], *rows])
