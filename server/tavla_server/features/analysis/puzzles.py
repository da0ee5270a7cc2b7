"""The position of the day, puzzles by theme and level, and what is chosen there."""

import secrets

from msgspec.structs import replace
from tavla_engine.xgid import xgid
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.feature import Feature
from tavla_server.features.analysis.daily import Daily, choice_of, day_of
from tavla_server.features.analysis.pool import LEVELS, PooledPuzzle, PuzzlePool, PuzzleRatings
from tavla_server.features.archive.archive import Archive
from tavla_server.features.records.records import PAGES
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.routes import Route, by_account_or_address
from tavla_server.player import Player


class Puzzles(Feature):
    """The puzzle of each day, and others. archive: None = there are no matches to take one from."""

    def __init__(self, core: Core, archive: Archive | None) -> None:
        self._core = core
        self._daily = None if archive is None else Daily(core.redis, archive, core.clock)
        self._pool = None if archive is None else PuzzlePool(archive)
        self._ratings = PuzzleRatings(core.redis)
        self.routes = (
            Route(m.Daily, self.daily, PAGES, is_open=True),
            Route(m.Solve, self.solve, PAGES, is_open=True, cost=costs.A_LOOK),
        )

    async def daily(self, connection: Connection, request: m.Daily) -> None:
        """The position of the day; to a choice, what it was worth, and what others have chosen."""
        found = self._daily
        if found is None:
            raise _no_archive()
        day, problem = await found.today()
        position = m.Puzzle(id=request.id, day=day, xgid="" if problem is None else xgid(problem.at))
        if problem is not None and request.choice:
            choices = await found.choose(problem, by_account_or_address(connection, request), request.choice)
            _, match, _, finding, by = problem
            position = replace(position, choices=choices, match=match, finding=finding, by=by)
        connection.send(position)

    async def solve(self, connection: Connection, request: m.Solve) -> None:
        """A puzzle that was not answered yet; or to an answer, what was best. An account's first answer is rated."""
        if self._pool is None:
            raise _no_archive()
        day, midnight_ms = day_of(self._core.clock)
        puzzles = await self._pool.fill(day, midnight_ms)
        if request.puzzle:
            puzzle = self._pool.find(request.puzzle)
            if puzzle is None:
                raise Refused(ErrorCode.NO_SUCH_MATCH, "this puzzle is not asked any more: ask for another one")
            connection.send(await self._answered(day, connection, request, puzzle))
            return
        ratings = await self._ratings.of_puzzles(puzzles)
        low, high = LEVELS[request.level] if request.level else (0, 9999)
        fit = {
            key: one
            for key, one in puzzles.items()
            if request.theme in ("", one.judged.theme) and low <= ratings[key] < high
        }
        own, puzzle = None, await self._next(connection.player, fit, ratings)
        if _is_rated(connection.player):
            own = round((await self._ratings.of_player(connection.player.id)).rating), 0
        found = m.Puzzle(id=request.id, day=day, own=own)
        if puzzle is not None:
            key, theme, at = puzzle.key, puzzle.judged.theme, puzzle.judged.xgid
            found = replace(found, xgid=at, puzzle=key, theme=theme, rating=round(ratings[key]))
        connection.send(found)

    async def _next(
        self, player: Player, fit: dict[str, PooledPuzzle], ratings: dict[str, float]
    ) -> PooledPuzzle | None:
        """An account's next one is that nearest to its rating, and stays so until it is answered."""
        if not _is_rated(player):
            return fit[secrets.choice(list(fit))] if fit else None
        own = (await self._ratings.of_player(player.id)).rating
        new = fit.keys() - await self._ratings.keys_of(player.id)
        if not new:
            return None
        return fit[min(new, key=lambda key: (abs(ratings[key] - own), key))]

    async def _answered(self, day: str, connection: Connection, request: m.Solve, puzzle: PooledPuzzle) -> m.Puzzle:
        """The worth of an answer. Raises: Refused."""
        at, finding, player, own = puzzle.at, puzzle.judged.finding, connection.player, None
        is_right = choice_of(at, finding.done, request.choice) == choice_of(at, finding.done, finding.best)
        if _is_rated(player):
            await self._core.quotas.take("puzzles", player.id, self._core.limits.puzzles)
            change = await self._ratings.answer(player.id, puzzle, is_right, self._core.clock.now_ms())
            own = round((await self._ratings.of_player(player.id)).rating), round(change)
        return m.Puzzle(
            id=request.id,
            day=day,
            xgid=puzzle.judged.xgid,
            match=puzzle.match,
            finding=finding,
            by=puzzle.by,
            puzzle=puzzle.key,
            theme=puzzle.judged.theme,
            own=own,
            right=is_right,
        )


def _is_rated(player: Player) -> bool:
    return player.kind == "account"


def _no_archive() -> Refused:
    return Refused(ErrorCode.NO_ARCHIVE, "this server keeps no finished matches to take a position from")
