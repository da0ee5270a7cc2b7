"""The ledger: moderators, penalties and orders, as rows of the lobby's feed. All nodes have it in memory.

A row is put where something was decided: by a node for a moderator, or `tavla-server admin`, which reads no feed.
"""

import secrets
from collections.abc import Callable

import msgspec
import structlog
from tavla_protocol.codes import ErrorCode

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import MODERATION, Feed, RowUpdate
from tavla_server.errors import Refused
from tavla_server.features.sanctions.orders import Kick, Order
from tavla_server.features.sanctions.penalties import ADDRESS, Penalty, What, row_key
from tavla_server.limits import DEFAULT_LIMITS

ORDER_MS = 60_000  # a node that hears of an order later than this, since it was away, does not carry it out
KICK_MS = 10_000  # a player whose connection is being renewed is back within it, and is sent away then
ORDER, MODERATOR = "order:", "moderator:"

log = structlog.get_logger()

_penalties = msgspec.msgpack.Decoder(Penalty)
_orders = msgspec.msgpack.Decoder(tuple[int, Order])


class Ledger:
    """The ledger of penalties and moderators, as this node knows them; and the way to change them.

    on_penalty, on_order: called for each that is new here.
    """

    def __init__(self, feed: Feed, clock: Clock, most: int = DEFAULT_LIMITS.penalties) -> None:
        """most: penalties that hold at a time."""
        self.on_penalty: Callable[[Penalty], None] = lambda _: None
        self.on_order: Callable[[Order], None] = lambda _: None
        self._feed, self._clock, self._most = feed, clock, most
        self._penalties: dict[str, Penalty] = {}
        self._moderators: set[str] = set()
        self._kicks: dict[str, tuple[int, Kick]] = {}  # by player, and since when they wait
        feed.listen(MODERATION, self._row_changed)

    # --- what is known here ---

    def is_moderator(self, player: str) -> bool:
        """True if a player, by id, is a moderator."""
        return player in self._moderators

    def penalty(self, what: What, name: str, address: str) -> Penalty | None:
        """The penalty that holds now for a name, or an address. Both may be empty."""
        for whom in (name.lower(), address and ADDRESS + address):
            found = self._penalties.get(row_key(what, whom))
            if found is not None and found.holds(self._clock.now_ms()):
                return found
        return None

    def kick_of(self, player: str) -> str | None:
        """The text of a kick that is yet to reach a player, by id."""
        since_ms, kick = self._kicks.get(player, (0, None))
        return kick.text if kick is not None and self._clock.now_ms() - since_ms <= KICK_MS else None

    def penalties(self, name: str) -> list[Penalty]:
        """The penalties of a name, and of addresses with which it came."""
        now = self._clock.now_ms()
        return [found for found in self._penalties.values() if found.is_of(name) and found.holds(now)]

    # --- what is decided ---

    async def read(self) -> tuple[list[Penalty], list[str]]:
        """The penalties in force and the moderators' ids, read from the store."""
        rows = await self._feed.fetch_all(MODERATION)
        return [found for found in _penalties_in(rows) if found.holds(self._clock.now_ms())], [
            key.removeprefix(MODERATOR) for key in rows if key.startswith(MODERATOR)
        ]

    async def penalize(self, *penalties: Penalty) -> None:
        """Let penalties hold, each in the place of one of its kind. Raises: Refused, StoreUnavailable."""
        rows = await self._feed.fetch_all(MODERATION)
        if len(rows) >= self._most:
            raise Refused(ErrorCode.TOO_MANY, f"{self._most} penalties hold already: end some of them first")
        changes = [_change(penalty.key, msgspec.msgpack.encode(penalty)) for penalty in penalties]
        await self._feed.writer.put(*changes, *_ended(rows, self._clock.now_ms()))

    async def pardon(self, what: What, name: str) -> int:
        """End a penalty, and those of addresses that came with it; how many there were. name: or ADDRESS and one."""
        rows = await self._feed.fetch_all(MODERATION)
        found = [known for known in _penalties_in(rows) if known.what == what and known.is_of(name)]
        held = sum(known.holds(self._clock.now_ms()) for known in found)
        await self._feed.writer.put(*(_change(known.key, None) for known in found), *_ended(rows, self._clock.now_ms()))
        return held

    async def appoint(self, player: str, on: bool) -> None:
        """Make a player a moderator, or one no longer."""
        await self._feed.writer.put(_change(MODERATOR + player, b"" if on else None))

    async def order(self, order: Order) -> None:
        """Have all nodes carry something out."""
        key = order.player if isinstance(order, Kick) else secrets.token_hex(8)
        now = self._clock.now_ms()
        data = msgspec.msgpack.encode((now, order))
        await self._feed.writer.put(_change(ORDER + key, data), *_ended(await self._feed.fetch_all(MODERATION), now))

    def hold(self, kick: Kick) -> None:
        """Keep a kick for a player who may be just coming back."""
        self._kicks[kick.player] = self._clock.now_ms(), kick

    async def note_kick(self, player: str) -> None:
        """A kick has reached the player: no node is to do it again. Raises: StoreUnavailable."""
        self._kicks.pop(player, None)
        await self._feed.writer.put(_change(ORDER + player, None))

    # --- what all nodes hear ---

    def _row_changed(self, key: str, before: bytes | None, after: bytes | None) -> None:
        try:
            self._take(key, after)
        except msgspec.MsgspecError as error:  # of a newer node
            log.warning("moderation_not_understood", row=key, error=str(error))

    def _take(self, key: str, row: bytes | None) -> None:
        if key.startswith(MODERATOR):
            change = self._moderators.discard if row is None else self._moderators.add
            change(key.removeprefix(MODERATOR))
        elif key.startswith(ORDER):
            self._take_order(key.removeprefix(ORDER), row)
        elif row is None:
            self._penalties.pop(key, None)
        else:
            penalty = self._penalties[key] = _penalties.decode(row)
            if penalty.holds(self._clock.now_ms()):
                self.on_penalty(penalty)

    def _take_order(self, key: str, row: bytes | None) -> None:
        if row is None:
            self._kicks.pop(key, None)
            return
        since_ms, order = _orders.decode(row)
        if self._clock.now_ms() - since_ms <= ORDER_MS:
            self.on_order(order)


def _penalties_in(rows: dict[str, bytes]) -> list[Penalty]:
    return [_penalties.decode(row) for key, row in rows.items() if not key.startswith((ORDER, MODERATOR))]


def _change(key: str, value: bytes | None) -> RowUpdate:
    return RowUpdate(MODERATION, key, value)


def _ended(rows: dict[str, bytes], now_ms: int) -> list[RowUpdate]:
    """Deletions of penalties and orders that have ended, to go with the next change."""
    ended = [known.key for known in _penalties_in(rows) if not known.holds(now_ms)]
    done = [key for key, row in rows.items() if key.startswith(ORDER) and now_ms - _orders.decode(row)[0] > ORDER_MS]
    return [_change(key, None) for key in (*ended, *done)]
