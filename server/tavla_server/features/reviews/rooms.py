"""The shared reviews in which connections of this node are."""

import secrets
from collections.abc import Mapping
from functools import partial

from tavla_protocol import messages as m
from tavla_protocol.codec import encode, pack

from tavla_server.delivery.frames import frame_of
from tavla_server.features.reviews.review_state import MAKER, VISIT, ReviewState, Visit
from tavla_server.features.reviews.review_store import ReviewStore, channel_of, decode
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.match.effects import Lane
from tavla_server.match.talk import LINES_KEPT
from tavla_server.store.pubsub import ChannelListener
from tavla_server.telemetry.metrics import count_sent

AT_ONCE = 16  # reviews that are read or left at the same time


class _Room:
    """A review on this node. visits: the field and its value of each connection. state: as last heard of."""

    def __init__(self, state: ReviewState | None) -> None:
        self.visits: dict[Connection, tuple[str, bytes]] = {}
        self.state = state
        self.lines: tuple[tuple[str, str], ...] = ()  # what was said at last, each with its speaker's name


class ReviewRooms:
    """The rooms of shared reviews: who is in them on this node, and what they are shown."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.store = ReviewStore(core.redis, core.timings.review_s, core.limits.review_people)
        self._rooms: dict[str, _Room] = {}
        self._reviews: dict[Connection, str] = {}
        self.lane = Lane("reviews", AT_ONCE)

    def review_of(self, connection: Connection) -> str:
        """The review in which a connection is; "" = in none."""
        return self._reviews.get(connection, "")

    def state_for(self, connection: Connection) -> ReviewState | None:
        """The state of that review, as this node knows it."""
        room = self._rooms.get(self.review_of(connection))
        return None if room is None else room.state

    def lines_for(self, connection: Connection) -> list[tuple[str, str]]:
        """The last lines that were said in that review, each with its speaker's name, the oldest first."""
        return [*self._rooms[self.review_of(connection)].lines]

    # --- who is there ---

    async def enter(self, connection: Connection, review: str, maker: bytes, made: Mapping[str, bytes]) -> str:
        """Enter a review, and leave the one before. maker: who it is, b"" = it is being made, with some fields.

        Returns: "", or why that was not possible, as `ReviewStore.change`. Raises: StoreUnavailable.
        """
        field, player = VISIT.decode() + secrets.token_hex(4), connection.player
        value = pack(Visit(self._core.clock.now_ms(), self._core.node, player.id, player.name))
        refusal, state = await self.store.change(review, MAKER, maker, {**made, field: value})
        if refusal:
            return refusal
        self.leave(connection)
        if connection.closed:  # meanwhile
            self._take_out(review, field, value)
            return ""
        if review not in self._rooms:
            self._rooms[review] = _Room(state)
            missed = partial(self.lane.put, review, partial(self._read, review))
            listener = ChannelListener(lambda _: missed(), lambda _, payload: self._heard(review, payload))
            self._core.pubsub.subscribe(channel_of(review), listener)
        self._take(review, state)
        self._rooms[review].visits[connection] = field, value
        self._reviews[connection] = review
        return ""

    def leave(self, connection: Connection) -> None:
        """Leave the review in which a connection is, if it is in one."""
        if not (review := self._reviews.pop(connection, "")):
            return
        room = self._rooms[review]
        field, value = room.visits.pop(connection)
        if not room.visits:
            del self._rooms[review]
            self._core.pubsub.unsubscribe(channel_of(review))
        self._take_out(review, field, value)

    def _take_out(self, review: str, field: str, value: bytes) -> None:
        self.lane.put(review, partial(self.change, review, field, value, {field: b""}))

    # --- what changes ---

    async def change(self, review: str, field: str, has: bytes, to: Mapping[str, bytes]) -> str:
        """Change a review, as `ReviewStore.change`. Raises: StoreUnavailable."""
        refusal, state = await self.store.change(review, field, has, to)
        self._take(review, state)
        return refusal

    async def say(self, connection: Connection, said: m.Said) -> None:
        """Say something to all in the review that the message names. Raises: StoreUnavailable."""
        await self.store.say(self._core.node, connection.player.id, said)
        self._show(said.match, said, connection.player.id)

    async def sweep(self) -> None:
        """Set right what no message has: visits of dead nodes, visits of ours, an end. Raises: StoreUnavailable."""
        for review in [*self._rooms]:
            await self.store.renew(review)
            state = await self._read(review)
            if state is None:
                continue
            before_ms = self._core.clock.now_ms() - self._core.timings.dead_ms
            living = {*self._core.liveness.living, self._core.node}
            for field in state.dead_visits(living, before_ms):
                await self.change(review, field, pack(state.visits[field]), {field: b""})
            await self._put_back(review, state)

    async def _put_back(self, review: str, state: ReviewState) -> None:
        """Enter those anew whose visits are missing, or who have another name by now."""
        visits = self._rooms[review].visits if review in self._rooms else {}
        for connection, (field, value) in [*visits.items()]:
            known, name = state.visits.get(field), connection.player.name
            if (known is None or known.name != name) and connection in visits:
                visit = Visit(self._core.clock.now_ms(), self._core.node, connection.player.id, name)
                visits[connection] = field, pack(visit)
                await self.change(review, field, value if known else b"", {field: pack(visit)})

    # --- what is heard and shown ---

    async def _read(self, review: str) -> ReviewState | None:
        """Take over a review as the store has it; one that it does not have has ended."""
        state = await self.store.find(review)
        self._take(review, state)
        if state is None and review in self._rooms:
            self._show(review, m.Review(review=review))
            for connection in [*self._rooms[review].visits]:
                self.leave(connection)
        return state

    def _heard(self, review: str, payload: bytes) -> None:
        match decode(payload):
            case ReviewState() as state:
                self._take(review, state)
            case said if said is not None and said.node != self._core.node:
                self._show(review, said.said, said.speaker)

    def _take(self, review: str, state: ReviewState | None) -> None:
        room = self._rooms.get(review)
        if room is not None and state is not None and (room.state is None or state.number > room.state.number):
            room.state = state
            self._show(review, state.as_message(review))

    def _show(self, review: str, message: m.Review | m.Said, speaker: str = "") -> None:
        if (room := self._rooms.get(review)) is not None:
            if isinstance(message, m.Said):
                room.lines = (*room.lines, (message.name, message.text))[-LINES_KEPT:]
            frame = frame_of(encode(message))
            for connection in room.visits:
                if speaker not in connection.outbox.ignored and not connection.outbox.write(frame):
                    count_sent(frame)
