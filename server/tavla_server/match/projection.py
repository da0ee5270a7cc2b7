"""What everyone may see of a match."""

from functools import lru_cache
from itertools import chain
from typing import Any

from tavla_engine.rules import Rules
from tavla_protocol.view import View

from tavla_server.match.state import Record
from tavla_server.player import Player


def view_of(record: Record) -> View:
    """What everyone may see. The server's seed is shown when the match is over, its hash from the start."""
    match, (white, black) = record.match, record.players
    offer, resignation, cube = match.offer, match.resignation, match.cube
    phase = "over" if record.cancelled else "open" if record.open else match.phase.value
    return View(
        name=record.name,
        rules=rules_fields(match.rules),
        players=(white and white.name, black and black.name),
        phase=phase,
        turn=match.turn,
        dice=match.dice or (),
        points=match.board[0] + match.board[1],
        last=tuple([(turn.seat, *turn.dice, *chain.from_iterable(turn.moves)) for turn in match.last]),
        rolls=match.rolls,
        cube=cube.value,
        owner=cube.owner,
        offer=offer and offer.seat,
        resignation=resignation and (resignation.seat, resignation.value),
        score=match.score,
        game=match.game,
        crawford=match.crawford,
        ready=match.ready,
        auto_roll=match.auto_roll,
        auto_play=match.auto_play,
        outcome=match.outcome and (*match.outcome[:3], match.outcome.ending.value),
        commitment=record.commitment,
        seeds=record.seeds,
        seed=record.seed.hex() if record.over else "",
        clock=(*record.clock.reserve, record.clock.free) if match.rules.clocked else None,
        kinds=(white and white.kind, black and black.kind),
        ratings=(_rating(white, record.tally.changes[0]), _rating(black, record.tally.changes[1])),
        code=record.terms.code,
        spectators=record.terms.spectators,
        series=record.terms.series,
    )


def _rating(player: Player | None, change: float) -> int | None:
    return None if player is None or player.rating is None else round(player.rating + change)


@lru_cache(maxsize=256)  # built for every view, and few rules are in use at a time
def rules_fields(rules: Rules) -> dict[str, Any]:
    """The rules as the wire has them: every option by name."""
    return {name: str(value) if isinstance(value, str) else value for name, value in rules._asdict().items()}
