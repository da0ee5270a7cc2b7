"""The audience of a match on this node: the connections that follow it, and the frames that all of them get."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from tavla_server.delivery.fanout import SLICE, FanOut
from tavla_server.delivery.outbox import Outbox
from tavla_server.match.seats import Seats
from tavla_server.telemetry.metrics import count_sent


class Wants(NamedTuple):
    """The wants of a subscriber: legal plays; no chat of spectators; its seat, if another connection has it, or a place
    among the spectators.
    """

    plays: bool = False
    hush: bool = False
    sits: bool = True


WANTS_NOTHING = Wants()
Outboxes = tuple[Outbox, ...] | dict[Outbox, None]  # few take a third as a tuple; in a crowd each is found at once


class Audience:
    """The audience: outboxes of those who follow one match, in the order in which they came.

    show_newest: shows the match as it is now to one of a crowd, who was not shown all that led there.
    """

    __slots__ = ("_fanout", "_match", "_missed", "_seats", "_show_newest", "_wants", "outboxes")

    def __init__(self, match: str, seats: Seats, show_newest: Callable[[Outbox], None]) -> None:
        self.outboxes: Outboxes = ()
        self._wants: dict[Outbox, Wants] | None = None  # of outboxes with wishes; None before the first
        self._missed: set[Outbox] | None = None  # outboxes that miss an update; None before the first
        self._fanout: FanOut | None = None  # updates, once a crowd has followed
        self._match, self._seats, self._show_newest = match, seats, show_newest

    def release(self) -> None:
        """Keep the fan-out, which keeps this object, no longer: there are no followers any more."""
        self._fanout = None

    def add(self, outbox: Outbox, wants: Wants) -> None:
        """Add one who follows from now on, or change its wishes."""
        self.outboxes = _with(self.outboxes, outbox)
        self._note_wants(outbox, wants)
        if len(self.outboxes) > SLICE and self._fanout is None:
            self._fanout = FanOut(self.write, self._show_newest)

    def remove(self, outbox: Outbox) -> None:
        """Remove one who follows no longer."""
        self.outboxes = _without(self.outboxes, outbox)
        self._note_wants(outbox, WANTS_NOTHING)
        self.note_shown(outbox)

    def wants(self, outbox: Outbox) -> Wants:
        """The wishes of an outbox."""
        return WANTS_NOTHING if self._wants is None else self._wants.get(outbox, WANTS_NOTHING)

    def show_anew(self, outbox: Outbox) -> None:
        """Show the whole match to one whose place in it has changed."""
        self._show_newest(outbox)

    def connections_of(self, player: str) -> list[Outbox]:
        """The connections of a player that can be written to: those that want the seat come last, the newest of all."""
        theirs = [outbox for outbox in self.outboxes if outbox.player.id == player and outbox.is_open]
        return sorted(theirs, key=lambda outbox: self.wants(outbox).sits)

    def _note_wants(self, outbox: Outbox, wants: Wants) -> None:
        if wants != WANTS_NOTHING:
            self._wants = self._wants or {}
            self._wants[outbox] = wants
        elif self._wants is not None:
            self._wants.pop(outbox, None)

    # --- frames ---

    def show(self, frame: bytes, actor: object = None, answer: bytes = b"") -> int:
        """Show all something new; if they are many, the spectators after the players, by fan-out.

        answer: frames that the actor, one of them, gets before it, in the same write: that saves a system call.
        Returns to how many it was written at once; the others count themselves.
        """
        at_once: Collection[Outbox] = self.outboxes
        if self._fanout is not None:
            at_once = self._hand_to_crowd(frame, self._fanout)
        written = len(at_once)
        for outbox in at_once:
            write = outbox.write  # apart: `outbox.write(...)` looks for a method first
            if write(answer + frame if outbox is actor else frame):
                written -= 1
                self._note_missed(outbox)
        return written

    def show_others(self, frame: bytes, holder: Outbox | None) -> None:
        """Show all but the holder of a seat something that it knows."""
        for outbox in self.outboxes if self._fanout is None else self._hand_to_crowd(frame, self._fanout):
            if outbox is not holder:
                self.write(outbox, frame)

    def _hand_to_crowd(self, frame: bytes, fanout: FanOut) -> list[Outbox]:
        """Give an update to the fan-out. Returns those whom it is shown at once: all, if they are no crowd any more."""
        if len(self.outboxes) <= SLICE:
            fanout.flush()
            return [outbox for outbox in self.outboxes if not fanout.skips(outbox)]
        assert isinstance(self.outboxes, dict), "they are many"
        crowd = dict(self.outboxes)
        at_once = [holder for holder in self._seats.holders if holder is not None and holder in crowd]
        for holder in at_once:
            del crowd[holder]
        fanout.write_by_and_by(frame, crowd)
        return [holder for holder in at_once if not fanout.skips(holder)]

    def write(self, outbox: Outbox, frames: bytes) -> bool:
        """Write frames to one, if it follows still. False: they were dropped."""
        if outbox not in self.outboxes:
            return False
        if outbox.write(frames):
            self._note_missed(outbox)
            return False
        count_sent(frames)
        return True

    def hurry(self, outbox: Outbox) -> None:
        """Write to one now what the fan-out has yet to write to it."""
        if self._fanout is not None:
            self._fanout.hurry(outbox)

    @property
    def in_step(self) -> bool:
        """True if all have been shown the newest."""
        return self._fanout is None or self._fanout.idle

    # --- backlog ---

    def misses(self, outbox: Outbox) -> bool:
        """True if updates for an outbox were dropped, since it was slow."""
        return self._missed is not None and outbox in self._missed

    def note_shown(self, outbox: Outbox) -> None:
        """Note that an outbox is shown all, or is gone."""
        self.hurry(outbox)
        if self._missed:
            self._missed.discard(outbox)

    def _note_missed(self, outbox: Outbox) -> None:
        self._missed = self._missed or set()
        self._missed.add(outbox)
        if outbox.behind and outbox in self._seats.holders:
            outbox.drop_slow_consumer(self._match)


def _with(outboxes: Outboxes, one: Outbox) -> Outboxes:
    """Some outboxes, and one more."""
    if isinstance(outboxes, dict):
        outboxes[one] = None
        return outboxes
    more = outboxes if one in outboxes else (*outboxes, one)
    return more if len(more) <= SLICE else dict.fromkeys(more)


def _without(outboxes: Outboxes, one: Outbox) -> Outboxes:
    """Some outboxes but for one of them."""
    if isinstance(outboxes, dict):
        del outboxes[one]
        return outboxes
    return tuple(outbox for outbox in outboxes if outbox is not one)
