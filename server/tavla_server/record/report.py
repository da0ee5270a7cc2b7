"""A match's journal in words, for operators. The seeds are left out: they are secret until the end."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from tavla_engine import events as e
from tavla_engine.actions import Seat
from tavla_engine.event_texts import DOES, SIDES
from tavla_engine.notation import format_play
from tavla_engine.rules import Rules

from tavla_server.record import events as t
from tavla_server.record.projection import changed_options, view_of
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record, apply

KINDS = {1: "single", 2: "gammon", 3: "backgammon"}


def report(match: str, entries: Sequence[tuple[int, t.Entry]]) -> Iterator[str]:
    """A line for each entry, number and entry given: when, who, what, and what of the time did not count; and then the
    state.
    """
    record = Record(match)
    for number, entry in entries:
        after = apply_entry(record, entry)
        credit = f"  (clock credit {entry.credit_ms / 1000:.1f} s)" if entry.credit_ms else ""
        yield f"{number:>5}  {_time(entry.time_ms)}  {_who(after, entry):<16}  {_told(record, entry)}{credit}"
        record = after
    yield ""
    yield from _state(record)


def _time(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1000, UTC).isoformat(" ", "milliseconds").removesuffix("+00:00")


def _who(record: Record, entry: t.Entry) -> str:
    if not entry.player:
        return "server"
    seat = record.seat_of(entry.player)
    return entry.player if seat is None else _name(record, seat)


def _name(record: Record, seat: Seat) -> str:
    player = record.players[seat]
    return SIDES[seat] if player is None else player.name


def _told(record: Record, entry: t.Entry) -> str:
    told = []
    for event in entry.events:
        told.append(words(record, event))
        record = apply(record, event)
    return "; ".join(told)


def words(record: Record, event: t.Event) -> str:
    """An event. record: the match before it."""
    if isinstance(event, t.TableEvent):
        return _table_words(record, event)
    if isinstance(event, e.OpeningRolled):
        return f"opening roll {event.die_0}-{event.die_1}"
    if isinstance(event, e.GameStarted):
        return f"game {record.match.game + 1} starts" + (", Crawford" if event.crawford else "")
    if isinstance(event, e.GameEnded | e.MatchEnded):
        return _end_words(record, event)
    if isinstance(event, e.PositionSet):
        return "a position is set up"
    return f"{_name(record, event.seat)} {_player_words(record, event)}"


def _table_words(
    record: Record, event: t.Created | t.Seated | t.Agreed | t.Revealed | t.Cancelled | t.Forked | t.Ruled | t.Met
) -> str:
    match event:
        case t.Created():
            return f"table {event.name} opened: {_options(event.rules)}"
        case t.Seated():
            return f"{event.player.name} ({event.player.kind} {event.player.id}) sits down as {SIDES[event.seat]}"
        case t.Agreed():
            return "the terms are agreed"
        case t.Revealed(seat):
            return "the server shows its seed" if seat is None else f"{_name(record, seat)} reveals a seed for the dice"
        case t.Met(times):
            return f"the two have begun {times} other rated matches with each other within a day"
        case t.Ruled(judge, why):
            return f"decided by the {judge}, {why!r}"
        case t.Cancelled(put_back=True):
            return "a backup older than the first roll was brought back: the match is void"
        case t.Cancelled() if record.missing_seeds:
            late = " and ".join(_name(record, seat) for seat in record.missing_seeds)
            return f"the match is void: no seed came from {late}"
        case t.Cancelled():
            return "table closed before the match began"
        case t.Forked() if not record.commitment:
            return "the store had lost the whole match: it is void"
        case t.Forked(seed):
            dice = "; a seed was shown, and the dice go on with the next one" if seed else ""
            return f"the store had lost entries that were shown: a new epoch begins{dice}"


def _options(rules: Rules) -> str:
    return ", ".join(f"{name} {value}" for name, value in changed_options(rules).items()) or "the usual rules"


def _end_words(record: Record, event: e.GameEnded | e.MatchEnded) -> str:
    how = event.ending.value.replace("_", " ")
    if event.ending is e.Ending.VOIDED:
        return "the match is void"
    if event.winner is None:
        return f"the match ends level ({how})"
    won = f"{_name(record, event.winner)} wins"
    if isinstance(event, e.MatchEnded):
        return f"{won} the match ({how})"
    return f"{won} {event.points} ({KINDS.get(event.kind, f'{event.kind} cubes')}, {how})"


def _player_words(record: Record, event: e.PlayerEvent) -> str:
    match event:
        case e.Rolled():
            return f"rolls {event.die_1}-{event.die_2}"
        case e.Moved():
            played = format_play(record.match.position, event.moves) or "nothing"
            return f"plays {played}" + (" (by itself)" if event.auto else "")
        case e.ResignationOffered():
            return f"offers to resign a {KINDS[event.value]}"
        case e.AutoSet():
            return f"turns automatic {event.auto.value} {'on' if event.on else 'off'}"
        case e.AbortAsked():
            return f"{'asks' if event.on else 'no longer asks'} to abort the match"
    return DOES[type(event)]


def _state(record: Record) -> Iterator[str]:
    view, match = view_of(record), record.match
    yield f"match {record.id}, table {record.name}, epoch {record.epoch}"
    for seat, player in enumerate(record.players):
        rating = "" if player is None or view.ratings[seat] is None else f", rating {view.ratings[seat]}"
        who = "nobody" if player is None else f"{player.name} ({player.kind} {player.id}{rating})"
        clock = f", {record.clock.reserve[seat] / 1000:.1f} s left" if match.rules.clocked else ""
        yield f"{SIDES[seat]}: {who}, score {match.score[seat]}{clock}"
    yield f"game {match.game}, phase {view.phase}, cube {match.cube.value}"
