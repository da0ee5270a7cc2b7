"""The position of the day: a costly decision of a public match that was judged. What players choose is counted.

It follows from the archive and the date alone, so every node has the same one: of the newest matches that were judged
before the day began, the one that a digest of the date and the id puts first.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec
import structlog
from tavla_engine.decisions import CUBE, decisions, kind_of
from tavla_engine.errors import BadText, IllegalAction
from tavla_engine.match import Match, new_match
from tavla_engine.notation import format_play, parse_play
from tavla_engine.plays import legal_plays, resolve_play
from tavla_engine.position import Position
from tavla_engine.xgid import tells
from tavla_protocol.codes import ErrorCode
from tavla_protocol.messages import Finding

from tavla_server.cluster.clock import Clock
from tavla_server.errors import JournalUnreadable, Refused
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.judgement import Judgement
from tavla_server.record.events import Created, TableEvent, decode_entry
from tavla_server.store import keys
from tavla_server.store.client import Client, text

WINDOW = 100  # matches, the newest: what a day chooses from
LEAST = 0.08  # equity that the decision has cost: a mistake, as the review has it
KEPT_S = 2 * 86_400  # counts outlive their day on every clock
SHOWN = 20  # choices, the most frequent

log = structlog.get_logger()


class Problem(NamedTuple):
    """A problem: the position of a day. at: the match before the decision. by: the judge."""

    day: str
    match: str
    at: Match
    finding: Finding
    by: str


class Daily:
    """The daily position: finds it, and counts what is chosen. Raises: ArchiveUnavailable, StoreUnavailable."""

    def __init__(self, redis: Client, archive: Archive, clock: Clock) -> None:
        self._archive, self._clock = archive, clock
        self._count = redis.script("count_choice")
        self._found: tuple[str, Problem | None] = ("", None)
        self._finding = asyncio.Lock()  # of a crowd at midnight one looks

    async def today(self) -> tuple[str, Problem | None]:
        """The date, and its position; None: no match was judged that has one."""
        day, midnight_ms = day_of(self._clock)
        async with self._finding:
            if self._found[0] != day:
                self._found = day, await self._find(day, midnight_ms)
        return day, self._found[1]

    async def choose(self, problem: Problem, who: str, choice: str) -> dict[str, int]:
        """Count a choice, the first one of a player; those of today. Raises: Refused."""
        counted = choice_of(problem.at, problem.finding.done, choice)
        voter = hashlib.sha256(f"{problem.day} {who}".encode()).digest()[:8]  # no list of addresses is in the store
        both = [keys.DAILY_VOTERS(problem.day), keys.DAILY_CHOICES(problem.day)]
        told = await self._count(keys=both, args=[voter, counted, KEPT_S])
        counts = {text(name): int(count) for name, count in zip(told[::2], told[1::2], strict=True)}
        return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:SHOWN])

    async def _find(self, day: str, before_ms: int) -> Problem | None:
        judged = await self._archive.newest_judgements(before_ms, WINDOW)
        for match, result in sorted(judged, key=lambda one: hashlib.sha256(f"{day} {one[0]}".encode()).digest()):
            judgement = msgspec.json.decode(result, type=Judgement)
            finding = max(judgement.findings, key=lambda one: one.loss, default=None)
            if finding is None or finding.loss < LEAST:
                continue
            try:
                journal = await self._archive.journal(match)
            except JournalUnreadable as error:
                log.error("daily_unreadable", match=match, error=str(error))
                continue
            if journal and (at := await asyncio.to_thread(before, journal, finding)) is not None:
                return Problem(day, match, at, finding, judgement.by)
        return None


def day_of(clock: Clock) -> tuple[str, int]:
    """The date, UTC, and when it began, in ms."""
    now = datetime.fromtimestamp(clock.now_ms() / 1000, UTC)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return now.date().isoformat(), int(midnight.timestamp() * 1000)


def before(journal: Sequence[bytes], finding: Finding) -> Match | None:
    """The match before a decision; None: an XGID cannot tell its rules, or there is no such decision."""
    entries = [decode_entry(data) for data in journal]
    created = entries[0].events[0]
    assert isinstance(created, Created), "a journal begins so"
    if not tells(created.rules):
        return None
    events = (event for entry in entries for event in entry.events if not isinstance(event, TableEvent))
    wanted = (*finding[:3], kind_of(finding[3]))
    for at, turn, seat, what in decisions(new_match(created.rules), events):
        if (at.game, turn, seat, what) == wanted:
            return at if at.offer is None or not at.offer.beavers else None
    return None


def choice_of(at: Match, done: str, choice: str) -> str:
    """A choice as it is counted: of the ways to write a play, one. done: the one that was made. Raises: Refused."""
    for pair in CUBE:
        if done in pair:
            if choice not in pair:
                raise Refused(ErrorCode.BAD_MESSAGE, f"say one of: {', '.join(sorted(pair))}")
            return choice
    assert at.dice is not None, "else it is about the cube"
    try:
        _, after = resolve_play(at.position, at.dice, parse_play(choice))
    except (BadText, IllegalAction) as error:
        raise Refused(ErrorCode.BAD_MESSAGE, str(error)) from None
    return format_play(at.position, legal_plays(at.position, at.dice)[Position(*after)])
