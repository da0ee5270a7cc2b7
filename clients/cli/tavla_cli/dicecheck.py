"""Whether the dice of a match were those that the server had committed to. Pure."""

from tavla_engine.dice import commitment, committed_dice
from tavla_protocol.view import View

from tavla_cli.words import plural


class DiceCheck:
    """Remembers the first commitment and every roll seen, and compares them with the seed when it is revealed."""

    def __init__(self) -> None:
        self._commitment = ""
        self._rolls: dict[int, tuple[int, ...]] = {}  # by number, from 1; the higher die first

    def see(self, view: View) -> None:
        """Note what a view shows of the dice."""
        self._commitment = self._commitment or view.commitment
        if view.dice:
            self._rolls[view.rolls] = view.dice
        if view.phase in ("roll", "cube", "move"):
            done = view.rolls - bool(view.dice)
            for number, (_, *turn) in zip(range(done, 0, -1), reversed(view.last), strict=False):
                self._rolls[number] = tuple(turn[:2])

    def verdict(self, match_id: str, view: View) -> str:
        """One sentence, when the match is over; empty if there is nothing to say."""
        if not view.seed or not self._rolls:
            return ""
        seed = bytes.fromhex(view.seed)
        if commitment(seed) != self._commitment:
            return "WARNING: the seed that the server shows is not the one it committed to"
        roll = committed_dice(seed, match_id, view.seeds)
        wrong = [number for number, dice in sorted(self._rolls.items()) if sorted(roll(number)) != sorted(dice)]
        if wrong:
            return (
                f"WARNING: {len(wrong)} of {plural(len(self._rolls), 'roll')} seen do not follow from the server's seed"
            )
        if len(self._rolls) == 1:
            return "dice: the one roll seen agrees with the seed the server committed to"
        return f"dice: all {len(self._rolls)} rolls seen agree with the seed the server committed to"
