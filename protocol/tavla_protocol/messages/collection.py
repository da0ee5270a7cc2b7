"""An account's collection: matches in files of other programs, which the server keeps for it, and judges."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from tavla_protocol.messages.analysis import Analysis, Finding
from tavla_protocol.messages.reviews import Piece, PieceNumber
from tavla_protocol.messages.values import Cursor, Id, MatchId, Message, RequestBase, Seat

FileName = Annotated[str, Meta(max_length=100, description="a file's name has up to 100 characters")]
Pieces = Annotated[int, Meta(ge=1, le=11)]


class Collect(RequestBase, frozen=True, kw_only=True):
    """Add a match in a file to one's own collection, with an account: piece by piece, in order. Answer: ok; to the
    last piece, when the match is decided by the rules, collected, with that match.

    piece: its place, from 0, of so many pieces. data: 1 to 3072 bytes, as of `share_file`. name: of the file. seat:
    which player one is; None = neither. The same match again takes the place of the one before.
    """

    piece: PieceNumber
    pieces: Pieces
    data: Piece
    name: FileName = ""
    seat: Seat | None = None


class Collection(RequestBase, frozen=True, kw_only=True):
    """Ask for one's own collection, newest first. Answer: collected. after: `next` of the page before."""

    after: Cursor = ""


class ReadCollected(RequestBase, frozen=True, kw_only=True, tag="read_collected"):
    """Read a match of one's collection. Answer: collected_file."""

    match: MatchId


class Discard(RequestBase, frozen=True, kw_only=True):
    """Take a match out of one's collection, for good. Answer: ok."""

    match: MatchId


class CollectedMatch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A match of a collection. players: as the file names them. rules: the options that differ from the default.

    seat: the collector's; None = neither. winner: None = the file has no end. added: in ms since 1970. analysis: the
    server's judge's.
    """

    match: str
    name: str = ""
    players: tuple[str, str]
    seat: int | None = None
    rules: dict[str, Any] = {}
    score: tuple[int, int] = (0, 0)
    winner: int | None = None
    added: int
    analysis: Analysis | None = None


class Collected(Message, frozen=True, kw_only=True):
    """Matches of one's collection. next: ask for what comes after; None = that was all. judging: by the server."""

    id: Id
    matches: list[CollectedMatch] = []
    next: str | None = None
    judging: bool = False


class CollectedFile(Message, frozen=True, kw_only=True, tag="collected_file"):
    """A match of one's collection. data: as all pieces of `share_file`. findings: of the server's judge, as in a
    record; those of the file's own are in the data.
    """

    id: Id
    match: CollectedMatch
    data: bytes
    findings: list[Finding] = []
    judging: bool = False
