"""Whether the dice of a match were those that everybody had committed to. No I/O."""

from typing import NamedTuple

from tavla_engine.dice import Dice, commitment, committed_dice, keeps
from tavla_protocol.view import View

from tavla_client.pledges import Pledge

Roll = tuple[int, ...]
Shown = tuple[str, tuple[str, str], tuple[str, str], tuple[str | None, str | None]]


class DiceVerdict(NamedTuple):
    """What can be said of a match's dice. sound: nothing was wrong. text: one sentence for people; "" = nothing yet."""

    sound: bool
    text: str


class DiceCheck:
    """Remembers what was committed to, and every roll seen, and compares them with the seeds when they are revealed.

    pledge: our own seed, if it is to go into them. fault: what was wrong first, as a sentence; "" so far.
    """

    def __init__(self, match: str, expected: str = "") -> None:
        """expected: the commitment that we sat down with, if we just did."""
        self.match, self._expected = match, expected
        self.pledge: Pledge | None = None
        self.fault = ""
        self._shown: Shown | None = None
        self._server = ""  # its commitment, as first shown
        self._rolls: dict[int, Roll] = {}  # by number, from 1; the higher die first
        self._openings: dict[int, int] = {}  # number of an opening roll -> the seat that won it
        self._ties: set[int] = set()  # opening rolls that were rolled again, and never shown
        self._before_game: int | None = 0  # rolls drawn before the next game starts; None if it has

    # --- what is seen ---

    def see(self, view: View, seat: int | None) -> None:
        """Note what a view shows of the dice. seat: ours, None for a watcher."""
        shown = view.commitment, view.commitments, view.seeds, view.players
        if shown != self._shown:
            self._shown = shown
            self.fault = self.fault or self._wrong_seeds(view, seat)
        self._see_rolls(view)

    def _wrong_seeds(self, view: View, seat: int | None) -> str:
        self._server = self._server or view.commitment
        if view.commitment != self._server:
            return "the server has changed its commitment"
        for other in (0, 1):
            if view.seeds[other] and not keeps(view.seeds[other], view.commitments[other]):
                return f"the seed shown as {view.players[other]}'s is not the one that was committed to"
        return "" if seat is None else self._wrong_promise(view, seat)

    def _wrong_promise(self, view: View, seat: int) -> str:
        """What differs from what we have sent, or saw when we revealed our seed."""
        pledge = self.pledge
        if pledge is None:
            other = self._expected and view.commitments[seat] != self._expected
            return "the server shows another commitment as yours than the one that you sent" if other else ""
        if view.commitments[seat] != pledge.commitment or view.seeds[seat] not in ("", pledge.seed):
            return "your own seed is not in the dice"
        if pledge.match and (view.commitment, view.commitments[1 - seat]) != (pledge.server, pledge.other):
            return "a commitment has changed after your seed was revealed"
        return ""

    def _see_rolls(self, view: View) -> None:
        if view.phase in ("open", "ready", "reveal"):
            self._before_game = view.rolls
        if view.phase not in ("roll", "cube", "move", "resign"):
            return
        if view.dice:
            self._rolls[view.rolls] = view.dice
        if view.phase != "resign":
            done = view.rolls - bool(view.dice)
            for number, (_, *turn) in zip(range(done, 0, -1), reversed(view.last), strict=False):
                self._rolls[number] = tuple(turn[:2])
        if self._before_game is not None and view.dice and not view.last and _is_rolled_off(view):
            self._ties.update(range(self._before_game + 1, view.rolls))
            self._openings[view.rolls] = view.turn
        self._before_game = None

    # --- what can be said of it ---

    def verdict(self, view: View) -> DiceVerdict:
        """What to say when the match is over; of a match without dice nothing, if nothing was wrong."""
        numbers = self._rolls.keys() | self._ties
        if fault := self.fault or (self._wrong_rolls(view, numbers) if numbers else ""):
            return DiceVerdict(False, f"WARNING: {fault}")
        if not numbers:
            return DiceVerdict(True, "")
        count = "the one roll seen agrees" if len(numbers) == 1 else f"all {len(numbers)} rolls seen agree"
        return DiceVerdict(True, f"dice: {count} with {_whose(view)}")

    def _wrong_rolls(self, view: View, numbers: set[int]) -> str:
        if not view.seed:
            return "the server does not show its seed: nobody can check the dice"
        seed = bytes.fromhex(view.seed)
        if commitment(seed) != self._server:
            return "the seed that the server shows is not the one it committed to"
        if any(view.commitments[seat] and not view.seeds[seat] for seat in (0, 1)):
            return "there were dice before all seeds were revealed"
        roll = committed_dice(seed, self.match, view.seeds)
        wrong = [number for number in numbers if not self._agrees(number, roll(number))]
        rolls = "1 roll does" if len(wrong) == 1 else f"{len(wrong)} rolls do"
        return f"{rolls} not follow from the seeds, of {len(numbers)} seen" if wrong else ""

    def _agrees(self, number: int, dice: Dice) -> bool:
        if number in self._ties:
            return dice[0] == dice[1]
        if number in self._openings and self._openings[number] != int(dice[1] > dice[0]):
            return False
        return tuple(sorted(dice, reverse=True)) == self._rolls[number]


def _is_rolled_off(view: View) -> bool:
    """Whether the first dice of this game were one die of each player."""
    opening = view.rules.get("opening")
    return opening == "roll_off" or (opening == "winner" and view.game == 1)


def _whose(view: View) -> str:
    """Whose seeds made the dice: one who adds none has to trust the others."""
    without = [view.players[seat] or "" for seat in (0, 1) if not view.commitments[seat]]
    if len(without) == 2:
        return "the seed the server committed to; neither player has committed to one"
    seeds = "the seeds that were committed to"
    return f"{seeds}, the server's and one player's: {without[0]} added none" if without else seeds
