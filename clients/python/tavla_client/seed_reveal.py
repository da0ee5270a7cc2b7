"""Our seed in one match: found among our pledges, revealed, and defended if the server says that it never came."""

from typing import Any

from msgspec.structs import replace
from tavla_engine.events import Ending
from tavla_engine.terms import binding
from tavla_protocol import messages as m
from tavla_protocol.claims import terms_in
from tavla_protocol.view import View

from tavla_client.dice_check import DiceCheck
from tavla_client.pledges import End, Pledge, Pledges
from tavla_client.rules_request import opponent_fault, rules_fault

CLOSED = (
    "the server has closed the match when it could know all seeds, and with them the dice, and gives no reason: it may"
    " have disliked them"
)
CHANGED = (
    "the server asks for your seat again, with other terms, after your seed was revealed: it may choose other dice"
)
BLAMED = "the server says that no seed came from you and has made the match void, but this program sent it"
_VOID: dict[str, End] = {
    Ending.VOIDED: "void",
    Ending.ABORTED: "void",
    Ending.PUT_BACK: "put_back",
}  # else somebody has won


class SeedReveal:
    """The reveal of our seed. was_sent: on this connection, or confirmed before. was_taken: the server said so.

    goes_on: the user plays on, though something was wrong. offers_other_terms: rules or an opponent that we did not
    ask for.
    """

    def __init__(self, match: str, dice: DiceCheck, pledges: Pledges) -> None:
        self.was_sent = self.was_taken = self.goes_on = self.offers_other_terms = False
        self._match, self._dice, self._pledges = match, dice, pledges
        self._looked_up: tuple[str, str] | None = None  # the commitments among which our own was looked for

    @property
    def end(self) -> End:
        """End of the match for us, see `Pledge`; "" = it goes on, or we have revealed no seed."""
        return "" if self._dice.pledge is None else self._dice.pledge.end

    def doubt(self, view: View) -> str:
        """Meaning of an end by others before the first roll, and how often that was so; "" = it was no such end."""
        pledge = self._dice.pledge
        if pledge is None or pledge.end not in ("A", "B"):
            return ""
        counts, other = self._pledges.counts.text, view.players[1 - pledge.seat]
        if pledge.end == "B":
            return counts
        return f"A line may have failed; {other} and the server together could do this to choose the dice. {counts}"

    def reset(self) -> None:
        """Begin anew in a new epoch: the server may have lost the seed."""
        self.was_sent = self.was_taken = False

    def reconnect(self) -> None:
        """Count on answers alone: a request on the old connection may not have arrived."""
        self.was_sent = self.was_taken

    def see(self, view: View, seat: int | None) -> None:
        """Find our pledge among the commitments of a view, with the fault of an earlier run if it had one."""
        dice = self._dice
        if dice.pledge is None and view.commitments is not self._looked_up:
            self._looked_up = view.commitments
            # After the store has lost a seat, the player has revealed one seed here, and committed to another or none.
            ours = None if seat is None else self._pledges.find(view.commitments[seat])
            dice.pledge = ours or self._pledges.revealed_for(self._match)
            self.was_taken = self.was_taken or (dice.pledge is not None and dice.pledge.taken)
        if dice.pledge is not None and dice.pledge.fault:
            dice.blame(dice.pledge.fault)
        self.check_end(view, self.was_taken)

    def request(self, id_: int, view: View, seq: int, seat: int | None, player: str) -> m.Reveal | None:
        """Reveal our seed, if the match waits for it, has the rules that we asked for and all commitments.

        seat: ours; None where another connection of ours has it: the seed may be here all the same. player: our id.
        """
        if seat is None:
            seat = next((seat for seat in (0, 1) if self._pledges.find(view.commitments[seat])), None)
        if view.phase != "reveal" or seat is None or seat not in view.unrevealed:
            return None
        if (pledge := self._pledges.find(view.commitments[seat])) is None:
            return None
        other = rules_fault(pledge.asked, view.rules) or opponent_fault(pledge.opponent, view.players[1 - seat])
        self.offers_other_terms = bool(other)
        self._dice.blame(_incomplete(view) or other)
        if self._dice.fault and not self.goes_on:
            return None
        terms = terms_in(self._match, view)
        before = self._pledges.revealed_for(self._match) or pledge
        bound = None
        if before.terms in ("", terms):
            bound = self._pledges.bind(pledge, self._match, terms, seat, player)
        if bound is None:
            self._dice.blame(CHANGED)
            if before.match == self._match:
                self._pledges.note(before, replace(before, fault=self._dice.fault, end="B"))
            return None
        self._dice.pledge = bound
        return m.Reveal(id=id_, match=self._match, seq=seq, seed=bound.seed, binding=binding(terms))

    def is_elsewhere(self, view: View, seat: int | None) -> bool:
        """True if the match waits for our seed, and another device of ours has it, or none any more."""
        waits = view.phase == "reveal" and seat is not None and seat in view.unrevealed
        return waits and seat is not None and self._pledges.find(view.commitments[seat]) is None

    def check_end(self, view: View, was_sent: bool) -> None:
        """Find a fault if a match is void by the server's doing. was_sent: our seed, and the answer to it is known."""
        if not view.game and _end(view, self._dice.pledge, was_sent) == "B":
            is_named = self._dice.pledge is not None and self._dice.pledge.seat in view.unrevealed
            self._dice.blame(BLAMED if is_named else CLOSED)

    def settle(self, view: View, is_made: bool, **version: Any) -> None:
        """Note what has become of the match; forget the seed of one that never was. is_made: a request for it waits.

        version: of the match: fields of a `Pledge`.
        """
        pledge = self._dice.pledge
        if pledge is None:
            return
        if pledge.match != self._match and view.phase == "over" and not self._dice.fault and not is_made:
            self._pledges.forget(pledge.commitment)
            return
        now = replace(pledge, fault=self._dice.fault)
        if pledge.match == self._match:
            taken, end = self.was_taken or bool(view.seeds[pledge.seat]), _end(view, pledge, self.was_sent)
            now = replace(now, **version, rolls=view.rolls, shown=self._dice.seed, taken=taken, end=end)
        self._dice.pledge = self._pledges.note(pledge, now)


def _end(view: View, pledge: Pledge | None, was_sent: bool) -> End:
    """End of a match; "" = it goes on. was_sent: our seed, and the answer to it is known."""
    if view.phase != "over":
        return ""
    if view.outcome is not None:
        return _VOID.get(view.outcome[3], "played")
    if all(view.seeds):
        return "B"
    if pledge is None or not pledge.match:
        return "void"
    if view.unrevealed == (1 - pledge.seat,):
        return "A"
    if was_sent or view.seeds[pledge.seat]:
        return "B"
    # The server had our seed, and was put back since; an honest one names us, or says so as the outcome.
    return "void" if not pledge.taken else "put_back" if pledge.seat in view.unrevealed else "B"


def is_blamed(view: View, seat: int | None) -> bool:
    """True if the match is void because, as the server says, no seed came from this seat."""
    return view.phase == "over" and view.outcome is None and seat in view.unrevealed


def _incomplete(view: View) -> str:
    """Lack of the server's commitment or of the terms, as a sentence; "" = none."""
    if not view.commitment:
        return "the server has committed to no seed for the dice"
    return "" if all(view.salts) else "the server hides the terms of the match"
