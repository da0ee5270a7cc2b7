"""Renewal of the tokens in use; a connection whose token was revoked elsewhere is found by it, and closed."""

from itertools import cycle

from tavla_protocol.codes import CloseCode

from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.leaving.merges import merge_sentence
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.keepalive import Keepalive

TOKENS_AT_ONCE = 50  # looked up in one round trip; each takes 5 to 10 us
RENEWALS = 10  # parts of a round in which all tokens are renewed: those of 10,000 clients at once take 0.1 s


class TokenRenewal:
    """The renewal of tokens, a part of them at a time."""

    def __init__(self, accounts: Accounts, keepalive: Keepalive[Connection]) -> None:
        self._accounts, self._keepalive = accounts, keepalive
        self._parts = cycle(range(RENEWALS))

    async def sweep(self) -> None:
        """Renew tokens in use, the next part of them; close the connections whose token is revoked.

        Raises: StoreUnavailable.
        """
        part = self._keepalive.part(next(self._parts), RENEWALS)
        known = [connection for connection in part if connection.player.id]
        for start in range(0, len(known), TOKENS_AT_ONCE):
            await self._renew(known[start : start + TOKENS_AT_ONCE])

    async def _renew(self, connections: list[Connection]) -> None:
        held = [(connection.player, connection.token) for connection in connections]
        for connection, good in zip(connections, await self._accounts.tokens.renew(held), strict=True):
            if good:
                continue
            # The order to send it away comes after the merge, or never, if the operator's command was killed.
            if (now := await self._accounts.heirs.of_token(connection.token)) is None:
                connection.log_out()
            else:
                connection.end(CloseCode.REMOVED, merge_sentence(now))
