"""Fork of a match that was put back: it goes on in a new epoch, with seeds that were shown kept, and the link burnt."""

from typing import NamedTuple

from tavla_engine.chain import LINKS, link_number
from tavla_engine.dice import keeps
from tavla_engine.events import Ending, MatchEnded

from tavla_server.record.decider import start_first_game
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Cancelled, Event, Forked, Revealed
from tavla_server.record.state import Record, apply, apply_all


class KnownSeeds(NamedTuple):
    """Seeds of a match that somebody was shown, in hex, "" = none: the server's newest, and the players'."""

    seed: str = ""
    seeds: tuple[str, str] = ("", "")

    def newer_link(self, record: Record) -> int:
        """The number of the server's seed, if a match that goes on has not shown that yet; else 0."""
        if not self.seed or record.over or self.seed == record.shown.hex():
            return 0
        number = link_number(bytes.fromhex(self.seed), record.commitment) or 0
        return number if number >= record.match.link else 0

    def reveals(self, record: Record) -> list[Revealed]:
        """The players' seeds that a match waits for, if all that are known are those that were committed to.

        One that is not is of other terms: a seat has been taken anew, and the other seed was not shown for these.
        """
        fits = all(not seed or keeps(seed, record.commitments[seat]) for seat, seed in enumerate(self.seeds))
        missing = () if record.over or not fits else record.missing_seeds
        return [Revealed(seat, self.seeds[seat]) for seat in missing if self.seeds[seat]]

    def is_news(self, record: Record) -> bool:
        """True if a match has lost any of them."""
        return bool(self.newer_link(record) or self.reveals(record))


class Fork:
    """A fork, decided: go on from what is left of a match. It is void if there are no dice: the last link was shown."""

    __slots__ = ("_is_lost", "_now_ms", "_shown")

    def __init__(self, shown: KnownSeeds, now_ms: int, is_lost: bool = False) -> None:
        """is_lost: entries that were shown are gone; else that follows from a seed alone, or nothing is done."""
        self._shown, self._now_ms, self._is_lost = shown, now_ms, is_lost

    def __call__(self, record: Record, dice: MatchDice) -> tuple[list[Event], Record]:
        """The events, and the record then; no events if nothing was lost."""
        link = self._shown.newer_link(record)
        events: list[Event] = []
        if link or self._is_lost:
            events.append(Forked(self._shown.seed if link else "", self._now_ms))
        reveals = self._shown.reveals(record)
        events += reveals
        record = apply_all(record, events)
        if link == LINKS:
            void = MatchEnded(None, Ending.VOIDED) if record.match.game else Cancelled()
            return [*events, void], apply(record, void)
        return start_first_game(events, record, dice) if reveals else (events, record)
