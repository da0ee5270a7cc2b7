"""A match in a file, as clients hand it on: JSON, compressed by zlib."""

import zlib
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import replace
from tavla_engine.errors import BadText
from tavla_engine.mat import export_mat, import_mat
from tavla_engine.match import new_match
from tavla_engine.referee import rules_of
from tavla_engine.rules import Variant
from tavla_engine.server_events import TYPES, read_server_events
from tavla_engine.sgf import export_sgf, import_sgf
from tavla_engine.transcript import MatRecord

from tavla_protocol.messages import Finding

MOST_BYTES = 400_000  # unpacked; a long match has half of that

Count = Annotated[int, Meta(ge=0, lt=10**9)]
Word = Annotated[str, Meta(max_length=200)]


class FileAnalysis(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Figures of the file's own judge, by seat, as in `Analysis`; None = the file does not tell."""

    by: Word = ""
    ratings: tuple[float | None, float | None] = (None, None)
    lost: tuple[float | None, float | None] = (None, None)
    decisions: tuple[int | None, int | None] = (None, None)
    luck: tuple[float | None, float | None] = (None, None)


class ReadTo(msgspec.Struct, frozen=True):
    """The turn of a game whose play is none: the match is read up to there."""

    game: Count
    turn: Count


class FileMatch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match in a file. rules: options that differ. score, game, crawford_done: before the first event.

    events: as in a record. tags: remarks by their names in a `.mat` file. verdicts or findings: decisions that have
    cost something by the file's own judge, whom `analysis` names. has_more: another match follows in the file.
    """

    players: tuple[str, str]
    rules: dict[str, bool | int | str]
    score: tuple[Count, Count]
    game: Count
    crawford_done: bool
    events: list[list[Any]]
    tags: dict[str, str] = {}
    verdicts: tuple[Finding, ...] = ()
    analysis: FileAnalysis | None = None
    findings: tuple[Finding, ...] = ()
    cut: ReadTo | None = None
    has_more: bool = msgspec.field(name="hasMore", default=False)

    def record(self) -> MatRecord:
        """The match, decided anew by the rules. Raises: BadText."""
        start = replace(
            new_match(rules_of(self.rules)), score=self.score, game=self.game, crawford_done=self.crawford_done
        )
        events = [one.event for one in read_server_events(self.events) if one.event is not None]
        try:
            if start.rules.variant is Variant.LONGGAMMON:
                read = import_mat(export_mat(self.players, start, events, self.tags))
            else:
                read = import_sgf(export_sgf(self.players, start, events))
        except (AssertionError, IndexError) as error:  # events that cannot follow each other
            raise BadText(f"its events do not follow each other: {error}") from None
        return read._replace(names=self.players, tags=self.tags)


def told_events(events: Any) -> list[list[Any]]:
    """Events as a server tells them, at no time."""
    names = {type_: name for name, type_ in TYPES.items()}
    return [
        [seq, 0, names[type(event)], *msgspec.to_builtins(msgspec.structs.astuple(event))]
        for seq, event in enumerate(events, 1)
    ]


def pack(match: FileMatch) -> bytes:
    """A match as it travels. Raises: BadText for one that is too large."""
    data = msgspec.json.encode(match)
    if len(data) > MOST_BYTES:
        raise BadText(f"this match is too large: {len(data)} bytes, of at most {MOST_BYTES}")
    return zlib.compress(data)


def unpack(data: bytes) -> FileMatch:
    """The match that travels as these bytes; its events may be anything. Raises: BadText."""
    try:
        inflating = zlib.decompressobj()
        text = inflating.decompress(data, MOST_BYTES)
        if inflating.unconsumed_tail:
            raise BadText(f"this match is too large: more than {MOST_BYTES} bytes")
        if not inflating.eof:
            raise BadText("this match is cut: its end is missing")
        return msgspec.json.decode(text, type=FileMatch)
    except (zlib.error, msgspec.DecodeError, RecursionError) as error:
        raise BadText(f"this is no match in a file: {error}") from None
