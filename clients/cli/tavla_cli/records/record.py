"""Records of matches, from a server, or from a file of ours or of another program. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from tavla_engine.errors import BadText
from tavla_engine.events import Event
from tavla_engine.mat_rules import facts_of
from tavla_engine.mat_text import MAX_NAME
from tavla_engine.match import Match, new_match
from tavla_engine.referee import judge, rules_of
from tavla_engine.rules import Rules
from tavla_engine.server_events import ServerEvent, read_server_events
from tavla_engine.transcript import MatRecord
from tavla_protocol import messages as m
from tavla_protocol.claims import claim_of
from tavla_protocol.match_view import view_of
from tavla_protocol.view import View, from_fields

from tavla_cli.text.cleaning import clean

LAST_MS = 253_402_214_400_000  # the last day of the year 9999, which every calendar has


class Record(NamedTuple):
    """The record of a match from its start, as far as it has come.

    id: of the match at its server, "" for one of another program. start: before the first event. times: when each event
    was decided, in ms since 1970; 0 = unknown. told: what the server said of it, None for a match of another program.
    faults: what in that does not follow from its seeds and the rules, a sentence each. unknown: the type of an event
    of a later version, which makes it neither sound nor wrong; or "". tags: what another program tells
    of the match, by the names of a `.mat` file's remarks. notes: sentences about what was left out of a file.
    verdicts: decisions that have cost something, by the file's own judge.
    """

    id: str
    names: tuple[str, str]
    start: Match
    events: tuple[Event, ...]
    times: tuple[int, ...]
    told: m.Recorded | None = None
    faults: tuple[str, ...] = ()
    unknown: str = ""
    tags: Mapping[str, str] = MappingProxyType({})
    notes: tuple[str, ...] = ()
    verdicts: tuple[m.Finding, ...] = ()

    @property
    def findings(self) -> Sequence[m.Finding]:
        """The verdicts that are kept with the match: the server's judge's, or those of the file's own."""
        return self.verdicts if self.told is None else self.told.findings

    @property
    def view(self) -> View:
        """The server's view of the match; for one of another program, its rules and names."""
        if self.told is not None:
            return from_fields(self.told.view)
        return View(rules=plain_rules(self.start.rules), players=self.names)

    @property
    def over(self) -> bool:
        """True if nothing more can come."""
        return self.told is None or self.view.phase == "over"


def of_server(told: m.Recorded) -> Record:
    """The record of a server's answer, judged. The events of one with faults may be anything.

    Raises: BadText, for what is none.
    """
    try:
        claim = claim_of(told)
        start, finding = new_match(rules_of(claim.rules)), judge(claim)
        view = from_fields(told.view)
        if max(len(name or "") for name in view.players) > MAX_NAME:
            raise BadText(f"a player's name has no more than {MAX_NAME} characters")
        rows = read_server_events(told.events)
        pairs = [(one.event, _time(one.time_ms)) for one in rows if one.event is not None]
        last = finding.states[-1][1] if finding.states else start
    except (ValueError, TypeError, AssertionError, IndexError, OverflowError) as error:
        raise BadText(f"this is no match: {clean(str(error))}") from None
    faults = finding.faults or tuple(_contradictions(told, view, rows, last if claim.over else None))
    names = (view.players[0] or "?", view.players[1] or "?")
    events, times = tuple(e for e, _ in pairs), tuple(t for _, t in pairs)
    return Record(told.match, names, start, events, times, told, faults, finding.unknown)


def _contradictions(told: m.Recorded, view: View, rows: list[ServerEvent], end: Match | None) -> Iterator[str]:
    """Contradictions between the view of a match and its events. end: what these lead to, when it is over."""
    if end is not None and _shown(view) != _shown(view_of(end)):
        yield "the result that is shown is not that of the events"
    seats: dict[Any, Any] = {row.facts[0]: row.facts[1] for row in rows if row.type == "seated" and len(row.facts) == 2}
    if seats and (seats.get(0), seats.get(1)) != view.players:
        yield "the players that are shown are not those who sat down"
    if rows and rows[-1].seq != told.seq:
        yield f"it should have {told.seq} entries, and ends with {rows[-1].seq}: it is cut"


def _shown(view: View) -> tuple[Any, ...]:
    """Result of a match, from its view."""
    points = view.points if view.game else b""
    return view.game, view.rolls, view.score, points, view.cube, view.owner, view.outcome


def of_file(match: MatRecord) -> Record:
    """The record of a `.mat` or SGF file."""
    events = tuple(match.events)
    return Record(
        "", match.names, match.start, events, (0,) * len(events), tags=facts_of(match.tags), notes=match.notes
    )


def with_more(record: Record, later: m.Recorded) -> Record:
    """The record with what has come since. later: the answer to the last seq that is known. Raises: BadText."""
    assert record.told is not None, "only a server knows more"
    view = later.view or record.told.view
    told = msgspec.structs.replace(record.told, seq=later.seq, view=view, events=record.told.events + later.events)
    return of_server(told)


def plain_rules(rules: Rules) -> dict[str, bool | int | str]:
    """Rules as a view has them."""
    return {name: value.value if hasattr(value, "value") else value for name, value in rules._asdict().items()}


def _time(at: int) -> int:
    if not 0 <= at <= LAST_MS:
        raise ValueError(f"{str(at)[:40]!r} is no time in ms")
    return at
