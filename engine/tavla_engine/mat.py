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
a take is not written. A resignation shows only in the points; a refused one, a readiness and an automatic setting do
not show at all. A match that is forfeited as a whole ends unfinished.

Lines with `;` are remarks. Those of `mat_rules` tell rules that the format has no place for.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.actions import Action, Seat
from tavla_engine.apply import apply
from tavla_engine.decide import decide
from tavla_engine.dice import Dice
from tavla_engine.errors import BadText, IllegalAction
from tavla_engine.events import Ending, Event
from tavla_engine.mat_rules import rule_tags, rules_of
from tavla_engine.mat_text import Cell, Game, Kind, Sheet, parse_sheet
from tavla_engine.match import Match, Phase, new_match
from tavla_engine.notation import parse_play
from tavla_engine.plays import hits
from tavla_engine.questions import starter
from tavla_engine.rules import MAX_AUTOMATIC_DOUBLES, Opening

_TIES = tuple(str(count) for count in range(MAX_AUTOMATIC_DOUBLES + 1))
_LEFT_WIDTH = 27
_FILLERS: tuple[Dice, ...] = ((6, 5), (4, 3), (2, 1))  # drawn when the record has no more rolls, then cut off again
_MAX_FILLERS = 100


class MatRecord(NamedTuple):
    """Contents of a `.mat` file. start: the match before the first event, with the rules. match: after the last one."""

    names: tuple[str, str]
    start: Match
    events: list[Event]
    match: Match
    tags: dict[str, str]


def export_mat(
    names: tuple[str, str], start: Match, events: Iterable[Event], tags: Mapping[str, str] | None = None
) -> str:
    """A match as `.mat` text; the last game may be unfinished.

    start: the match before the first event: `new_match(rules)`, or between two games for the rest of a match.
    tags: remarks for the head, as {"EventDate": "2026.11.20", "Site": "Tavla"}.
    """
    names = (_clean(names[0]), _clean(names[1]))
    pages: list[_Page] = []
    ties: list[int] = []
    match = start
    for event in events:
        match event:
            case e.GameStarted():
                pages.append(_Page(match.game + 1, names, match.score))
                ties.append(0)
            case e.OpeningRolled(die_0, die_1) if die_0 == die_1:
                ties[-1] += 1
            case _:
                if pages:
                    _write(pages[-1], match, event)
        match = apply(match, event)
    head = [
        f'; [{name} "{" ".join(value.split())}"]'
        for name, value in {**rule_tags(start.rules, ties), **(tags or {})}.items()
    ]
    return "\n".join([*head, "", f" {start.rules.length} point match", *(page.text() for page in pages)]) + "\n"


def import_mat(text: str) -> MatRecord:
    """The match of a `.mat` file: each turn is decided by the rules, as if it were played now.

    The players are ready at the head of each game. Where the record breaks off before a roll that needs no decision,
    the events do too. Rules that the text does not tell are as in the presets `tournament` and `money`.
    Raises: BadText, which says where the record cannot be read or where it breaks the rules.
    """
    return record_of(parse_sheet(text))


def record_of(sheet: Sheet) -> MatRecord:
    """The match of games and cells, from wherever they were read. Raises: BadText."""
    first = sheet.games[0]
    start = replace(
        new_match(rules_of(sheet)),
        score=first.score,
        game=first.number - 1,
        crawford_done=_crawford_done(first, sheet.length),
    )
    replay = _Replay(start)
    for game, ties in zip(sheet.games, _ties(sheet), strict=False):
        replay.play(game, ties)
    return MatRecord(first.names, start, replay.events, replay.match, sheet.tags)


# --- Export -------------------------------------------------------------------------------------------------------


class _Page:
    """The lines of one game."""

    def __init__(self, number: int, names: tuple[str, str], score: tuple[int, int]) -> None:
        left, right = (f"{name} : {points}" for name, points in zip(names, score, strict=True))
        self.head = ["", f" Game {number}", f" {left:<{_LEFT_WIDTH + 3}} {right}"]
        self.rows: list[list[str]] = []
        self.last = ""  # a win on a line of its own

    def add(self, seat: Seat, text: str) -> None:
        """A new cell: the left player's in a new row, the right player's beside it."""
        if seat == 0 or not self.rows or len(self.rows[-1]) == 2:
            self.rows.append([])
        if seat == 1 and not self.rows[-1]:
            self.rows[-1].append("")
        self.rows[-1].append(text)

    def win(self, seat: Seat, points: int) -> None:
        """Result of the game, beside a loser's last cell or below."""
        text = f" Wins {points} point{'s' * (points != 1)}"
        if seat == 1 and self.rows and len(self.rows[-1]) == 1:
            self.add(1, text)
        else:
            self.last = " " * 5 + (text if seat == 0 else f"{'':<{_LEFT_WIDTH}} {text}")

    def text(self) -> str:
        lines = list(self.head)
        for number, row in enumerate(self.rows, start=1):
            left, right = row if len(row) == 2 else (row[0], "")
            lines.append(f"{number:>3}) {left:<{_LEFT_WIDTH}} {right}".rstrip())
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
            page.rows[-1][-1] += " ".join(
                f"{source}/{target}{'*' * hit}" for (source, target), hit in zip(moves, marks, strict=True)
            )
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


def _clean(name: str) -> str:
    """A name that can stand before a colon."""
    return " ".join(name.replace(":", "-").split()) or "?"


# --- Import -------------------------------------------------------------------------------------------------------


def _crawford_done(first: Game, length: int) -> bool:
    """True if a record that begins within a match begins after its Crawford game: both are near, or one doubles."""
    near = [points == length - 1 for points in first.score]
    return length > 1 and (all(near) or (any(near) and any(cell.kind is Kind.DOUBLE for cell in first.cells)))


def _ties(sheet: Sheet) -> list[int]:
    """Number of equal opening rolls, game by game, as far as a remark says so."""
    words = sheet.tags.get("OpeningTies", "").split()
    ties = [int(word) for word in words if word in _TIES]
    return ties + [0] * (len(sheet.games) - len(ties))


class _Replay:
    """The match so far. Dice come from the record, the automatic rolls between two cells too."""

    def __init__(self, start: Match) -> None:
        self.match = start
        self.events: list[Event] = []
        self.dice: list[Dice] = []  # those of the current game
        self.before = 0  # pairs of dice drawn before it
        self.roller: dict[int, Seat] = {}  # who rolled the dice of this number

    def play(self, game: Game, ties: int) -> None:
        """Replay one game."""
        line = game.line
        try:
            self.begin(game, ties)
            number = self.before + ties
            for cell in game.cells:
                line = cell.line
                number += cell.kind is Kind.ROLL
                self.cell(cell, number)
        except (IllegalAction, BadText) as error:
            raise BadText(f"line {line}, game {game.number}: {error}") from None

    def begin(self, game: Game, ties: int) -> None:
        if game.score != self.match.score:
            raise BadText("the score is {} : {}, not {} : {}".format(*self.match.score, *game.score))
        rolls = [cell for cell in game.cells if cell.dice]
        self.dice = [(1, 1)] * ties + [cell.dice for cell in rolls if cell.dice]
        if rolls and starter(self.match) is None and self.match.rules.opening is not Opening.SEAT_0:
            low, high = sorted(self.dice[ties])
            self.dice[ties] = (low, high) if rolls[0].seat else (high, low)  # the starter's die is the higher
        self.before = self.match.rolls
        self.act(a.Ready(0))
        self.act(a.Ready(1))

    def cell(self, cell: Cell, number: int) -> None:
        """Replay one cell. number: of the last roll in the record so far."""
        match cell.kind:
            case Kind.ROLL:
                self.turn(cell, number)
            case Kind.DOUBLE:
                self.act(a.Double(cell.seat))
                self.check_cube(cell)
            case Kind.BEAVER:
                self.act(a.Beaver(cell.seat))
                self.check_cube(cell)
            case Kind.TAKE:
                self.act(a.Take(cell.seat))
            case Kind.DROP:
                self.act(a.Drop(cell.seat))
            case Kind.WIN:
                self.win(cell)  # (of Kind.RESIGN the points that follow say how much)

    def turn(self, cell: Cell, number: int) -> None:
        """A roll, if it was not automatic, and its play."""
        if self.match.offer and self.match.offer.beavers:
            self.act(a.Take(1 - self.match.offer.seat))
        if self.match.rolls < number:
            self.act(a.Roll(cell.seat))
        if self.roller.get(number) != cell.seat:
            raise BadText("it is the other player who rolls here")
        to_play = self.match.phase is Phase.MOVE and self.match.rolls == number
        if cell.play:
            if not to_play:
                raise BadText(f"no checker can move with {cell.dice}, but the record has {cell.play[:60]!r}")
            self.act(a.Move(cell.seat, parse_play(cell.play)))

    def win(self, cell: Cell) -> None:
        """A game that is over, or else was given up."""
        if self.match.phase not in (Phase.READY, Phase.OVER):
            self.give_up(1 - cell.seat, cell.number or 0)
        outcome = self.match.outcome
        if outcome is None or outcome.points != cell.number:
            raise BadText(f"the record has a win of {cell.number} points, the game brings {outcome and outcome.points}")

    def give_up(self, loser: Seat, points: int) -> None:
        """A resignation, or a forfeit where a resignation cannot cost so much."""
        rules, cube = self.match.rules, self.match.cube
        kind, rest = divmod(points, cube.value)
        if rest or not kind:
            raise BadText(f"nobody can win {points} points with the cube at {cube.value}")
        most = 0 if not rules.resignations else 1 if rules.jacoby and not cube.turned else 3 if rules.backgammons else 2
        if kind > most and kind == rules.forfeit_multiplier:
            self.act(a.Forfeit(loser))
        else:
            self.act(a.Resign(loser, kind))
            self.act(a.AcceptResignation(1 - loser))

    def check_cube(self, cell: Cell) -> None:
        value = 2 * self.match.cube.value
        if cell.number not in (None, value):
            raise BadText(f"the cube is offered at {value}, not at {cell.number}")

    def act(self, action: Action) -> None:
        """Decide an action; events from the first roll that the record does not have are cut off."""
        for event in decide(self.match, action, self.roll)[0]:
            match = apply(self.match, event)
            if match.rolls > self.before + len(self.dice):
                break
            if isinstance(event, e.Rolled | e.OpeningRolled):
                self.roller[match.rolls] = match.turn
            self.match = match
            self.events.append(event)

    def roll(self, number: int) -> Dice:
        index = number - self.before - 1
        if index < len(self.dice):
            return self.dice[index]
        assert index <= len(self.dice) + _MAX_FILLERS, "a player is closed out by one who can move"
        return _FILLERS[index % len(_FILLERS)]
