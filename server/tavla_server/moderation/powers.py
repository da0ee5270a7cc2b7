"""What moderators and operators can do. Each use is written down first; then it holds on all nodes.

An account is a player's or a moderator's. An operator is whoever can open the store: `tavla-server admin`.
"""

from typing import NamedTuple

from tavla_protocol.codes import ErrorCode

from tavla_server.cluster.clock import Clock
from tavla_server.errors import Refused
from tavla_server.moderation.audit import Audit
from tavla_server.moderation.ledger import Ledger
from tavla_server.moderation.orders import Kick, Order
from tavla_server.moderation.penalties import ADDRESS, FOR_GOOD, Penalty, What
from tavla_server.player import Player
from tavla_server.players.accounts import Accounts


class Actor(NamedTuple):
    """Who uses a power. name: of an account, or the user of a machine."""

    name: str
    is_operator: bool = False


class Powers:
    """All raise Refused and StoreUnavailable."""

    def __init__(self, accounts: Accounts, ledger: Ledger, audit: Audit, clock: Clock) -> None:
        self.ledger, self.audit = ledger, audit
        self._accounts, self._clock = accounts, clock

    # --- of moderators, too ---

    async def kick(self, by: Actor, name: str, why: str) -> None:
        """Close someone's connections."""
        player = await self._target(by, name)
        await self.audit.note(by.name, "kick", player.name, why)
        await self.ledger.order(Kick(player.id, f"a moderator has closed your connection: {why}"))

    async def penalize(
        self, by: Actor, what: What, name: str, why: str, minutes: int | None, addresses: bool = False
    ) -> Penalty:
        """Ban or mute someone, by name, or by ADDRESS and an address. minutes: None = for good."""
        player = None if name.startswith(ADDRESS) else await self._target(by, name)
        shown, id_ = (name, "") if player is None else (player.name, player.id)
        now = self._clock.now_ms()
        until = FOR_GOOD if minutes is None else now + 60_000 * minutes
        penalty = Penalty(what, shown.lower(), shown, why, by.name, now, until, addresses, id_)
        long = "for good" if minutes is None else f"{minutes} min"
        await self.audit.note(by.name, what, f"{shown} {long}" + (" with addresses" if addresses else ""), why)
        await self.ledger.penalize(penalty)
        return penalty

    async def pardon(self, by: Actor, what: What, name: str, why: str) -> None:
        """End a penalty, and those of the addresses that came with it."""
        await self.audit.note(by.name, f"un{what}", name, why)
        if not await self.ledger.pardon(what, name):
            raise Refused(ErrorCode.NO_SUCH_PLAYER, f"no {what} holds for {name}")

    async def _target(self, by: Actor, name: str) -> Player:
        """Whom a moderator may touch: not another one."""
        player = await self._accounts.find(name)
        if player is None:
            raise Refused(ErrorCode.NO_SUCH_PLAYER, f"there is no player called {name}")
        if not by.is_operator and self.ledger.is_moderator(player.id):
            raise Refused(ErrorCode.NOT_ALLOWED, f"{player.name} is a moderator: ask the operator")
        return player

    # --- of operators alone ---

    async def order(self, by: Actor, what: str, whom: str, why: str, order: Order) -> None:
        """Have all nodes do something."""
        await self.audit.note(by.name, what, whom, why)
        await self.ledger.order(order)

    async def appoint(self, by: Actor, name: str, on: bool, why: str) -> Player:
        """Make an account a moderator's, or a player's again."""
        player = await self._accounts.find(name)
        if player is None or player.rating is None:
            raise Refused(ErrorCode.ACCOUNT_NEEDED, f"{name} has no account: only those who have one can be moderators")
        await self.audit.note(by.name, "appoint" if on else "dismiss", player.name, why)
        await self.ledger.appoint(player.id, on)
        return player
