"""Sanctions and orders, decided on any node, enforced on the connections of this one."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable

import structlog
from msgspec.structs import replace
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode

from tavla_server.errors import Refused, StoreUnavailable
from tavla_server.features.moderation.moderation import Moderation
from tavla_server.features.moderation.rulings import notice_text as ruling_told
from tavla_server.features.sanctions.orders import Drain, Kick, Order, Rule, Tell
from tavla_server.features.sanctions.penalties import ADDRESS, Penalty
from tavla_server.features.sanctions.sanctions import Sanctions
from tavla_server.gateway.client_address import UNKNOWN
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core

SHARED = {ADDRESS, ADDRESS + UNKNOWN}  # this machine's own, and that of all whom the proxy has no address of
FRESH_MS = 60_000  # a penalty that is older was carried out when it was new: this node has just begun

log = structlog.get_logger()

Drained = Callable[[], Awaitable[None]]


class SanctionEnforcer:
    """An enforcer of sanctions: a listener to the ledger.

    connections: those of this node, as they are. drain: closes them at a restart.
    """

    def __init__(
        self,
        core: Core,
        sanctions: Sanctions,
        moderation: Moderation,
        connections: Collection[Connection],
        drain: Drained,
    ) -> None:
        self._core, self._sanctions, self._moderation = core, sanctions, moderation
        self._connections, self._drain = connections, drain
        self._decided: asyncio.Queue[Penalty | Order] = asyncio.Queue()
        sanctions.ledger.on_penalty = sanctions.ledger.on_order = self._decided.put_nowait

    async def run(self) -> None:
        """Carry out what is decided, in order. Runs until it is cancelled.

        No `Sweep`: it waits for decisions, not for the time.
        """
        while True:
            decided = await self._decided.get()
            try:
                await self._carry_out(decided)
            except (Refused, StoreUnavailable) as error:
                log.warning("order_failed", order=type(decided).__name__, error=str(error))
            except Exception:  # a fault of ours in one is not to end all others
                log.exception("order_failed", order=type(decided).__name__)

    async def _carry_out(self, decided: Penalty | Order) -> None:
        match decided:
            case Penalty():
                await self._penalize(decided)
            case Kick():
                await self._kick(decided)
            case Tell(players, text):
                for connection in self._of(players) if players else list(self._connections):
                    connection.send(m.Notice(text=text))
            case Drain(node):
                if node == self._core.node:
                    await self._drain()
            case Rule(match, verdict, judge, why):
                record = await self._moderation.rulings.carry_out(match, verdict, judge, why)
                for connection in self._of(player.id for player in record.players if player):
                    connection.send(m.Notice(text=ruling_told(record, verdict, judge, why)))

    async def _kick(self, kick: Kick) -> None:
        """Close a player's connections; if there is none anywhere, the next one: it may be on its way."""
        if connections := self._of([kick.player]):
            self._remove(connections, kick.text)
            await self._sanctions.ledger.note_kick(kick.player)
        elif not self._core.presence.is_elsewhere(kick.player):
            self._sanctions.ledger.hold(kick)

    async def _penalize(self, penalty: Penalty) -> None:
        found = [
            connection
            for connection in self._connections
            if penalty.whom in (connection.player.name.lower(), ADDRESS + connection.address)
        ]
        notice = self._sanctions.notice_of(penalty)
        fresh = self._core.clock.now_ms() - penalty.since_ms <= FRESH_MS
        addresses = {ADDRESS + connection.address for connection in found}
        if penalty.what == "ban":
            self._remove(found, notice.text, notice.sanction)
        elif fresh:
            for connection in found:
                connection.send(notice)
        if fresh and penalty.addresses:
            await self._penalize_addresses(penalty, addresses - SHARED)
            if addresses & SHARED:
                await self._tell_of_shared(penalty)
        if fresh and penalty.what == "ban":
            await self._tell_opponents(penalty)

    async def _penalize_addresses(self, penalty: Penalty, addresses: Iterable[str]) -> None:
        """Penalize the addresses of a player; the audit alone names them."""
        same = [replace(penalty, whom=address, addresses=False, player="") for address in addresses]
        for one in same:
            await self._sanctions.audit.note(one.by, one.what, f"{one.whom}, with {one.shown}", one.why)
        if same:
            await self._sanctions.ledger.penalize(*same)

    async def _tell_of_shared(self, penalty: Penalty) -> None:
        """Tell the moderator of a connection whose address stands for others, too: it gets no penalty."""
        text = (
            f"{penalty.shown} has a connection whose address the server does not know, or that is this machine's own:"
            f" the {penalty.what} holds for the name, and for other addresses alone"
        )
        log.warning("address_not_penalized", what=penalty.what, player=penalty.shown, by=penalty.by)
        by = await self._moderation.accounts.find(penalty.by)
        if by is not None:
            await self._sanctions.ledger.order(Tell((by.id,), text))

    async def _tell_opponents(self, penalty: Penalty) -> None:
        """A banned player's match waits, as for any absent player."""
        text = (
            f"a moderator keeps {penalty.shown} out: your match waits, and you may claim it as from anybody who stays"
            " away, unless a moderator decides it"
        )
        entered = [note.players for _, note in await self._moderation.tables.of(penalty.player)]
        for connection in self._of(player for players in entered for player in players if player != penalty.player):
            connection.send(m.Notice(text=text))

    def _of(self, players: Iterable[str]) -> list[Connection]:
        wanted = set(players)
        return [one for one in self._connections if one.player.id in wanted and not one.closed]

    def _remove(self, connections: Iterable[Connection], text: str, sanction: m.Sanctioned | None = None) -> None:
        for connection in connections:
            connection.end(CloseCode.REMOVED, text, sanction)
