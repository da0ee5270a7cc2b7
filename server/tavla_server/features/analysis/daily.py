"""The position of the day: a costly decision of a public match that was judged. What players choose is counted.

It follows from the archive and the date alone, so every node has the same one: of the newest matches that were judged
before the day began, the one that a digest of the date and the id puts first.
"""

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec
import structlog
from tavla_engine import events as e
from tavla_engine.apply import apply
from tavla_engine.errors import BadText, IllegalAction
from tavla_engine.events import Ending, Event
from tavla_engine.match import Match, new_match
from tavla_engine.notation import format_play, parse_play
from tavla_engine.plays import legal_plays, resolve_play
from tavla_engine.position import Position
from tavla_engine.rules import Rules, Variant
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
CUBE = ({"double", "no double"}, {"take", "drop"})

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
        now = datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC)
        day = now.date().isoformat()
        async with self._finding:
            if self._found[0] != day:
                midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
                self._found = day, await self._find(day, int(midnight.timestamp() * 1000))
        return day, self._found[1]

    async def choose(self, problem: Problem, who: str, choice: str) -> dict[str, int]:
        """Count a choice, the first one of a player; those of today. Raises: Refused."""
        counted = choice_of(problem, choice)
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


def before(journal: Sequence[bytes], finding: Finding) -> Match | None:
    """The match before a decision; None: an XGID cannot tell its rules, or there is no such decision."""
    entries = [decode_entry(data) for data in journal]
    created = entries[0].events[0]
    assert isinstance(created, Created), "a journal begins so"
    if not is_plain(created.rules):
        return None
    game, turn, seat, done, *_ = finding
    wanted = game, turn, seat, done if done in CUBE[0] | CUBE[1] else "play"
    match, turns = new_match(created.rules), 0
    for event in (event for entry in entries for event in entry.events if not isinstance(event, TableEvent)):
        if wanted in ((match.game, *decision) for decision in _decisions(event, turns)):
            return match if match.offer is None or not match.offer.beavers else None
        match = apply(match, event)
        match event:
            case e.GameStarted():
                turns = 0
            case e.OpeningRolled(die_0, die_1):
                turns += die_0 != die_1
            case e.Rolled():
                turns += 1
    return None


def is_plain(rules: Rules) -> bool:
    """True if an XGID tells all of them that matter to a decision."""
    return rules.variant is Variant.STANDARD and rules.hit_and_run and rules.backgammons and not rules.cap_kept


def _decisions(event: Event, turns: int) -> Iterator[tuple[int, int, str]]:
    """The decisions that an event stands for, each as turn, seat, and what was done."""
    match event:
        case e.Rolled(seat):
            yield turns + 1, seat, "no double"
        case e.Moved(seat):
            yield turns, seat, "play"
        case e.Doubled(seat):
            yield turns + 1, seat, "double"
        case e.Taken(seat):
            yield turns + 1, seat, "take"
        case e.GameEnded(winner, _, _, Ending.DROP):
            yield turns + 1, 1 - winner, "drop"


def choice_of(problem: Problem, choice: str) -> str:
    """A choice as it is counted: of the ways to write a play, one. Raises: Refused."""
    at, done = problem.at, problem.finding[3]
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
