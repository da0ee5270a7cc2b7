"""Whether the dice of a match were those that the server had committed to. Pure."""

from tavla_engine.dice import Dice, commitment, committed_dice
from tavla_protocol.view import View

from tavla_cli.text.words import plural

Roll = tuple[int, ...]


class DiceCheck:
    """Remembers the first commitment and every roll seen, and compares them with the seed when it is revealed."""

    def __init__(self) -> None:
        self._commitment = ""
        self._rolls: dict[int, Roll] = {}  # by number, from 1; the higher die first
        self._openings: dict[int, int] = {}  # number of an opening roll -> the seat that won it
        self._ties: set[int] = set()  # opening rolls that were rolled again, and never shown
        self._before_game: int | None = 0  # rolls drawn before the next game starts; None if it has

    def see(self, view: View) -> None:
        """Note what a view shows of the dice."""
        self._commitment = self._commitment or view.commitment
        if view.phase in ("open", "ready"):
            self._before_game = view.rolls
        if view.phase not in ("roll", "cube", "move", "resign"):
            return
        if view.dice:
            self._rolls[view.rolls] = view.dice
        if view.phase != "resign":
            done = view.rolls - bool(view.dice)
            for number, (_, *turn) in zip(range(done, 0, -1), reversed(view.last), strict=False):
                self._rolls[number] = tuple(turn[:2])
        if self._before_game is not None and view.dice and not view.last and view.rules.get("opening") == "roll_off":
            self._ties.update(range(self._before_game + 1, view.rolls))
            self._openings[view.rolls] = view.turn
        self._before_game = None

    def verdict(self, match_id: str, view: View) -> str:
        """One sentence, when the match is over; empty if there is nothing to say."""
        if not view.seed or not self._rolls:
            return ""
        seed = bytes.fromhex(view.seed)
        if commitment(seed) != self._commitment:
            return "WARNING: the seed that the server shows is not the one it committed to"
        roll = committed_dice(seed, match_id, view.seeds)
        numbers = self._rolls.keys() | self._ties
        wrong = [number for number in numbers if not self._agrees(number, roll(number))]
        if wrong:
            return f"WARNING: {len(wrong)} of {plural(len(numbers), 'roll')} do not follow from the server's seed"
        if len(numbers) == 1:
            return "dice: the one roll seen agrees with the seed the server committed to"
        return f"dice: all {len(numbers)} rolls seen agree with the seed the server committed to"

    def _agrees(self, number: int, dice: Dice) -> bool:
        if number in self._ties:
            return dice[0] == dice[1]
        if number in self._openings and self._openings[number] != int(dice[1] > dice[0]):
            return False
        return tuple(sorted(dice, reverse=True)) == self._rolls[number]
