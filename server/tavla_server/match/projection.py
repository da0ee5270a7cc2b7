"""What everyone may see of a match."""

from functools import lru_cache
from typing import Any

from tavla_engine.match import OVER, Turn
from tavla_engine.rules import Rules
from tavla_protocol.view import FIELDS, POINTS, View, diff, sparse

from tavla_server.match.state import Record
from tavla_server.player import Player


@lru_cache(maxsize=256)  # few rules are in use at a time
def rules_fields(rules: Rules) -> dict[str, Any]:
    """The rules as the wire has them: every option by name."""
    return {name: str(value) if isinstance(value, str) else value for name, value in rules._asdict().items()}


PHASE, TURN, DICE, LAST, ROLLS, CLOCK = map(FIELDS.index, ("phase", "turn", "dice", "last", "rolls", "clock"))


def view_of(record: Record) -> View:
    """What everyone may see. The server's seed is shown when the match is over, its hash from the start."""
    match, (white, black) = record.match, record.players
    return View(
        name=record.name,
        rules=rules_fields(match.rules),
        players=(white and white.name, black and black.name),
        phase=str(match.phase) if match.game else _phase_before_game(record),
        turn=match.turn,
        dice=match.dice or (),
        points=match.board[0] + match.board[1],
        last=tuple(map(_turn, match.last)),
        rolls=match.rolls,
        cube=match.cube.value,
        owner=match.cube.owner,
        offer=match.offer and match.offer.seat,
        resignation=match.resignation and match.resignation[:2],
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
        clock=_clock(record),
        kinds=(white and white.kind, black and black.kind),
        ratings=(_rating(white, record.tally.changes[0]), _rating(black, record.tally.changes[1])),
        code=record.terms.code,
        spectators=record.terms.spectators,
        series=record.terms.series,
        commitments=record.commitments,
        unrevealed=record.unrevealed,
    )


def _phase_before_game(record: Record) -> str:
    """Before the first game the table has phases of its own."""
    if record.cancelled:
        return "over"
    if record.open:
        return "open"
    return "reveal" if record.unrevealed else str(record.match.phase)


def changes_between(before: Record, after: Record) -> list[Any]:
    """The diff between two views of a match, [code, value, ...].

    Turn by turn it is made from the fields that turns change, in the order of their codes: to make and to compare
    whole views costs ten times as much.
    """
    if not _differ_by_turns(before, after):
        return diff(view_of(before), view_of(after))
    old, new = before.match, after.match
    changes: list[Any] = []
    if new.phase is not old.phase:
        changes += (PHASE, str(new.phase))
    if new.turn != old.turn:
        changes += (TURN, new.turn)
    if new.dice != old.dice:
        changes += (DICE, new.dice or ())
    if new.board is not old.board and (points := _points(old.board, new.board)):
        changes += (POINTS, points)
    if new.last != old.last:
        changes += (LAST, tuple(map(_turn, new.last)))
    if new.rolls != old.rolls:
        changes += (ROLLS, new.rolls)
    if after.clock is not before.clock and (clock := _clock(after)) != _clock(before):
        changes += (CLOCK, clock)
    return changes


def _differ_by_turns(before: Record, after: Record) -> bool:
    """Whether a game goes on, and nothing but its dice, moves, phase and clock has changed.

    Cheaply, and rather no than a wrong yes: what stays the same in a record stays the same object.
    """
    old, new = before.match, after.match
    return (
        new.outcome is old.outcome
        and new.game == old.game
        and new.ready is old.ready
        and new.cube is old.cube
        and new.offer is old.offer
        and new.resignation is old.resignation
        and new.score is old.score
        and new.crawford is old.crawford
        and new.auto_roll is old.auto_roll
        and new.auto_play is old.auto_play
        and new.rules is old.rules
        and new.phase is not OVER
        and after.tally is before.tally
        and old.game > 0  # who plays, by what terms and seeds, is settled by then
    )


def _points(old: tuple[bytes, bytes], new: tuple[bytes, bytes]) -> bytes:
    """The points that differ, as a diff has them. A row that nobody has touched is the same object."""
    white = b"" if new[0] is old[0] else sparse(old[0], new[0])
    black = b"" if new[1] is old[1] else sparse(old[1], new[1], first=len(new[0]))
    return white + black


def _turn(turn: Turn) -> tuple[int, ...]:
    shown = [turn.seat, *turn.dice]
    for move in turn.moves:
        shown += move
    return tuple(shown)


def _clock(record: Record) -> tuple[int, int, int] | None:
    return (*record.clock.reserve, record.clock.free) if record.match.rules.clocked else None


def _rating(player: Player | None, change: float) -> int | None:
    return None if player is None or player.rating is None else round(player.rating + change)
