"""A player over plain WebSockets who comes back however often the connection is lost."""

import asyncio
from collections.abc import Callable
from typing import Any

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import View

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import LOST, RETRY_S, Player, Received, unique


class Returning(Player):
    """A player who comes back however often the connection is lost, with what was seen, and repeats what was asked.

    returns: how often that was.
    """

    returns = 0

    async def begin(self, other: "Returning", rules: dict[str, bool | int | str]) -> str:
        """Open a table that the other one joins; the match id. A maker who is gone meanwhile opens another one."""
        while True:
            snapshot = await self.insist(m.Create, name=unique("t"), rules=rules)
            assert isinstance(snapshot, m.Snapshot), snapshot
            joined = await other.insist(m.Join, table=snapshot.match)
            if isinstance(joined, m.Snapshot):
                return snapshot.match
            assert isinstance(joined, m.Error), joined
            assert joined.code in (ErrorCode.NOT_ONLINE, ErrorCode.TABLE_FULL), joined

    async def insist(self, request: type[m.RequestBase], **fields: Any) -> Received:
        """Send a request until it is answered, always under the same id; later where the answer says when."""
        fields["id"] = self.new_id()
        if issubclass(request, m.MatchAction) and fields["match"] in self.matches:
            await self.start(request, fields["match"])
        while True:
            try:
                answer = await self.ask(request, **fields)
                if isinstance(answer, m.Error) and answer.code == ErrorCode.UNAVAILABLE:
                    await asyncio.sleep(RETRY_S)
                elif isinstance(answer, m.Error) and answer.retry_after:
                    await asyncio.sleep(answer.retry_after)
                else:
                    return answer
            except TimeoutError:
                raise
            except LOST:
                await self.come_back()

    async def sees_it_begin(self, match: str) -> None:
        """Wait until we see the first game, or that there is none, however often the connection is lost meanwhile.

        What was seen on a connection that is lost may be another past: a restored backup begins the match anew.
        """
        if not self.is_open:
            await self.come_back()
        assert await self.reached(match, lambda view: view.game > 0 or view.phase == "over", PATIENCE_S)

    async def reached(self, match: str, wanted: Callable[[View], bool], timeout_s: float) -> bool:
        """True if a match comes to what is wanted in time, however often the connection is lost meanwhile.

        To come back takes the time that it takes: begun anew every time, it would never end on a busy machine.
        """
        end_s = asyncio.get_running_loop().time() + timeout_s
        while not wanted(self.matches[match].view):
            try:
                async with asyncio.timeout_at(end_s):
                    await self.receive()
            except TimeoutError:
                return False
            except LOST:
                await self.come_back()
        return True

    async def come_back(self) -> None:
        """Connect as soon as possible and attach to every match with what we have."""
        self.returns += 1
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    if self.token is None:
                        self.name = unique("p")  # the old one is taken, if it was our welcome that was lost
                    await self.open()
                    for seen in self.matches.values():
                        answer = await self.ask(m.Attach, table=seen.match, **seen.have())
                        if isinstance(answer, m.Error):
                            raise ConnectionError(answer.text)
                    return
                except LOST:
                    await asyncio.sleep(RETRY_S)


async def come_back(player: Player, match: str, **have: int) -> list[Received]:
    """Messages that a new connection of the player gets for attaching with what it has."""
    assert player.token is not None
    async with Player(player.url, token=player.token) as again:
        again.matches[match] = player.matches[match]
        seen = len(again.log)
        await again.ask(m.Attach, table=match, **have)
        await again.sync()
    at_any_time = m.Presence | m.Listing | m.Heartbeat | m.Watchers | m.Seated
    return [message for message in again.log[seen:] if not isinstance(message, at_any_time)]
