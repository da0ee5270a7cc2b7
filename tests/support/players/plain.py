"""Scripted players over plain WebSockets: they speak the protocol and know the rules, but no client library."""

import asyncio
import contextlib
import itertools
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Any, Self, TypeVar
from weakref import WeakSet

from tavla_engine.dice import commitment
from tavla_protocol import SUBPROTOCOL
from tavla_protocol import messages as m
from tavla_protocol.claims import binding_of
from tavla_protocol.codec import decode_reply, encode
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import View
from websockets import State
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from tests.support.patience import PATIENCE_S
from tests.support.players.seen import Seen
from tests.support.players.turns import choose, waits_for

RETRY_S = 0.02
PLAYS = 4  # two of each player
LOST = (ConnectionClosed, InvalidHandshake, EOFError, OSError)  # how a server goes away

COMMITTED = (m.Create, m.Join, m.Seek, m.Challenge, m.Rematch, m.EnterTournament)  # requests that lead to a seat
_seeds: dict[str, str] = {}  # by commitment: those that players of this process show by themselves
_connected: "WeakSet[Player]" = WeakSet()  # in this process

T = TypeVar("T")
Received = m.Reply | m.Update


class Player:
    """Connection of a player, driven step by step. log: all that was received. inbox: messages not asked for yet.

    A request for a seat without a `commitment` gets one, and its seed is revealed as soon as it is due.
    hello: what is said instead of a name or a token. headers: of the handshake.
    """

    ping_s: float | None = None  # between two pings, and for the answer; None = no pings
    open_s = close_s = PATIENCE_S

    def __init__(
        self,
        url: str,
        name: str | None = None,
        token: str | None = None,
        hello: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.url, self.name, self.token = url, name or (None if token else unique("p")), token
        self.hello, self.headers = hello, headers
        self.id = ""
        self.playing: list[str] = []  # the matches that welcome named
        self.log: list[Received] = []
        self.inbox: list[Received] = []
        self.matches: dict[str, Seen] = {}
        self._ids = itertools.count(secrets.randbits(50))
        self._reveals: dict[int, str] = {}  # by id: the match, on this connection
        self._socket: ClientConnection | None = None

    @property
    def socket(self) -> ClientConnection:
        assert self._socket is not None, "connected"
        return self._socket

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def connect(self) -> None:
        """Connect, without hello."""
        self._socket = await within(
            connect(
                self.url,
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                compression=None,
                proxy=None,
                ping_interval=self.ping_s,
                ping_timeout=self.ping_s,
                open_timeout=self.open_s,
                close_timeout=self.close_s,
                max_queue=None,  # of 16, which is websockets' own, a 17th message unread keeps `close` waiting
                additional_headers=self.headers,
            )
        )

    async def open(self) -> None:
        """Connect and say hello, as the same player as before if there was one."""
        await self.connect()
        self._reveals.clear()
        _connected.add(self)
        hello = {"token": self.token} if self.token else self.hello or {"name": self.name}
        welcome = await self.ask(m.Hello, **hello)
        if isinstance(welcome, m.Error) and welcome.code == ErrorCode.UNAVAILABLE:
            raise ConnectionError(welcome.text)
        assert isinstance(welcome, m.Welcome), welcome
        self.id, self.name, self.token, self.playing = welcome.player, welcome.name, welcome.token, welcome.matches

    @property
    def is_open(self) -> bool:
        """True if its connection is; some tests leave players of an earlier server about."""
        return self._socket is not None and self._socket.state is State.OPEN

    async def close(self) -> None:
        """Close the connection, as a client does that has finished."""
        _connected.discard(self)
        if self._socket is not None:
            await within(self._socket.close())

    # --- one step at a time ---

    def new_id(self) -> int:
        """An id for a request."""
        return next(self._ids)

    async def send(self, request: type[m.RequestBase], **fields: Any) -> int:
        """Send a request; its id."""
        fields.setdefault("id", self.new_id())
        if request is m.Reveal and "binding" not in fields:
            fields["binding"] = self.binding(fields["match"])
        if issubclass(request, m.MatchAction) and fields["match"] in self.matches:
            fields.setdefault("epoch", self.matches[fields["match"]].epoch)
        if request in COMMITTED or (request is m.Answer and fields["accept"]):
            fields.setdefault("commitment", fresh_commitment())
        await within(self.socket.send(encode(request(**fields))))
        id_: int = fields["id"]
        return id_

    def binding(self, match: str) -> str:
        """Binding of the terms of a match, as we see them; of a view without terms one that no match has."""
        return binding_of(match, self.matches[match].view) or "00" * 32

    async def ask(self, request: type[m.RequestBase], **fields: Any) -> Received:
        """Send a request and wait for its answer."""
        id_ = await self.send(request, **fields)
        return await self.find(lambda message: getattr(message, "id", None) == id_)

    async def get(self, kind: type[T], request: type[m.RequestBase], **fields: Any) -> T:
        """Send a request and wait for its answer, which is of this kind."""
        answer = await self.ask(request, **fields)
        assert isinstance(answer, kind), answer
        return answer

    async def look_back(self, request: type[m.RequestBase], **fields: Any) -> Received:
        """Ask for what was played, again and again if need be: as fast as the server allows."""
        while True:
            answer = await self.ask(request, **fields)
            if not isinstance(answer, m.Error) or answer.code != ErrorCode.TOO_MANY:
                return answer
            await asyncio.sleep(answer.retry_after)

    async def act(self, request: type[m.MatchAction], match: str, **fields: Any) -> m.Ok | m.Error:
        """Ask for an action at the version that we have seen, and wait for the answer (not for the update).

        Of a match that waits for seeds which players here reveal by themselves: when it has begun.
        """
        await self.start(request, match)
        answer = await self.ask(request, match=match, **{"seq": self.matches[match].seq, **fields})
        assert isinstance(answer, m.Ok | m.Error), answer
        return answer

    async def start(self, request: type[m.RequestBase], match: str) -> None:
        """Wait for the first game, if an action needs that and both players are here and reveal by themselves."""
        view = self.matches[match].view
        if request is not m.Reveal and view.phase == "reveal" and all(one in _seeds for one in view.commitments):
            await begun(match, self, *_others(view, match, self))

    async def sees_it_begin(self, match: str) -> None:
        """Wait until we see the first game, or that there is none."""
        while match not in self.matches:
            await self.receive()
        await self.until(match, lambda view: view.game > 0 or view.phase == "over")

    async def next(self, kind: type[T]) -> T:
        """The first message of a kind that was not taken yet, old or new."""
        found = await self.find(lambda message: isinstance(message, kind))
        assert isinstance(found, kind)
        return found

    async def find(self, wanted: Callable[[Received], bool]) -> Received:
        """Take the first message that is wanted out of the inbox; wait for it if need be."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                for message in self.inbox:
                    if wanted(message):
                        self.inbox.remove(message)
                        return message
                await self.receive()

    async def until(self, match: str, wanted: Callable[[View], bool]) -> View:
        """The first view of a match, from now on, that is wanted."""
        async with asyncio.timeout(PATIENCE_S):
            while not wanted(self.matches[match].view):
                await self.receive()
        return self.matches[match].view

    async def reach(self, match: str, seq: int) -> View:
        """Wait until a match has been seen at this version."""
        async with asyncio.timeout(PATIENCE_S):
            while self.matches[match].seq < seq:
                await self.receive()
        return self.matches[match].view

    async def sync(self) -> list[Received]:
        """Everything that the server sent us up to now has arrived. Returns and empties the inbox.

        Without heartbeats, who watches and who has sat down: those are told some time later, and so at any time.
        """
        await self.ask(m.List)
        inbox, self.inbox = self.inbox, []
        return [message for message in inbox if not isinstance(message, m.Watchers | m.Heartbeat | m.Seated | m.Ended)]

    async def receive(self) -> Received:
        """Read one frame and take it in."""
        message = decode_reply(await self.socket.recv(decode=False))
        self.log.append(message)
        if isinstance(message, m.Ok | m.Error) and message.id in self._reveals:
            if isinstance(message, m.Error) and message.code in (ErrorCode.UNAVAILABLE, ErrorCode.NOT_ATTACHED):
                await asyncio.sleep(RETRY_S)
                del self._reveals[message.id]
            await self.show_seeds()
            return message
        self.inbox.append(message)
        match message:
            case m.Snapshot() if message.match in self.matches:
                self.matches[message.match].load(message)
            case m.Snapshot():
                self.matches[message.match] = Seen(message)
            case m.Update():
                self.matches[message.match].update(message)
            case m.Presence():
                online = list(self.matches[message.match].online)
                online[message.seat] = message.online
                self.matches[message.match].online = (online[0], online[1])
        await self.show_seeds()
        return message

    async def show_seeds(self) -> None:
        """Reveal the seeds of ours that are due, each once on a connection."""
        for id_, seen in self.matches.items():
            is_due = seen.view.phase == "reveal" and seen.seat in seen.view.unrevealed
            seed = _seeds.get(seen.view.commitments[seen.seat or 0])
            if is_due and seed is not None and id_ not in self._reveals.values():
                self._reveals[request := self.new_id()] = id_
                fields = {"id": request, "seq": seen.seq, "seed": seed, "binding": self.binding(id_)}
                with contextlib.suppress(ConnectionClosed):
                    await self.send(m.Reveal, match=id_, **fields)

    # --- whole matches ---

    async def take_turn(self, match: str, rng: random.Random) -> None:
        """Wait for our turn, act, and wait until it is shown; or until the match is over."""
        seen = self.matches[match]
        view = await self.until(match, lambda view: view.phase == "over" or waits_for(view, seen.seat))
        if view.phase != "over":
            request, fields = choose(view, seen.seat, rng)
            seq = seen.seq
            await self.send(request, match=match, seq=seq, **fields)
            await self.reach(match, seq + 1)

    async def play(self, match: str, rng: random.Random) -> View:
        """Play to the end of the match."""
        while self.matches[match].view.phase != "over":
            await self.take_turn(match, rng)
        return self.matches[match].view


@contextlib.asynccontextmanager
async def players(url: str, *names: str | None) -> AsyncIterator[list[Player]]:
    """Connected players, by their names."""
    async with contextlib.AsyncExitStack() as stack:
        yield [await stack.enter_async_context(Player(url, name)) for name in names]


def guests(url: str, count: int) -> contextlib.AbstractAsyncContextManager[list[Player]]:
    """Connected players whose names no other test uses."""
    return players(url, *[None] * count)


async def within(what: Awaitable[T], timeout_s: float = PATIENCE_S) -> T:
    """Await a result that should come soon."""
    async with asyncio.timeout(timeout_s):
        return await what


async def close_code(player: Player) -> int:
    """The code with which the server closes the connection."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            await within(player.receive())
    assert player.socket.close_code is not None
    return player.socket.close_code


def refused(answer: object) -> str:
    """The code of a refusal."""
    assert isinstance(answer, m.Error), answer
    assert answer.text, "a refusal says why"
    return answer.code


def unique(stem: str) -> str:
    """A name that no other test uses."""
    return f"{stem}-{secrets.token_hex(5)}"


def fresh_commitment() -> str:
    """A commitment to a seed that players of this process reveal by themselves."""
    seed = secrets.token_hex(32)
    _seeds[committed := commitment(bytes.fromhex(seed))] = seed
    return committed


async def begun(match: str, *players: Player) -> None:
    """Both players have revealed their seeds, and see the first game; or the match is void."""

    await within(asyncio.gather(*(player.sees_it_begin(match) for player in players)))


def _others(view: View, match: str, player: Player) -> list[Player]:
    """The opponent's connection, at best one that is open and follows the match."""
    known = [one for one in _connected if one.name in view.players and one.name != player.name]
    return sorted(known, key=lambda one: (not one.is_open, match not in one.matches))[:1]
