"""Moderation: reports, sanctions and verdicts. The server refuses them to all but moderators."""

from typing import Literal

from tavla_protocol import messages as m

from tavla_client.channel import Channel


class Moderation:
    """Moderation: the powers of a moderator. Each decision has a reason, which the server keeps.

    Raises, each request: Refused, ConnectionFailed.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def reports(
        self, about: str | None = None, by: str | None = None, *, closed: bool = False, after: str | None = None
    ) -> m.Reported:
        """A page of open reports, or of closed ones, the newest first. after: `next` of the page before."""
        request = m.Reports(id=self._channel.new_id(), about=about, by=by, closed=closed, after=after)
        return await self._channel.ask(request, m.Reported)

    async def resolve(self, report: str, reason: str) -> None:
        """Close a report. reason: what was decided; it is kept with the report."""
        await self._channel.request(m.Resolve(id=self._channel.new_id(), report=report, reason=reason))

    async def inspect(self, player: str) -> m.Inspected:
        """Facts about a player, for a decision."""
        return await self._channel.ask(m.Inspect(id=self._channel.new_id(), player=player), m.Inspected)

    async def sanction(
        self,
        player: str,
        what: Literal["kick", "mute", "ban"],
        reason: str,
        *,
        minutes: int = 60,
        addresses: bool = False,
    ) -> None:
        """Kick, mute or ban a player. addresses: those from which the player is connected now, too."""
        request = m.Sanction(
            id=self._channel.new_id(), player=player, what=what, reason=reason, minutes=minutes, addresses=addresses
        )
        await self._channel.request(request)

    async def pardon(self, player: str, what: Literal["mute", "ban"], reason: str) -> None:
        """End a mute or a ban."""
        await self._channel.request(m.Pardon(id=self._channel.new_id(), player=player, what=what, reason=reason))

    async def adjudicate(self, match: str, verdict: m.Verdict, reason: str) -> None:
        """End a match, by its id or its table, for a side; or void it."""
        await self._channel.request(
            m.Adjudicate(id=self._channel.new_id(), match=match, verdict=verdict, reason=reason)
        )
