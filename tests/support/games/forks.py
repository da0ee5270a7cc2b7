"""Records of matches that were put back, with what is to be said of them by each who judges records."""

import random
from typing import Any

from msgspec.structs import replace
from tavla_cli.records.steps import view_of
from tavla_engine.chain import LINKS, link_after
from tavla_engine.decide import decide
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Ending, MatchEnded
from tavla_engine.match import READY, Phase, new_match
from tavla_engine.rules import Rules, preset
from tavla_protocol import messages as m
from tavla_protocol.view import fields

from tests.support.games.agreed import dice_of, link, revealed
from tests.support.games.chance import action_by_chance
from tests.support.games.records import ID, SEEDS, START_MS, recorded, told

SECRET = bytes(32)
ROLLS_BEFORE = 6  # of the match, when it is put back for the first time
PLAIN = preset("tournament", {"length": 3})

Fork = tuple[int, int]  # when so many rolls are drawn, and the number of the link that is shown; 0 = none


def with_forks(rules: Rules, seed: int, *forks: Fork, burns: bool = True, between: bool = False) -> m.Recorded:
    """A match by chance that is put back. burns: the dice go on with the next link, as they should. between: games."""
    rng, match, rows, due = random.Random(seed), new_match(rules), list[list[Any]](), list(forks)
    dice, newest = dice_of(ID, view_of(match), SECRET, SEEDS), 0
    while match.phase is not Phase.OVER:
        if due and match.rolls >= due[0][0] and (match.phase is READY) == between:
            _, shown = due.pop(0)
            rows.append([len(rows) + 2, START_MS, "forked", *([link(SECRET, shown)] if shown else [])])
            newest = shown or newest
            match = link_after(match, shown) if shown and burns else match
            if shown == LINKS:
                break
        try:
            events, after = decide(match, action_by_chance(match, rng), dice.roller(match))
        except IllegalAction:
            continue
        rows += [told(event, seq) for seq, event in enumerate(events, len(rows) + 2)]
        newest += (match.phase is not READY) and after.phase in (READY, Phase.OVER)
        match = after
    if newest == LINKS:
        rows.append(told(MatchEnded(None, Ending.VOIDED), len(rows) + 2))
    base = recorded(rules, [])
    end = _ended(match, newest)
    return replace(base, epoch=1 + len(forks), seq=len(rows) + 1, view=fields(end), events=[*base.events, *rows])


def _ended(match: Any, newest: int) -> Any:
    view = view_of(match)
    if newest == LINKS:
        view = replace(view, phase="over", outcome=(None, 0, 0, "voided"), dice=())
    return replace(revealed(view, SECRET, SEEDS), seed=link(SECRET, newest))


def changed(record: m.Recorded, seed: str) -> m.Recorded:
    """Another seed in the first fork."""
    place = next(place for place, row in enumerate(record.events) if row[2] == "forked")
    rows = [*record.events]
    rows[place] = [*rows[place][:3], seed]
    return replace(record, events=rows)


ONE = with_forks(PLAIN, 5, (ROLLS_BEFORE, 1))
UNBURNT = with_forks(PLAIN, 5, (ROLLS_BEFORE, 1), burns=False)
FORKS: dict[str, tuple[m.Recorded, str]] = {  # "" = sound
    "amid a game whose seed was shown": (ONE, ""),
    "without a seed": (with_forks(PLAIN, 5, (ROLLS_BEFORE, 0)), ""),
    "before the first roll": (with_forks(PLAIN, 6, (0, 1), between=True), ""),
    "several ends were lost": (with_forks(PLAIN, 7, (ROLLS_BEFORE, 4)), ""),
    "between two games": (with_forks(PLAIN, 8, (ROLLS_BEFORE, 2), between=True), ""),
    "twice": (with_forks(PLAIN, 9, (ROLLS_BEFORE, 1), (2 * ROLLS_BEFORE, 5)), ""),
    "twice, without a seed the second time": (with_forks(PLAIN, 9, (ROLLS_BEFORE, 1), (2 * ROLLS_BEFORE, 0)), ""),
    "the last link was shown": (with_forks(PLAIN, 10, (ROLLS_BEFORE, LINKS)), ""),
    "the link that was shown is used again": (UNBURNT, "[Rr]oll 7 "),
    "another seed is shown than the server's": (changed(ONE, "0c" * 32), "put back"),
    "what is shown is no seed": (changed(ONE, "x"), "put back|no exported match"),
    "an older seed is shown": (changed(ONE, link(SECRET, 1)[:-2] + "zz"), "put back|no exported match"),
    "the commitment is shown": (changed(ONE, link(SECRET, 0)), "put back"),
}
