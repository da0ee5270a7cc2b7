"""Archived matches are judged one after the other, each by a process of its own; never on the event loop.

First all roughly, by the house, so that each has figures soon; then deeply, by whom the operator has chosen. A match is
given up after some tries, which is then what its analysis says. No player waits for any of it.
"""

import asyncio
import contextlib
import importlib.util
import secrets
from collections.abc import AsyncIterator

import msgspec
import structlog
from msgspec.structs import asdict, replace

from tavla_server.errors import ArchiveUnavailable, StartError
from tavla_server.features.analysis.judge import JUDGE, Judge, JudgeFailed, Tell
from tavla_server.features.archive.analyses import CLAIM_MS, TRIES, Analyses
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.judgement import Judgement
from tavla_server.record.events import Created, TableEvent, decode_entry
from tavla_server.record.projection import rules_fields
from tavla_server.telemetry import metrics
from tavla_server.telemetry.snapshots import Readings, read_by

NEEDED = ("tavla_bots", "numpy")
IDLE_S = 5.0  # between two looks at the archive, when there is nothing to judge
RENEW_S = CLAIM_MS / 1000 / 3
MOST_WAITS = 60  # of these, after one failure after the other: then it is no single match that is at fault

log = structlog.get_logger()


@contextlib.asynccontextmanager
async def analysing(url: str | None, judge: str) -> AsyncIterator[None]:
    """Judge the matches of the archive at this URL until the context ends. judge: who. Raises: StartError."""
    if url is None:
        raise StartError("--analysis needs an archive: give --archive URL")
    if not all(map(importlib.util.find_spec, NEEDED)):
        raise StartError("--analysis needs the bots of Tavla: install tavla[bots]")
    database = Database(url)
    analyses = Analyses(database, secrets.token_hex(8))

    async def read() -> Readings:
        with contextlib.suppress(ArchiveUnavailable):
            return {metrics.UNANALYSED: await analyses.backlog()}
        return {}

    task = asyncio.create_task(Analyst(Archive(database), analyses, JUDGE._replace(choice=judge)).run())
    try:
        with read_by(read):
            yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        await database.close()


class Analyst:
    """An analyst takes matches from the queue and has them judged, one at a time."""

    def __init__(self, archive: Archive, analyses: Analyses, judge: Judge = JUDGE, idle_s: float = IDLE_S) -> None:
        """idle_s: as IDLE_S."""
        self._archive, self._analyses, self._judge, self._idle_s = archive, analyses, judge, idle_s
        self._failures = 0  # in a row

    async def run(self) -> None:
        """Judge what there is, and what comes. Runs until it is cancelled.

        No `Sweep`: it runs beside the server, which may be several processes, with the archive alone.
        """
        while True:
            try:
                if await self._next():
                    continue
            except ArchiveUnavailable as error:
                log.warning("analysis_waits", error=str(error))
            except Exception:  # a fault of ours with one match is not to keep all others from being judged
                log.exception("analysis_failed")
                self._failures += 1
            await asyncio.sleep(self._idle_s * min(self._failures**2, MOST_WAITS) or self._idle_s)

    async def _next(self) -> bool:
        """Judge one match; whether there may be another one now."""
        claim = await self._analyses.claim()
        if claim is None:
            return False
        if claim.tries > TRIES:
            log.warning("analysis_given_up", match=claim.match, tries=TRIES)
            await self._analyses.finish(claim.match, await self._given_up(claim.match))
            return True
        try:
            analysis = await self._kept(claim.match)
        except JudgeFailed as error:
            log.warning("analysis_failed", match=claim.match, tries=claim.tries, error=str(error))
            self._failures += 1
            return False
        except asyncio.CancelledError:
            with contextlib.suppress(ArchiveUnavailable):
                await self._analyses.release(claim.match)
            raise
        self._failures = 0
        await self._finish(claim.match, analysis)
        return True

    async def _kept(self, match: str) -> Judgement:
        """The analysis of a match that stays ours meanwhile. Raises: JudgeFailed."""
        seen = [(0, 0)]
        judging = asyncio.create_task(self._judged(match, seen.append))
        try:
            while not (await asyncio.wait([judging], timeout=RENEW_S))[0]:
                del seen[:-1]
                with contextlib.suppress(ArchiveUnavailable):  # it is still ours, until another says so
                    if not await self._analyses.renew(match, seen[-1]):
                        raise JudgeFailed("it took so long to say that we are at it that another has taken it over")
            return judging.result()
        finally:
            judging.cancel()
            await asyncio.wait([judging])

    async def _judged(self, match: str, tell: Tell) -> Judgement:
        judge = self._judge
        if await self._archive.judgement(match):
            return await judge.analysis(await self._task(match, ""), tell)
        return await judge._replace(choice=judge.quick).analysis(await self._task(match, judge.choice))

    async def _task(self, match: str, then: str) -> bytes:
        """A match as the judge reads it; see there. then: who shall judge it later. Raises: JudgeFailed."""
        if (journal := await self._archive.journal(match)) is not None:
            return await asyncio.to_thread(_task, journal, then)
        if (document := await self._archive.collections.document(match)) is not None:
            return msgspec.json.encode({"document": document, "then": then}) + b"\n"
        raise JudgeFailed("its collector has discarded it")

    async def _given_up(self, match: str) -> Judgement:
        """The rough judgement, if there is one, as the last."""
        if found := await self._archive.judgement(match):
            analysis, findings = found
            return Judgement(**asdict(replace(analysis, rough=False, seen=(0, 0))), findings=findings)
        return Judgement(error=f"given up after {TRIES} tries")

    async def _finish(self, match: str, analysis: Judgement) -> None:
        """Write down what came of it, as soon as the archive is there."""
        while True:
            try:
                if await self._analyses.finish(match, analysis):
                    event = "analysed_roughly" if analysis.rough else "analysed"
                    log.info(event, match=match, by=analysis.by, error=analysis.error)
                return
            except ArchiveUnavailable as error:
                log.warning("analysis_waits", match=match, error=str(error))
                await asyncio.sleep(self._idle_s)


def _task(journal: list[bytes], then: str) -> bytes:
    entries = list(map(decode_entry, journal))
    created = entries[0].events[0]
    assert isinstance(created, Created), "a journal begins so"
    timed = [(event, entry.time_ms) for entry in entries for event in entry.events if not isinstance(event, TableEvent)]
    events, times = zip(*timed, strict=True)
    task = {"rules": rules_fields(created.rules), "events": events, "times": times, "then": then}
    return msgspec.json.encode(task) + b"\n"
