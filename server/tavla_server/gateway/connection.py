"""A connection from hello to its end."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import NamedTuple

import structlog
from structlog.contextvars import bind_contextvars
from tavla_protocol import messages as m
from tavla_protocol.actions import decode_action
from tavla_protocol.codec import BadFrame, BadMessage, decode_request, encode
from tavla_protocol.codes import CloseCode, ErrorCode

from tavla_server.deadline import Deadline
from tavla_server.delivery.frames import frame_of
from tavla_server.delivery.outbox import Outbox
from tavla_server.delivery.socket import Socket
from tavla_server.errors import ArchiveDamaged, ArchiveUnavailable, JournalUnreadable, Refused, StoreUnavailable
from tavla_server.gateway.admission import FULL_S, FULL_TEXT, TRIAL_S
from tavla_server.gateway.client_address import network_of
from tavla_server.gateway.core import Core
from tavla_server.gateway.costs import CHEAP
from tavla_server.gateway.following import MatchFollowing
from tavla_server.player import Player
from tavla_server.telemetry import metrics, trace
from tavla_server.telemetry.metrics import note_action
from tavla_server.token_bucket import TokenBucket

LOGGED_OUT_TEXT = "you are logged out"
FAULT_TEXT = "a fault of the server: connect again"
# Faults of the server's own parts: the event for the log, and the refusal.
OUT_OF_ORDER = {
    JournalUnreadable: ("journal_unreadable", "the server cannot read this match: tell the operator"),
    StoreUnavailable: ("store_unreachable", "the server cannot reach its store: try again in a moment"),
    ArchiveDamaged: (
        "archive_unreadable",
        "the list of finished matches is damaged until the operator repairs it: you can play on meanwhile",
    ),
    ArchiveUnavailable: ("archive_unreachable", "the server cannot reach its archive: try again later"),
}

LOOK_S = 1.0  # between two looks whether a client that waits is still there
NORMAL_CLOSURE = 1000
REASON_BYTES = 120  # of a WebSocket's close frame, which has 123; `closing` says all of it
log = structlog.get_logger()


class Handlers(NamedTuple):
    """The handlers of what comes from a client, and of what becomes of its connection.

    act: for an action in a match; it does not wait, and raises nothing. answer: for any other request; it answers, or
    raises Refused, StoreUnavailable, ArchiveUnavailable or JournalUnreadable. The others: as the hooks of a `Feature`.
    """

    act: Callable[["Connection", m.MatchAction], None]
    answer: Callable[["Connection", m.Request], Awaitable[None]]
    arrive: Callable[["Connection", Sequence[Sequence[object]]], None]
    greet: Callable[["Connection"], None]
    closed: Callable[["Connection", bool], None]
    leave: Callable[["Connection"], None]
    resync: Callable[["Connection"], None]


class Connection:
    """A connection reads a client's requests, one at a time, and answers them.

    outbox: the way out, and who it is. sessions: of all matches here, by id. following: the matches that it is attached
    to. token: what it came with. address: by which tries are counted, "" = by none. watching: it looks on, and has no
    name yet. available: what a program has said of itself. is_new: its token is new, and nothing came since the
    welcome. on_trial: it stays only if it plays, see `Admission`.
    """

    __slots__ = (
        "_act",
        "_answering",
        "_is_late",
        "_network",
        "_refused",
        "_requests",
        "_socket",
        "address",
        "available",
        "core",
        "following",
        "handlers",
        "is_new",
        "on_trial",
        "outbox",
        "sessions",
        "token",
        "watching",
    )

    def __init__(self, core: Core, handlers: Handlers, socket: Socket, address: str) -> None:
        self.core, self.outbox = core, Outbox(socket, core.timings.stuck_s)
        self.sessions = core.registry.live  # holds bench/ceilings.toml: by way of `core` an action would take 400 more
        self.following = MatchFollowing(core, self.outbox)
        self.token, self.address, self._network = "", address, network_of(address)
        self.watching = self.is_new = self.on_trial = False
        self.available: m.Available | None = None
        self._answering = self._is_late = False  # a request, which may be a hello; no hello had been answered in time
        self._refused: str | None = None  # the last hello, as what
        self.handlers, self._act = handlers, handlers.act
        self._socket, self._requests = socket, TokenBucket(core.limits.requests)
        self.outbox.on_drained = self._resync
        socket.on_message = self._act_at_once

    async def run(self) -> None:
        """Read and answer until the connection ends."""
        hello_s = TRIAL_S if self.on_trial else self.core.timings.hello_s
        hello: Deadline | None = Deadline(hello_s, self._hello_is_late)
        while (frame := await self._socket.recv()) is not None and await self._receive(frame):
            self._answering = False
            self._socket.unfinished -= 1
            if self.player.id or self.watching:
                if hello is not None:
                    hello.cancel()
                    hello = None  # it takes 0.3 KB
            elif self._is_late:
                self._hello_is_late()

    def _hello_is_late(self) -> None:
        """Close, unless a request is being answered: one that came in time may have to wait for a password's turn."""
        if not self._is_late and (self._answering or self._socket.has_message):
            self._is_late = True
        elif self.player.id or self.watching or self.closed:
            return
        elif self._refused == ErrorCode.UNAVAILABLE:
            self.end(CloseCode.FULL, "the server cannot let you in just now: connect again", retry_after=FULL_S)
        else:
            text = "say hello first" if self._refused is None else "your hello was refused: connect again, with another"
            self.outbox.close(CloseCode.HELLO_TIMEOUT, text)

    def keep_alive(self) -> None:
        """Ask whether the client is there, and tell it the state of its matches, so that it stays in step."""
        states = [] if self.outbox.behind else self.following.heartbeats()
        frame = frame_of(encode(m.Heartbeat(matches=states))) if states else b""
        if frame:
            metrics.count_sent(frame)
        self._socket.keep_alive(frame)

    def log_out(self) -> None:
        """The token is good no longer: tell the client, and close."""
        self.end(CloseCode.LOGGED_OUT, LOGGED_OUT_TEXT)

    def turn_away(self) -> None:
        """Close the connection of a client that does not play: the server is full."""
        self.end(CloseCode.FULL, FULL_TEXT, retry_after=FULL_S)

    def end(self, code: CloseCode, text: str, sanction: m.Sanctioned | None = None, retry_after: float = 0.0) -> None:
        """Tell the client why its connection ends, and close it."""
        self.send(m.Closing(text=text, retry_after=retry_after, sanction=sanction))
        self.outbox.close(code, text.encode()[:REASON_BYTES].decode(errors="ignore"))

    @property
    def role(self) -> str:
        """The role, as metrics tell them apart."""
        return self.player.kind if self.player.id else "onlooker" if self.watching else "new"

    @property
    def closed(self) -> bool:
        """True if the connection is lost or being closed; a request of it may still be under way."""
        return not self.outbox.is_open

    @property
    def _closed_on_purpose(self) -> bool:
        """True if the end was wanted: the client quits or logs out, or a moderator has removed it.

        A browser says 1001 when a page is loaded again, or put away by a phone: that is not to leave.
        """
        return self._socket.ended_with in (NORMAL_CLOSURE, CloseCode.LOGGED_OUT, CloseCode.REMOVED)

    @property
    def may_come_back(self) -> bool:
        """True if a seated player lost the connection."""
        return not self._closed_on_purpose and self.following.plays

    def on_closed(self) -> None:
        """End what needs this connection, which is lost or closed, as the hook `closed` of each feature says."""
        self.outbox.on_drained = lambda: None  # without a cycle it is freed at once: garbage is looked for rarely
        self.handlers.closed(self, self._closed_on_purpose)

    def leave(self) -> None:
        """Follow nothing any more, hold no seat, be nowhere: later than `on_closed` while clients are moved."""
        self.following.leave(self._closed_on_purpose)
        self.handlers.leave(self)
        if self.player.id:
            self.core.presence.depart(self)

    def _resync(self) -> None:
        self.following.resync()
        self.handlers.resync(self)

    def _act_at_once(self, frame: bytes) -> bool:
        """Take an action in a match past the queue of requests; False when it is none, or has to wait."""
        if (action := decode_action(frame)) is None or self._requests.spend(monotonic()):
            return False
        note_action[type(action)](frame)
        try:
            act = self._act  # apart: `self._act(...)` looks for a method first
            act(self, action)
        except Exception:
            log.exception("request_failed", **self._concerning(action))
            self.outbox.close(CloseCode.INTERNAL_ERROR, FAULT_TEXT)
        return True

    def refuse_action(self, action: m.MatchAction, code: str, text: str) -> None:
        """Answer an action that comes to no session."""
        metrics.ACTIONS.add(code)
        self.send(m.Error(id=action.id, code=code, text=text))

    async def pay(self, cost: float) -> None:
        """Take the cost of a request from this player, address and network, and wait until it is paid, or all over."""
        wait_s = self.core.costs.charge(cost, self.address, self._network, self.player.id)
        while wait_s > 0 and not self.closed:
            await asyncio.sleep(min(wait_s, LOOK_S))
            wait_s -= LOOK_S

    async def _throttle(self) -> None:
        if wait_s := self._requests.spend(monotonic()):
            metrics.LIMITS.add("requests")
            await asyncio.sleep(wait_s)
            self._requests.owe(monotonic())
        await self._socket.drain()  # a client that does not read the answers gets no more of them

    async def _receive(self, frame: str | bytes) -> bool:
        """Answer one frame; False when the connection was closed for it."""
        self._answering = True
        await self._throttle()
        if isinstance(frame, str):
            await self._socket.close(CloseCode.TEXT_FRAME, "frames are binary msgpack")
            return False
        try:
            request = decode_request(frame)
        except BadFrame as error:
            await self._socket.close(CloseCode.NOT_MSGPACK, str(error)[:100])
            return False
        except BadMessage as error:
            metrics.count_received(None, frame)
            await self.pay(CHEAP)
            self._refuse(error.id, Refused(error.code, str(error)))
            return True
        metrics.count_received(type(request), frame)
        if isinstance(request, m.MatchAction):
            self._act(self, request)
            return True
        if trace.on:
            trace.begin(_match_of(request), self.player.id, request.id, type(request).__name__)
        try:
            await self.handlers.answer(self, request)
        except Refused as error:
            self._refuse_request(request, error)
        except (JournalUnreadable, StoreUnavailable, ArchiveUnavailable) as error:
            event, text = next(told for kind, told in OUT_OF_ORDER.items() if isinstance(error, kind))
            about = {**self._concerning(request), "error": str(error)}
            if isinstance(error, JournalUnreadable):  # it stays so: the operator has to look
                log.error(event, **{**about, "match": error.match})
            else:
                log.warning(event, **about)
            self._refuse_request(request, Refused(ErrorCode.UNAVAILABLE, text))
        except Exception:
            bind_contextvars(**self._concerning(request))  # for what is logged of it, in this task alone
            raise
        return True

    def _concerning(self, request: m.RequestBase) -> dict[str, object]:
        """The fields of a log line that concern a request."""
        player = self.player
        about = {"match": _match_of(request), "player": player.id, "name": player.name, "request": request.id}
        return {"kind": type(request).__name__} | {field: value for field, value in about.items() if value}

    def _refuse_request(self, request: m.RequestBase, why: Refused) -> None:
        if isinstance(request, m.Hello):
            self._refused = why.code
        self._refuse(request.id, why)

    def _refuse(self, id: int | None, why: Refused) -> None:  # noqa: A002 - as on the wire
        metrics.REFUSALS.add(why.code)
        self.send(m.Error(id=id, code=why.code, text=str(why), retry_after=why.retry_after, sanction=why.sanction))

    # --- what the handlers of requests have in common ---

    @property
    def player(self) -> Player:
        """The player; without an id before hello."""
        return self.outbox.player

    @player.setter
    def player(self, player: Player) -> None:
        self.outbox.player = player

    def send(self, message: m.Message) -> None:
        """Send a message to this client."""
        self.outbox.send(encode(message))


def _match_of(request: m.RequestBase) -> str:
    """The match that a request is about, by its id or the name of its table; "" = none."""
    return getattr(request, "match", "") or getattr(request, "table", "")
