"""Archived matches are judged one after the other, each by a process of its own; never on the event loop.

A match is given up after some tries, which is then what its analysis says. Nobody waits for any of it.
"""

import asyncio
import contextlib
import importlib.util
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from typing import TypedDict

import msgspec
import structlog
from tavla_protocol.messages import Analysis

from tavla_server.archive.analyses import CLAIM_MS, TRIES, Analyses
from tavla_server.archive.archive import Archive
from tavla_server.archive.database import Database
from tavla_server.errors import ArchiveUnavailable, StartError
from tavla_server.record.events import Created, TableEvent, decode_entry
from tavla_server.record.projection import rules_fields
from tavla_server.telemetry import metrics

JUDGE = "tavla_bots.judge"  # a program that is installed beside this one; we know its input and its output alone
NEEDED = ("tavla_bots", "numpy")
JUDGE_S = 900.0  # for one match: some fifty games
IDLE_S = 5.0  # between two looks at the archive, when there is nothing to judge
END_S = 2.0  # for a judge that is to end
RENEW_S = CLAIM_MS / 1000 / 3
MOST_WAITS = 60  # of these, after one failure after the other: then it is no single match that is at fault

log = structlog.get_logger()


class _Judgement(TypedDict, total=False):
    """The judge's reply. error: why there is no more of it."""

    error: str
    by: str
    rating: list[float | None]
    lost: list[float]
    decisions: list[int]
    luck: list[float]


class JudgeFailed(Exception):
    """The process has died, or took too long. str(error): what is known of it."""


@contextlib.asynccontextmanager
async def analysing(url: str | None) -> AsyncIterator[None]:
    """Judge the matches of the archive at this URL until the context ends.

    Raises: StartError.
    """
    if url is None:
        raise StartError("--analysis needs an archive: give --archive URL")
    if not all(map(importlib.util.find_spec, NEEDED)):
        raise StartError("--analysis needs the bots of Tavla: install tavla[bots]")
    database = Database(url)
    analyses = Analyses(database, secrets.token_hex(8))

    async def read() -> metrics.Readings:
        with contextlib.suppress(ArchiveUnavailable):
            return {metrics.UNANALYSED: await analyses.backlog()}
        return {}

    task = asyncio.create_task(Analyst(Archive(database), analyses).run())
    try:
        with metrics.read_by(read):
            yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        await database.close()


class Analyst:
    """Takes matches from the queue and has them judged, one at a time."""

    def __init__(self, archive: Archive, analyses: Analyses) -> None:
        self._archive, self._analyses = archive, analyses
        self._failures = 0  # in a row

    async def run(self) -> None:
        """Judge what there is, and what comes. Runs until it is cancelled."""
        while True:
            try:
                if await self._next():
                    continue
            except ArchiveUnavailable as error:
                log.warning("analysis_waits", error=str(error))
            except Exception:  # a fault of ours with one match is not to keep all others from being judged
                log.exception("analysis_failed")
                self._failures = self._failures + 1
            await asyncio.sleep(IDLE_S * min(self._failures**2, MOST_WAITS) or IDLE_S)

    async def _next(self) -> bool:
        """Judge one match; whether there may be another one now."""
        claim = await self._analyses.claim()
        if claim is None:
            return False
        if claim.tries > TRIES:
            log.warning("analysis_given_up", match=claim.match, tries=TRIES)
            await self._analyses.finish(claim.match, Analysis(error=f"given up after {TRIES} tries"))
            return True
        try:
            analysis = await self._kept(claim.match)
        except JudgeFailed as error:
            log.warning("analysis_failed", match=claim.match, tries=claim.tries, error=str(error))
            self._failures = self._failures + 1
            return False
        except asyncio.CancelledError:
            with contextlib.suppress(ArchiveUnavailable):
                await self._analyses.release(claim.match)
            raise
        self._failures = 0
        await self._finish(claim.match, analysis)
        return True

    async def _kept(self, match: str) -> Analysis:
        """The analysis of a match that stays ours meanwhile. Raises: JudgeFailed."""
        judging = asyncio.create_task(self._judged(match))
        try:
            while not (await asyncio.wait([judging], timeout=RENEW_S))[0]:
                with contextlib.suppress(ArchiveUnavailable):  # it is still ours, until another says so
                    if not await self._analyses.renew(match):
                        raise JudgeFailed("it took so long to say that we are at it that another has taken it over")
            return judging.result()
        finally:
            judging.cancel()
            await asyncio.wait([judging])

    async def _judged(self, match: str) -> Analysis:
        journal = await self._archive.journal(match)
        assert journal is not None, "matches stay in the archive"
        task = await asyncio.to_thread(_task, journal)
        try:
            async with asyncio.timeout(JUDGE_S):
                told = await _asked(task)
            return _analysis(told)
        except TimeoutError:
            raise JudgeFailed(f"not done after {JUDGE_S:.0f} s") from None

    async def _finish(self, match: str, analysis: Analysis) -> None:
        """Write down what came of it, as soon as the archive is there."""
        while True:
            try:
                if await self._analyses.finish(match, analysis):
                    log.info("analysed", match=match, by=analysis.by, error=analysis.error)
                return
            except ArchiveUnavailable as error:
                log.warning("analysis_waits", match=match, error=str(error))
                await asyncio.sleep(IDLE_S)


def _task(journal: list[bytes]) -> bytes:
    """A match as the judge reads it; see there."""
    entries = list(map(decode_entry, journal))
    created = entries[0].events[0]
    assert isinstance(created, Created), "a journal begins so"
    events = [event for entry in entries for event in entry.events if not isinstance(event, TableEvent)]
    return msgspec.json.encode({"rules": rules_fields(created.rules), "events": events}) + b"\n"


async def _asked(task: bytes) -> _Judgement:
    """The judge's reply. Raises: JudgeFailed."""
    command = (sys.executable, "-P", "-m", JUDGE)
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    assert process.stdin is not None, "a pipe"
    assert process.stdout is not None, "a pipe"
    assert process.stderr is not None, "a pipe"
    try:
        with contextlib.suppress(ConnectionError):
            process.stdin.write(task)  # which is not closed: a judge whose input ends has nobody to judge for
            await process.stdin.drain()
        told, errors = await asyncio.gather(process.stdout.read(), process.stderr.read())
        code = await process.wait()
    finally:
        await _ended(process)
    if code:
        raise JudgeFailed(f"exit code {code}: {errors.decode(errors='replace').strip().rpartition(chr(10))[2]}")
    answer: _Judgement = msgspec.json.decode(told)
    return answer


async def _ended(process: Process) -> None:
    """A judge whose input ends takes its own helper with it."""
    assert process.stdin is not None, "a pipe"
    process.stdin.close()
    try:
        async with asyncio.timeout(END_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


def _analysis(told: _Judgement) -> Analysis:
    if "error" in told:
        return Analysis(error=told["error"])
    white, black = (None if rating is None else round(rating, 3) for rating in told["rating"])
    return Analysis(
        by=told["by"],
        ratings=(white, black),
        lost=_rounded(told["lost"]),
        decisions=(told["decisions"][0], told["decisions"][1]),
        luck=_rounded(told["luck"]),
    )


def _rounded(pair: list[float]) -> tuple[float, float]:
    white, black = pair
    return round(white, 3), round(black, 3)
