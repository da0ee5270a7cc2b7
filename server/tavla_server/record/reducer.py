"""The state of a table after an entry: its events, then the clocks and the ratings."""

from msgspec.structs import replace
from tavla_engine.gameclock import clock_after
from tavla_engine.match import Match

from tavla_server.player import Player
from tavla_server.record.events import Entry
from tavla_server.record.rating import Standing, result, taken_back, tally_after, was_played, weight
from tavla_server.record.state import Record, apply_all


def apply_entry(record: Record, entry: Entry) -> Record:
    """The record after an entry: its events in order, and what they mean for the players' clocks and ratings."""
    return with_clock_and_tally(apply_all(record, entry.events), record.match, entry)


def with_clock_and_tally(record: Record, before: Match, entry: Entry) -> Record:
    """A record that an entry's events have made, with the clock and the tally set. before: the match before them."""
    match = record.match
    rules = match.rules
    # Holds bench/ceilings.toml: with `clocked` an action would take 750 instructions more.
    if rules.delay_s or rules.reserve_s:
        clock = clock_after(record.clock, before, match, entry.time_ms, entry.credit_ms, record.players)
        record = replace(record, clock=clock)
    if rules.rated and (outcome := result(before, entry.events)) is not None:
        white, black = map(_standing, record.players)
        if white is not None and black is not None:
            parts = 2 * (weight(record.met),) if was_played(before) else (0.0, 1.0)
            record = replace(record, tally=tally_after(record.tally, (white, black), *outcome, *parts))
    if match.outcome is not before.outcome and record.voided:
        record = replace(record, tally=taken_back(record.tally))
    return record


def _standing(player: Player | None) -> Standing | None:
    if player is None or player.rating is None:
        return None
    return Standing(player.rating, player.experience)
