"""The friend whom a rigged server helps: a scripted player, who minds nothing and plays on.

In asyncio: `async with Friend(url, "skip") as helped`, then `open_table`, `seek` or `join`, and `play_on`. Beside a
page or a terminal: `with friend_at_table(url, "skip") as match:`, in a thread of its own.
"""

import asyncio
import contextlib
import random
import secrets
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

from tavla_engine.dice import commitment
from tavla_protocol import messages as m
from tavla_protocol.codec import decode_reply
from tavla_protocol.view import View

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import LOST, Player, Received
from tests.support.servers.rigged.server import friend

ONE_POINT: dict[str, bool | int | str] = {"preset": "tournament", "length": 1}
SHORT = {**ONE_POINT, "variant": "hypergammon"}


class Friend(Player):
    """A player who commits to seeds, reveals them, and plays at random."""

    def __init__(self, url: str, mode: str) -> None:
        super().__init__(url, friend(mode))
        self._seed = secrets.token_hex(32)
        self._rng = random.Random(mode)

    @property
    def commitment(self) -> str:
        """To the seed of all matches of this player."""
        return commitment(bytes.fromhex(self._seed))

    async def open_table(self, rules: dict[str, bool | int | str] = ONE_POINT, **create: Any) -> str:
        """Open a table, as white unless told otherwise; the match."""
        terms = {"side": "white", **create}
        snapshot = await self.get(m.Snapshot, m.Create, rules=rules, commitment=self.commitment, **terms)
        return snapshot.match

    async def join(self, table: str, code: str = "") -> str:
        """Sit down at a table, as soon as there is one; the match."""
        seat = {"table": table, "code": code, "commitment": self.commitment}
        async with asyncio.timeout(PATIENCE_S):
            while not isinstance(snapshot := await self.ask(m.Join, **seat), m.Snapshot):
                pass
        return snapshot.match

    async def seek(self, rules: dict[str, bool | int | str] = ONE_POINT) -> str:
        """Wait for an opponent; the match."""
        await self.get(m.Ok, m.Seek, rules=rules, commitment=self.commitment)
        match = (await self.next(m.Matched)).match
        await self.find(lambda message: isinstance(message, m.Snapshot) and message.match == match)
        return match

    async def play_on(self, match: str) -> View:
        """Reveal what is asked for, and play to the end; the last view."""
        seat = self.matches[match].seat
        view = await self.until(match, lambda view: view.phase != "open")
        if seat in view.unrevealed and view.phase != "over":
            await self.ask(m.Reveal, match=match, seq=self.matches[match].seq, seed=self._seed)
        return await self.play(match, self._rng)


class Blunt(Friend):
    """A friend who takes in no view, so that none can be wrong: it opens a table, and gives up when play begins."""

    async def receive(self) -> Received:
        """Read one frame."""
        message = decode_reply(await self.socket.recv(decode=False))
        self.inbox.append(message)
        return message

    async def give_up(self, match: str) -> None:
        """Reveal as soon as that can be, and forfeit then."""
        for request, facts in ((m.Reveal, {"seed": self._seed, "binding": "00" * 32}), (m.Forfeit, {})):
            while not isinstance(await self.ask(request, match=match, seq=0, **facts), m.Ok):
                await self.next(m.Update)


@contextlib.contextmanager
def friend_at_table(
    url: str, mode: str, rules: dict[str, bool | int | str] = ONE_POINT, table: str = "", code: str = ""
) -> Iterator[str]:
    """A friend who has opened a table and plays the victim who sits down there; the match. table, code: of a table that
    the victim has opened, if the friend is to sit down there.
    """
    opened: Future[str] = Future()
    lost: list[str] = []
    left = threading.Event()
    seat = {"table": table, "code": code} if table else {"rules": rules}
    playing = _play_at_table(url, mode, seat, opened, left, lost)
    thread = threading.Thread(target=asyncio.run, args=(playing,), daemon=True)
    thread.start()
    try:
        yield opened.result(PATIENCE_S)
    finally:
        left.set()
        thread.join(PATIENCE_S)
        assert not lost, f"the friend stopped playing: {lost}"


async def _play_at_table(
    url: str, mode: str, seat: dict[str, Any], opened: Future[str], left: threading.Event, lost: list[str]
) -> None:
    """lost: takes up why the friend could not play on, while the test did."""
    async with Friend(url, mode) as helped:
        match = await (helped.join(**seat) if "table" in seat else helped.open_table(**seat))
        playing = asyncio.create_task(helped.play_on(match))
        opened.set_result(match)
        await asyncio.to_thread(left.wait)
        if playing.done() and not playing.cancelled() and (error := playing.exception()):
            lost.append(repr(error))
        playing.cancel()
        with contextlib.suppress(asyncio.CancelledError, TimeoutError, *LOST):
            await playing
