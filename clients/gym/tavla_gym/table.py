"""A match of the engine, and what its player may choose next, numbered."""

import enum
from collections.abc import Iterator, Set
from typing import Literal, NamedTuple

import numpy as np
from tavla_engine import actions as a
from tavla_engine.actions import Action, Seat
from tavla_engine.conditions import to_act
from tavla_engine.decide import decide
from tavla_engine.dice import Dice
from tavla_engine.errors import IllegalAction
from tavla_engine.match import Match, Phase, new_match
from tavla_engine.plays import home_blots, legal_plays
from tavla_engine.position import BAR, OFF, Play, Position, hit
from tavla_engine.rules import Rules

Actions = Literal["turns", "moves"]
Number = int | np.int64  # of a choice, also as a space draws it


class Choice(enum.IntEnum):
    """Numbers of the choices that are no play, and the first number of those that are."""

    ROLL = 0
    DOUBLE = 1
    TAKE = 2
    DROP = 3
    BEAVER = 4
    PLAY = 5


MOST_PLAYS = 3060  # of one roll: four steps of a double, shared among fifteen checkers in any way: 18 over 4
FACES = 6
SIZES: dict[Actions, int] = {"turns": Choice.PLAY + MOST_PLAYS, "moves": Choice.PLAY + BAR * FACES}


class Turn(NamedTuple):
    """A turn that is being played. position: after the moves so far. left: the dice that are still to be played.

    held: points at home that a last checker does not leave: without hit-and-run, those where a blot stood.
    """

    position: Position
    left: tuple[int, ...]
    held: tuple[int, ...] = ()
    moves: Play = ()


class Table:
    """A table: a match from its first roll to its end; of money play, one game.

    options: what the player who is to act may choose, by number. A turn that needs another move is a `Turn`.
    """

    def __init__(self, rules: Rules, actions: Actions) -> None:
        self.rules, self.actions = rules, actions
        self.match = new_match(rules)
        self.options: dict[int, Action | Turn] = {}
        self.turn: Turn | None = None

    def begin(self, rng: np.random.Generator) -> None:
        """A new match. rng: of its dice."""
        self._rng = rng
        self._go_on(new_match(self.rules))

    @property
    def over(self) -> bool:
        """True at the end of the match, or of the game of money play."""
        return self.match.phase is Phase.OVER or (not self.rules.length and self.match.outcome is not None)

    @property
    def seat(self) -> Seat:
        """The seat that is to act."""
        return to_act(self.match)[0]

    @property
    def ends(self) -> tuple[Position, ...]:
        """Positions that whole turns lead to, in the order of their numbers; the sides are not swapped."""
        return tuple(self._ends)

    @property
    def plays(self) -> tuple[Play, ...]:
        """Whole turns that may be chosen, in the order of their numbers."""
        return tuple(option.moves for option in self.options.values() if isinstance(option, a.Move))

    def points(self, seat: Seat) -> float:
        """Result for a seat: of a match 1 or -1, of money play the points won or lost."""
        if not self.rules.length:
            return float(self.match.score[seat] - self.match.score[1 - seat])
        assert self.match.outcome is not None, "the match is over"
        return 1.0 if self.match.outcome.winner == seat else -1.0

    def choose(self, number: int) -> None:
        """Go on with a choice. Any other number forfeits. Raises: ValueError if it is over."""
        if self.over:
            raise ValueError("it is over: reset the environment to play another one")
        option = self.options.get(number)
        if not isinstance(option, Turn):
            self._decide(option or a.Forfeit(self.seat))
            return
        self.turn, self.options = option, self._next_moves(option)
        if not self.options:
            self._decide(a.Move(self.seat, option.moves))

    def _decide(self, action: Action) -> None:
        self._go_on(decide(self.match, action, self._roll)[1])

    def _go_on(self, match: Match) -> None:
        """From here to the next choice: nobody is asked whether the next game may start."""
        self.match = match
        while match.phase is Phase.READY and not self.over:
            self.match = match = decide(match, a.Ready(self.seat), self._roll)[1]
        self.turn = None
        self.options = {} if self.over else self._choices()

    def _roll(self, _: int) -> Dice:
        one, two = self._rng.integers(1, 1 + FACES, 2).tolist()
        return one, two

    def _choices(self) -> dict[int, Action | Turn]:
        match, seat = self.match, self.seat
        if match.phase is Phase.ROLL:
            return {Choice.ROLL: a.Roll(seat), Choice.DOUBLE: a.Double(seat)}
        if match.phase is Phase.CUBE:
            answers: dict[int, Action | Turn] = {Choice.TAKE: a.Take(seat), Choice.DROP: a.Drop(seat)}
            return answers | ({Choice.BEAVER: a.Beaver(seat)} if self._allowed(a.Beaver(seat)) else {})
        dice = match.dice
        assert dice is not None, "a play has dice"
        blots = home_blots(match.position) if not self.rules.hit_and_run else ()
        self.turn = Turn(match.position, dice if dice[0] != dice[1] else dice * 2, blots)
        plays = legal_plays(match.position, dice, self.rules.hit_and_run)
        self._ends = plays.keys()
        if self.actions == "moves":
            return self._next_moves(self.turn)
        return {number: a.Move(seat, play) for number, play in enumerate(plays.values(), Choice.PLAY)}

    def _allowed(self, action: Action) -> bool:
        try:
            decide(self.match, action, self._roll)
        except IllegalAction:
            return False
        return True

    def _next_moves(self, turn: Turn) -> dict[int, Action | Turn]:
        """Single moves that a whole legal turn goes on with."""
        return {
            number: after
            for die in dict.fromkeys(turn.left)
            for number, after in _moves(turn, die)
            if _reaches(after, self._ends)
        }


def _moves(turn: Turn, die: int) -> Iterator[tuple[int, Turn]]:
    """Moves with one die, whatever comes after them, by their numbers."""
    mine, theirs = turn.position
    highest = len(mine.rstrip(b"\0")) - 1
    for source in range(highest, BAR - 1 if highest == BAR else OFF, -1):
        target = max(source - die, OFF)
        if not mine[source] or theirs[BAR - target] > (1 if target else BAR):
            continue
        if mine[source] == 1 and source in turn.held:  # it has hit there, and stays
            continue
        if not target and (highest > FACES or source < min(die, highest)):
            continue
        after = bytearray(mine)
        after[source] -= 1
        after[target] += 1
        there = hit(theirs, BAR - target) if target and theirs[BAR - target] else theirs
        left = list(turn.left)
        left.remove(die)
        number = Choice.PLAY + FACES * (source - 1) + die - 1
        yield number, Turn(Position(bytes(after), there), tuple(left), turn.held, (*turn.moves, (source, target)))


def _reaches(turn: Turn, ends: Set[Position]) -> bool:
    """True if the turn can be completed."""
    return turn.position in ends or any(
        _reaches(after, ends) for die in set(turn.left) for _, after in _moves(turn, die)
    )
