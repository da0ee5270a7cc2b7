"""The state of one table: its players, its match, its clock; and how the entries of its journal change it.

A record changes by entries alone, so reading a journal from its start, or from a snapshot, gives it again.
"""

from collections.abc import Iterable
from types import GenericAlias
from typing import Any

import msgspec
from msgspec.structs import astuple, fields, replace
from tavla_engine.actions import Seat
from tavla_engine.apply import apply as apply_to_match
from tavla_engine.chain import chain_commitment, link_after, link_number
from tavla_engine.events import Ending, MatchEnded
from tavla_engine.gameclock import GameClock
from tavla_engine.match import Match, Phase, new_match
from tavla_engine.rules import Rules, compact, shared_rules
from tavla_engine.terms import binding
from tavla_engine.values import State, with_one

from tavla_server.player import Player
from tavla_server.record.events import (
    ROUND_OVER,
    Agreed,
    Cancelled,
    Created,
    Event,
    Forked,
    Met,
    Revealed,
    Ruled,
    Seated,
    TableEvent,
    Terms,
)
from tavla_server.record.rating import Tally

PLAIN_TERMS = Terms()
_PUT_BACK = MatchEnded(None, Ending.PUT_BACK)


class Record(State, frozen=True):
    """The record of one table and its match. Pairs are indexed by seat.

    seed: the server's last, of which all others follow; empty while it is sealed (see `sealing`), in memory of a node
    that did not need it, and in snapshots. shown: the one of the last game that is over. salts: of the players' names
    in the terms. binding: of the dice to the terms, "" while a seat is free. seeds: the players', as far as they are
    revealed. commitments: to them; empty = the player adds none. ruled: what has decided it, if its players have not.
    met: how often its players had met within a day. forked_ms: when it was put back last, in ms since 1970.
    """

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
    terms: Terms = PLAIN_TERMS
    commitments: tuple[str, str] = ("", "")
    sealed: bytes = b""
    ruled: Ruled | None = None
    met: int = 0
    shown: bytes = b""
    salts: tuple[str, str] = ("", "")
    binding: str = ""
    forked_ms: int = 0

    @property
    def over(self) -> bool:
        """Nothing can happen here any more."""
        return self.cancelled or self.match.phase is Phase.OVER

    @property
    def tournament(self) -> tuple[str, int] | None:
        """The tournament of the match, and its number there; None = it is of none."""
        return self.terms.tournament

    @property
    def private(self) -> bool:
        """True if others than the players may not see it."""
        return bool(self.terms.code) or not self.terms.spectators

    @property
    def timed(self) -> bool:
        """True if the time of a tournament's round has decided the match."""
        return self.ruled == ROUND_OVER

    @property
    def voided(self) -> bool:
        """True if the match was played, and annulled by a moderator."""
        return self.match.outcome is not None and self.match.outcome.ending is Ending.VOIDED

    @property
    def open(self) -> bool:
        """A seat is free."""
        return None in self.players and not self.cancelled

    @property
    def missing_seeds(self) -> tuple[Seat, ...]:
        """The seats whose seeds the first game waits for, both players being there; or, when it is over, waited for."""
        if self.match.game or not all(self.match.ready) or self.match.outcome is not None:
            return ()
        return tuple(seat for seat in (0, 1) if self.commitments[seat] and not self.seeds[seat])

    def seat_of(self, player_id: str) -> Seat | None:
        """The seat of a player, if any."""
        for seat, player in enumerate(self.players):
            if player is not None and player.id == player_id:
                return seat
        return None


def apply(record: Record, event: Event) -> Record:
    """The record after one event."""
    if not isinstance(event, TableEvent):
        return replace(record, match=apply_to_match(record.match, event))
    match event:
        case Created(name, rules, seed, terms, sealed, committed):
            return replace(
                record,
                name=name,
                seed=seed,
                sealed=sealed,
                commitment=committed or chain_commitment(seed),
                match=new_match(shared_rules(rules)),
                terms=PLAIN_TERMS if terms == PLAIN_TERMS else terms,  # one object for all
            )
        case Seated(seat, player, salt, commitment):
            return replace(
                record,
                players=with_one(record.players, seat, player),
                salts=with_one(record.salts, seat, salt),
                commitments=with_one(record.commitments, seat, commitment),
            )
        case Agreed(text):
            return replace(record, binding=binding(text))
        case Revealed(seat, seed):
            if seat is None:
                return replace(record, shown=bytes.fromhex(seed))
            return replace(record, seeds=with_one(record.seeds, seat, seed))
        case Cancelled(put_back):
            match = apply_to_match(record.match, _PUT_BACK) if put_back else record.match
            return replace(record, cancelled=True, match=match)
        case Met(times):
            return replace(record, met=times)
        case Ruled():  # what was decided comes next
            return replace(record, ruled=event)
        case Forked():
            return _put_back(record, event)


def _put_back(record: Record, fork: Forked) -> Record:
    """A record in its next epoch: no time before it counts. Without its first entry it has no seats, and is void."""
    cancelled = record.cancelled or not record.commitment
    clock = record.clock
    if clock.seat is not None:
        clock = replace(clock, since=max(clock.since, fork.time_ms))
    record = replace(record, epoch=record.epoch + 1, cancelled=cancelled, forked_ms=fork.time_ms, clock=clock)
    if not fork.seed:
        return record
    seed = bytes.fromhex(fork.seed)
    match = link_after(record.match, link_number(seed, record.commitment) or 0)
    return replace(record, shown=seed, match=match)


def apply_all(record: Record, events: Iterable[Event]) -> Record:
    """The record after some events, in order; its clock and tally are left as they were."""
    for event in events:
        record = apply(record, event)
    return record


_snapshots = msgspec.msgpack.Decoder(tuple[int, Record])


def encode_record(seq: int, record: Record) -> bytes:
    """A snapshot: the record at version `seq`."""
    if record.sealed:
        record = replace(record, seed=b"")
    rules: Any = compact(record.match.rules)
    return msgspec.msgpack.encode((seq, replace(record, match=replace(record.match, rules=rules))))


def decode_record(data: bytes) -> tuple[int, Record]:
    """A snapshot's version and record."""
    seq, record = _snapshots.decode(data)
    return seq, replace(record, match=replace(record.match, rules=shared_rules(record.match.rules)))


# Players, rules, terms and the players' seeds are the same from the first game on.
_OF_MATCH: Any = GenericAlias(tuple, tuple(field.type for field in fields(Match)[1:]))  # all but the rules
_milestones = msgspec.msgpack.Decoder(tuple[_OF_MATCH, bool, GameClock | None, int, Tally | None, bytes, int])
_UNBEGUN = b""


def encode_milestone(record: Record) -> bytes | Record:
    """A record to come back to while a later one is at hand: a third of a snapshot, since what both share is left out.

    Before the first game it is the record itself, which has little of its own; nothing, before the match begins.
    """
    if not record.match.game:
        return _UNBEGUN if record == Record(record.id) else record
    clock = record.clock if record.match.rules.clocked else None
    tally = None if record.tally == Tally() else record.tally
    return msgspec.msgpack.encode(
        (astuple(record.match)[1:], record.cancelled, clock, record.epoch, tally, record.shown, record.forked_ms)
    )


def decode_milestone(milestone: bytes | Record, later: Record) -> Record:
    """The record of a milestone. later: one of the same match."""
    if isinstance(milestone, Record):
        return milestone
    if milestone == _UNBEGUN:
        return Record(later.id)
    of_match, cancelled, clock, epoch, tally, shown, forked_ms = _milestones.decode(milestone)
    match = Match(later.match.rules, *of_match)
    return replace(
        later,
        match=match,
        cancelled=cancelled,
        clock=clock or GameClock(),
        epoch=epoch,
        tally=tally or Tally(),
        shown=shown,
        forked_ms=forked_ms,
    )
