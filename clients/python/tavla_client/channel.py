"""One player's way to a server: requests out, messages in, over a connection that is renewed by itself."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, NamedTuple, Self, overload

from tavla_protocol import messages as m
from tavla_protocol.codec import BadFrame, BadMessage, decode_reply, encode
from tavla_protocol.codes import CloseCode, ErrorCode
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from tavla_client.connection import Link, log, open_connection, retry_delay
from tavla_client.errors import ClientError, ConnectionFailed, Refused
from tavla_client.lists import Lists
from tavla_client.match import Match

HELLO_TIMEOUT_S = 5.0  # for the answer to hello
STABLE_S = 2.0  # a connection that lived shorter was no success: the next wait goes on growing
UNAVAILABLE_RETRY_S = 1.0  # on average, while the server cannot reach its store
UNAVAILABLE_TRIES = 10  # then the caller hears of it; it may try on

_Followed = m.Create | m.Join | m.Attach | m.Seek | m.Challenge | m.Rematch  # lead to a match, now or later
_Plain = (  # answered with ok
    m.Cancel | m.Detach | m.Unsubscribe | m.Unseek | m.Withdraw | m.Ignore | m.Say | m.Register | m.Password | m.Logout
)


class _Pending(NamedTuple):
    """A request that waits for its answer. match: what an attach is for. answer: None if nobody waits for it."""

    request: m.Asked
    match: Match | None
    answer: asyncio.Future[Any] | None


class _StoreAway(Exception):
    """The server cannot take up a match of ours, since its store is away: another try later, or another node."""


class Channel:
    """A player's way to a server, for as long as it is open. What can be asked there, `Client` has.

    name: of a new guest, or of an account with its password. token: from an earlier welcome, to be the same player
    again; it goes before the name. bot: I am a program, and everyone shall see that.
    on_token: called with each token that the server gives; who keeps it can come back.
    on_link: called when the connection is there, when it is lost, and before each attempt to renew it; must not raise.
    rng, sleep: chance and time of the reconnection, for tests.

    Entering raises ConnectionFailed, or Refused for a name or token that the server does not take. Later the client
    connects again by itself; requests wait meanwhile, and every match goes on where it was.
    """

    def __init__(
        self,
        url: str,
        *,
        name: str | None = None,
        password: str | None = None,
        token: str | None = None,
        bot: bool = False,
        on_token: Callable[[str], None] | None = None,
        on_link: Callable[[Link], None] | None = None,
        rng: random.Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.url = url
        self.name = name
        self.token = token
        self.player: str | None = None  # the server's id for us
        self.kind = "guest"  # guest, account or bot, as of the last welcome
        self.rating: float | None = None  # None without an account
        self.matches: list[str] = []  # ids of ours that were not over at the last welcome, or were made by a seek since
        self.link = Link(online=False)
        self._password, self._bot = password, bot
        self._on_token = on_token
        self._on_link = on_link
        self._rng = rng or random.Random()
        self._sleep = sleep
        self._next_id = self._rng.randrange(2**52)  # ids stay exact in any client's numbers: below 2**53
        self._connection: ClientConnection | None = None
        self._retry_after = 0.0
        self._pending: dict[int, _Pending] = {}
        self._followed: dict[str, Match] = {}
        self.followed_lists: list[Lists] = []  # those that are followed
        self._lists_again: set[m.Subject] = set()  # what has to be listed anew, since changes are missing
        self.challenges: dict[str, m.Challenged] = {}  # those that are open, by us and to us, by their ids
        self.on_challenge: Callable[[m.Challenged], None] | None = None  # called when someone challenges us
        self._challenging: dict[str, int] = {}  # ours that wait for an answer -> the id of the request
        self._withdrawn: list[m.Withdraw] = []  # to be sent
        self._made: dict[str, int] = {}  # matches that wait for their opponent -> the id of the seek that wants them
        self._seek_again: list[m.Seek] = []  # what the server seeks for us no longer, and should
        self._reader: asyncio.Task[None] | None = None
        self._ended: ClientError | None = None

    @property
    def online(self) -> bool:
        """Whether the server can be reached now."""
        return self.link.online

    async def __aenter__(self) -> Self:
        connection = await self._connect()
        self.link = Link(online=True)
        self._reader = asyncio.create_task(self._run(connection), name="tavla client")
        await asyncio.sleep(0)  # once it has begun, it ends properly however soon it is cancelled
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._reader is not None, "entered before"
        self._reader.cancel()
        with suppress(asyncio.CancelledError):
            await self._reader

    def new_id(self) -> int:
        """An id that this player has not used for a request yet."""
        self._next_id += 1
        return self._next_id

    @overload
    async def request(self, request: _Followed, match: Match | None = None) -> Match: ...
    @overload
    async def request(self, request: m.List | m.Subscribe, match: None = None) -> m.Listing: ...
    @overload
    async def request(self, request: m.Profile, match: None = None) -> m.Career: ...
    @overload
    async def request(self, request: m.Top, match: None = None) -> m.Leaders: ...
    @overload
    async def request(self, request: m.Answer, match: None = None) -> Match | m.Ok: ...
    @overload
    async def request(self, request: _Plain | m.MatchAction, match: None = None) -> m.Ok: ...
    async def request(self, request: m.Asked, match: Match | None = None) -> Any:
        """Send a request until it is answered, however often the connection is lost or the server's store is away.

        Raises: Refused; `unavailable` only after UNAVAILABLE_TRIES. ConnectionFailed, when the client is closed first.
        """
        for _ in range(UNAVAILABLE_TRIES - 1):
            try:
                return await self._request(request, match)
            except Refused as refused:
                if refused.code != ErrorCode.UNAVAILABLE:
                    raise
            await self._sleep(UNAVAILABLE_RETRY_S * self._rng.uniform(0.5, 1.5))
        return await self._request(request, match)

    async def _request(self, request: m.Asked, match: Match | None) -> Any:
        if self._ended is not None:
            raise self._ended
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[request.id] = _Pending(request, match, answer)
        try:
            if self._connection is not None:
                with suppress(ConnectionClosed):  # then it is sent again, on the next connection
                    await self._connection.send(encode(request))
            return await answer
        finally:
            self._pending.pop(request.id, None)

    def forget(self, match: Match) -> None:
        """Follow a match no longer."""
        self._drop(match)

    # --- the connection ---

    async def _run(self, connection: ClientConnection) -> None:
        """Read until the connection is lost, then connect again; the one task that a client has."""
        error: ClientError = ConnectionFailed("this client was closed")
        clock = asyncio.get_running_loop().time
        attempt = 0
        try:
            while True:
                since = clock()
                reason = await self._follow(connection)
                attempt = 0 if clock() - since > STABLE_S else attempt
                while True:
                    delay = retry_delay(attempt, self._retry_after, self._rng)
                    attempt, self._retry_after = attempt + 1, 0.0
                    self._tell(Link(False, delay, reason))
                    await self._sleep(delay)
                    try:
                        connection = await self._connect()
                        break
                    except ConnectionFailed as failed:
                        reason = str(failed)
                    except Refused as refused:
                        if refused.code == ErrorCode.BAD_TOKEN:
                            raise
                        reason = refused.text
        except ClientError as fatal:
            error = fatal
        finally:
            self._end(error)

    async def _connect(self) -> ClientConnection:
        """Connect and say hello. Raises: ConnectionFailed, Refused."""
        connection = await open_connection(self.url)
        try:
            async with asyncio.timeout(HELLO_TIMEOUT_S):
                await connection.send(encode(self._hello()))
                self._welcome(decode_reply(await connection.recv(decode=False)))
        except BaseException as error:
            await connection.close()
            if isinstance(error, ConnectionClosed | TimeoutError | BadFrame | BadMessage):
                raise ConnectionFailed(f"{self.url} does not answer as a Tavla server does: {error}") from error
            raise
        return connection

    def _hello(self) -> m.Hello:
        if self.token:
            return m.Hello(id=self.new_id(), token=self.token, bot=self._bot)
        return m.Hello(id=self.new_id(), name=self.name, password=self._password, bot=self._bot)

    def _welcome(self, reply: object) -> None:
        match reply:
            case m.Welcome():
                self.player, self.name, self.matches = reply.player, reply.name, reply.matches
                self.kind, self.rating = reply.kind, reply.rating
                self._password = None  # from now on there is a token
                if reply.token != self.token:
                    self.token = reply.token
                    if self._on_token is not None:
                        self._on_token(reply.token)
            case m.Error():
                raise Refused(reply.code, reply.text)
            case m.Closing():
                self._retry_after = reply.retry_after
                raise ConnectionFailed(reply.text)
            case _:
                raise ConnectionFailed(f"{self.url} answers hello with {type(reply).__name__.lower()}")

    async def _follow(self, connection: ClientConnection) -> str:
        """Everything on one connection, from taking up what was open to its end. Returns why it ended."""
        reason = "the connection was lost"
        try:
            await self._take_up(connection)
            self._connection = connection
            self._tell(Link(online=True))
            while True:
                try:
                    reply = decode_reply(await connection.recv(decode=False))
                except BadMessage as bad:  # from a newer server, perhaps; the rest of it may be fine
                    log.warning("unknown message: %s", bad)
                    self._answer(bad.id, Refused(ErrorCode.BAD_MESSAGE, f"the answer cannot be read: {bad}"))
                    continue
                if isinstance(reply, m.Closing):
                    reason, self._retry_after = reply.text, reply.retry_after
                for match in self._receive(reply):
                    await self._attach_again(connection, match)
                while self._lists_again:
                    await self._subscribe(connection, self._lists_again.pop())
                while self._seek_again:
                    await connection.send(encode(self._seek_again.pop()))
                while self._withdrawn:
                    await connection.send(encode(self._withdrawn.pop()))
        except ConnectionClosed as closed:
            if closed.rcvd is not None and closed.rcvd.code == CloseCode.LOGGED_OUT:
                raise Refused(ErrorCode.BAD_TOKEN, reason) from None
            return reason
        except _StoreAway as away:
            return str(away)
        except BadFrame as bad:
            await connection.close(CloseCode.NOT_MSGPACK)
            return str(bad)
        finally:
            self._connection = None
            await connection.close()

    async def _take_up(self, connection: ClientConnection) -> None:
        """Attach to every match again and ask for every list, then send what was not answered, under the same ids."""
        self._pending = {id_: pending for id_, pending in self._pending.items() if pending.answer is not None}
        for match in list(self._followed.values()):
            match.attaching = None
            await self._attach_again(connection, match)
        self._lists_again.clear()
        for what in {what for lists in self.followed_lists for what in lists.what}:
            await self._subscribe(connection, what)
        self._seek_again.clear()
        self.challenges.clear()  # the server has told again of those that are open, or will
        self._challenging.clear()
        self._made = {match: seek for match, seek in self._made.items() if match in self._followed}
        sent = {id_ for id_, pending in self._pending.items() if pending.answer is None} | set(self._made.values())
        while todo := [pending for id_, pending in self._pending.items() if id_ not in sent]:
            for pending in todo:
                await connection.send(encode(pending.request))
                sent.add(pending.request.id)

    async def _attach_again(self, connection: ClientConnection, match: Match) -> None:
        """Ask for what a match has missed, unless that is under way."""
        if match.attaching is None:
            request = match.attach_request(self.new_id())
            match.attaching = request.id
            self._pending[request.id] = _Pending(request, match, None)
            await connection.send(encode(request))

    async def _subscribe(self, connection: ClientConnection, what: m.Subject) -> None:
        """Ask for a list that is followed."""
        request = m.Subscribe(id=self.new_id(), what=what)
        self._pending[request.id] = _Pending(request, None, None)
        await connection.send(encode(request))

    def _tell(self, link: Link) -> None:
        self.link = link
        if self._on_link is not None:
            self._on_link(link)

    def _end(self, error: ClientError) -> None:
        """Nothing more will come: everyone who waits is told why."""
        self._ended = error
        self.link = Link(online=False, reason=str(error))
        for id_ in list(self._pending):
            self._answer(id_, error)
        for match in self._followed.values():
            match.end(error)
        self._followed.clear()
        for lists in self.followed_lists:
            lists.end(error)

    # --- what arrives ---

    def _receive(self, reply: m.Reply | m.Update) -> Sequence[Match]:
        """Take in one message. Returns the matches that are out of step and have to be attached again."""
        match reply:
            case m.Update():
                followed = self._followed.get(reply.match)
                if followed is not None and not followed.on_update(reply):
                    return (followed,)
                if followed is not None:
                    self._settle(followed)
            case m.Snapshot():
                self._on_snapshot(reply)
            case m.Ok() | m.Listing() | m.Career() | m.Leaders():
                self._on_done(reply)
            case m.Changes():
                for lists in self.followed_lists:
                    if not lists.on_changes(reply):
                        self._lists_again.update(what for what in lists.what if what == reply.what)
            case m.Matched():
                self._on_matched(reply)
            case m.Challenged():
                self._on_challenged(reply)
            case m.Unchallenged():
                self._on_unchallenged(reply)
            case m.Seeking(on=False):
                self._answer(reply.seek, ClientError("another connection of yours seeks now, or was matched"))
            case m.Error():
                pending = self._pending.get(reply.id) if reply.id is not None else None
                if reply.code == ErrorCode.UNAVAILABLE and pending is not None and pending.answer is None:
                    raise _StoreAway(reply.text)
                self._answer(reply.id, Refused(reply.code, reply.text, reply.seq))
            case m.Heartbeat():
                states = [(self._followed.get(id_), state) for id_, *state in reply.matches]
                return [match for match, state in states if match is not None and not match.on_heartbeat(*state)]
            case m.Plays() | m.Presence() | m.Replaced() | m.Said() | m.Watchers():
                followed = self._followed.get(reply.match)
                if followed is not None:
                    _NOTICES[type(reply)](followed, reply)
        return ()

    def _on_done(self, reply: m.Ok | m.Listing | m.Career | m.Leaders) -> None:
        pending = self._pending.get(reply.id)
        if pending is not None and isinstance(reply, m.Listing) and isinstance(pending.request, m.Subscribe):
            for lists in self.followed_lists:
                lists.on_listing(reply)
        if pending is not None and isinstance(reply, m.Ok):
            if isinstance(pending.request, m.Seek):
                return  # it waits on, for the match
            if isinstance(pending.request, m.Unseek):
                self._seek_on()
            if pending.match is not None:
                pending.match.on_attached(reply)
        self._answer(reply.id, reply)

    def _on_matched(self, matched: m.Matched) -> None:
        self.challenges.pop(matched.match, None)
        if matched.match not in self.matches:
            self.matches.append(matched.match)
        request = matched.seek if matched.seek is not None else self._challenging.pop(matched.match, None)
        if request in self._pending:
            self._made[matched.match] = request
        if matched.seek is not None:
            self._seek_on()

    def _on_challenged(self, challenged: m.Challenged) -> None:
        is_new = challenged.challenge not in self.challenges
        self.challenges[challenged.challenge] = challenged
        if challenged.id in self._pending:
            self._challenging[challenged.challenge] = challenged.id
        elif challenged.id is not None:  # we gave up before the answer came
            self._withdrawn.append(m.Withdraw(id=self.new_id(), challenge=challenged.challenge))
        elif is_new and challenged.by != self.name and self.on_challenge is not None:
            self.on_challenge(challenged)

    def _on_unchallenged(self, unchallenged: m.Unchallenged) -> None:
        challenged = self.challenges.pop(unchallenged.challenge, None)
        if unchallenged.why != "accepted" and challenged is not None:
            text = _VERDICTS.get(unchallenged.why, unchallenged.why).format(challenged.to)
            self._answer(self._challenging.pop(unchallenged.challenge, None), Refused(unchallenged.why, text))

    def _seek_on(self) -> None:
        """The server has ended all that we seek: whatever is still waited for is sought again."""
        made = self._made.values()
        requests = [pending.request for id_, pending in self._pending.items() if id_ not in made]
        self._seek_again = [request for request in requests if isinstance(request, m.Seek)]

    def _settle(self, match: Match) -> None:
        """A match has changed: it may have begun, which a seek waits for, or be over."""
        if match.id in self._made and match.view.game:
            self._answer(self._made.pop(match.id), match)
        if match.view.phase == "over":
            self._drop(match)

    def _drop(self, match: Match, error: ClientError | None = None) -> None:
        """A match is followed no longer. If a seek still waited for it to begin, nobody came: it goes on."""
        self._followed.pop(match.id, None)
        match.end(error)
        if self._made.pop(match.id, None) is not None:
            self._seek_on()

    def _on_snapshot(self, snapshot: m.Snapshot) -> None:
        match = self._followed.get(snapshot.match)
        try:
            if match is not None:
                match.on_snapshot(snapshot)
            elif snapshot.id in self._pending or snapshot.match in self._made:
                match = self._followed[snapshot.match] = Match(self, snapshot)
            else:
                return  # it was on its way when we left the match
        except ValueError as error:
            text = f"this version cannot read the match, please update it: {error}"
            self._answer(snapshot.id, Refused(ErrorCode.BAD_MESSAGE, text))
            if match is not None:
                self.forget(match)
            return
        self._answer(snapshot.id, match)
        self._settle(match)

    def _answer(self, id_: int | None, result: object) -> None:
        """Hand the answer to a request to the one who waits for it."""
        pending = self._pending.pop(id_, None) if id_ is not None else None
        if pending is None:
            return
        if pending.match is not None:
            if pending.match.attaching == id_:
                pending.match.attaching = None
            if isinstance(result, Refused) and pending.answer is None:
                self._drop(pending.match, result)
            result = result if isinstance(result, ClientError) else pending.match
        if pending.answer is None or pending.answer.done():
            return
        if isinstance(result, ClientError):
            pending.answer.set_exception(result)
        else:
            pending.answer.set_result(result)


_VERDICTS = {
    "declined": "{} does not want to play now",
    "withdrawn": "you took your challenge back",
    "expired": "{} has not answered",
}
_NOTICES: dict[type, Callable[[Match, Any], None]] = {
    m.Plays: Match.on_plays,
    m.Presence: Match.on_presence,
    m.Replaced: lambda match, _: match.on_replaced(),
    m.Said: Match.on_said,
    m.Watchers: Match.on_watchers,
}
