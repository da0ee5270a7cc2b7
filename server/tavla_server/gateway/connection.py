"""One connection from hello to its end."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from time import monotonic
from typing import Any, NamedTuple

import structlog
from structlog.contextvars import bind_contextvars
from tavla_protocol import messages as m
from tavla_protocol.actions import decode_action
from tavla_protocol.codec import BadFrame, BadMessage, decode_request, encode
from tavla_protocol.codes import CloseCode, ErrorCode

from tavla_server.delivery.frames import framed
from tavla_server.delivery.outbox import Outbox
from tavla_server.delivery.socket import Socket
from tavla_server.errors import ArchiveDamaged, ArchiveUnavailable, JournalUnreadable, Refused, StoreUnavailable
from tavla_server.gateway.admission import FULL_S, FULL_TEXT, TRIAL_S
from tavla_server.gateway.services import Services
from tavla_server.match.audience import WANTS_NOTHING, Wants
from tavla_server.match.command import Command
from tavla_server.match.history import HAVE_NOTHING, Have
from tavla_server.match.lifecycle import cancelled
from tavla_server.match.session import Session
from tavla_server.player import Player
from tavla_server.record.decider import Decide
from tavla_server.telemetry import metrics, trace
from tavla_server.telemetry.metrics import note_action

RATE_PER_S = 100.0  # requests of one connection; beyond that it is read more slowly
BURST = 200.0
REQUEST_S, BURST_S = 1 / RATE_PER_S, (BURST - 1) / RATE_PER_S
FOLLOWED_LIMIT = 256  # matches on one connection
FINISHED_LIMIT = 8  # of them, those that are over: each takes 8 KB, and nobody detaches from all
LOGGED_OUT_TEXT = "you are logged out"
UNREADABLE_TEXT = "the server cannot read this match: tell the operator"
DAMAGED_TEXT = "the list of finished matches is damaged until the operator repairs it: you can play on meanwhile"
FAULT_TEXT = "a fault of the server: connect again"

NORMAL_CLOSURE = 1000
REASON_BYTES = 120  # of a WebSocket's close frame, which has 123; `closing` says all of it
# What one may ask who has said no name: to look on.
OPEN_TO_ALL = (m.Hello, m.Ping, m.List, m.Subscribe, m.Unsubscribe, m.Attach, m.Detach, m.Record, m.Profile, m.Top)

log = structlog.get_logger()


Handler = Callable[["Connection", Any], Awaitable[None]]


class Handlers(NamedTuple):
    """What each request leads to.

    act: for an action in a match; it does not wait, and raises nothing. requests: for each other type of request; these
    answer it, or raise Refused or StoreUnavailable.
    """

    act: Callable[["Connection", m.MatchAction], None]
    requests: Mapping[type[m.RequestBase], Handler]


class Connection:
    """Reads a client's requests, one at a time, and answers them.

    outbox: the way out, and who it is. followed: the sessions it is attached to, mostly one. token: what it came with.
    address: whom to count tries by, "" = nobody. watching: it looks on, and is nobody as yet. end_trial: it stays only
    if it plays, see `Admission`; to be called when that is known.
    """

    __slots__ = (
        "_act",
        "_answering",
        "_handlers",
        "_is_late",
        "_rested_s",
        "_socket",
        "address",
        "available",
        "closed",
        "end_trial",
        "followed",
        "is_new",
        "outbox",
        "services",
        "token",
        "watching",
    )

    def __init__(self, services: Services, handlers: Handlers, socket: Socket, address: str) -> None:
        self.services, self.outbox = services, Outbox(socket, services.timings.stuck_s)
        self.followed: tuple[Session, ...] = ()
        self.token = ""
        self.closed = False
        self.watching = False  # has said hello without a name
        self._answering = self._is_late = False  # a request, which may be a hello; no hello had been answered in time
        self.available: m.Available | None = None  # what a program has said of itself
        self.is_new = False  # with a new token, and not heard of since the welcome
        self.address = address
        self.end_trial: Callable[[], None] | None = None
        self._act, self._handlers, self._socket = handlers.act, handlers.requests, socket
        self.outbox.on_drained = self._resync
        socket.on_message = self._act_at_once
        self._rested_s = 0.0  # until when its requests so far keep it busy, at RATE_PER_S; by the monotonic clock

    async def run(self) -> None:
        """Read and answer until the connection ends."""
        hello_s = TRIAL_S if self.end_trial else self.services.timings.hello_s
        hello = asyncio.get_running_loop().call_later(hello_s, self._hello_is_late)
        while (frame := await self._socket.recv()) is not None and await self._receive(frame):
            self._answering = False
            self._socket.unfinished -= 1
            if self.player.id or self.watching:
                hello.cancel()
            elif self._is_late:
                self._hello_is_late()

    def _hello_is_late(self) -> None:
        """Close, unless a request is being answered: one that came in time may have to wait for a password's turn."""
        if self._answering:
            self._is_late = True
        elif not (self.player.id or self.watching or self.closed):
            self.outbox.close(CloseCode.HELLO_TIMEOUT, "say hello first")

    def keep_alive(self) -> None:
        """Ask whether the client is there, and tell it the state of its matches, so that nobody stays out of step."""
        states = []
        if not self.outbox.behind:
            states = [session.heartbeat() for session in self.followed if session.subscribers.in_step]
        frame = framed(encode(m.Heartbeat(matches=states))) if states else b""
        if frame:
            metrics.count_sent(frame)
        self._socket.keep_alive(frame)

    def log_out(self) -> None:
        """The token is good no longer: tell the client, and close."""
        self._end(CloseCode.LOGGED_OUT, LOGGED_OUT_TEXT)

    def turn_away(self) -> None:
        """There is no place for one who does not play."""
        self.send(m.Closing(text=FULL_TEXT, retry_after=FULL_S))
        self.outbox.close(CloseCode.FULL, FULL_TEXT)

    def send_away(self, text: str) -> None:
        """Another node serves this client from now on: tell it, and close."""
        self._end(CloseCode.RESTART, text)

    def remove(self, text: str, sanction: m.Sanctioned | None = None) -> None:
        """A moderator has sent this client away: tell it why, and close."""
        self._end(CloseCode.REMOVED, text, sanction)

    def _end(self, code: CloseCode, text: str, sanction: m.Sanctioned | None = None) -> None:
        self.send(m.Closing(text=text, sanction=sanction))
        self.outbox.close(code, text.encode()[:REASON_BYTES].decode(errors="ignore"))

    @property
    def role(self) -> str:
        """What it is, as metrics tell them apart."""
        return self.player.kind if self.player.id else "onlooker" if self.watching else "new"

    @property
    def _closed_on_purpose(self) -> bool:
        """Whether somebody wanted the end: the client quits, somebody logs out, or a moderator has removed it.

        A browser says 1001 when a page is loaded again, or put away by a phone: that is not to leave.
        """
        return self._socket.ended_with in (NORMAL_CLOSURE, CloseCode.LOGGED_OUT, CloseCode.REMOVED)

    @property
    def may_come_back(self) -> bool:
        """True if a seated player lost the connection."""
        return not self._closed_on_purpose and any(
            session.record.seat_of(self.player.id) is not None and not (session.record.open or session.record.over)
            for session in self.followed
        )

    def leave(self) -> None:
        """The connection is closed: matchmaking for it ends."""
        self.closed = True
        self.outbox.on_drained = _nothing  # without a cycle it is freed at once: garbage is looked for rarely
        self.services.matchmaker.leave(self, self._closed_on_purpose)

    def detach(self) -> None:
        """Follow nothing any more, hold no seat, be nowhere."""
        followed = self.followed
        self.unfollow(followed)
        if self._closed_on_purpose:
            for session in followed:
                self.close_if_left(session)
        self.services.listings.leave(self.outbox)
        if self.player.id:
            self.services.presence.depart(self)

    def unfollow(self, sessions: Collection[Session]) -> None:
        """Detach from some sessions."""
        gone = set(sessions)
        self.followed = tuple(session for session in self.followed if session not in gone)
        for session in sessions:
            session.subscribers.detach(self.outbox)
            self.services.registry.forget_later(session)

    def close_if_left(self, session: Session) -> None:
        """Close an open table that its maker, this client, follows no longer, nor in another window on this node."""
        record, player = session.record, self.player.id
        in_sight = any(outbox.player.id == player for outbox in session.subscribers.outboxes)
        if record.open and record.seat_of(player) is not None and not in_sight:
            session.submit(Command.from_server(cancelled))

    def _resync(self) -> None:
        for session in self.followed:
            session.subscribers.resync(self.outbox)
        self.services.listings.resync(self.outbox)

    def _act_at_once(self, frame: bytes) -> bool:
        """Take an action in a match past the queue of requests; False when it is none, or has to wait."""
        now, rested_s = monotonic(), self._rested_s
        if rested_s < now:
            rested_s = now
        elif rested_s > now + BURST_S:
            return False
        if (action := decode_action(frame)) is None:
            return False
        self._rested_s = rested_s + REQUEST_S
        note_action[type(action)](frame)
        try:
            act = self._act
            act(self, action)
        except Exception:
            log.exception("request_failed", **self._concerning(action))
            self.outbox.close(CloseCode.INTERNAL_ERROR, FAULT_TEXT)
        return True

    def refuse_action(self, action: m.MatchAction, code: str, text: str) -> None:
        """Answer an action that comes to no session."""
        metrics.ACTIONS.add(code)
        self._error(action.id, code, text, 0.0)

    async def _throttle(self) -> None:
        now = monotonic()
        early_s = self._rested_s - now - BURST_S
        self._rested_s = max(now, self._rested_s) + REQUEST_S
        if early_s > 0:
            metrics.LIMITS.add("requests")
            await asyncio.sleep(early_s)
        await self.outbox.drained()  # who does not read the answers has no more questions answered

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
            self._refuse(error.id, error.code, str(error))
            return True
        metrics.count_received(type(request), frame)
        if isinstance(request, m.MatchAction):
            act = self._act
            act(self, request)
            return True
        if trace.on:
            trace.begin(_match_of(request), self.player.id, request.id, type(request).__name__)
        try:
            await self._answer(request)
        except Refused as error:
            self._refuse(request.id, error.code, str(error), error.retry_after, error.sanction)
        except JournalUnreadable as error:
            log.error("journal_unreadable", **{**self._concerning(request), "match": error.match}, error=str(error))
            self._refuse(request.id, ErrorCode.UNAVAILABLE, UNREADABLE_TEXT)
        except StoreUnavailable:
            log.warning("store_unreachable", **self._concerning(request))
            self._refuse(request.id, ErrorCode.UNAVAILABLE, "the server cannot reach its store: try again in a moment")
        except ArchiveDamaged as error:
            log.warning("archive_unreadable", **self._concerning(request), error=str(error))
            self._refuse(request.id, ErrorCode.UNAVAILABLE, DAMAGED_TEXT)
        except ArchiveUnavailable as error:
            log.warning("archive_unreachable", **self._concerning(request), error=str(error))
            self._refuse(request.id, ErrorCode.UNAVAILABLE, "the server cannot reach its archive: try again later")
        except Exception:
            bind_contextvars(**self._concerning(request))  # for what is logged of it, in this task alone
            raise
        return True

    def _concerning(self, request: m.RequestBase) -> dict[str, object]:
        """What a line of the log has that concerns a request."""
        player = self.player
        about = {"match": _match_of(request), "player": player.id, "name": player.name, "request": request.id}
        return {"kind": type(request).__name__} | {field: value for field, value in about.items() if value}

    def _refuse(
        self,
        id: int | None,  # noqa: A002 - as on the wire
        code: str,
        text: str,
        retry_after: float = 0.0,
        sanction: m.Sanctioned | None = None,
    ) -> None:
        metrics.REFUSALS.add(code)
        self._error(id, code, text, retry_after, sanction)

    def _error(
        self,
        id: int | None,  # noqa: A002
        code: str,
        text: str,
        retry_after: float,
        sanction: m.Sanctioned | None = None,
    ) -> None:
        self.outbox.send(encode(m.Error(id=id, code=code, text=text, retry_after=retry_after, sanction=sanction)))

    async def _answer(self, request: m.Request) -> None:
        if not self.player.id:
            self._check_open_to_all(request)
        if self.is_new and not isinstance(request, m.Hello):
            if not await self.services.accounts.use(self.player, self.token):
                raise Refused(ErrorCode.BAD_TOKEN, "your token was revoked or has expired: connect again with a name")
            self.is_new = False
        await self._handlers[type(request)](self, request)

    def _check_open_to_all(self, request: m.Request) -> None:
        if not (self.watching or isinstance(request, m.Hello)):
            raise Refused(ErrorCode.HELLO_FIRST, "say hello first")
        if not isinstance(request, OPEN_TO_ALL) or (isinstance(request, m.List) and request.what == "mine"):
            raise Refused(ErrorCode.HELLO_FIRST, "you only look on: say hello with a name first")

    # --- what the handlers of requests have in common ---

    @property
    def player(self) -> Player:
        """Who it is; without an id before hello."""
        return self.outbox.player

    @player.setter
    def player(self, player: Player) -> None:
        self.outbox.player = player

    def send(self, message: m.Message) -> None:
        """Send a message to this client."""
        self.outbox.send(encode(message))

    def session_of(self, match: str) -> Session | None:
        """The session of a match that it is attached to; None if it is not."""
        return next((session for session in self.followed if session.record.id == match), None)

    def follows(self, match: str) -> bool:
        """Whether it is attached to a match."""
        return self.session_of(match) is not None

    def check_may_follow(self, match: str) -> None:
        """Raises: Refused when one more match would be too many."""
        if len(self.followed) >= FOLLOWED_LIMIT and not self.follows(match):
            self.unfollow([session for session in self.followed if session.record.over])
        if len(self.followed) >= FOLLOWED_LIMIT and not self.follows(match):
            raise Refused(ErrorCode.TOO_MANY, f"you follow {FOLLOWED_LIMIT} matches: detach from one first")

    def follow(
        self,
        session: Session,
        id: int | None = None,  # noqa: A002 - the field's name on the wire
        have: Have = HAVE_NOTHING,
        wants: Wants = WANTS_NOTHING,
    ) -> None:
        """Attach to a session, and answer the request `id`, if there was one, with what it shows."""
        if session not in self.followed:
            self.followed = (*self.followed, session)
            over = [one for one in self.followed if one.record.over and one is not session]
            self.unfollow(over[:-FINISHED_LIMIT])
        session.subscribers.attach(self.outbox, id, have, wants)
        self.services.registry.keep(session)

    async def submit(self, session: Session, id: int, decide: Decide) -> None:  # noqa: A002 - the field's name on the wire
        """Ask a session for a change and wait until it is in the journal.

        Raises: Refused.
        """
        done: asyncio.Future[m.Ok | m.Error] = asyncio.get_running_loop().create_future()
        session.submit(Command(self.player.id, id, None, decide, done))
        answer = await done
        if isinstance(answer, m.Error):
            raise Refused(answer.code, answer.text)


def _match_of(request: m.RequestBase) -> str:
    """The match that a request is about, by its id or the name of its table; "" = none."""
    return getattr(request, "match", "") or getattr(request, "table", "")


def _nothing() -> None:
    """What there is to do for one who has read everything, and is gone."""
