"""Powers of moderators and operators. Each use is written down first; then it holds on all nodes.

An account is a player's or a moderator's. An operator is a user who can open the store: `tavla-server admin`.
A moderator decides nothing about himself: no report, no penalty, none of his own matches.
"""

from collections.abc import Iterable
from typing import NamedTuple

from tavla_protocol.codes import ErrorCode

from tavla_server.cluster.clock import Clock
from tavla_server.errors import Refused
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.moderation.reports import Reports, complaints_of
from tavla_server.features.sanctions.audit import Audit
from tavla_server.features.sanctions.ledger import Ledger
from tavla_server.features.sanctions.orders import Kick, Order
from tavla_server.features.sanctions.penalties import ADDRESS, FOR_GOOD, Penalty, What
from tavla_server.player import Player


class Actor(NamedTuple):
    """An actor: the user of a power.

    name: of an account, or the user of a machine. id: of an account; "" = an operator.
    """

    name: str
    id: str = ""

    @property
    def is_operator(self) -> bool:
        """True if all is allowed."""
        return not self.id


class Powers:
    """The powers of moderators. All raise Refused and StoreUnavailable."""

    def __init__(self, accounts: Accounts, ledger: Ledger, audit: Audit, reports: Reports, clock: Clock) -> None:
        self.ledger, self.audit, self.reports = ledger, audit, reports
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
        long = "for good" if minutes is None else _typed(minutes)
        await self.audit.note(by.name, what, f"{shown} {long}" + (" with addresses" if addresses else ""), why)
        await self.ledger.penalize(penalty)
        return penalty

    async def pardon(self, by: Actor, what: What, name: str, why: str) -> None:
        """End a penalty, and those of the addresses that came with it."""
        player = None if by.is_operator else await self._accounts.find(name)
        await self.use(by, f"un{what}", name, why, [] if player is None else [player.id])
        if not await self.ledger.pardon(what, name):
            raise Refused(ErrorCode.NO_SUCH_PLAYER, f"no {what} holds for {name}")

    async def close_report(self, by: Actor, report: str, why: str) -> None:
        """Close a report: it is kept, with who has closed it and why."""
        found = await self.reports.find(report)
        if found is not None:
            names = (await complaints_of({report: found}, self._accounts))[report]
            whom = f"{report} of {names.by} about {names.about}"
            await self.use(by, "resolve", whom, why, [found.by, found.about])
        if found is None or not await self.reports.close(found, by.name, why, self._clock.now_ms()):
            raise Refused(ErrorCode.NO_SUCH_MATCH, f"there is no open report {report}: look at the list of them again")

    async def use(self, by: Actor, what: str, whom: str, why: str, concerned: Iterable[str]) -> None:
        """Write a use of a power down. Raises: Refused, which is written down, too, for who is one of those concerned,
        by id, also by an account that was merged.
        """
        own = set() if by.is_operator else await self._accounts.heirs.ids_of(by.id)
        is_own = not own.isdisjoint(concerned)
        if by.is_operator or self.ledger.is_moderator(by.id):  # what a director decides stands in its tournament
            await self.audit.note(by.name, what, whom + ", refused as an own affair" * is_own, why)
        if is_own:
            text = "this is about you, or a tournament that you play in: ask another moderator, or the operator"
            raise Refused(ErrorCode.NOT_ALLOWED, text)

    async def _target(self, by: Actor, name: str) -> Player:
        """The player that a power is used on. Raises: Refused for another moderator."""
        player = await self._accounts.player_of_name(name)
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


def _typed(minutes: int) -> str:
    """A time as operators type it: `30m`, `2h`, `7d`."""
    unit, size = next(((unit, size) for unit, size in (("d", 24 * 60), ("h", 60)) if minutes % size == 0), ("m", 1))
    return f"{minutes // size}{unit}"
