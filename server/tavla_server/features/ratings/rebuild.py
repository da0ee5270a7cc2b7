"""Ratings, histories and the leaderboard, rebuilt from rated matches.

The archive has what was. What is not there yet, since it is being played or waits to be archived, stands in the
players' own keys and stays. Servers may run meanwhile: if a rating changes while it is
made, it is made once more.
"""

from typing import NamedTuple

from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.rows import RatingChange
from tavla_server.features.archive.summary import NOBODY
from tavla_server.features.ratings.ratings import BOARD, career_keys, line_of, result_of
from tavla_server.limits import DEFAULT_LIMITS
from tavla_server.record.rating import START_RATING
from tavla_server.store import keys
from tavla_server.store.client import Client, text

AT_ONCE = 500  # matches read from the archive in one piece


class RebuildCounts(NamedTuple):
    """The counts of a rebuild: numbers of ratings made, of matches, and of players who were not in the store."""

    players: int
    matches: int
    restored: int


class Rebuild:
    """A rebuild reads the archive once, then writes one player after the other."""

    def __init__(self, redis: Client, archive: Archive) -> None:
        self._redis, self._archive = redis, archive
        self._rebuild, self._rank = redis.script("rebuild_career"), redis.script("rank_player")

    async def run(self) -> RebuildCounts:
        """Do it. Raises: ArchiveUnavailable, StoreUnavailable. Run it again then."""
        changes, matches = await self._changes()
        restored = 0
        for player, own in changes.items():
            if not await self._redis.exists(keys.PLAYER_CLOSED(player), keys.PLAYER_MERGED(player)):
                restored += await self._write(player, own)
        return RebuildCounts(len(changes), matches, restored)

    async def _changes(self) -> tuple[dict[str, list[RatingChange]], int]:
        """Changes of ratings by player, the oldest first; and the number of matches."""
        found: dict[str, list[RatingChange]] = {}
        after, count = (0, ""), 0
        while some := await self._archive.changes(after, AT_ONCE):
            for change in some:
                found.setdefault(change.player, []).append(change)
            after, count = (some[-1].ended_ms, some[-1].match), count + len(some) // 2
        found.pop(NOBODY, None)
        return found, count

    async def _write(self, player: str, own: list[RatingChange]) -> bool:
        """True if the player was missing. What was played by another name, before the two were merged, changes none."""
        merged = {text(name) for name in await self._redis.hvals(keys.PLAYER_NAMES(player))}
        own = [change._replace(change=0.0) if change.name in merged else change for change in own]
        while True:
            known = await self._redis.fields(keys.PLAYER_RATED(player))
            before = await self._redis.hget(keys.PLAYER(player), "changes")
            number = 1 + max(int(before or 0), int(await self._redis.hget(BOARD[1], player) or 0))
            archived = {change.match for change in own}
            others = {text(match): line.decode() for match, line in known.items() if text(match) not in archived}
            lines = _lines(own, others)
            rating, experience, opponents = _totals(lines)
            last = [part for pair in [*lines.items()][-DEFAULT_LIMITS.career :] for part in pair]
            args = [before or b"", own[-1].name, own[-1].kind, repr(rating), experience, number, *last]
            missing = await self._rebuild(keys=career_keys(player), args=args)
            if missing is not None:
                break
        is_ranked = int(opponents >= DEFAULT_LIMITS.opponents)
        await self._rank(keys=BOARD, args=[player, repr(rating), number, is_ranked])
        if missing:
            await self._redis.set(keys.NAME(own[-1].name.lower()), player, nx=True)
        return bool(missing)


def _lines(own: list[RatingChange], others: dict[str, str]) -> dict[str, str]:
    """The lines of `keys.PLAYER_RATED`, the oldest first. others: of matches that are not archived."""
    rating, lines = START_RATING, {}
    for change in own:
        rating += change.change
        rest = change.ended_ms, change.length, *change.score, change.opponent
        lines[change.match] = line_of(change.results, change.change, change.experience, rating, rest)
    return lines | dict(sorted(others.items(), key=lambda line: result_of(*line).time))


def _totals(lines: dict[str, str]) -> tuple[float, int, int]:
    """The rating and the experience that all of them come to, and the number of opponents who have moved it."""
    changes = [line.split() for line in lines.values()]
    rating = START_RATING + sum(float(words[1]) for words in changes)
    opponents = {words[-1] for words in changes if float(words[1])}
    return rating, sum(int(words[2]) for words in changes), len(opponents)
