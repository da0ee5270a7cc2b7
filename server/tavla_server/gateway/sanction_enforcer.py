"""Sanctions and orders, decided on any node, enforced on the connections of this one."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable

import structlog
from msgspec.structs import replace
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode

from tavla_server.errors import Refused, StoreUnavailable
from tavla_server.gateway.client_address import UNKNOWN
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.services import Services
from tavla_server.moderation.orders import Drain, Kick, Order, Rule, Tell
from tavla_server.moderation.penalties import ADDRESS, Penalty, sanctioned, told
from tavla_server.moderation.rulings import told as ruling_told

SHARED = {ADDRESS, ADDRESS + UNKNOWN}  # this machine's own, and that of all whom the proxy has no address of
FRESH_MS = 60_000  # a penalty that is older was carried out when it was new: this node has just begun

log = structlog.get_logger()

Drained = Callable[[], Awaitable[None]]


class SanctionEnforcer:
    """A listener to the ledger. connections: those of this node, as they are. drain: closes them at a restart."""

    def __init__(self, services: Services, connections: Collection[Connection], node: str, drain: Drained) -> None:
        self._services, self._connections, self._node, self._drain = services, connections, node, drain
        self._decided: asyncio.Queue[Penalty | Order] = asyncio.Queue()
        services.ledger.on_penalty = services.ledger.on_order = self._decided.put_nowait

    async def run(self) -> None:
        """Carry out what is decided, in order. Runs until it is cancelled."""
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
                if node == self._node:
                    await self._drain()
            case Rule(match, verdict, by, why):
                record = await self._services.rulings.carry_out(match, verdict, by, why)
                for connection in self._of(player.id for player in record.players if player):
                    connection.send(m.Notice(text=ruling_told(record, verdict, why)))

    async def _kick(self, kick: Kick) -> None:
        """Close a player's connections; if there is none anywhere, the next one: it may be on its way."""
        if connections := self._of([kick.player]):
            self._remove(connections, kick.text)
            await self._services.ledger.kicked(kick.player)
        elif not self._services.presence.is_elsewhere(kick.player):
            self._services.ledger.hold(kick)

    async def _penalize(self, penalty: Penalty) -> None:
        found = [
            connection
            for connection in self._connections
            if penalty.whom in (connection.player.name.lower(), ADDRESS + connection.address)
        ]
        text, sanction = told(penalty, self._services.contact), sanctioned(penalty, self._services.contact)
        fresh = self._services.clock.now_ms() - penalty.since_ms <= FRESH_MS
        addresses = {ADDRESS + connection.address for connection in found}
        if penalty.what == "ban":
            self._remove(found, text, sanction)
        elif fresh:
            for connection in found:
                connection.send(m.Notice(text=text, sanction=sanction))
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
            await self._services.powers.audit.note(one.by, one.what, f"{one.whom}, with {one.shown}", one.why)
        if same:
            await self._services.ledger.penalize(*same)

    async def _tell_of_shared(self, penalty: Penalty) -> None:
        """Tell the moderator of a connection whose address stands for others, too: it gets no penalty."""
        text = (
            f"{penalty.shown} has a connection whose address the server does not know, or that is this machine's own:"
            f" the {penalty.what} holds for the name, and for other addresses alone"
        )
        log.warning("address_not_penalized", what=penalty.what, player=penalty.shown, by=penalty.by)
        by = await self._services.accounts.find(penalty.by)
        if by is not None:
            await self._services.ledger.order(Tell((by.id,), text))

    async def _tell_opponents(self, penalty: Penalty) -> None:
        """A banned player's match waits, as for any absent player."""
        text = (
            f"a moderator keeps {penalty.shown} out: your match waits, and you may claim it as from anybody who stays"
            " away, unless a moderator decides it"
        )
        entered = [note.players for _, note in await self._services.tables.of(penalty.player)]
        for connection in self._of(player for players in entered for player in players if player != penalty.player):
            connection.send(m.Notice(text=text))

    def _of(self, players: Iterable[str]) -> list[Connection]:
        wanted = set(players)
        return [one for one in self._connections if one.player.id in wanted and not one.closed]

    def _remove(self, connections: Iterable[Connection], text: str, sanction: m.Sanctioned | None = None) -> None:
        for connection in connections:
            connection.end(CloseCode.REMOVED, text, sanction)
