"""Presence at the seats of a match: the connection of each, here or on another node, and since when one is empty."""

from collections.abc import Mapping

from tavla_engine.actions import Seat
from tavla_engine.values import with_one

from tavla_server.cluster.clock import Clock
from tavla_server.delivery.outbox import Outbox
from tavla_server.match.pause import NO_PAUSE

NOWHERE = ("", "")
NO_NODES: Mapping[str, Mapping[Seat, int]] = {}  # one for all matches that no other node follows


class Seats:
    """The two seats of a match. The newest connection of a player holds the seat, whichever node it is on.

    The highest rank says whose it is: since when a connection has it, in ms since 1970; below zero for one that leaves
    it to any that wants it.

    holders: this node's connections, by seat. away: since when a seat is empty, in ms since 1970; while it is held
    here, its rank; of no meaning while it is held elsewhere. at: by seat, the other node that was the last to
    hold it; "" = this one was, or none. (Pairs are tuples: two of them take 32 bytes less than lists.) pause: see
    there.
    """

    __slots__ = ("_clock", "_elsewhere", "at", "away", "holders", "pause")

    def __init__(self, clock: Clock) -> None:
        self.holders: tuple[Outbox | None, Outbox | None] = (None, None)
        now = clock.now_ms()
        self.away = (now, now)
        self.at = NOWHERE
        self.pause = NO_PAUSE
        self._clock = clock
        self._elsewhere = NO_NODES  # node -> seat -> the rank of its holder there; never changed in place

    def online(self, seat: Seat) -> bool:
        """True if anybody holds a seat."""
        return self.holders[seat] is not None or any(seat in held for held in self._elsewhere.values())

    @property
    def both_online(self) -> tuple[bool, bool]:
        """True if anybody holds each seat."""
        return self.online(0), self.online(1)

    def since(self, seat: Seat) -> int | None:
        """Since when a seat is held, in ms since 1970; None if it is empty."""
        return None if (rank := self.rank(seat)) is None else abs(rank)

    def rank(self, seat: Seat) -> int | None:
        """The rank of the holder of a seat; None if it is empty."""
        known = [held[seat] for held in self._elsewhere.values() if seat in held]
        if self.holders[seat] is not None:
            known.append(self.away[seat])
        return max(known, default=None)

    @property
    def here(self) -> dict[Seat, int]:
        """The seats held on this node, and the ranks: what other nodes need to know."""
        return {seat: self.away[seat] for seat in (0, 1) if self.holders[seat] is not None}

    @property
    def nodes(self) -> list[str]:
        """The other nodes that follow the match."""
        return list(self._elsewhere)

    def hold(self, seat: Seat, outbox: Outbox, sits: bool = True) -> Outbox | None:
        """A connection takes a seat; the one that had it on this node, if it was another. sits: or looks on there."""
        older = self.holders[seat]
        if older is not outbox or (self.away[seat] > 0) != sits:
            now = self._clock.now_ms()
            self.holders = with_one(self.holders, seat, outbox)
            self.away = with_one(self.away, seat, now if sits else -now)
            self._note_node(seat, "")
            self.pause = self.pause.without(seat, now)
        return older if older is not outbox else None

    def leave(self, outbox: Outbox) -> None:
        """A connection is gone: its player left, or lost it."""
        if outbox in self.holders:
            seat = self.holders.index(outbox)
            self.holders = with_one(self.holders, seat, None)
            self.away = with_one(self.away, seat, self._clock.now_ms())

    def hear(self, node: str, held: Mapping[Seat, int]) -> list[Outbox]:
        """Take over the seats of another node; gives the connections here that it replaces, being newer."""
        before = self.both_online
        self._elsewhere = {**self._elsewhere, node: held}
        replaced = []
        for seat, rank in held.items():
            holder = self.holders[seat]
            if holder is not None and rank > self.away[seat]:
                self.holders = with_one(self.holders, seat, None)
                replaced.append(holder)
            if self.holders[seat] is None and rank == self.rank(seat):
                self._note_node(seat, node)
            self.pause = self.pause.without(seat, self._clock.now_ms())
        self._note_absence(before)
        return replaced

    def forget(self, node: str) -> None:
        """A node is dead, or follows the match no longer."""
        before = self.both_online
        self._elsewhere = {other: held for other, held in self._elsewhere.items() if other != node}
        self._note_absence(before)

    def _note_node(self, seat: Seat, node: str) -> None:
        if self.at[seat] != node:
            self.at = with_one(self.at, seat, node)

    def _note_absence(self, before: tuple[bool, bool]) -> None:
        for seat in (0, 1):
            if before[seat] and not self.online(seat):
                self.away = with_one(self.away, seat, self._clock.now_ms())
