"""A pool of puzzles: decisions of the newest public matches with one right answer, by theme and level.

It follows from the archive and the date, as the position of the day does. Players and puzzles are rated against each
other by the formula of matches, as if a puzzle were a match of POINTS: a right answer is a win.
"""

import asyncio
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from tavla_engine.match import Match
from tavla_engine.xgid import parse_xgid
from tavla_protocol.messages import PuzzleLevel

from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.judgement import JudgedPuzzle, Judgement
from tavla_server.record.rating import START_RATING, Standing, rating_delta
from tavla_server.store import keys
from tavla_server.store.client import Client, text

MATCHES = 500  # the newest: 4,000 puzzles at most, some 2 MB on each node
ANSWERS = 10_000  # of a player that are remembered: more than two pools have puzzles
POINTS = 25  # of the match that a puzzle is like: 400 points of rating are ten to one, as in chess
EXPERIENCE = 10  # by an answer: after 40 of them a rating is settled
SETTLED = 400  # the experience of a puzzle, whose first rating is known from its margin
HARDEST, EASIEST, BY_EQUITY = 1800.0, 1200.0, 2000.0  # the first rating: a margin of 0.1 makes 1600
LEVELS: Mapping[PuzzleLevel, tuple[float, float]] = {"easy": (0, 1400), "medium": (1400, 1600), "hard": (1600, 9999)}


class PooledPuzzle(NamedTuple):
    """A puzzle of the pool. key: its name, from which nobody learns its match. by: the judge. rating: the first one."""

    key: str
    match: str
    judged: JudgedPuzzle
    by: str
    rating: float

    @property
    def at(self) -> Match:
        """The match before the decision."""
        return parse_xgid(self.judged.xgid)


class PuzzlePool:
    """The pool of a day, and the one before: what was shown before midnight can still be answered."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._pools: list[tuple[str, dict[str, PooledPuzzle]]] = []
        self._filling = asyncio.Lock()

    async def fill(self, day: str, midnight_ms: int) -> dict[str, PooledPuzzle]:
        """The puzzles of a day, by key: of matches that were judged before it began. Raises: ArchiveUnavailable."""
        async with self._filling:
            if not self._pools or self._pools[-1][0] != day:
                judged = await self._archive.newest_judgements(midnight_ms, MATCHES)
                pool = await asyncio.to_thread(lambda: {one.key: one for one in _puzzles(judged)})
                self._pools = [*self._pools[-1:], (day, pool)]
            return self._pools[-1][1]

    def find(self, key: str) -> PooledPuzzle | None:
        """A puzzle of today or yesterday."""
        return next((pool[key] for _, pool in self._pools if key in pool), None)


def _puzzles(judged: Sequence[tuple[str, str]]) -> Iterator[PooledPuzzle]:
    for match, result in judged:
        judgement = msgspec.json.decode(result, type=Judgement)
        for one in judgement.puzzles:
            key = hashlib.sha256(repr((match, *one.finding[:4])).encode()).hexdigest()[:12]
            rating = max(HARDEST - BY_EQUITY * one.margin, EASIEST)
            yield PooledPuzzle(key, match, one, judgement.by, rating)


class PuzzleRatings:
    """The ratings of players at puzzles, and of the puzzles. All methods raise StoreUnavailable."""

    def __init__(self, redis: Client) -> None:
        self._redis = redis
        self._answer = redis.script("answer_puzzle")

    async def of_puzzles(self, puzzles: Mapping[str, PooledPuzzle]) -> dict[str, float]:
        """The ratings of the puzzles of a pool, by key. Those of others are forgotten."""
        moved = {text(key): float(change) for key, change in (await self._redis.fields(keys.PUZZLE_CHANGES())).items()}
        if gone := moved.keys() - puzzles.keys():
            await self._redis.hdel(keys.PUZZLE_CHANGES(), *gone)
        return {key: one.rating + moved.get(key, 0.0) for key, one in puzzles.items()}

    async def of_player(self, player: str) -> Standing:
        """The rating of a player, and its experience."""
        change, answers = await self._redis.hmget(keys.PLAYER(player), ("puzzled", "puzzles"))
        return Standing(START_RATING + float(change or 0), EXPERIENCE * int(answers or 0))

    async def keys_of(self, player: str) -> set[str]:
        """The keys of the puzzles that a player has answered."""
        return {text(key) for key in await self._redis.zrange(keys.PLAYER_PUZZLES(player), 0, -1)}

    async def answer(self, player: str, puzzle: PooledPuzzle, is_right: bool, now_ms: int) -> float:
        """Count a player's answer, once. Returns: the change of the player's rating; 0 = it was counted before."""
        own, moved = await self.of_player(player), await self._redis.hget(keys.PUZZLE_CHANGES(), puzzle.key)
        other = Standing(puzzle.rating + float(moved or 0), SETTLED)
        change = rating_delta(own, other, POINTS, is_right)
        both = [keys.PLAYER(player), keys.PLAYER_PUZZLES(player)]
        if not await self._answer(keys=both, args=[puzzle.key, now_ms, ANSWERS, repr(change)]):
            return 0.0
        back = rating_delta(other, own, POINTS, not is_right)
        await self._redis.hincrbyfloat(keys.PUZZLE_CHANGES(), puzzle.key, back)
        return change
