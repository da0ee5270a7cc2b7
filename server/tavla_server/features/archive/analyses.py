"""Analyses of archived and of collected matches: the queue, the claims on it, and the results.

There is no list of those that wait: they are the newest matches of either kind that were not judged, then those that
were judged roughly. Their players take turns, so that one who plays hundreds keeps nobody else waiting. A node that
begins with a match claims it for a while, by the database's clock, and claims it again as long as it works; so a match
is judged by one at a time, and taken up again when its judge has died.
"""

from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa

from tavla_server.features.archive.database import Database
from tavla_server.features.archive.judgement import Judgement
from tavla_server.features.archive.schema import analyses, collected, matches, seats

QUEUE = 1000  # matches of each kind: what is older than the newest ones and was not judged by then, stays as it is
CLAIM_MS = 15_000  # without a sign of life of its judge, another node may take a match
TRIES = 5  # of a match with which its judges fail or die
_IS_OPEN = sa.or_(analyses.c.result.is_(None), analyses.c.rough)


class Claim(NamedTuple):
    """A claim to a match that is ours to judge as long as we renew it. tries: this one included."""

    match: str
    tries: int


class Analyses:
    """The analyses in the archive's database. All methods raise ArchiveUnavailable."""

    def __init__(self, database: Database, owner: str, claim_ms: int = CLAIM_MS) -> None:
        """owner: the claimant, by a name of its own."""
        self._database, self._owner, self._claim_ms = database, owner, claim_ms

    async def claim(self) -> Claim | None:
        """The match that is next in turn, of those that were not judged and are not being judged; None without one."""
        while True:
            match = await self._database.read_scalar(self._next)
            if match is None:
                return None
            if tries := await self._take(match):
                return Claim(match, tries)

    async def backlog(self) -> int:
        """The number of matches that wait for an analysis."""
        recent = _newest()
        judged = recent.outerjoin(analyses, analyses.c.match == recent.c.id)
        waiting = sa.select(sa.func.count()).select_from(judged).where(_IS_OPEN)
        return await self._database.read_scalar(waiting) or 0

    async def renew(self, match: str, seen: tuple[int, int] = (0, 0)) -> bool:
        """Keep a match for longer; False: another has it now. One that is not renewed is tried again.

        seen: plays that are judged, and how many there are.
        """
        return await self._change(match, {"until_ms": self._soon, "seen": seen[0], "plays": seen[1]})

    async def release(self, match: str) -> None:
        """Give a match back, as if it had not been tried."""
        await self._change(match, {"until_ms": 0, "tries": analyses.c.tries - 1})

    async def finish(self, match: str, analysis: Judgement) -> bool:
        """Store the result, for good unless it is rough; that one's match is to be tried anew.

        False: it is stored already, or another node has taken the match over.
        """
        values: dict[str, object] = {"tries": 0} if analysis.rough else {}
        values |= {"rough": analysis.rough, "seen": 0, "plays": 0, "until_ms": self._database.now_ms}
        values |= {"result": msgspec.json.encode(analysis).decode()}
        return await self._change(match, values)

    async def _take(self, match: str) -> int:
        """Claim a match; the number of tries so far with this one, 0 if another node was first."""
        insert = self._database.insert(analyses).values(
            match=match, owner=self._owner, tries=1, until_ms=self._soon, rough=False, seen=0, plays=0, result=None
        )
        taken = {"owner": self._owner, "tries": analyses.c.tries + 1, "until_ms": self._soon}
        either = insert.on_conflict_do_update(
            index_elements=[analyses.c.match], set_=taken, where=self._may_be_taken
        ).returning(analyses.c.tries)
        async with self._database.writing() as connection:
            return await connection.scalar(either) or 0

    async def _change(self, match: str, values: dict[str, object]) -> bool:
        ours = sa.and_(analyses.c.match == match, analyses.c.owner == self._owner, _IS_OPEN)
        changed = sa.update(analyses).where(ours).values(values).returning(analyses.c.match)
        async with self._database.writing() as connection:
            return await connection.scalar(changed) is not None

    @property
    def _next(self) -> sa.Select[Any]:
        """The newest match of the player whose last turn is longest ago. All players without an account are one: there
        may be ever new ones. A match is in turn when one of its two players is.
        """
        recent = _newest()
        player = sa.case((seats.c.rating.is_(None), "guests"), else_=seats.c.player).label("player")
        played = sa.select(seats.c.match, player).join(recent, recent.c.id == seats.c.match)
        brought = sa.select(collected.c.id, collected.c.player).join(recent, recent.c.id == collected.c.id)
        whose = sa.union_all(played, brought).cte()
        turn = sa.func.max(sa.func.coalesce(analyses.c.until_ms, 0)).label("turn")
        turns = (
            sa.select(whose.c.player, turn)
            .select_from(whose.outerjoin(analyses, analyses.c.match == whose.c.match))
            .group_by(whose.c.player)
            .subquery()
        )
        return (
            sa.select(recent.c.id)
            .join(whose, whose.c.match == recent.c.id)
            .join(turns, turns.c.player == whose.c.player)
            .outerjoin(analyses, analyses.c.match == recent.c.id)
            .where(sa.or_(analyses.c.match.is_(None), self._may_be_taken))
            .order_by(analyses.c.result.is_not(None), turns.c.turn, recent.c.ended_ms.desc(), recent.c.id.desc())
            .limit(1)
        )

    @property
    def _may_be_taken(self) -> sa.ColumnElement[bool]:
        return sa.and_(_IS_OPEN, analyses.c.until_ms < self._database.now_ms)

    @property
    def _soon(self) -> sa.ColumnElement[int]:
        return self._database.now_ms + self._claim_ms


def _newest() -> sa.Subquery:
    """The newest matches of each kind, as many as may wait."""
    kinds = (matches.c.id, matches.c.ended_ms), (collected.c.id, collected.c.added_ms)
    newest = (sa.select(*one).order_by(one[1].desc(), one[0].desc()).limit(QUEUE).subquery() for one in kinds)
    return sa.union_all(*map(sa.select, newest)).subquery()
