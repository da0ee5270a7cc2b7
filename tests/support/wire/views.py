"""Random views for the tests of the protocol."""

from itertools import chain
from typing import Any

import msgspec
from hypothesis import strategies as st
from tavla_engine.rules import Rules
from tavla_protocol.view import View

small = st.integers(0, 2**32)
seats = st.integers(0, 1)
names = st.text(max_size=30)
die = st.integers(1, 6)


def _pair(values: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, Any]]:
    return st.tuples(values, values)


def _option(default: object) -> st.SearchStrategy[Any]:
    return st.booleans() if isinstance(default, bool) else small if isinstance(default, int) else names


moves = st.lists(_pair(st.integers(0, 25)), max_size=4)
rules = st.permutations(list(Rules()._asdict().items())).flatmap(  # a map's order is not part of its value
    lambda options: st.fixed_dictionaries({}, optional={name: _option(value) for name, value in options})
)

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "name": names,
    "rules": rules,
    "players": _pair(st.none() | names),
    "phase": st.sampled_from(["open", "ready", "reveal", "roll", "cube", "move", "resign", "over"]),
    "turn": seats,
    "dice": st.just(()) | _pair(die),
    "points": st.binary(min_size=52, max_size=52),
    "last": st.lists(
        st.builds(lambda seat, dice, moves: (seat, *dice, *chain(*moves)), seats, _pair(die), moves), max_size=3
    ).map(tuple),
    "rolls": small,
    "cube": small,
    "owner": st.none() | seats,
    "offer": st.none() | seats,
    "resignation": st.none() | st.tuples(seats, st.integers(1, 3)),
    "score": _pair(small),
    "game": small,
    "crawford": st.booleans(),
    "ready": _pair(st.booleans()),
    "auto_roll": _pair(st.booleans()),
    "auto_play": _pair(st.booleans()),
    "outcome": st.none() | st.tuples(st.none() | seats, small, st.integers(0, 12), names),
    "commitment": names,
    "seeds": _pair(names),
    "seed": names,
    "commitments": _pair(names),
    "unrevealed": st.sampled_from([(), (0,), (1,), (0, 1)]),
}

views = st.builds(View, **VALUES)


@st.composite
def two_views(draw: st.DrawFn) -> tuple[View, View]:
    """A view, and one that differs from it in some fields, as after an action."""
    before = draw(views)
    changed = draw(st.fixed_dictionaries({}, optional=VALUES))
    return before, msgspec.structs.replace(before, **changed)
