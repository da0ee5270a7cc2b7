"""Archive: matches and players as the server remembers them."""

from collections.abc import AsyncIterator
from functools import partial

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_client.channel import Channel
from tavla_client.errors import Refused
from tavla_client.record import ask_patiently, fetch, pages

TRIES = 3  # to send a match whose pieces were lost with a connection
PIECE = 3072  # bytes of a match in a file that one message has, at most


class Archive:
    """The archive: matches that were played, and the ratings that came of them.

    Raises, each request: Refused, ConnectionFailed.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def history(self, name: str | None = None) -> AsyncIterator[m.Finished]:
        """Matches that a player has finished, newest first; our own without a name.

        They are asked for page by page, as fast as the server allows: stop when you have enough. Raises: ClientError,
        for pages that have no end.
        """
        async for page in pages(self._channel, m.History(id=self._channel.new_id(), name=name), m.Played):
            for match in page.matches:
                yield match

    async def record(self, match: str, *, after: int = 0, code: str = "") -> m.Recorded:
        """All events of a match so far, finished or live, from its start. code: a private table's.

        after: only what came later than this seq; the view is left out then.
        """
        return await fetch(self._channel, match, after, code)

    async def profile(self, name: str) -> m.Career:
        """A player's rating, experience, and rated results."""
        return await self._channel.ask(m.Profile(id=self._channel.new_id(), name=name), m.Career)

    async def fair_play(self, name: str | None = None) -> m.Figures:
        """Figures of how an account plays: our own without a name; of others, for moderators."""
        return await self._channel.ask(m.FairPlay(id=self._channel.new_id(), name=name), m.Figures)

    async def top(self) -> list[m.Leader]:
        """Players with the highest ratings."""
        return (await self._channel.ask(m.Top(id=self._channel.new_id()), m.Leaders)).leaders

    async def dice(self) -> m.Rolls:
        """Counts of the dice in all matches of the server's archive; `tavla_engine.fairness` has their bounds."""
        return await self._channel.ask(m.Dice(id=self._channel.new_id()), m.Rolls)

    async def look_deeper(self, match: str, finding: m.Finding, code: str = "") -> m.DeeperLook:
        """A deeper look at a decision of a match that is over, some seconds later, by the finding that names it."""
        game, turn, seat, done, *_ = finding
        id_ = self._channel.new_id()
        request = m.LookDeeper(id=id_, match=match, game=game, turn=turn, seat=seat, done=done, code=code)
        return await self._channel.ask(request, m.DeeperLook)

    async def collect(self, data: bytes, name: str = "", seat: int | None = None) -> m.CollectedMatch:
        """Add a match in a file to our collection. data: `tavla_protocol.file_match.pack`. name: of the file.

        seat: which player we are; None = neither. It is sent as fast as the server allows, and anew when the connection
        was lost amid it.
        """
        for left in reversed(range(TRIES)):
            try:
                return await _collect(self._channel, data, name, seat)
            except Refused as refused:
                if refused.code != ErrorCode.STALE or not left:
                    raise
        raise AssertionError("the last try returns or raises")

    async def collection(self) -> AsyncIterator[m.CollectedMatch]:
        """Matches of our collection, newest first; as `history`."""
        async for page in pages(self._channel, m.Collection(id=self._channel.new_id()), m.Collected):
            for match in page.matches:
                yield match

    async def collection_match(self, match: str) -> m.CollectedFile:
        """A match of our collection, with what the server's judge has found."""
        return await self._channel.ask(m.ReadCollected(id=self._channel.new_id(), match=match), m.CollectedFile)

    async def discard(self, match: str) -> None:
        """Take a match out of our collection, for good."""
        await self._channel.ask(m.Discard(id=self._channel.new_id(), match=match), m.Ok)

    async def daily(self, choice: str = "") -> m.Puzzle:
        """The position of the day, as an XGID; `tavla_engine.xgid` reads it.

        choice: a play as it is written, or `double`, `no double`, `take`, `drop`. It counts, and what was best is told.
        """
        return await self._channel.ask(m.Daily(id=self._channel.new_id(), choice=choice), m.Puzzle)

    async def puzzle(self, theme: m.AnyTheme = "", level: m.AnyPuzzleLevel = "") -> m.Puzzle:
        """A puzzle, of a theme and a level; "" = of any. An account is asked the same until it has answered."""
        return await self._channel.ask(m.Solve(id=self._channel.new_id(), theme=theme, level=level), m.Puzzle)

    async def answer_puzzle(self, puzzle: str, choice: str) -> m.Puzzle:
        """Answer a puzzle by its key; an account's first answer changes its rating. choice: as of `daily`."""
        return await self._channel.ask(m.Solve(id=self._channel.new_id(), puzzle=puzzle, choice=choice), m.Puzzle)


async def _collect(channel: Channel, data: bytes, name: str, seat: int | None) -> m.CollectedMatch:
    pieces = [data[at : at + PIECE] for at in range(0, len(data), PIECE)]
    piece_of = partial(m.Collect, pieces=len(pieces), name=name, seat=seat)
    for number, piece in enumerate(pieces[:-1]):
        await ask_patiently(channel, piece_of(id=channel.new_id(), piece=number, data=piece), m.Ok)
    last = piece_of(id=channel.new_id(), piece=len(pieces) - 1, data=pieces[-1])
    return (await ask_patiently(channel, last, m.Collected)).matches[0]
