"""Shared reviews: made, joined, left, led."""

import secrets

from tavla_protocol import messages as m
from tavla_protocol.codec import pack
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.feature import Feature
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.friends.ignore_list import IgnoreLists
from tavla_server.features.reviews.review_state import LEADER, MAKER, SCENE, ReviewState
from tavla_server.features.reviews.rooms import ReviewRooms
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.routes import Route, by_player
from tavla_server.gateway.text_filter import clean
from tavla_server.match import ids as match_ids
from tavla_server.sweeps import Sweep
from tavla_server.token_bucket import Rate

ID_BYTES = 10  # 16 letters: nobody guesses one
NO_REVIEW = "there is no such review: nobody was there for a day, or the link is not whole; ask for a new one"
NOT_THERE = "you are in no shared review: join it first"
ONE_FILE = "a shared review has one file: share another review for another file"
LED = "another one leads: ask for the lead"


class Reviews(Feature):
    """The shared reviews: several look at a match or a position, and one leads."""

    def __init__(self, core: Core, accounts: Accounts, ignored: IgnoreLists) -> None:
        self._core, self._accounts, self._ignored, self.rooms = core, accounts, ignored, ReviewRooms(core)
        self.routes = (
            Route(m.StartReview, self.start, cost=costs.A_CHANGE),
            Route(m.JoinReview, self.join, JOINS, cost=costs.A_CHANGE),
            Route(m.LeaveReview, self.go, cost=costs.A_CHANGE),
            Route(m.ShowReview, self.show, SHOWS, cost=costs.A_CHANGE),
            Route(m.ShareFile, self.share, PIECES, cost=costs.A_CHANGE),
            Route(m.ReadFile, self.read, JOINS, cost=costs.A_LOOK),
            Route(m.LeadReview, self.lead, JOINS, cost=costs.A_CHANGE),
        )
        self.lanes = (self.rooms.lane,)
        self.sweeps = (Sweep("reviews", core.timings.sweep_s, self.rooms.sweep),)

    def leave(self, connection: Connection) -> None:
        """Leave the review: the connection has ended."""
        self.rooms.leave(connection)

    def resync(self, connection: Connection) -> None:
        """Show the review as it is now."""
        if (state := self.rooms.state_for(connection)) is not None:
            connection.send(state.as_message(self.rooms.review_of(connection)))

    async def start(self, connection: Connection, request: m.StartReview) -> None:
        """Begin to share a review."""
        quotas, limits = self._core.quotas, self._core.limits
        await quotas.take("reviews-by-player", connection.player.id, limits.new_reviews)
        await quotas.take_from("reviews-by-address", connection.address, limits.reviews_by_address)
        player, review = connection.player.id.encode(), match_ids.letters(secrets.token_bytes(ID_BYTES))
        made = {MAKER: player, LEADER: player, SCENE: pack(_safe(request.scene))}
        await self.rooms.enter(connection, review, b"", made)
        self._answer(connection, request.id)

    async def join(self, connection: Connection, request: m.JoinReview) -> None:
        """Join a review; whom its maker ignores finds none."""
        found = await self._find(request.review)
        if found is None or connection.player.id in await self._ignored.by(found.maker):
            raise Refused(ErrorCode.NO_SUCH_REVIEW, NO_REVIEW)
        if self.rooms.review_of(connection) != request.review:
            refusal = await self.rooms.enter(connection, request.review, found.maker.encode(), {})
            if refusal == "full":
                most = self._core.limits.review_people
                raise Refused(ErrorCode.TOO_MANY, f"{most} are there already: come back when one has left")
        self._answer(connection, request.id)

    async def _find(self, review: str) -> ReviewState | None:
        """A review; who has become another player, maker or leader, is that one from now on."""
        found, heirs = await self.rooms.store.find(review), dict[str, bytes]()
        if found is None:
            return None
        for role, holder in ((MAKER, found.maker), (LEADER, found.leader)):
            heir = await self._accounts.heirs.of(holder)
            if heir is not None and heir.id != holder:
                heirs[role] = heir.id.encode()
        if heirs:
            _, found = await self.rooms.store.change(review, MAKER, found.maker.encode(), heirs)
        return found

    def _answer(self, connection: Connection, id: int) -> None:  # noqa: A002 - the field's name on the wire
        """Send the review; it may have ended meanwhile."""
        state, review = self.rooms.state_for(connection), self.rooms.review_of(connection)
        if state is None:
            raise Refused(ErrorCode.NO_SUCH_REVIEW, NO_REVIEW)
        connection.send(state.as_message(review, id))

    async def go(self, connection: Connection, request: m.LeaveReview) -> None:
        """Leave the review."""
        self.rooms.leave(connection)
        connection.send(m.Ok(id=request.id))

    async def show(self, connection: Connection, request: m.ShowReview) -> None:
        """Show something to all who are there."""
        review, _ = self._joined(connection)
        leader, shown = connection.player.id.encode(), {SCENE: pack(_safe(request.scene))}
        if await self.rooms.change(review, LEADER, leader, shown):
            raise Refused(ErrorCode.NOT_LEADING, LED)
        connection.send(m.Ok(id=request.id))

    async def share(self, connection: Connection, request: m.ShareFile) -> None:
        """Add a piece of a file."""
        review, state = self._joined(connection)
        if state.leader != connection.player.id:
            raise Refused(ErrorCode.NOT_LEADING, LED)
        if not await self.rooms.store.add_piece(review, request.piece, request.data):
            raise Refused(ErrorCode.TOO_MANY, ONE_FILE)
        connection.send(m.Ok(id=request.id))

    async def read(self, connection: Connection, request: m.ReadFile) -> None:
        """Send the file."""
        review, _ = self._joined(connection)
        connection.send(m.SharedFile(id=request.id, data=await self.rooms.store.file(review)))

    async def lead(self, connection: Connection, request: m.LeadReview) -> None:
        """Hand the lead over, or take it."""
        review, state = self._joined(connection)
        player = connection.player.id
        may_take = request.player is None and state.may_take_lead(player)
        if state.leader != player and not may_take:
            raise Refused(ErrorCode.NOT_LEADING, LED)
        to = player if request.player is None else _named(state, request.player)
        if await self.rooms.change(review, LEADER, state.leader.encode(), {LEADER: to.encode()}):
            now = self.rooms.state_for(connection)
            if now is None or now.leader != to:  # else it was asked for twice
                raise Refused(ErrorCode.NOT_LEADING, LED)
        connection.send(m.Ok(id=request.id))

    def _joined(self, connection: Connection) -> tuple[str, ReviewState]:
        """The review in which a connection is. Raises: Refused."""
        state, review = self.rooms.state_for(connection), self.rooms.review_of(connection)
        if state is None:
            raise Refused(ErrorCode.NOT_ATTACHED, NOT_THERE)
        return review, state


def _named(state: ReviewState, name: str) -> str:
    """The id of someone who is there. Raises: Refused."""
    for player, known in state.people.items():
        if known.lower() == name.lower():
            return player
    raise Refused(ErrorCode.NOT_ONLINE, f"{name} is not in this review now")


def _safe(scene: m.ReviewScene) -> m.ReviewScene:
    """The scene as others may be shown it. Raises: Refused."""
    if scene.position != clean(scene.position) or scene.match != clean(scene.match):
        raise Refused(ErrorCode.BAD_MESSAGE, "a position or a match has no signs that cannot be seen")
    return scene


JOINS = Rate(1.0, 20.0, "reviews", by_player, "you come and go too often")
SHOWS = Rate(8.0, 40.0, "shows", by_player, "you show too much at once")  # each step of a trial is shown
PIECES = Rate(2.0, 22.0, "pieces", by_player, "you share too much at once")  # two whole files
