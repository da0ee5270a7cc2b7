"""Many matches side by side in numpy: the twin of `tavla_gym.table` for whole turns, held equal by tests."""

import numpy as np
from numpy.typing import NDArray
from tavla_engine.rules import Opening, Rules

from tavla_gym.plays import BOARD, Boards, Places, after_states
from tavla_gym.table import FACES

Truths = NDArray[np.bool_]
Seats = NDArray[np.int8]

HALF = BOARD // 2
ROLL, CUBE, MOVE = range(3)  # phases, as an observation tells them
TAKE, DROP, BEAVER = range(3)  # answers to a double; before a roll 0 is to roll, and DOUBLE
DOUBLE = 1
NOBODY = -1


class Tables:
    """Tables side by side: matches, or games of money play. Every array has a row for each.

    boards: as the player on roll sees them. turn: the seat on roll. dice: of the turn that is to be played, if one is.
    cube: its value as a power of two. owner: its seat, or NOBODY. turned: a double was taken in this game.
    beavers: since the double that waits. score: by seat. winner: of the last game, or NOBODY. crawford, crawford_done:
    as in the engine's `Match`. after, starts: boards after all plays, as `after_states` has them.
    """

    after: Boards
    starts: Places

    def __init__(self, rules: Rules, count: int, rng: np.random.Generator) -> None:
        self.rules, self.rng, self.count = rules, rng, count
        self.start = np.frombuffer(b"".join(rules.start), np.uint8)
        self.boards = np.tile(self.start, (count, 1))
        self.dice = np.zeros((count, 2), np.uint8)
        self.score = np.zeros((count, 2), np.int64)
        self.cube = np.zeros(count, np.int64)
        self.turn, self.phase, self.owner, self.beavers, self.winner = np.zeros((5, count), np.int8)
        self.turned, self.crawford, self.crawford_done = np.zeros((3, count), np.bool_)
        self.go_on(np.ones(count, np.bool_), np.ones(count, np.bool_))

    @property
    def seat(self) -> Seats:
        """The seat that is to act: on roll, or the one that answers a double or a beaver."""
        return np.asarray(self.turn ^ ((self.phase == CUBE) & (self.beavers % 2 == 0)))

    @property
    def choices(self) -> Places:
        """Numbers of choices of those who are to act."""
        rules = self.rules
        may_beaver = (self.beavers < rules.beavers) & (4 << self.cube <= rules.cube_limit)
        return np.where(self.phase == MOVE, np.diff(self.starts), 2 + ((self.phase == CUBE) & may_beaver))

    @property
    def over(self) -> Truths:
        """True for matches with a winner; of money play, for games."""
        return np.asarray(self.score.max(axis=1) >= max(self.rules.length, 1))

    def away(self, seats: Seats) -> Places:
        """Points that these seats need to win their matches; 0 in money play."""
        return np.maximum(self.rules.length - self.score[np.arange(self.count), seats], 0)

    def choose(self, actions: Places) -> Places:
        """Go on with a choice of each match. Returns: the points of the games that end, for the players who chose."""
        seat, moving, answering = self.seat, self.phase == MOVE, self.phase == CUBE
        doubling = (self.phase == ROLL) & (actions == DOUBLE)
        taken, dropped, beavered = (answering & (actions == answer) for answer in (TAKE, DROP, BEAVER))
        self.boards[moving] = self.after[self.starts[:-1][moving] + actions[moving]]
        self.turn ^= moving
        won = moving & (self.boards[:, HALF] == self.start.sum() // 2)
        points = np.where(won, self._kinds(), -dropped.astype(np.int64)) << self.cube
        self._settle(points, seat)
        self._turn_cube(taken, beavered)
        self.phase[self.phase == ROLL] = MOVE
        self.phase[moving | taken | dropped] = ROLL
        self.phase[doubling] = CUBE
        self.beavers[doubling] = 0
        return points

    def go_on(self, ended: Truths, over: Truths) -> None:
        """The next games where games have ended, new matches where they are over; then dice, and the plays of them."""
        self.score[over] = 0
        self.winner[over] = NOBODY
        near = self.score.max(axis=1) == self.rules.length - 1
        self.crawford_done &= ~over
        self.crawford |= ended & ~over & near & ~self.crawford_done & self.rules.crawford
        self.crawford_done |= self.crawford
        self.boards[ended] = self.start
        self.cube[ended], self.owner[ended], self.turned[ended] = 0, NOBODY, False
        rolled = self._opened(ended)
        self.phase[ended & ~rolled] = ROLL
        self.phase[rolled | ((self.phase == ROLL) & ~self._may_double())] = MOVE
        self._find_plays()

    def _opened(self, ended: Truths) -> Truths:
        """Dice for all, by the opening where a game begins, and its first seat. Returns: True if that rolls at once."""
        rng, rules, opening = self.rng, self.rules, self.rules.opening
        self.dice = rng.integers(1, 1 + FACES, (self.count, 2), np.uint8)
        self.turn[ended] = np.maximum(self.winner[ended], 0) if opening is Opening.WINNER else 0
        if opening is Opening.SEAT_0:
            return ended
        off = ended & (opening is Opening.ROLL_OFF or (opening is Opening.WINNER and self.winner == NOBODY))
        other = (self.dice[:, 0] + rng.integers(0, FACES - 1, self.count, np.uint8)) % FACES + 1
        self.dice[:, 1] = np.where(off, other, self.dice[:, 1])  # a die each, not the same
        self.turn = np.where(off, self.dice[:, 1] > self.dice[:, 0], self.turn).astype(np.int8)
        if rules.automatic_doubles:
            ties = rng.geometric(1 - 1 / FACES, self.count) - 1
            self.cube[off] = np.where(self.crawford, 0, np.minimum(ties, rules.automatic_doubles))[off]
        return off

    def _find_plays(self) -> None:
        moving = np.flatnonzero(self.phase == MOVE)
        self.after, starts = after_states(self.boards[moving], self.dice[moving], self.rules.hit_and_run)
        self.starts = np.zeros(self.count + 1, np.int64)
        self.starts[moving + 1] = np.diff(starts)
        np.cumsum(self.starts, out=self.starts)

    def _kinds(self) -> Places:
        """The count of a win against those on roll: single, gammon, backgammon."""
        kinds = np.where(self.boards[:, 0] > 0, 1, 2 + self.boards[:, 19:HALF].any(axis=1))
        if self.rules.jacoby:
            kinds = np.where(self.turned, kinds, 1)
        return np.minimum(kinds, 3 if self.rules.backgammons else 2)

    def _settle(self, points: Places, seat: Seats) -> None:
        """The points of games to their winners."""
        for ends, winners in ((points > 0, seat), (points < 0, 1 - seat)):
            self.score[np.flatnonzero(ends), winners[ends]] += np.abs(points[ends])
            self.winner[ends] = winners[ends]
            self.crawford &= ~ends

    def _turn_cube(self, taken: Truths, beavered: Truths) -> None:
        self.cube += taken | beavered
        self.beavers += beavered
        self.turned |= taken
        out_of_play = (1 << self.cube == self.rules.cube_limit) & (not self.rules.cap_kept)
        self.owner = np.where(taken, np.where(out_of_play, NOBODY, 1 - self.turn), self.owner).astype(np.int8)

    def _may_double(self) -> Truths:
        """True if the player on roll may offer the cube, as the engine's `no_double` has it."""
        rules, value = self.rules, 1 << self.cube
        live = not rules.length or value < self.away(self.turn)
        turnable = rules.cube & (value < rules.cube_limit) & (self.owner != 1 - self.turn)
        return np.asarray(turnable & ~self.crawford & live)
