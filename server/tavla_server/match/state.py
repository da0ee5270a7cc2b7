"""Everything that a journal says of one match: its table, its players and the game itself.

A record changes by events alone, so reading a journal from its start, or from a snapshot, gives it again.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple, get_args

import msgpack
import msgspec
from tavla_engine import events as engine_events
from tavla_engine.actions import Seat
from tavla_engine.apply import apply as apply_to_match
from tavla_engine.dice import Roller, commitment, committed_dice
from tavla_engine.match import Match, Phase, new_match
from tavla_engine.rules import Rules
from tavla_protocol.view import View

from tavla_server.match.gameclock import GameClock, advanced
from tavla_server.match.rating import Standing, Tally, counted, result
from tavla_server.player import Player


class Terms(NamedTuple):
    """What the maker of a table asked for beside the rules.

    code: of a private table, which is not listed and wants it from all but its players; "" for others. spectators:
    others may watch. opponent: who may join, `person` or `computer`. series: matches won, by seat, in those that led to
    this one, each the other's rematch.
    """

    code: str = ""
    spectators: bool = True
    opponent: str = "person"
    series: tuple[int, int] = (0, 0)


class Created(NamedTuple):
    """A table was opened. seed: the server's secret, 32 bytes; its hash is shown from the start."""

    name: str
    rules: Rules
    seed: bytes
    terms: Terms = Terms()


class Seated(NamedTuple):
    """A player took a seat. seed: the player's own, for the dice."""

    seat: Seat
    player: Player
    seed: str


class Forked(NamedTuple):
    """The store had lost entries that were shown, and others have taken their place: all clients start anew."""


class Cancelled(NamedTuple):
    """The table was closed before the match began."""


Event = Created | Seated | Cancelled | Forked | engine_events.Event

# An event's place here is its code in every journal: append new ones, never move or remove one.
EVENTS: tuple[type[Event], ...] = (
    Created,
    Seated,
    Cancelled,
    engine_events.Readied,
    engine_events.GameStarted,
    engine_events.OpeningRolled,
    engine_events.Rolled,
    engine_events.Moved,
    engine_events.Doubled,
    engine_events.Taken,
    engine_events.Beavered,
    engine_events.ResignationOffered,
    engine_events.ResignationRefused,
    engine_events.AutoSet,
    engine_events.GameEnded,
    engine_events.MatchEnded,
    Forked,
)
assert set(EVENTS) == set(get_args(Event)), "every event has a code"
_CODES = {type_: code for code, type_ in enumerate(EVENTS)}


class Entry(NamedTuple):
    """One entry of a journal: what one action led to.

    player, action: who sent it and under which request id; "" for the server's own.
    time_ms: when it was decided, in milliseconds since 1970. credit_ms: how much of the time since the last entry does
    not count: the way of the message, and outages of ours.
    """

    player: str
    action: int
    time_ms: int
    credit_ms: int
    events: tuple[Event, ...]


def encode_entry(entry: Entry) -> bytes:
    """An entry as the journal keeps it."""
    events = [(_CODES[type(event)], *event) for event in entry.events]
    packed: bytes = msgpack.packb((*entry[:-1], events))
    return packed


def decode_entry(data: bytes) -> Entry:
    """An entry from the journal. Journals are our own: what cannot be read is a fault of ours and raises."""
    player, action, time_ms, credit_ms, events = msgpack.unpackb(data)
    return Entry(
        player, action, time_ms, credit_ms, tuple(msgspec.convert(fields, EVENTS[code]) for code, *fields in events)
    )


class Record(NamedTuple):
    """The state of one table and its match. Pairs are indexed by seat."""

    id: str
    name: str = ""
    seed: bytes = b""
    commitment: str = ""
    players: tuple[Player | None, Player | None] = (None, None)
    seeds: tuple[str, str] = ("", "")
    cancelled: bool = False
    match: Match = new_match(Rules())
    clock: GameClock = GameClock()
    epoch: int = 1
    tally: Tally = Tally()
    terms: Terms = Terms()

    @property
    def over(self) -> bool:
        """Nothing can happen here any more."""
        return self.cancelled or self.match.phase is Phase.OVER

    @property
    def open(self) -> bool:
        """A seat is free."""
        return None in self.players and not self.cancelled

    def seat_of(self, player_id: str) -> Seat | None:
        """The seat of a player, if any."""
        for seat, player in enumerate(self.players):
            if player is not None and player.id == player_id:
                return seat
        return None

    def roller(self) -> Roller:
        """The dice of this match. Both players' seeds must be known."""
        return _dice_of(self.seed, self.id, self.seeds)


_dice_of = lru_cache(maxsize=4096)(committed_dice)  # asked for with every action


def apply(record: Record, event: Event) -> Record:
    """The record after one event."""
    match event:
        case Created(name, rules, seed, terms):
            hash_, match = commitment(seed), new_match(rules)
            return record._replace(name=name, seed=seed, commitment=hash_, match=match, terms=terms)
        case Seated(seat, player, seed):
            players, seeds = list(record.players), list(record.seeds)
            players[seat], seeds[seat] = player, seed
            return record._replace(players=(players[0], players[1]), seeds=(seeds[0], seeds[1]))
        case Cancelled():
            return record._replace(cancelled=True)
        case Forked():
            return record._replace(epoch=record.epoch + 1)
        case _:
            return record._replace(match=apply_to_match(record.match, event))


def apply_entry(record: Record, entry: Entry) -> Record:
    """The record after an entry: its events in order, and what they mean for the players' clocks and ratings."""
    return settled(apply_all(record, entry.events), record.match, entry)


def apply_all(record: Record, events: Iterable[Event]) -> Record:
    """The record after some events, in order; its clock and tally are left as they were."""
    for event in events:
        record = apply(record, event)
    return record


def settled(record: Record, before: Match, entry: Entry) -> Record:
    """A record that an entry's events have made, with the clock and the tally set. before: the match before them."""
    rules = record.match.rules
    if rules.clocked:
        clock = advanced(record.clock, before, record.match, entry.time_ms, entry.credit_ms)
        record = record._replace(clock=clock)
    if rules.rated and (outcome := result(before, entry.events)) is not None:
        white, black = map(_standing, record.players)
        if white is not None and black is not None:
            record = record._replace(tally=counted(record.tally, (white, black), *outcome))
    return record


def _standing(player: Player | None) -> Standing | None:
    if player is None or player.rating is None:
        return None
    return Standing(player.rating, player.experience)


def encode_record(seq: int, record: Record) -> bytes:
    """A snapshot: the record at version `seq`."""
    packed: bytes = msgpack.packb((seq, record))
    return packed


def decode_record(data: bytes) -> tuple[int, Record]:
    """A snapshot's version and record."""
    snapshot: tuple[int, Record] = msgspec.convert(msgpack.unpackb(data), tuple[int, Record])
    return snapshot


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
