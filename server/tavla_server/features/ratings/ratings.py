"""Players' ratings in Redis: changed exactly once by each result, with a history and a leaderboard.

What results change stands in their match's record (`rating.Tally`), as totals since the players sat down. Beside each
player's rating stands which total of each match is in it already, and the difference is added. So the same tally may be
applied any number of times, by any node, after any death; and a later one makes up for one that was missed. When both
players have the last total of a match, the match itself says so, and what stands beside the ratings may go some day.
"""

import asyncio
from collections.abc import Iterable

from tavla_protocol.messages import Career, Result

from tavla_server.features.accounts.accounts import read_player
from tavla_server.limits import DEFAULT_LIMITS, Limits
from tavla_server.player import Player
from tavla_server.record.rating import START_RATING
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.client import Client, text

SURE_MS = 24 * 3600 * 1000  # longer than any apply in flight
PRUNED = 5  # old matches looked at when one is over: more than are added

BOARD = [keys.TOP_RATINGS(), keys.TOP_CHANGES()]


class Ratings:
    """Ratings: the consequences of results, in the players' own keys and the leaderboard's."""

    def __init__(self, redis: Client, limits: Limits = DEFAULT_LIMITS) -> None:
        self._redis, self._limits = redis, limits
        self._apply, self._rank = redis.script("apply_tally"), redis.script("rank_player")
        self._read = redis.script("read_career")

    async def apply(self, record: Record, time_ms: int) -> None:
        """Bring both players' ratings up to date with a table's tally. time_ms: of its last result."""
        await asyncio.gather(*(self.apply_to(record, seat, time_ms) for seat in (0, 1)))

    async def apply_to(self, record: Record, seat: int, time_ms: int) -> None:
        """Bring one player's rating up to date, and forget what is no longer needed of older matches."""
        player, opponent = record.players[seat], record.players[1 - seat]
        assert player is not None, "both have played"
        assert opponent is not None, "both have played"
        (results, changes, experience), score = record.tally, record.match.score
        rest = " ".join(map(str, (time_ms, record.match.rules.length, score[seat], score[1 - seat], opponent.name)))
        args: list[str | int] = [record.id, results, repr(changes[seat]), experience, rest]
        names = career_keys(player.id)
        changed = await self._apply(keys=names, args=[*args, self._limits.career, PRUNED if record.over else 0])
        if changed is None:
            return
        rating, changes, opponents, old, lines = changed
        is_ranked = int(opponents >= self._limits.opponents)
        await self._rank(keys=BOARD, args=[player.id, rating, changes, is_ranked])
        for match, line in zip(map(text, old), lines, strict=True):
            if line is None or time_ms - result_of(match, text(line)).time >= SURE_MS:
                await self._forget(player.id, match)

    async def _forget(self, player: str, match: str) -> None:
        """Forget a match that is no longer shown and, if it is done with, what it did to the rating."""
        _, rated, history = career_keys(player)
        done, log = await self._redis.all_of([("EXISTS", key(match)) for key in (keys.MATCH_RATED, keys.MATCH_LOG)])
        if done or not log:  # no node will apply its tally again
            await self._redis.hdel(rated, match)
        await self._redis.lrem(history, -1, match)

    async def career(self, player: Player) -> Career:
        """A player's profile as of now. id: 0."""
        reply = await self._read(keys=career_keys(player.id), args=[self._limits.career])
        (kind, rating, *counts, puzzled), matches, lines = reply
        experience, void, seeded, left, begun, puzzles = (int(count or 0) for count in counts)
        return Career(
            id=0,
            name=player.name,
            kind=text(kind) if kind else player.kind,
            rating=rounded_rating(float(rating) if rating else None),
            experience=experience,
            results=[result_of(text(match), text(line)) for match, line in zip(matches, lines, strict=True) if line],
            unrevealed=(void, seeded),
            left=(left, begun),
            puzzles=round(START_RATING + float(puzzled or 0)) if puzzles else None,
        )

    async def leaders(self) -> list[Player]:
        """The players with the highest ratings who have met enough opponents, the best first."""
        ids = [text(player) for player in await self._redis.zrevrange(BOARD[0], 0, self._limits.leaders - 1)]
        players = await asyncio.gather(*(read_player(self._redis, id_) for id_ in ids))
        return [player for player in players if player is not None]


def rounded_rating(rating: float | None) -> float | None:
    """A rating as it is shown."""
    return None if rating is None else round(rating, 2)


def line_of(results: int, change: float, experience: int, rating: float, rest: Iterable[object]) -> str:
    """A match's line in `keys.PLAYER_RATED`. rest: time in ms, length, own points, the other's, opponent."""
    return " ".join([str(results), repr(change), str(experience), repr(rating), *map(str, rest)])


def result_of(match: str, line: str) -> Result:
    """A match, read from such a line."""
    _, change, _, rating, time_ms, length, own, others, opponent = line.split()
    return Result(
        match=match,
        time=int(time_ms),
        opponent=opponent,
        length=int(length),
        score=(int(own), int(others)),
        change=round(float(change), 2),
        rating=round(float(rating), 2),
    )


def career_keys(player: str) -> list[str]:
    """The player's hash, rated and history: what a script that changes a rating wants."""
    return [keys.PLAYER(player), keys.PLAYER_RATED(player), keys.PLAYER_HISTORY(player)]
