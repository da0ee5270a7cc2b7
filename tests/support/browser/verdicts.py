"""Matches by chance as the page is shown them, and what it says of them."""

import random
from functools import cache
from itertools import pairwise
from typing import Any

from tavla_cli.records.steps import view_of
from tavla_engine.chain import chain_commitment
from tavla_engine.decide import decide
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Event
from tavla_engine.match import Phase, new_match
from tavla_engine.rules import PRESETS, preset
from tavla_protocol.codec import pack
from tavla_protocol.view import View, fields

from tests.support.browser.node import ask_modules
from tests.support.games.agreed import committed, dice_of, revealed, terms
from tests.support.games.chance import action_by_chance
from tests.support.games.records import ID, SEEDS, told
from tests.support.tries import MANY

SECRET = bytes(range(32))
SERVER = chain_commitment(SECRET)
COMMITMENTS = (committed(SEEDS[0]), committed(SEEDS[1]))
OTHER = "00" * 32
MATCHES = [(name, seed) for name in PRESETS for seed in range(2 if MANY else 1)]
LONGEST = 500  # actions of a match by chance


@cache
def match_of(name: str, seed: int, seeds: tuple[str, str] = SEEDS) -> tuple[list[View], list[list[Any]]]:
    """A match by chance from its start on: its views, one for each entry of the journal, and its record."""
    rules = preset(name)
    rng, rules = random.Random(seed), rules._replace(length=min(2, rules.length))
    match = new_match(rules)
    dice = dice_of(ID, view_of(match), SECRET, seeds)
    views, events = [shown(view_of(match), seeds)], list[Event]()
    for _ in range(LONGEST):
        if match.phase is Phase.OVER:
            break
        try:
            happened, match = decide(match, action_by_chance(match, rng), dice.roller(match))
        except IllegalAction:
            continue
        events += happened
        views.append(shown(view_of(match), seeds))
    record: list[list[Any]] = [[1, 0, "created"], [1, 0, "agreed", terms(ID, views[0])]]
    record += [[1, 0, "revealed", seat, seeds[seat]] for seat in (0, 1) if seeds[seat]]
    return views, record + [told(event, seq) for seq, event in enumerate(events, 2)]


def shown(view: View, seeds: tuple[str, str] = SEEDS) -> View:
    """A view with names, and with what was committed to and revealed."""
    return revealed(view, SECRET, seeds)


def packed(view: View) -> str:
    return pack(fields(view)).hex()


def verdict(views: list[View], events: list[list[Any]], witnessed: list[View] | None = None) -> dict[str, Any]:
    """The final verdict on a match. witnessed: the views that were seen of it; all, if None."""
    seen = [packed(view) for view in (views if witnessed is None else witnessed)]
    question = {"match": ID, "view": packed(views[-1]), "events": pack(events).hex(), "views": seen}
    (answer,) = ask_modules("verdict", [question])
    found: dict[str, Any] = answer
    return found


def moved_at(views: list[View]) -> int:
    """The place of the first view that shows a turn with moves, not the first one, and the dice of the next."""
    return next(
        at
        for at, (before, view) in enumerate(pairwise(views), 1)
        if view.rolls == before.rolls + 1 > 2 and view.last != before.last and view.last[-1][3:] and view.dice
    )
