"""Challenges between players who are online, rematches among them."""

import asyncio
from collections.abc import Mapping

from tavla_protocol import messages as m

from tavla_client.channel import Channel
from tavla_client.match import Match
from tavla_client.match_request import give_up, request_match
from tavla_client.pairing import Pairing
from tavla_client.pledges import Pledges
from tavla_client.rules_request import asked_rules, whole_rules


class Challenges:
    """Challenges by us and to us. open: those that wait for an answer, by their ids.

    Raises, each request: Refused, ConnectionFailed.
    """

    def __init__(self, channel: Channel, pairing: Pairing, pledges: Pledges) -> None:
        self.open = pairing.challenges
        self._channel, self._pairing, self._pledges = channel, pairing, pledges

    async def send(
        self,
        player: str,
        rules: Mapping[str, bool | int | str] | None = None,
        side: m.Side = "either",
        *,
        seed: str | None = None,
    ) -> Match:
        """Challenge a player who is online, and wait for the answer, a minute at most. Cancel it to take it back.

        Raises: Refused, with the code `declined`, `withdrawn` or `expired` when nothing comes of it.
        """
        id_, commitment = self._channel.new_id(), self._pledges.make(seed, asked_rules(rules or {}), player)
        request = m.Challenge(id=id_, player=player, rules=dict(rules or {}), side=side, commitment=commitment)
        return await self._answered(request)

    async def rematch(self, match: str, *, seed: str | None = None) -> Match:
        """Another match like one that is over, if the opponent wants it too. Waits, and raises, as `send` does."""
        commitment = self._pledges.make(seed, *self._pairing.ended.get(match, ()))
        return await self._answered(m.Rematch(id=self._channel.new_id(), match=match, commitment=commitment))

    async def accept(self, challenge: str, *, seed: str | None = None) -> Match:
        """Accept one of `open`, and play."""
        challenged = self.open.get(challenge)
        asked = (whole_rules(challenged.rules), challenged.by) if challenged is not None else ()
        id_, commitment = self._channel.new_id(), self._pledges.make(seed, *asked)
        answer = m.Answer(id=id_, challenge=challenge, accept=True, commitment=commitment)
        return await request_match(self._channel, self._pledges, answer)

    async def decline(self, challenge: str) -> None:
        """Decline one of `open`."""
        await self._channel.request(m.Answer(id=self._channel.new_id(), challenge=challenge, accept=False))

    async def _answered(self, request: m.Challenge | m.Rematch) -> Match:
        try:
            return await request_match(self._channel, self._pledges, request)
        except asyncio.CancelledError:
            challenge = self._pairing.challenge_of(request)
            if challenge is not None:
                await give_up(self._channel, m.Withdraw(id=self._channel.new_id(), challenge=challenge))
            raise
