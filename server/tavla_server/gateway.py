"""The door: WebSocket connections, and what each request of theirs leads to."""

import asyncio
import base64
import hashlib
import http
import re
import secrets
import time
from collections.abc import Callable
from typing import Any

import structlog
from redis.exceptions import RedisError
from tavla_engine import actions as a
from tavla_engine.match import EITHER_SEAT
from tavla_engine.rules import BadRules, preset
from tavla_protocol import SUBPROTOCOL
from tavla_protocol import messages as m
from tavla_protocol.codec import MAX_FRAME_BYTES, BadFrame, BadMessage, decode_request, encode
from tavla_protocol.codes import CloseCode, ErrorCode
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from tavla_server.guests import Guests, NameTaken
from tavla_server.peer import Peer
from tavla_server.record import Cancelled, Created, Event, Player, Record, Seated, apply_all
from tavla_server.session import Ask, Decide, Refused, Session, engine_decide
from tavla_server.sessions import Sessions
from tavla_server.tables import Tables

HELLO_TIMEOUT_S = 10.0
HANDSHAKE_TIMEOUT_S = 10.0
PING_S = 10.0  # and as long for the answer: a dead peer is known within 20 s
CLOSE_TIMEOUT_S = 2.0
HEARTBEAT_S = 10.0
LISTEN_BACKLOG = 4096  # a whole club that comes back after a restart
RATE_PER_S = 100.0  # requests of one connection; beyond that it is read more slowly
BURST = 200.0
FOLLOWED_LIMIT = 256  # matches on one connection
TABLES_LIMIT = 32  # a player's, not over
MATCH_ID = re.compile(r"[a-z2-7]{8}")
CLAIM_S = 60.0  # a name whose table was never opened is free again

log = structlog.get_logger()


class Gateway:
    """Accepts connections. One task for each reads, decides and answers; nothing waits for a client to read."""

    def __init__(self, guests: Guests, tables: Tables, sessions: Sessions) -> None:
        self.guests, self.tables, self.sessions = guests, tables, sessions
        self.visits: set[Visit] = set()

    async def listen(self, host: str, port: int) -> Server:
        """Open the port.

        Raises: OSError when it cannot be had.
        """
        return await serve(
            self._handle,
            host,
            port,
            subprotocols=[SUBPROTOCOL],  # type: ignore[list-item] # a NewType of str
            compression=None,  # frames are far too small to gain from it
            max_size=MAX_FRAME_BYTES,
            process_request=_plain_http,
            server_header=None,
            open_timeout=HANDSHAKE_TIMEOUT_S,
            ping_interval=PING_S,
            ping_timeout=PING_S,
            close_timeout=CLOSE_TIMEOUT_S,
            backlog=LISTEN_BACKLOG,
        )

    async def _handle(self, socket: ServerConnection) -> None:
        visit = Visit(self, socket)
        self.visits.add(visit)
        try:
            await visit.run()
        except ConnectionClosed:
            pass
        except Exception:
            log.exception("request_failed", player=visit.peer.player.name)
            await socket.close(CloseCode.INTERNAL_ERROR, "a fault of the server: connect again")
        finally:
            self.visits.discard(visit)
            visit.leave()

    async def beat(self) -> None:
        """Tell clients the state of their matches, so that nobody stays out of step. Runs until it is cancelled."""
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            for visit in list(self.visits):
                if visit.followed:
                    states = [session.heartbeat() for session in visit.followed.values()]
                    visit.peer.send(encode(m.Heartbeat(matches=states)))
                await asyncio.sleep(0)

    def announce_closing(self, text: str, retry_after_s: float) -> None:
        """Tell everyone that the server closes their connection next."""
        for visit in self.visits:
            visit.peer.send(encode(m.Closing(text=text, retry_after=retry_after_s)))


def _plain_http(socket: ServerConnection, request: Request) -> Response | None:
    if request.path == "/healthz":
        return socket.respond(http.HTTPStatus.OK, "ok\n")
    if request.path.partition("?")[0] not in ("/", "/ws"):
        return socket.respond(http.HTTPStatus.NOT_FOUND, "nothing is here: connect a WebSocket to /\n")
    return None


class Visit:
    """One connection from hello to its end. followed: the sessions it is attached to, by match id."""

    def __init__(self, gateway: Gateway, socket: ServerConnection) -> None:
        self.peer = Peer(socket)
        self.followed: dict[str, Session] = {}
        self._gateway, self._socket = gateway, socket
        self._token = ""
        self._unused = False  # a new guest, not yet heard of after the welcome
        self._allowance, self._allowed_at = BURST, time.monotonic()

    async def run(self) -> None:
        """Read and answer until the connection ends."""
        try:
            async with asyncio.timeout(HELLO_TIMEOUT_S) as hello:
                async for frame in self._socket:
                    await self._throttle()
                    if not await self._receive(frame):
                        return
                    if self.peer.player.id:
                        hello.reschedule(None)
        except TimeoutError:
            if self.peer.player.id:
                raise
            await self._socket.close(CloseCode.HELLO_TIMEOUT, "say hello first")

    def leave(self) -> None:
        """Detach from everything."""
        for session in self.followed.values():
            session.detach(self.peer)
            self._gateway.sessions.forget_later(session)
        self.followed.clear()

    async def _throttle(self) -> None:
        now = time.monotonic()
        self._allowance = min(BURST, self._allowance + (now - self._allowed_at) * RATE_PER_S) - 1
        self._allowed_at = now
        if self._allowance < 0:
            await asyncio.sleep(-self._allowance / RATE_PER_S)

    async def _receive(self, frame: str | bytes) -> bool:
        """Answer one frame; False when the connection was closed for it."""
        if isinstance(frame, str):
            await self._socket.close(CloseCode.TEXT_FRAME, "frames are binary msgpack")
            return False
        try:
            request = decode_request(frame)
        except BadFrame as error:
            await self._socket.close(CloseCode.NOT_MSGPACK, str(error)[:100])
            return False
        except BadMessage as error:
            self.peer.send(encode(m.Error(id=error.id, code=error.code, text=str(error))))
            return True
        if isinstance(request, m.MatchAction):
            self._act(request)
            return True
        try:
            await self._answer(request)
        except Refused as error:
            self._refuse(request.id, error.code, str(error))
        except (RedisError, OSError):
            log.warning("store_unreachable", request=type(request).__name__)
            self._refuse(request.id, ErrorCode.UNAVAILABLE, "the server cannot reach its store: try again in a moment")
        return True

    def _refuse(self, id: int, code: str, text: str) -> None:  # noqa: A002 - the field's name on the wire
        self.peer.send(encode(m.Error(id=id, code=code, text=text)))

    # --- actions: no await from the frame to the journal ---

    def _act(self, request: m.MatchAction) -> None:
        session = self.followed.get(request.match)
        if session is None:
            text = "attach to this match first" if self.peer.player.id else "say hello first"
            code = ErrorCode.NOT_ATTACHED if self.peer.player.id else ErrorCode.HELLO_FIRST
            self._refuse(request.id, code, text)
            return
        seat = session.record.seat_of(self.peer.player.id)
        if seat is None or session.holders[seat] is not self.peer:
            text = "you only watch this match" if seat is None else "you play this match on another connection"
            self._refuse(request.id, ErrorCode.NOT_SEATED, text)
            return
        action = ACTIONS[type(request)](seat, request)
        # What is not bound to a turn means the same at any version: two players may be ready at the same moment.
        seq = None if isinstance(action, EITHER_SEAT) else request.seq
        session.ask(Ask(self.peer.player.id, request.id, seq, engine_decide(action), self.peer))

    # --- everything else ---

    async def _answer(self, request: m.Request) -> None:
        if isinstance(request, m.Hello):
            await self._hello(request)
            return
        if not self.peer.player.id:
            raise Refused(ErrorCode.HELLO_FIRST, "say hello first")
        if self._unused:
            self._unused = False
            await self._gateway.guests.keep(self.peer.player, self._token)
        match request:
            case m.Create():
                await self._create(request)
            case m.Join():
                await self._join(request)
            case m.Attach():
                await self._attach(request)
            case m.Detach():
                self._detach(request)
            case m.List():
                self.peer.send(encode(m.Tables(id=request.id, tables=await self._gateway.tables.lines())))
            case m.Cancel():
                await self._cancel(request)

    async def _hello(self, request: m.Hello) -> None:
        guests = self._gateway.guests
        if self.peer.player.id:
            raise Refused(ErrorCode.HELLO_FIRST, "you have said hello already: open another connection")
        if request.token is not None:
            player = await guests.resume(request.token)
            if player is None:
                raise Refused(ErrorCode.BAD_TOKEN, "this token is unknown or has expired: say hello with a name")
            self._token = request.token
        elif request.name is not None:
            try:
                player, self._token = await guests.register(request.name)
            except NameTaken:
                raise Refused(ErrorCode.NAME_TAKEN, f"someone is called {request.name}: choose another name") from None
            self._unused = True
        else:
            raise Refused(ErrorCode.BAD_MESSAGE, "say hello with a name, or with the token of an earlier welcome")
        matches = await self._gateway.tables.played_by(player.id)
        self.peer.player = player
        self.peer.send(
            encode(m.Welcome(id=request.id, player=player.id, name=player.name, token=self._token, matches=matches))
        )

    async def _create(self, request: m.Create) -> None:
        tables, player = self._gateway.tables, self.peer.player
        changes: dict[str, Any] = dict(request.rules)
        try:
            rules = preset(str(changes.pop("preset", "tournament")), changes)
        except BadRules as error:
            raise Refused(ErrorCode.BAD_RULES, str(error)) from None
        id_ = _match_id(player, request.id)
        self._check_may_follow(id_)
        session = await self._gateway.sessions.get(id_)
        if session.seq == 0:
            if len(await tables.played_by(player.id)) >= TABLES_LIMIT:
                raise Refused(ErrorCode.TOO_MANY, f"you have {TABLES_LIMIT} tables: finish or cancel one first")
            name = request.name or player.name
            await tables.enter(id_, player.id, int(time.time() * 1000))
            await self._claim(name, id_)
            created = Created(name, rules, secrets.token_bytes(32))
            seat = secrets.randbelow(2) if request.side == "either" else ("white", "black").index(request.side)
            await self._ask(session, request.id, _open(created, Seated(seat, player, request.seed)))
        self._follow(session, request.id)

    async def _claim(self, name: str, match: str) -> None:
        """Take a table's name, from a table that is over or never came to be if need be."""
        tables = self._gateway.tables
        if await tables.claim(name, match):
            return
        holder = await tables.find(name)
        if holder is not None:
            session = await self._gateway.sessions.get(holder)
            abandoned = session.seq == 0 and await tables.age_s(holder) > CLAIM_S
            if session.record.over or abandoned:
                await tables.release(name, holder)
                if await tables.claim(name, match):
                    return
        await tables.drop(match, [self.peer.player.id])
        raise Refused(ErrorCode.NAME_TAKEN, f"there is a table called {name}: choose another name for yours")

    async def _join(self, request: m.Join) -> None:
        session, player = await self._find(request.table), self.peer.player
        self._check_may_follow(session.record.id)
        if session.record.seat_of(player.id) is None:
            if not session.record.open:
                raise Refused(ErrorCode.TABLE_FULL, "this table has no free seat: you can watch it")
            await self._gateway.tables.enter(session.record.id, player.id, int(time.time() * 1000))
            try:
                await self._ask(session, request.id, _sit(player, request.seed))
            except Refused:
                await self._gateway.tables.leave(session.record.id, player.id)
                raise
        self._follow(session, request.id)

    async def _attach(self, request: m.Attach) -> None:
        session = await self._find(request.table)
        self._check_may_follow(session.record.id)
        self._follow(session, request.id, request.epoch, request.seq, request.plays)

    def _detach(self, request: m.Detach) -> None:
        session = self.followed.pop(request.match, None)
        if session is None:
            raise Refused(ErrorCode.NOT_ATTACHED, "you do not follow this match")
        session.detach(self.peer)
        self._gateway.sessions.forget_later(session)
        self.peer.send(encode(m.Ok(id=request.id)))

    async def _cancel(self, request: m.Cancel) -> None:
        session = self.followed.get(request.match) or await self._find(request.match)
        if session.record.seat_of(self.peer.player.id) is None:
            raise Refused(ErrorCode.NOT_SEATED, "this is not your table")
        await self._ask(session, request.id, _cancel)
        self.peer.send(encode(m.Ok(id=request.id, seq=session.seq)))

    async def _find(self, table: str) -> Session:
        """The session of a match, by its id or else by its table's name: nobody's name may hide another's match."""
        sessions = self._gateway.sessions
        session = await sessions.get(table) if MATCH_ID.fullmatch(table) else None
        if session is None or session.seq == 0:
            match = await self._gateway.tables.find(table)
            session = await sessions.get(match) if match else None
        if session is None or session.seq == 0:
            raise Refused(ErrorCode.NO_SUCH_MATCH, f"there is no table called {table}")
        return session

    def _check_may_follow(self, match: str) -> None:
        if len(self.followed) >= FOLLOWED_LIMIT and match not in self.followed:
            raise Refused(ErrorCode.TOO_MANY, f"you follow {FOLLOWED_LIMIT} matches: detach from one first")

    def _follow(self, session: Session, id: int, epoch: int = 0, seq: int = 0, plays: bool = False) -> None:  # noqa: A002
        self.followed[session.record.id] = session
        session.attach(self.peer, id, epoch, seq, plays)

    async def _ask(self, session: Session, id: int, decide: Decide) -> None:  # noqa: A002
        """Ask a session for a change and wait until it is in the journal.

        Raises: Refused.
        """
        done: asyncio.Future[m.Ok | m.Error] = asyncio.get_running_loop().create_future()
        session.ask(Ask(self.peer.player.id, id, None, decide, done))
        answer = await done
        if isinstance(answer, m.Error):
            raise Refused(answer.code, answer.text)


ACTIONS: dict[type[m.MatchAction], Callable[[a.Seat, Any], a.Action]] = {
    m.Ready: lambda seat, _: a.Ready(seat),
    m.Roll: lambda seat, _: a.Roll(seat),
    m.Double: lambda seat, _: a.Double(seat),
    m.Take: lambda seat, _: a.Take(seat),
    m.Drop: lambda seat, _: a.Drop(seat),
    m.Beaver: lambda seat, _: a.Beaver(seat),
    m.Move: lambda seat, request: a.Move(seat, request.moves),
    m.Resign: lambda seat, request: a.Resign(seat, request.value),
    m.Accept: lambda seat, _: a.AcceptResignation(seat),
    m.Refuse: lambda seat, _: a.RefuseResignation(seat),
    m.Forfeit: lambda seat, _: a.Forfeit(seat),
    m.Leave: lambda seat, _: a.Leave(seat),
    m.Auto: lambda seat, request: a.SetAuto(seat, a.Auto(request.what), request.on),
}


def _open(created: Created, seated: Seated) -> Decide:
    def decide(record: Record) -> tuple[list[Event], Record]:
        if record.name:
            raise Refused(ErrorCode.NAME_TAKEN, "this match id is in use: send the request again with another id")
        return [created, seated], apply_all(record, (created, seated))

    return decide


def _sit(player: Player, seed: str) -> Decide:
    """Take the free seat; the match begins at once."""

    def decide(record: Record) -> tuple[list[Event], Record]:
        if record.seat_of(player.id) is not None:
            return [], record
        if not record.open:
            raise Refused(ErrorCode.TABLE_FULL, "this table has no free seat: you can watch it")
        seated = Seated(record.players.index(None), player, seed)
        events, record = engine_decide(a.Ready(0), a.Ready(1))(apply_all(record, (seated,)))
        return [seated, *events], record

    return decide


def _cancel(record: Record) -> tuple[list[Event], Record]:
    if record.cancelled:
        return [], record
    if not record.open:
        raise Refused(ErrorCode.TABLE_FULL, "your opponent has sat down: you may forfeit the match")
    return [Cancelled()], record._replace(cancelled=True)


def _match_id(player: Player, request_id: int) -> str:
    """The same for the same request, so that one sent again after a lost connection opens no second table."""
    digest = hashlib.sha256(f"{player.id}:{request_id}".encode()).digest()
    return base64.b32encode(digest[:5]).decode().lower()
