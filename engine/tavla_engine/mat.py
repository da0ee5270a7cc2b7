"""Jellyfish `.mat`, the match format that every backgammon program reads: out of events, and back into events.

There is no specification; this follows what GNU Backgammon 1.07 writes and reads, and what others write.

    ; [EventDate "2026.11.20"]

     7 point match

     Game 1
     White : 0                      Black : 0
      1)                             64: 24/18 18/14
      2) 55: 8/3 8/3 6/1* 6/1        61:
      3)  Doubles => 2                Takes
      4) 33: 24/21 24/21 13/10 13/10  Doubles => 4
      5)  Drops                       Wins 2 points

Seat 0 is the left column. A roll is followed by single-die moves in the mover's own numbering, 25 = bar, 0 = off; by
nothing when it could not be played, or when the player resigned. A raccoon is written as a beaver, and after either
a take is not written. A resignation shows only in the points, or in the loser's cell as `Losses 2 points`; a refused
one, a readiness and an automatic setting do not show at all. A match that is given up as a whole is won with a thousand
points and more. The last win may be cut to what the match still needs.

A set-up position is the remark `; Set Pos=` of eXtreme Gammon, or an illegal play with Snowie's text for the board
behind it.

Lines with `;` are remarks. Those of `mat_rules` tell rules that the format has no place for.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from tavla_engine import events as e
from tavla_engine.actions import Seat
from tavla_engine.apply import replay
from tavla_engine.errors import BadText
from tavla_engine.events import Ending, Event
from tavla_engine.mat_rules import rule_tags
from tavla_engine.mat_text import WHOLE_MATCH, parse_sheet
from tavla_engine.match import Match, Phase
from tavla_engine.plays import hits
from tavla_engine.rules import Variant
from tavla_engine.setup import format_set_pos
from tavla_engine.transcript import MatRecord, record_of

_LEFT_WIDTH = 27
_JSON = "Rules"  # the remark of the terms' rules, whose bytes are hashed


def export_mat(
    names: tuple[str, str],
    start: Match,
    events: Iterable[Event],
    tags: Mapping[str, str] | None = None,
    remarks: Mapping[int, Sequence[str]] | None = None,
) -> str:
    """A match as `.mat` text; the last game may be unfinished.

    start: the match before the first event: `new_match(rules)`, or between two games for the rest of a match.
    tags: remarks for the head, as {"EventDate": "2026.11.20", "Site": "Tavla"}. remarks: on single turns, by the place
    of the event; each is a line of its own below the row of the turn.
    """
    names = (_clean(names[0]), _clean(names[1]))
    pages: list[_Page] = []
    ties: list[int] = []
    for place, (match, event, _) in enumerate(replay(start, events)):
        match event:
            case e.GameStarted():
                pages.append(_Page(match.game + 1, names, match.score))
                ties.append(0)
            case e.OpeningRolled(die_0, die_1) if die_0 == die_1:
                ties[-1] += 1
            case _:
                if pages:
                    _write(pages[-1], match, event)
                    pages[-1].remark((remarks or {}).get(place, ()))
    whole = {**rule_tags(start.rules, ties), **(tags or {})}
    head = [f'; [{name} "{value if name == _JSON else _tag(value)}"]' for name, value in whole.items()]
    return "\n".join([*head, "", f" {start.rules.length} point match", *(page.text() for page in pages)]) + "\n"


def import_mat(text: str) -> MatRecord:
    """The match of a `.mat` file: each turn is decided by the rules, as if it were played now.

    The players are ready at the head of each game. Where the record breaks off before a roll that needs no decision,
    the events do too. Rules that the text does not tell are as in the presets `tournament` and `money`; a game that
    cannot have begun as usual is tried as the others are set up, for few programs tell which one it is.
    Raises: BadText, which says where the record cannot be read or where it breaks the rules.
    """
    sheet = parse_sheet(text)
    try:
        return record_of(sheet)
    except BadText as error:
        if "Variation" in sheet.tags:
            raise
        for variant in (Variant.NACKGAMMON, Variant.HYPERGAMMON, Variant.LONGGAMMON):
            with suppress(BadText):
                return record_of(sheet._replace(tags=sheet.tags | {"Variation": variant.value}))
        raise error from None


# --- Export -------------------------------------------------------------------------------------------------------


class _Page:
    """The lines of one game."""

    def __init__(self, number: int, names: tuple[str, str], score: tuple[int, int]) -> None:
        left, right = (f"{name} : {points}" for name, points in zip(names, score, strict=True))
        self.head = ["", f" Game {number}", f" {left:<{_LEFT_WIDTH + 3}} {right}"]
        self.rows: list[list[str] | str] = []  # a set-up position is a row of its own
        self.remarks: dict[int, list[str]] = {}  # by the number of rows above
        self.last = ""  # a win on a line of its own

    def add(self, seat: Seat, text: str) -> None:
        """A new cell: the left player's in a new row, the right player's beside it."""
        last = self.rows[-1] if self.rows else ""
        if seat == 0 or isinstance(last, str) or len(last) == 2:
            last = [""] * seat
            self.rows.append(last)
        last.append(text)

    def remark(self, texts: Iterable[str]) -> None:
        """Lines of remarks below the last row, when its other cell is written, too."""
        self.remarks.setdefault(len(self.rows), []).extend(f"; {' '.join(text.split())}" for text in texts)

    def win(self, seat: Seat, points: int) -> None:
        """Result of the game, beside a loser's last cell or below."""
        text = f" Wins {points} point{'s' * (points != 1)}"
        if seat == 1 and self.rows and not isinstance(self.rows[-1], str) and len(self.rows[-1]) == 1:
            self.add(1, text)
        else:
            self.last = " " * 5 + (text if seat == 0 else f"{'':<{_LEFT_WIDTH}} {text}")

    def text(self) -> str:
        lines = list(self.head)
        number = 0
        for place, row in enumerate(self.rows, 1):
            if isinstance(row, str):
                lines.append(row)
            else:
                number += 1
                left, right = row if len(row) == 2 else (row[0], "")
                lines.append(f"{number:>3}) {left:<{_LEFT_WIDTH}} {right}".rstrip())
            lines += self.remarks.get(place, ())
        return "\n".join([*lines, self.last] if self.last else lines)


def _write(page: _Page, match: Match, event: Event) -> None:
    """Add what an event shows; match: the state before it."""
    match event:
        case e.OpeningRolled(die_0, die_1):
            page.add(int(die_1 > die_0), f"{max(die_0, die_1)}{min(die_0, die_1)}: ")
        case e.Rolled(seat, die_1, die_2):
            page.add(seat, f"{max(die_1, die_2)}{min(die_1, die_2)}: ")
        case e.Moved(_, moves):
            marks = hits(match.position, moves)
            play = (f"{source}/{target}{'*' * hit}" for (source, target), hit in zip(moves, marks, strict=True))
            cells = page.rows[-1]
            assert not isinstance(cells, str), "a play follows its roll"
            cells[-1] += " ".join(play)
        case e.Doubled(seat):
            page.add(seat, f" Doubles => {2 * match.cube.value}")
        case e.Beavered(seat):
            page.add(seat, f" Beavers => {4 * match.cube.value}")
        case e.Taken(seat) if match.offer and not match.offer.beavers:
            page.add(seat, " Takes")
        case e.GameEnded(winner, points, _, ending):
            if ending is Ending.DROP:
                page.add(1 - winner, " Drops")
            page.win(winner, points)
        case e.MatchEnded(winner, Ending.FORFEIT) if winner is not None and match.phase is not Phase.READY:
            page.win(winner, WHOLE_MATCH + match.rules.length)
        case e.PositionSet(seat, (first, second), cube, owner):
            page.rows.append(format_set_pos((bytes(first), bytes(second)), cube, owner, seat))


def _tag(value: str) -> str:
    """A remark's value, which ends at its quotation mark."""
    return " ".join(value.replace('"', "'").split())


def _clean(name: str) -> str:
    """A name that can stand before a colon."""
    return " ".join(name.replace(":", "-").split()) or "?"
