"""Shared reviews: several look at a match or a position together, and one of them leads."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from tavla_protocol.messages.values import Code, Id, Message, PlayerName, Point, RequestBase

ReviewId = Annotated[str, Meta(pattern=r"^[a-z2-7]{16}\Z", description="a review's id has 16 characters: a-z or 2-7")]
PositionId = Annotated[str, Meta(max_length=100, description="a position's id has up to 100 characters")]
DecisionNumber = Annotated[int, Meta(ge=0, le=99_999)]
FilePieces = Annotated[int, Meta(ge=0, le=11)]
PieceNumber = Annotated[int, Meta(ge=0, le=10)]
Piece = Annotated[bytes, Meta(min_length=1, max_length=3072)]
Steps = Annotated[list[tuple[Point, Point]], Meta(max_length=16)]


class ReviewScene(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The scene of a shared review: what all of them see.

    match: a match that is over, with the code of a private one; or file: of how many pieces the shared one is, 0 =
    none; or position: an XGID. decision: its number in the review of the match, from 1. tried: a trial at that
    decision; steps: of its checkers so far, each from and to a point of who decides; answer: what was said there at
    last. marks: points that the leader points at, arrows: drawn from one point to another, both in the numbering of
    white.
    """

    match: Annotated[str, Meta(max_length=16)] = ""
    code: Code = ""
    file: FilePieces = 0
    position: PositionId = ""
    decision: DecisionNumber = 0
    tried: bool = False
    steps: Steps = []
    answer: Literal["", "yes", "no"] = ""
    marks: Annotated[list[Point], Meta(max_length=26)] = []
    arrows: Steps = []


class StartReview(RequestBase, frozen=True, kw_only=True, tag="start_review"):
    """Begin to share a review, as its leader. Answer: review. Who has its id may join."""

    scene: ReviewScene


class JoinReview(RequestBase, frozen=True, kw_only=True, tag="join_review"):
    """Join a shared review; done again, it says how all is now. Answer: review. A connection is in one at a time."""

    review: ReviewId


class LeaveReview(RequestBase, frozen=True, kw_only=True, tag="leave_review"):
    """Leave the shared review in which this connection is. Answer: ok."""


class ShowReview(RequestBase, frozen=True, kw_only=True, tag="show_review"):
    """Show something to all in the review that you lead. Answer: ok."""

    scene: ReviewScene


class ShareFile(RequestBase, frozen=True, kw_only=True, tag="share_file"):
    """Add a piece of a match in a file to the review that you lead. Answer: ok.

    piece: its place, from 0. data: 1 to 3072 bytes; those of all pieces are compressed JSON. A review has one file.
    """

    piece: PieceNumber
    data: Piece


class ReadFile(RequestBase, frozen=True, kw_only=True, tag="read_file"):
    """Read the file of the shared review in which this connection is. Answer: shared_file."""


class LeadReview(RequestBase, frozen=True, kw_only=True, tag="lead_review"):
    """Hand the lead to a player, or take it. Answer: ok.

    player: one who is there; None = take it: so may its maker; or, if neither maker nor leader is there, whoever has
    been there for longest.
    """

    player: PlayerName | None = None


class Review(Message, frozen=True, kw_only=True):
    """A shared review as it is now, to all who are there: whenever anything of it changes.

    people: the names of those who are there, in order of their coming; none = it has ended. maker, leader: "" = not
    there.
    """

    id: Id | None = None
    review: str
    people: list[str] = []
    maker: str = ""
    leader: str = ""
    scene: ReviewScene = ReviewScene()


class SharedFile(Message, frozen=True, kw_only=True, tag="shared_file"):
    """The file of a shared review, as far as it was added. data: of all pieces, in their order."""

    id: Id
    data: bytes
