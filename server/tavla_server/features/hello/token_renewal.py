"""Renewal of the tokens in use; a connection whose token was revoked elsewhere is found by it, and closed."""

import asyncio
from itertools import cycle

import structlog
from tavla_protocol.codes import CloseCode

from tavla_server.errors import StoreUnavailable
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.leaving.merges import merge_sentence
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.keepalive import Keepalive

TOKENS_AT_ONCE = 50  # looked up in one round trip; each takes 5 to 10 us
RENEWALS = 10  # parts of a round in which all tokens are renewed: those of 10,000 clients at once take 0.1 s

log = structlog.get_logger()


class TokenRenewal:
    """The renewal of tokens, a part of them at a time."""

    def __init__(self, accounts: Accounts, keepalive: Keepalive[Connection], every_s: float) -> None:
        """every_s: a round of all."""
        self._accounts, self._keepalive, self._every_s = accounts, keepalive, every_s

    async def run(self) -> None:
        """Renew the tokens in use; close the connections whose token is revoked. Runs until it is cancelled."""
        for part in cycle(range(RENEWALS)):
            await asyncio.sleep(self._every_s / RENEWALS)
            known = [connection for connection in self._keepalive.part(part, RENEWALS) if connection.player.id]
            try:
                for start in range(0, len(known), TOKENS_AT_ONCE):
                    await self._renew(known[start : start + TOKENS_AT_ONCE])
            except StoreUnavailable as error:
                log.warning("tokens_not_renewed", error=str(error))

    async def _renew(self, connections: list[Connection]) -> None:
        held = [(connection.player, connection.token) for connection in connections]
        for connection, good in zip(connections, await self._accounts.renew(held), strict=True):
            if good:
                continue
            # The order to send it away comes after the merge, or never, if the operator's command was killed.
            if (now := await self._accounts.become_of(connection.token)) is None:
                connection.log_out()
            else:
                connection.end(CloseCode.REMOVED, merge_sentence(now))
