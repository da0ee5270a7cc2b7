"""Turns of a player at chance: whom a match waits for, and what may be done now."""

import random
from typing import Any

from tavla_engine.plays import legal_plays
from tavla_engine.position import Play, Position
from tavla_protocol import messages as m
from tavla_protocol.view import View


def waits_for(view: View, seat: int | None) -> bool:
    """True if a match waits for this seat."""
    return seat in view.to_act and not (view.phase == "ready" and view.ready[seat or 0])


def plays_of(view: View) -> list[Play]:
    """Every legal play of the player on roll."""
    assert len(view.dice) == 2, "there are dice to be played"
    position = Position(view.row(view.turn), view.row(1 - view.turn))
    hit_and_run = bool(view.rules.get("hit_and_run", True))
    return list(legal_plays(position, (view.dice[0], view.dice[1]), hit_and_run).values())


def choose(view: View, seat: int | None, rng: random.Random) -> tuple[type[m.MatchAction], dict[str, Any]]:
    """Some action that is allowed now; doubles and takes are common, so that matches are short and have a cube."""
    assert waits_for(view, seat), "our turn"
    match view.phase:
        case "ready":
            return m.Ready, {}
        case "roll":
            return rng.choice((m.Roll, m.Roll, m.Roll, m.Roll, m.Double)), {}
        case "cube":
            return rng.choice((m.Take, m.Take, m.Drop)), {}
        case "resign":
            return rng.choice((m.Accept, m.Refuse)), {}
    return m.Move, {"moves": rng.choice(plays_of(view))}
