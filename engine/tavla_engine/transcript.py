"""A match from games and cells, wherever they were read: the rules decide each turn, as if it were played now."""

from collections.abc import Iterable
from itertools import islice, takewhile, zip_longest
from typing import NamedTuple

from msgspec.structs import replace

from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.actions import Action, Seat
from tavla_engine.apply import apply
from tavla_engine.conditions import starter
from tavla_engine.decide import decide, proceed
from tavla_engine.dice import Dice
from tavla_engine.errors import BadText, IllegalAction
from tavla_engine.events import Ending, Event
from tavla_engine.mat_rules import rules_of
from tavla_engine.mat_text import MAX_NAME, Cell, Game, Kind, Sheet
from tavla_engine.match import Match, Phase, new_match
from tavla_engine.notation import format_play, parse_play
from tavla_engine.plays import legal_plays
from tavla_engine.rules import MAX_AUTOMATIC_DOUBLES, STARTS, Opening
from tavla_engine.setup import MIDDLE, Setup, is_cube, with_off

_TIES = tuple(str(count) for count in range(MAX_AUTOMATIC_DOUBLES + 1))
_FILLERS: tuple[Dice, ...] = ((6, 5), (4, 3), (2, 1))  # drawn when the record has no more rolls, then cut off again
_MAX_FILLERS = 100
_MOST_LEGAL = 6  # plays that a note lists
_UNPLAYED = (Kind.WIN, Kind.LOSS, Kind.RESIGN, Kind.SET)  # dice that one of them follows were not played


class MatRecord(NamedTuple):
    """The record in a `.mat` file. start: the match before the first event, with the rules. match: after the last one.

    tags: remarks by their names in a `.mat` file. notes: sentences about what was left out.
    """

    names: tuple[str, str]
    start: Match
    events: list[Event]
    match: Match
    tags: dict[str, str]
    notes: tuple[str, ...] = ()


def record_of(sheet: Sheet) -> MatRecord:
    """The match of a sheet. Raises: BadText."""
    sheet = _without_starts(sheet) if sheet.unit == "line" else sheet
    first = sheet.games[0]
    if (longest := max(map(len, first.names))) > MAX_NAME:
        raise BadText(f"a player's name has no more than {MAX_NAME} characters, this one has {longest}")
    start = replace(
        new_match(rules_of(sheet)),
        score=first.score,
        game=first.number - 1,
        crawford_done=_crawford_done(first, sheet.length),
    )
    replay, notes = _Replay(start, first.score, sheet.unit), sheet.notes
    for game, following, ties in zip_longest(sheet.games, sheet.games[1:], _ties(sheet)):
        if replay.match.phase is Phase.OVER:
            notes = (*notes, f"the match is over before game {game.number}: what follows is not read")
            break
        try:
            replay.play(game, ties, following)
        except BadText as error:
            if not (sheet.is_cut_at_fault and replay.events):
                raise
            notes = (*notes, f"{error}{_legal_words(replay.match)}: the match is read up to there")
            break
    return MatRecord(first.names, start, replay.events, replay.match, sheet.tags, (*notes, *replay.notes))


def _crawford_done(first: Game, length: int) -> bool:
    """True if a record that begins within a match begins after its Crawford game: both are near, or one doubles."""
    near = [points == length - 1 for points in first.score]
    if first.crawford is not None:
        return length > 1 and any(near) and not first.crawford
    return length > 1 and (all(near) or (any(near) and any(cell.kind is Kind.DOUBLE for cell in first.cells)))


def _ties(sheet: Sheet) -> list[int]:
    """Number of equal opening rolls, game by game, as far as a remark says so."""
    words = sheet.tags.get("OpeningTies", "").split()
    ties = [int(word) for word in words if word in _TIES]
    return (ties + [0] * (len(sheet.games) - len(ties)))[: len(sheet.games)]


def _rolls(cells: list[Cell], at: int) -> list[Cell]:
    """The rolls from there to where a position is set up next."""
    return [cell for cell in takewhile(lambda cell: cell.kind is not Kind.SET, islice(cells, at, None)) if cell.dice]


def _without_starts(sheet: Sheet) -> Sheet:
    """Without illegal plays that lead to where the games of a variant begin, and with that variant.

    DailyGammon's games of Nackgammon begin with one.
    """
    games, tags = list(sheet.games), dict(sheet.tags)
    for at, game in enumerate(games):
        place = next((place for place, cell in enumerate(game.cells[:2]) if cell.kind is Kind.SET), None)
        setup = game.cells[place].setup if place is not None else None
        if place is not None and setup is not None and setup.cube is None:  # other set-up positions have a cube
            for variant, row in STARTS.items():
                if setup.board == (row, row):
                    tags["Variation"] = variant.value
                    games[at] = game._replace(cells=game.cells[place + 1 :])
    return sheet._replace(games=games, tags=tags)


class _Replay:
    """The match so far. Dice come from the record, the automatic rolls between two cells too."""

    def __init__(self, start: Match, first: tuple[int, int], unit: str) -> None:
        self.match = start
        self.unit = unit
        self.first = first  # score
        self.events: list[Event] = []
        self.notes: list[str] = []
        self.dice: list[Dice] = []  # those of the current game, up to where a position is set up next
        self.before = 0  # pairs of dice drawn before it
        self.roller: dict[int, Seat] = {}  # who rolled the dice of this number

    def play(self, game: Game, ties: int, following: Game | None) -> None:
        """Replay one game. following: the game after it."""
        line = game.line
        try:
            self.begin(game, ties)
            number = self.before + ties
            for at, cell in enumerate(game.cells):
                line = cell.line
                number += cell.kind is Kind.ROLL
                self.cell(cell, number, game.cells, at)
            if following is not None and self.is_played():
                self.end(following.score)
        except (IllegalAction, BadText) as error:
            raise BadText(f"{self.unit} {line}, game {game.number}: {error}") from None

    def begin(self, game: Game, ties: int) -> None:
        self.check_score(game)
        rolls = _rolls(game.cells, 0)
        self.dice = [(1, 1)] * ties + [cell.dice for cell in rolls if cell.dice]
        if rolls and starter(self.match) is None and self.match.rules.opening is not Opening.SEAT_0:
            low, high = sorted(self.dice[ties])
            self.dice[ties] = (low, high) if rolls[0].seat else (high, low)  # the starter's die is the higher
        self.before = self.match.rolls
        self.act(a.Ready(0))
        self.act(a.Ready(1))

    def check_score(self, game: Game) -> None:
        """The score before a game. In money play nothing hangs on it, and some count otherwise, or not at all."""
        if game.score == self.match.score:
            return
        fault = "the score is {} : {}, not {} : {}".format(*self.match.score, *game.score)
        if self.match.rules.length:
            raise BadText(fault)
        if game.score != self.first and not self.notes:
            self.notes.append(f"before game {game.number} {fault}, as the file says")

    def cell(self, cell: Cell, number: int, cells: list[Cell], at: int) -> None:
        """Replay the cell that stands there. number: of the last roll in the record so far."""
        following = [one.kind for one in cells[at + 1 : at + 3]]
        match cell.kind:
            case Kind.ROLL:
                self.turn(cell, number, following)
            case Kind.DOUBLE:
                self.act(a.Double(cell.seat))
                _check_cube(self.match, cell)
            case Kind.BEAVER:
                self.act(a.Beaver(cell.seat))
                _check_cube(self.match, cell)
            case Kind.TAKE:
                self.act(a.Take(cell.seat))
            case Kind.DROP:
                self.act(a.Drop(cell.seat))
            case Kind.WIN:
                self.win(cell)
            case Kind.LOSS if self.is_played():
                self.give_up(cell.seat, cell.number or self.match.cube.value)
            case Kind.RESIGN if self.is_played() and Kind.WIN not in following:
                self.give_up(cell.seat, self.match.cube.value)
            case Kind.SET if cell.setup is not None:
                self.set_up(cell.setup, cells, at + 1)

    def turn(self, cell: Cell, number: int, following: list[Kind]) -> None:
        """A roll, if it was not automatic, and its play. following: the kinds of the next cells."""
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
        elif to_play and following and following[0] not in _UNPLAYED:
            self.add_forced_play(cell)

    def end(self, score: tuple[int, int]) -> None:
        """A game that breaks off, and another follows with this score: it was given up."""
        gains = [after - before for after, before in zip(score, self.match.score, strict=True)]
        if min(gains) != 0 or max(gains) <= 0:
            raise BadText("the game has no end, and another one follows")
        self.give_up(gains.index(0), max(gains))

    def add_forced_play(self, cell: Cell) -> None:
        """A play that the record leaves out, for there is no other one."""
        assert cell.dice is not None, "a roll has dice"
        plays = list(legal_plays(self.match.position, cell.dice, self.match.rules.hit_and_run).values())
        if len(plays) > 1:
            raise BadText("{}-{} can be played here, but the file has no play".format(*cell.dice))
        self.act(a.Move(cell.seat, plays[0]))

    def set_up(self, setup: Setup, cells: list[Cell], at: int) -> None:
        """A position that was set up: the game goes on from it with the cell that stands there."""
        if not self.is_played():
            raise BadText("a position is set up here, but the game is over")
        board = self.match.board
        if setup.board is not None:
            board = with_off(setup.board, sum(self.match.rules.start.mine))
        turn = setup.turn if setup.turn is not None else self.match.turn
        if at < len(cells) and cells[at].kind in (Kind.ROLL, Kind.DOUBLE):
            turn = cells[at].seat
        cube = setup.cube if setup.cube is not None else self.match.cube.value
        owner = self.match.cube.owner if setup.owner is None else None if setup.owner == MIDDLE else setup.owner
        if not is_cube(cube):
            raise BadText(f"no cube can be at {cube} in a set-up position")
        first, second = (tuple(row) for row in board)
        event = e.PositionSet(turn, (first, second), cube, owner)
        self.dice = self.dice[: self.match.rolls - self.before]
        self.dice += [cell.dice for cell in _rolls(cells, at) if cell.dice]
        self.add([event, *proceed(apply(self.match, event), self.roll)[0]])

    def is_played(self) -> bool:
        """True within a game."""
        return self.match.phase not in (Phase.READY, Phase.OVER)

    def win(self, cell: Cell) -> None:
        """A game that is over, or else was given up."""
        points = cell.number or 0
        if self.is_played():
            self.give_up(1 - cell.seat, points)
            return
        outcome = self.match.outcome
        if outcome is None or (
            outcome.points != points and outcome.points and not _is_told_otherwise(self.match, points)
        ):
            raise BadText(f"the record has a win of {points} points, the game brings {outcome and outcome.points}")

    def give_up(self, loser: Seat, points: int) -> None:
        """A resignation, or a forfeit where a resignation cannot cost so much."""
        rules, cube = self.match.rules, self.match.cube
        needed = rules.length - self.match.score[1 - loser]
        kind, rest = divmod(points, cube.value)
        if rest and rules.length and points >= needed:  # the win is cut
            kind, rest = kind + 1, 0
        is_match = kind > 3 and rules.length and not rules.forfeit_multiplier
        if is_match and (points >= needed or kind % 4 == rest == 0):  # Backgammon Studio has four cubes for a match
            self.add([e.MatchEnded(1 - loser, Ending.FORFEIT)])
        elif rest or not kind:
            raise BadText(f"nobody can win {points} points with the cube at {cube.value}")
        elif self.match.phase is Phase.OPENING and kind <= 3:
            self.add([e.GameEnded(1 - loser, points, kind, Ending.RESIGNATION)])
            self.add(proceed(self.match, self.roll)[0])
        elif kind > _dearest(self.match) and kind == rules.forfeit_multiplier:
            self.act(a.Forfeit(loser))
        else:
            self.act(a.Resign(loser, kind))
            self.act(a.AcceptResignation(1 - loser))

    def act(self, action: Action) -> None:
        self.add(decide(self.match, action, self.roll)[0])

    def add(self, events: Iterable[Event]) -> None:
        """Events from the first roll that the record does not have are cut off."""
        for event in events:
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


def _is_told_otherwise(match: Match, points: int) -> bool:
    """True if a match's last win is cut, but not below what it needed; or if the Jacoby rule has cut a gammon."""
    outcome = match.outcome
    assert outcome is not None, "a game is over"
    if match.rules.jacoby and not match.cube.turned:
        return points in (2 * match.cube.value, 3 * match.cube.value)
    if match.phase is not Phase.OVER or outcome.winner is None:
        return False
    return match.rules.length - (match.score[outcome.winner] - outcome.points) <= points <= outcome.points


def _dearest(match: Match) -> int:
    """The most cubes that a resignation can cost."""
    rules = match.rules
    if not rules.resignations:
        return 0
    return 1 if rules.jacoby and not match.cube.turned else 3 if rules.backgammons else 2


def _check_cube(match: Match, cell: Cell) -> None:
    value = 2 * match.cube.value
    if cell.number not in (None, value):
        raise BadText(f"the cube is offered at {value}, not at {cell.number}")


def _legal_words(match: Match) -> str:
    """The plays that would have been legal, if they are few."""
    dice, position = match.dice, match.position
    plays = legal_plays(position, dice, match.rules.hit_and_run).values() if dice else ()
    texts = sorted(format_play(position, play) for play in plays)
    return f" (legal: {', '.join(texts)})" if 0 < len(texts) <= _MOST_LEGAL else ""
