"""The public view of a match, and the updates of it."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any
from zlib import crc32

from msgspec.structs import replace
from tavla_engine.actions import Seat
from tavla_engine.events import Moved, Rolled
from tavla_engine.match import Match, Turn
from tavla_engine.position import BAR, Rows
from tavla_engine.rules import Rules, compact
from tavla_engine.terms import player_hash, terms_text
from tavla_protocol import match_view
from tavla_protocol.codec import pack
from tavla_protocol.view import CHECKED, FIELDS, POINTS, View, diff, pack_sorted, sparse

from tavla_server.player import Player
from tavla_server.record.events import Event
from tavla_server.record.state import Record

_USUAL = Rules()._asdict()


@lru_cache(maxsize=256)  # few rules are in use at a time
def rules_fields(rules: Rules) -> dict[str, bool | int | str]:
    """The rules as the wire has them: the options by name. See `compact`."""
    shown = zip(Rules._fields, compact(rules), strict=False)
    return {name: str(value) if isinstance(value, str) else value for name, value in shown}


@lru_cache(maxsize=256)
def changed_options(rules: Rules) -> dict[str, bool | int | str]:
    """The options that differ from the default."""
    return {name: value for name, value in rules_fields(rules).items() if value != _USUAL.get(name)}


@lru_cache(maxsize=256)
def _packed_rules(rules: Rules) -> bytes:
    return pack_sorted(rules_fields(rules))


# Fields of the view that only some events change, as they are shown, in the order of the codes.
_OF_A_GAME: dict[str, Callable[[Match], Any]] = {
    "cube": attrgetter("cube.value"),
    "owner": attrgetter("cube.owner"),
    "offer": lambda match: match.offer and match.offer.seat,
    "resignation": lambda match: match.resignation and match.resignation[:2],
    "score": attrgetter("score"),
    "game": attrgetter("game"),
    "crawford": attrgetter("crawford"),
    "ready": attrgetter("ready"),
    "auto_roll": attrgetter("auto_roll"),
    "auto_play": attrgetter("auto_play"),
    "outcome": lambda match: match.outcome and (*match.outcome[:3], match.outcome.ending.value),
}
_TURNS = frozenset({Moved, Rolled})  # they change nothing of that
ROW = BAR + 1  # counts of each seat in the view's `points`
# By seat, point and count: how a diff says that so many stand there.
_SAID = [[[bytes((seat * ROW + point, count)) for count in range(16)] for point in range(ROW)] for seat in (0, 1)]
PHASE, TURN, DICE, LAST, ROLLS, CLOCK, ABORTS = map(
    FIELDS.index, ("phase", "turn", "dice", "last", "rolls", "clock", "aborts")
)


def agreed_text(record: Record) -> str:
    """The terms of a match at which both players sit."""
    seated = zip(record.salts, record.players, strict=True)
    players = [player_hash(salt, player.kind, player.name) for salt, player in seated if player is not None]
    return terms_text(record.id, rules_fields(record.match.rules), players, (record.commitment, *record.commitments))


def view_of(record: Record) -> View:
    """The public view. The server's newest seed is shown when a game is over, the commitment from the start.

    Who has the link to one match of a private tournament is not led to the others.
    """
    match, (white, black) = record.match, record.players
    return replace(
        match_view.view_of(match),
        name=record.name,
        rules=rules_fields(match.rules),
        players=(white and white.name, black and black.name),
        phase=str(match.phase) if match.game else _phase_before_game(record),
        commitment=record.commitment,
        seeds=record.seeds,
        seed=record.shown.hex(),
        clock=_clock(record),
        kinds=(white and white.kind, black and black.kind),
        ratings=ratings_of(record),
        code=record.terms.code,
        spectators=record.terms.spectators,
        series=record.terms.series,
        commitments=record.commitments,
        unrevealed=record.missing_seeds,
        aborts=match.aborts,
        used=record.clock.used if record.timed else None,
        salts=record.salts,
        tournament=None if record.terms.code else record.tournament,
    )


_OF_A_TABLE = FIELDS.index("phase")  # what stands before it: name, rules, players
_HEAD = pack([None] * CHECKED)[:-CHECKED]  # an array of so many begins so
_TAIL = len(pack([None] * (CHECKED - _OF_A_TABLE))) - (CHECKED - _OF_A_TABLE)  # bytes before the items of the rest


def checksum_of(record: Record) -> int:
    """The checksum of what everyone may see, at a quarter of what it costs by way of the view.

    Heartbeats need it every few seconds for each match that goes on.
    """
    match, (white, black) = record.match, record.players
    offer, resignation, outcome = match.offer, match.resignation, match.outcome
    table = pack(record.name), _packed_rules(match.rules), pack((white and white.name, black and black.name))
    rest = (
        match.phase if match.game else _phase_before_game(record),
        match.turn,
        match.dice or (),
        match.board[0] + match.board[1],
        tuple(map(_turn, match.last)),
        match.rolls,
        match.cube.value,
        match.cube.owner,
        offer and offer.seat,
        resignation and resignation[:2],
        match.score,
        match.game,
        match.crawford,
        match.ready,
        match.auto_roll,
        match.auto_play,
        outcome and (*outcome[:3], outcome.ending),
        record.commitment,
        record.seeds,
        record.shown.hex(),
    )
    return crc32(pack(rest)[_TAIL:], crc32(b"".join((_HEAD, *table))))


def _phase_before_game(record: Record) -> str:
    """Before the first game the table has phases of its own."""
    if record.over:
        return "over"
    if record.open:
        return "open"
    return "reveal" if record.missing_seeds else str(record.match.phase)


def encode_update(before: Record, after: Record, seq: int, events: Sequence[Event]) -> bytes:
    """The message that takes those who follow a match to version `seq`. events: those that lie between."""
    return pack((after.id, seq, changes_between(before, after, events)))


def changes_between(before: Record, after: Record, events: Sequence[Event]) -> list[object]:
    """The diff between two views of a match, [code, value, ...]. events: those that lie between them.

    Turn by turn it is made from the few fields that turns change, in the order of their codes. Holds
    bench/ceilings.toml: with whole views, made and compared, an action would take twice the instructions.
    """
    if len(events) == 2 and type(turn := events[0]) is Moved and type(events[1]) is Rolled and not turn.auto:
        changes = _changes_of_a_turn(before.match, after.match)
        if after.clock is not before.clock and (clock := _clock(after)) != _clock(before):
            changes += (CLOCK, clock)
        return changes
    only_turns = True
    for event in events:
        if type(event) not in _TURNS:
            only_turns = False
    if not (only_turns or _same_table(before, after)):
        return diff(view_of(before), view_of(after))
    old, new = before.match, after.match
    changes = []
    if new.phase is not old.phase:
        changes += (PHASE, str(new.phase))
    if new.turn != old.turn:
        changes += (TURN, new.turn)
    if new.dice != old.dice:
        changes += (DICE, new.dice or ())
    if new.board is not old.board and (points := _points(old.board, new.board, events)):
        changes += (POINTS, points)
    if new.last is not old.last and new.last != old.last:
        changes += (LAST, (_turn(new.last[0]),) if len(new.last) == 1 else tuple(map(_turn, new.last)))
    if new.rolls != old.rolls:
        changes += (ROLLS, new.rolls)
    if not only_turns:
        changes += _changes_of_a_game(old, new)
    if after.clock is not before.clock and (clock := _clock(after)) != _clock(before):
        changes += (CLOCK, clock)
    if not only_turns and new.aborts != old.aborts:
        changes += (ABORTS, new.aborts)
    return changes


def _changes_of_a_turn(old: Match, new: Match) -> list[object]:
    """The diff after a turn and the opponent's roll, what most updates are: all of these fields change but the dice.

    Holds bench/ceilings.toml: without this short cut an action would take 11,100 instructions more.
    """
    turn = new.last[0]
    (one, two), moves = turn.dice, sum(turn.moves, ())
    points = _moved_points(old.board, new.board, turn.seat, moves)
    last = ((turn.seat, one, two, *moves),)  # as `_turn` has it
    changes: list[object] = [TURN, new.turn, DICE, new.dice, POINTS, points, LAST, last, ROLLS, new.rolls]
    if new.dice == old.dice:
        del changes[2:4]
    return changes


def _same_table(before: Record, after: Record) -> bool:
    """True if what is not the match or its clock is the same: cheaply, and rather no than a wrong yes."""
    return (
        before.match.game > 0  # players, terms and seeds are settled by then
        and before.tally is after.tally
        and before.match.rules is after.match.rules
        and before.shown is after.shown
        and not after.over
    )


def _changes_of_a_game(old: Match, new: Match) -> list[object]:
    changes: list[object] = []
    for name, show in _OF_A_GAME.items():
        if (now := show(new)) != show(old):
            changes += (FIELDS.index(name), now)
    return changes


def _points(old: Rows, new: Rows, events: Sequence[Event]) -> bytes:
    """The points that differ, as a diff has them: index, count, index, count, ..."""
    if len(events) == 1 and type(turn := events[0]) is Moved:
        return _moved_points(old, new, turn.seat, sum(turn.moves, ()))
    return sparse(old[0] + old[1], new[0] + new[1])


def _moved_points(old: Rows, new: Rows, seat: Seat, moves: tuple[int, ...]) -> bytes:
    """The points that differ after one turn, found by its moves: to compare all points costs twice as much.

    moves: from, to, from, to, ...
    """
    if seat == 0:
        (before, others_before), (after, others_after) = old, new
    else:
        (others_before, before), (others_after, after) = old, new
    changed = _changed(before, after, [*moves], _SAID[seat])
    if others_after is not others_before:  # a hit
        hit_points = [BAR, *[BAR - target for target in moves[1::2]]]
        hit = _changed(others_before, others_after, hit_points, _SAID[1 - seat])
        changed = hit + changed if seat else changed + hit
    return b"".join(changed)


def _changed(before: bytes, after: bytes, touched: list[int], said: list[list[bytes]]) -> list[bytes]:
    """The points of a row that differ. touched: in any order, perhaps one twice. said: see `_SAID`."""
    touched.sort()
    changed, last = [], -1
    for point in touched:
        if point != last and (count := after[point]) != before[point]:
            changed.append(said[point][count])
        last = point
    return changed


def _turn(turn: Turn) -> tuple[int, ...]:
    one, two = turn.dice
    return sum(turn.moves, (turn.seat, one, two))


def _clock(record: Record) -> tuple[int, int, int] | None:
    return (*record.clock.reserve, record.clock.free) if record.match.rules.clocked else None


def ratings_of(record: Record) -> tuple[int | None, int | None]:
    """The players' ratings as they are shown, with what the match has changed so far."""
    (white, black), (ours, theirs) = record.players, record.tally.changes
    return _rating(white, ours), _rating(black, theirs)


def _rating(player: Player | None, change: float) -> int | None:
    return None if player is None or player.rating is None else round(player.rating + change)
