"""The summary of a finished match for lists, made from its journal."""

import asyncio
import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace
from tavla_engine.events import Ending, MatchEnded
from tavla_engine.terms import SOMEONE

from tavla_server.player import Player
from tavla_server.record.events import Created, Entry, Seated, decode_entry, encode_entry, end_of
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record

AT_ONCE = 32  # entries replayed before others have their turn: less than a millisecond
NOBODY = "0" * 16  # in the place of an id whose account was closed


class Summary(NamedTuple):
    """The summary of a finished match. players: as they sat down. times: in ms since 1970; it starts when both sit."""

    record: Record
    players: tuple[Player, Player]
    winner: int | None
    ending: str
    started_ms: int
    ended_ms: int
    seq: int


async def replay(match: str, journal: Sequence[bytes]) -> Record:
    """The record that a journal leads to; others have their turn meanwhile."""
    record = Record(match)
    for number, data in enumerate(journal, 1):
        record = apply_entry(record, decode_entry(data))
        if number % AT_ONCE == 0:
            await asyncio.sleep(0)
    return record


async def summary(match: str, journal: Sequence[bytes]) -> Summary | None:
    """The summary of a whole journal; None if the match is not over, or never began."""
    record = await replay(match, journal)
    white, black = record.players
    if not record.over or record.cancelled or white is None or black is None:
        return None
    entries = [decode_entry(data) for data in journal]
    end = end_of(entries)
    assert isinstance(end, MatchEnded), "it is over, and not cancelled"
    outcome = record.match.outcome
    ending = outcome.ending if outcome is not None and end.ending is Ending.SCORE else end.ending
    return Summary(
        record, (white, black), end.winner, ending.value, _seated_ms(entries), entries[-1].time_ms, len(journal)
    )


def _seated_ms(entries: Sequence[Entry]) -> int:
    """The time at which the second player sat down."""
    seated = (entry.time_ms for entry in entries for event in entry.events if isinstance(event, Seated))
    return next(islice(seated, 1, None))


def anonymous_journal(journal: Sequence[bytes], seat: int) -> list[bytes]:
    """A journal in which a seat's player is `someone`. The terms have a hash of the name, and its salt goes with it."""
    entries = [decode_entry(data) for data in journal]
    seats = [event for entry in entries for event in entry.events if isinstance(event, Seated)]
    player = next(event.player.id for event in reversed(seats) if event.seat == seat)
    names = [event.player.name for event in seats if event.player.id == player]
    changed = []
    for entry in entries:
        events = []
        for event in entry.events:
            if isinstance(event, Seated) and event.player.id == player:
                event = replace(event, player=event.player._replace(id=NOBODY, name=SOMEONE), salt="")
            elif isinstance(event, Created) and any(is_named_after(event.name, name) for name in names):
                event = replace(event, name=SOMEONE)
            events.append(event)
        who = NOBODY if entry.player == player else entry.player
        changed.append(encode_entry(replace(entry, player=who, events=tuple(events))))
    return changed


def is_named_after(table: str, player: str) -> bool:
    """True if a table has its maker's name, or `ada-2`, or `ada_2`: its name if none is given."""
    table, player = table.lower(), player.lower()
    return table == player or re.fullmatch(f"{re.escape(player)}[-_][0-9]+", table) is not None
