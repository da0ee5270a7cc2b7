"""Our seed in one match: found among our pledges, revealed, and defended if the server says that it never came."""

from tavla_engine.terms import binding
from tavla_protocol import messages as m
from tavla_protocol.claims import terms_in
from tavla_protocol.view import View

from tavla_client.dice_check import DiceCheck
from tavla_client.pledges import Pledges
from tavla_client.rules_request import opponent_fault, rules_fault

CLOSED = (
    "the server has closed the match when it could know all seeds, and with them the dice, and gives no reason: it may"
    " have disliked them"
)


class SeedReveal:
    """The reveal of our seed. was_sent: on this connection, or confirmed before. was_taken: the server said so.

    goes_on: the user plays on, though something was wrong. offers_other_terms: rules or an opponent that we did not
    ask for.
    """

    def __init__(self, match: str, dice: DiceCheck, pledges: Pledges) -> None:
        self.was_sent = self.was_taken = self.goes_on = self.offers_other_terms = False
        self._match, self._dice, self._pledges = match, dice, pledges
        self._looked_up: tuple[str, str] | None = None  # the commitments among which our own was looked for

    def reset(self) -> None:
        """Begin anew in a new epoch: the server may have lost the seed."""
        self.was_sent = self.was_taken = False

    def reconnect(self) -> None:
        """Count on answers alone: a request on the old connection may not have arrived."""
        self.was_sent = self.was_taken

    def see(self, view: View, seat: int | None) -> None:
        """Find our pledge among the commitments of a view, with the fault of an earlier run if it had one."""
        dice = self._dice
        if seat is not None and dice.pledge is None and view.commitments is not self._looked_up:
            self._looked_up = view.commitments
            # After the store has lost a seat, the player has revealed one seed here and committed to another.
            dice.pledge = self._pledges.find(view.commitments[seat]) or self._pledges.revealed_for(self._match)
        if dice.pledge is not None and dice.pledge.fault:
            dice.blame(dice.pledge.fault)
        if self.was_taken:
            self.check_blame(view, seat)
        if _is_closed(view) and (self.was_taken or all(view.seeds)):
            dice.blame(CLOSED)

    def request(self, id_: int, view: View, seq: int, seat: int | None) -> m.Reveal | None:
        """Reveal our seed, if the match waits for it, has the rules that we asked for and all commitments.

        seat: ours; None where another connection of ours has it: the seed may be here all the same.
        """
        seat = self._seat_here(view) if seat is None else seat
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
        bound = self._pledges.bind(pledge, self._match, terms, seat)
        if bound is None:
            self._dice.blame("the terms or a commitment have changed after your seed was revealed")
            return None
        self._dice.pledge = bound
        return m.Reveal(id=id_, match=self._match, seq=seq, seed=bound.seed, binding=binding(terms))

    def _seat_here(self, view: View) -> int | None:
        """The seat whose seed is here."""
        return next((seat for seat in (0, 1) if self._pledges.find(view.commitments[seat])), None)

    def is_elsewhere(self, view: View, seat: int | None) -> bool:
        """True if the match waits for our seed, and another device of ours has it, or none any more."""
        waits = view.phase == "reveal" and seat is not None and seat in view.unrevealed
        return waits and seat is not None and self._pledges.find(view.commitments[seat]) is None

    def check_blame(self, view: View, seat: int | None) -> None:
        """Find a fault if our seed was sent and the server denies it. Called when the answer to it is known."""
        if self.was_sent and is_blamed(view, seat):
            self._dice.blame(
                "the server says that no seed came from you and has made the match void, but this program sent it"
            )

    def settle(self, view: View, is_made: bool) -> None:
        """Keep the proof of a fault; forget the seed of a match that is over. is_made: a request for it waits."""
        pledge = self._dice.pledge
        if self._dice.fault and pledge is not None:
            self._dice.pledge = self._pledges.accuse(pledge, self._dice.fault)
        elif view.phase == "over" and pledge is not None and (pledge.match or not is_made):
            self._pledges.forget(pledge.commitment)


def is_blamed(view: View, seat: int | None) -> bool:
    """True if the match is void because, as the server says, no seed came from this seat."""
    return view.phase == "over" and view.outcome is None and seat in view.unrevealed


def _is_closed(view: View) -> bool:
    """True if the match has ended before it began, and nobody is named for it and no ruling."""
    return view.phase == "over" and not view.game and view.outcome is None and not view.unrevealed


def _incomplete(view: View) -> str:
    """Lack of the server's commitment or of the terms, as a sentence; "" = none."""
    if not view.commitment:
        return "the server has committed to no seed for the dice"
    return "" if all(view.salts) else "the server hides the terms of the match"
