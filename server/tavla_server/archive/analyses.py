"""Analyses of archived matches: the queue, the claims on it, and the results.

There is no list of those that wait: they are the newest matches of the archive that were not judged. A node that begins
with one claims it for a while, by the database's clock, and claims it again as long as it works; so a match is judged
by one at a time, and taken up again when its judge has died.
"""

from typing import NamedTuple

import msgspec
import sqlalchemy as sa
from tavla_protocol.messages import Analysis

from tavla_server.archive.database import Database
from tavla_server.archive.schema import analyses, matches

QUEUE = 1000  # matches: what is older than the newest ones and was not judged by then, stays as it is
CLAIM_MS = 15_000  # without a sign of life of its judge, another node may take a match
TRIES = 5  # of a match with which its judges fail or die


class Claim(NamedTuple):
    """A match that is ours to judge as long as we renew it. tries: this one included."""

    match: str
    tries: int


class Analyses:
    """The analyses in the archive's database. All methods raise ArchiveUnavailable."""

    def __init__(self, database: Database, owner: str, claim_ms: int = CLAIM_MS) -> None:
        """owner: the claimant, by a name of its own."""
        self._database, self._owner, self._claim_ms = database, owner, claim_ms

    async def claim(self) -> Claim | None:
        """The newest match that was not judged, and is not being judged; None if there is none."""
        newest = sa.select(matches.c.id, matches.c.ended_ms).order_by(matches.c.ended_ms.desc(), matches.c.id.desc())
        recent = newest.limit(QUEUE).subquery()
        asked = (
            sa.select(recent.c.id)
            .select_from(recent.outerjoin(analyses, analyses.c.match == recent.c.id))
            .where(sa.or_(analyses.c.match.is_(None), self._may_be_taken))
            .order_by(recent.c.ended_ms.desc(), recent.c.id.desc())
            .limit(1)
        )
        while True:
            async with self._database.reading() as connection:
                match = await connection.scalar(asked)
            if match is None:
                return None
            if tries := await self._take(match):
                return Claim(match, tries)

    async def backlog(self) -> int:
        """The number of matches that wait for an analysis."""
        recent = (
            sa.select(matches.c.id).order_by(matches.c.ended_ms.desc(), matches.c.id.desc()).limit(QUEUE).subquery()
        )
        judged = recent.outerjoin(analyses, analyses.c.match == recent.c.id)
        async with self._database.reading() as connection:
            waiting = sa.select(sa.func.count()).select_from(judged).where(analyses.c.result.is_(None))
            return await connection.scalar(waiting) or 0

    async def renew(self, match: str) -> bool:
        """Keep a match for longer; False: another has it now. One that is not renewed is tried again."""
        return await self._change(match, {"until_ms": self._soon})

    async def release(self, match: str) -> None:
        """Give a match back, as if it had not been tried."""
        await self._change(match, {"until_ms": 0, "tries": analyses.c.tries - 1})

    async def finish(self, match: str, analysis: Analysis) -> bool:
        """Store the result, for good. False: it is stored already, or another node has taken the match over."""
        return await self._change(match, {"result": msgspec.json.encode(analysis).decode(), "until_ms": 0})

    async def _take(self, match: str) -> int:
        """Claim a match; the number of tries so far with this one, 0 if another node was first."""
        insert = self._database.insert(analyses).values(
            match=match, owner=self._owner, tries=1, until_ms=self._soon, result=None
        )
        taken = {"owner": self._owner, "tries": analyses.c.tries + 1, "until_ms": self._soon}
        either = insert.on_conflict_do_update(
            index_elements=[analyses.c.match], set_=taken, where=self._may_be_taken
        ).returning(analyses.c.tries)
        async with self._database.writing() as connection:
            return await connection.scalar(either) or 0

    async def _change(self, match: str, values: dict[str, object]) -> bool:
        ours = sa.and_(analyses.c.match == match, analyses.c.owner == self._owner, analyses.c.result.is_(None))
        changed = sa.update(analyses).where(ours).values(values).returning(analyses.c.match)
        async with self._database.writing() as connection:
            return await connection.scalar(changed) is not None

    @property
    def _may_be_taken(self) -> sa.ColumnElement[bool]:
        return sa.and_(analyses.c.result.is_(None), analyses.c.until_ms < self._database.now_ms)

    @property
    def _soon(self) -> sa.ColumnElement[int]:
        return self._database.now_ms + self._claim_ms
