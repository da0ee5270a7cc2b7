"""Rows of the archive's tables: made of a match that is over, and read as what is told of it."""

import json
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa
import structlog
from tavla_protocol.messages import Analysis, Finished

from tavla_server.features.archive.schema import seats
from tavla_server.features.archive.summary import Summary
from tavla_server.record.projection import changed_options

log = structlog.get_logger()


class RatingChange(NamedTuple):
    """The change of one player's rating by a match, with what `features/ratings/ratings` shows of it."""

    match: str
    player: str
    name: str
    kind: str
    opponent: str
    results: int
    change: float
    experience: int
    length: int
    score: tuple[int, int]
    ended_ms: int


def opposite_seats() -> tuple[sa.FromClause, sa.FromClause, sa.ColumnElement[bool]]:
    """A seat, the other one of the same match, and that they are so."""
    mine, other = seats.alias(), seats.alias()
    return mine, other, sa.and_(other.c.match == mine.c.match, other.c.seat == 1 - mine.c.seat)


def labels(prefix: str, table: sa.FromClause) -> list[sa.Label[object]]:
    """The columns of a seat, by names of their own."""
    return [table.c[name].label(f"{prefix}_{name}") for name in ("player", "name", "kind", "rating", "change")]


def page_of(asked: sa.Select[Any], by: tuple[sa.ColumnElement[int], ...], after: str, most: int) -> sa.Select[Any]:
    """A page of what is asked for, the newest first, and one row more if there is any.

    by: time in ms and id. after: both, of the last row of the page before; "" = the first page.
    """
    if after:
        time, _, id_ = after.partition(".")
        asked = asked.where(sa.tuple_(*by) < sa.tuple_(sa.literal(int(time)), sa.literal(id_)))
    return asked.order_by(*(column.desc() for column in by)).limit(most + 1)


def match_row(found: Summary, data: bytes) -> dict[str, object]:
    """A match. data: its packed journal."""
    record = found.record
    return {
        "id": record.id,
        "name": record.name,
        "rules": json.dumps(changed_options(record.match.rules)),
        "score_0": record.match.score[0],
        "score_1": record.match.score[1],
        "winner": found.winner,
        "ending": found.ending,
        "started_ms": found.started_ms,
        "ended_ms": found.ended_ms,
        "rated": record.match.rules.rated,
        "listed": not record.private,
        "results": record.tally.results,
        "experience": record.tally.experience,
        "seq": found.seq,
        "journal": data,
    }


def seat_row(found: Summary, seat: int) -> dict[str, object]:
    """A seat of the match."""
    player = found.players[seat]
    return {
        "match": found.record.id,
        "seat": seat,
        "player": player.id,
        "name": player.name,
        "name_key": player.name.lower(),
        "kind": player.kind,
        "rating": player.rating,
        "change": found.record.tally.changes[seat],
        "ended_ms": found.ended_ms,
    }


def finished_or_none(row: sa.RowMapping) -> Finished | None:
    """A line of a history; None, and a line of the log, if the row makes no sense: the others are shown."""
    try:
        return _finished(row)
    except (ValueError, TypeError, msgspec.MsgspecError) as error:
        log.error("archive_row_unreadable", match=row["id"], error=str(error))
        return None


def _finished(row: sa.RowMapping) -> Finished:
    return Finished(
        match=row["id"],
        table=row["name"],
        seat=row["seat"],
        players=_pair(row, "name"),
        kinds=_pair(row, "kind"),
        rules=json.loads(row["rules"]),
        score=(row["score_0"], row["score_1"]),
        winner=row["winner"],
        ending=row["ending"],
        started=row["started_ms"],
        ended=row["ended_ms"],
        ratings=_pair(row, "rating") if row["rated"] else (None, None),
        changes=_pair(row, "change"),
        private=not row["listed"],
        analysis=row["result"] and msgspec.json.decode(row["result"], type=Analysis),
    )


def _pair(row: sa.RowMapping, what: str) -> tuple[Any, Any]:
    """Both seats' value, by seat."""
    mine, other = (
        round(value, 2) if isinstance(value := row[f"{who}_{what}"], float) else value for who in ("mine", "other")
    )
    return (mine, other) if row["seat"] == 0 else (other, mine)


def rating_change(row: sa.RowMapping) -> RatingChange:
    """The change of the rating of `mine`."""
    score = row["score_0"], row["score_1"]
    return RatingChange(
        row["id"],
        row["mine_player"],
        row["mine_name"],
        row["mine_kind"],
        row["other_name"],
        row["results"],
        row["mine_change"],
        row["experience"],
        json.loads(row["rules"]).get("length", 7),
        score if row["seat"] == 0 else (score[1], score[0]),
        row["ended_ms"],
    )
