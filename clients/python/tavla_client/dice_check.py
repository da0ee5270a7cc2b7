"""Check of a match: its dice were those that everybody had committed to, and what came of them followed. No I/O."""

from bisect import bisect
from typing import Any, NamedTuple

from tavla_engine.actions import Action
from tavla_engine.chain import ChainDice, link_number
from tavla_engine.claim import agreed_text, equal_commitments, is_commitment, link_fault, seed_fault
from tavla_engine.dice import Dice
from tavla_engine.errors import BadText
from tavla_engine.events import Ending
from tavla_engine.match import Match
from tavla_engine.referee import judge
from tavla_engine.server_events import read_server_events
from tavla_engine.terms import binding
from tavla_protocol.claims import binding_of, claim_of
from tavla_protocol.messages import Recorded
from tavla_protocol.view import View

from tavla_client.follower import Follower, shown_in, shown_of
from tavla_client.pledges import Pledge

TAKEN_BACK = "the server was put back, and has taken back an end that it had shown"
Roll = tuple[int, ...]
RollKey = tuple[int, int]  # link of the server's seeds, number
Shown = tuple[Any, ...]  # of a view: commitments, seeds, players, salts


class DiceVerdict(NamedTuple):
    """Verdict on a match. text: one sentence for people; "" = nothing yet.

    sound: all was looked at, and nothing was wrong. checked: nothing was left out; if it is not sound then, something
    was wrong.
    """

    sound: bool
    text: str
    checked: bool = True

    @property
    def is_fault(self) -> bool:
        """Something was wrong."""
        return self.checked and not self.sound


class DiceCheck:
    """A check of the dice: remembers what was committed to and all that was shown, and compares it with the seeds when
    they are revealed.

    pledge: our own seed, if it is to go into them. fault: what was wrong first, as a sentence; "" so far. seed,
    seeds: the server's newest that was shown, and the players', in hex: a server that was put back is told of them.
    """

    def __init__(self, match: str, expected: str = "") -> None:
        """expected: the commitment that we sat down with, if we just did."""
        self.match, self._expected = match, expected
        self.pledge: Pledge | None = None
        self.fault = self.seed = ""
        self.seeds = ("", "")
        self._newest = 0  # the number of `seed`
        self._burnt = 0  # links that are of no game, since they were known when the match was put back
        self._unlinked = 0  # rolls up to this one may have been of an earlier link
        self._shown: Shown | None = None
        self._server = ""  # its commitment, as first shown
        self._binding = ""  # of the dice to the terms, as first shown
        self._proven = 0  # the last link whose rolls were found to follow from the seeds
        self._rolls: dict[RollKey, Roll] = {}  # the higher die first
        self._openings: dict[RollKey, int] = {}  # an opening roll -> the seat that won it
        self._ties: set[RollKey] = set()  # opening rolls that were rolled again, and never shown
        self._before_game: int | None = 0  # rolls drawn before the next game starts; None if it has
        self._follower = Follower()
        self._epoch = 0
        self._has_ended = False
        self._seen: dict[int, tuple[int, int]] = {}  # seq -> epoch, hash of what was shown then: so has the record

    # --- what is seen ---

    def sit_down(self, commitment: str) -> None:
        """Expect another commitment as ours from now on, if it is not empty: the store had lost our seat."""
        if commitment:
            self._expected, self.pledge = commitment, None

    def see(self, view: View, seat: int | None) -> None:
        """Note what a view shows of the dice. seat: ours, None for a watcher."""
        shown = view.commitment, view.commitments, view.seeds, view.players, view.salts, view.kinds, view.rules
        if shown != self._shown:
            self._shown = shown
            self.blame(self._wrong_seeds(view, seat))
            self.blame(self._wrong_terms(view))
        self._see_rolls(view)
        self.blame(self._wrong_games(view))
        self._note_seeds(view)
        self._has_ended = view.phase == "over"

    def follow(self, view: View, epoch: int, seq: int, is_step: bool) -> None:
        """Note a version of the match. is_step: it is the next one; else anything may have happened since the last."""
        if epoch > self._epoch or seq < max(self._seen, default=0):  # the store has lost it, and everybody is told
            self._seen = {known: shown for known, shown in self._seen.items() if known < seq}
        self._epoch = epoch
        self.blame(self._follower.step(view) if is_step else self._follower.restart(view))
        if view.game:
            shown = epoch, hash(shown_in(view))
            known = self._seen.setdefault(seq, shown)
            if known[0] != epoch:
                self._seen[seq] = shown
            elif known != shown:
                self.blame("the match is shown otherwise than it was a moment ago")

    def start_epoch(self, view: View) -> None:
        """Note that the match was put back, before its view is seen. If a seed is shown that is newer than the games
        that are over, the dice go on with the next; who may do that when it suits may choose, so it is a fault.
        """
        self._server = self._server or view.commitment
        number = self._number(view.seed)
        burnt = number - self._games_over(view)
        if number < self._newest or (self._has_ended and view.phase != "over"):
            self.blame(TAKEN_BACK)
        elif burnt > self._burnt:
            self._burnt, self._unlinked = burnt, view.rolls
            self.blame("the server was put back: the dice to come are new, and somebody may have seen the old ones")

    def has_shown(self, seed: str) -> bool:
        """True if a seed of the server's, "" = none, was shown, or a later one."""
        return self._number(seed) <= self._newest

    def _number(self, seed: str) -> int:
        return 0 if not is_commitment(seed) else link_number(bytes.fromhex(seed), self._server) or 0

    def _note_seeds(self, view: View) -> None:
        shown, known = (one if is_commitment(one) else "" for one in view.seeds), self.seeds  # of as many digits
        self.seeds = (next(shown) or known[0], next(shown) or known[1])
        if view.seed != self.seed and (number := self._number(view.seed)) > self._newest:
            self.seed, self._newest = view.seed, number

    def blame(self, fault: str) -> None:
        """Keep the first fault."""
        self.fault = self.fault or fault

    def _wrong_seeds(self, view: View, seat: int | None) -> str:
        self._server = self._server or view.commitment
        if view.commitment != self._server:
            return "the server has changed its commitment"
        if any(committed and not is_commitment(committed) for committed in (view.commitment, *view.commitments)):
            return "a commitment is no SHA-256: nobody can be held to it"
        if fault := equal_commitments(view.commitment, view.commitments):
            return fault
        for other in (0, 1):
            whose = f"{view.players[other]}'s"
            if view.seeds[other] and (fault := seed_fault(view.seeds[other], view.commitments[other], whose)):
                return fault
        return ("" if seat is None else self._wrong_promise(view, seat)) or _uncommitted(view)

    def _wrong_terms(self, view: View) -> str:
        """Difference of the terms from those that the match began with: until then another player may sit down."""
        bound = binding_of(self.match, view)
        if not view.game:
            self._binding = bound
            return ""
        if not bound and view.phase != "over":
            return "the server hides the terms of the match"
        self._binding = self._binding or bound
        return "the match is no longer the one that was agreed to" if bound and bound != self._binding else ""

    def _wrong_games(self, view: View) -> str:
        """Fault of the games that are over, whose seeds are shown by then."""
        due = self._due_link(view)
        if not self._server or (due <= self._proven and (due or not view.seed)):
            return ""
        self._proven = due
        return link_fault(view.seed, self._server, due) or self._wrong_rolls(view, self._keys(due))

    def _due_link(self, view: View) -> int:
        """The number of the seed that is to be shown: of the last game that is over, or known when it was put back."""
        return self._games_over(view) + self._burnt

    def _games_over(self, view: View) -> int:
        """The number of games that are over. A match that is void shows no seed for the game in hand."""
        if view.phase not in ("ready", "over"):
            return max(0, view.game - 1)
        is_void = view.outcome is not None and view.outcome[3] == Ending.VOIDED
        if is_void and link_fault(view.seed, self._server, view.game + self._burnt):
            return max(0, view.game - 1)
        return view.game

    def _keys(self, link: int) -> list[RollKey]:
        """The rolls that were seen, up to a link, in order."""
        return sorted(key for key in self._rolls.keys() | self._ties if key[0] <= link)

    def _wrong_promise(self, view: View, seat: int) -> str:
        """Difference from what we have sent, or saw when we revealed our seed."""
        pledge = self.pledge
        if pledge is None:
            other = self._expected and view.commitments[seat] != self._expected
            return "the server shows another commitment as yours than the one that you sent" if other else ""
        if view.commitments[seat] != pledge.commitment or view.seeds[seat] not in ("", pledge.seed):
            return "your own seed is not in the dice"
        is_put_back = view.outcome is not None and view.outcome[3] == Ending.PUT_BACK  # maybe to before both sat
        if pledge.match and not is_put_back and (view.commitment, *view.commitments) != pledge.commitments:
            return "a commitment has changed after your seed was revealed"
        return ""

    def _see_rolls(self, view: View) -> None:
        if view.phase in ("open", "ready", "reveal"):
            self._before_game = view.rolls
        if view.phase not in ("roll", "cube", "move", "resign"):
            return
        link = view.game + self._burnt
        if view.dice:
            self._see_roll((link, view.rolls), view.dice)
        if view.phase != "resign":
            done = view.rolls - bool(view.dice)
            for number, (_, *turn) in zip(range(done, 0, -1), reversed(view.last), strict=False):
                self._see_roll((link, number), tuple(turn[:2]))
        if self._before_game is not None and view.dice and not view.last and _is_rolled_off(view):
            if self._before_game or view.game == 1:  # else no view was seen before this game
                self._ties.update((link, number) for number in range(self._before_game + 1, view.rolls))
            self._openings[link, view.rolls] = view.turn
        self._before_game = None

    def _see_roll(self, key: RollKey, dice: Roll) -> None:
        """The first value of a number stays."""
        if key[1] <= self._unlinked:
            return
        known = self._rolls.setdefault(key, dice)
        if known != dice:
            self.blame(f"roll {key[1]} was shown as {_text(known)}, and now as {_text(dice)}")

    # --- what can be said of it ---

    @property
    def unknown(self) -> str:
        """Reason why the plays cannot be judged, such as a rule of a later version; "" = they can."""
        return self._follower.unknown

    @property
    def last_act(self) -> Action | None:
        """The act that has led to the last step; None = not a player's, or not known."""
        return self._follower.last_act

    def allows(self, action: Action) -> bool:
        """True if the rules allow an action now, as far as is known of the whole game."""
        return self._follower.allows(action)

    def final_verdict(self, record: Recorded, view: View) -> DiceVerdict:
        """Verdict when the match is over, and its record is there: it has to be sound, and to be what was shown."""
        seen = self.verdict(view)
        if not seen.sound:
            return seen
        try:
            claim = claim_of(record)
            finding = judge(claim)
        except BadText as error:
            return unchecked_verdict(seen, str(error))
        fault = next(iter(finding.faults), "") or self._differs(record, view, finding.states)
        if fault:
            self.blame(fault)
            return DiceVerdict(False, f"WARNING: {fault}")
        if finding.unknown:
            return unchecked_verdict(seen, f"this version does not know the event {finding.unknown:.40}: update it")
        return seen._replace(text=f"{seen.text}; so does the whole record")

    def _differs(self, record: Recorded, view: View, states: tuple[tuple[int, Match], ...]) -> str:
        """Difference of a sound record from what was shown, as a sentence."""
        claim = claim_of(record)
        if binding(agreed_text(read_server_events(record.events))) != self._binding:
            return "the record has other terms than the match had"
        said = claim.match, claim.rules, claim.commitment, claim.commitments, claim.seeds, claim.seed, claim.over
        if said != (self.match, view.rules, view.commitment, view.commitments, view.seeds, view.seed, True):
            return "the record has other seeds or rules than the match had"
        numbers = [number for number, _ in states]
        forks = [one[0] for one in record.events if one[2] == "forked"]
        for seq, (epoch, shown) in self._seen.items():
            if seq >= next(iter(forks[epoch - 1 :]), seq + 1):
                continue  # lost with the epoch, as everybody was told
            place = bisect(numbers, seq)
            if not place or hash(shown_of(states[place - 1][1])) != shown:
                return f"the record of the match is not what was shown, from step {seq} on"
        return ""

    def verdict(self, view: View) -> DiceVerdict:
        """Verdict when the match is over; of a match without dice nothing, if nothing was wrong."""
        due = self._due_link(view)
        keys = self._keys(due)
        if keys and not self._binding and not self.fault:
            return DiceVerdict(False, "the dice cannot be checked: an account was closed, and its name", checked=False)
        wrong = link_fault(view.seed, self._server, due) or self._wrong_rolls(view, keys) if keys else ""
        if fault := self.fault or wrong:
            return DiceVerdict(False, f"WARNING: {fault}")
        if not keys:
            return DiceVerdict(True, "")
        count = "the one roll seen agrees" if len(keys) == 1 else f"all {len(keys)} rolls seen agree"
        return DiceVerdict(True, f"dice: {count} with the seeds that were committed to")

    def _wrong_rolls(self, view: View, keys: list[RollKey]) -> str:
        """Fault of some rolls, of games whose seeds are known."""
        if not all(view.seeds):
            return "there were dice before all seeds were revealed"
        newest = bytes.fromhex(view.seed)
        try:
            dice = ChainDice(newest, link_number(newest, self._server) or 0, self._binding, view.seeds)
        except ValueError as error:  # a colon
            return str(error)
        wrong = [key for key in keys if not self._agrees(key, dice.of_link(key[0]).roll(key[1]))]
        rolls = "1 roll does" if len(wrong) == 1 else f"{len(wrong)} rolls do"
        return f"{rolls} not follow from the seeds, of {len(keys)} seen" if wrong and self._binding else ""

    def _agrees(self, key: RollKey, dice: Dice) -> bool:
        if key in self._ties:
            return dice[0] == dice[1]
        if key in self._openings and self._openings[key] != int(dice[1] > dice[0]):
            return False
        return tuple(sorted(dice, reverse=True)) == self._rolls[key]


def _is_rolled_off(view: View) -> bool:
    """True if the first dice of this game were one die of each player."""
    opening = view.rules.get("opening")
    return opening == "roll_off" or (opening == "winner" and view.game == 1)


def _uncommitted(view: View) -> str:
    """Lack of a player's commitment in a match that is to begin, or has begun, as a sentence; "" = none."""
    has_begun = view.phase == "reveal" or view.game > 0
    silent = [name for name, committed in zip(view.players, view.commitments, strict=True) if not committed]
    return f"{silent[0]} has committed to no seed for the dice" if has_begun and silent else ""


def unchecked_verdict(seen: DiceVerdict, why: str) -> DiceVerdict:
    """Verdict on a match that was sound as seen, but whose record could not be had."""
    return DiceVerdict(False, f"{seen.text}; the record could not be checked: {why}", checked=False)


def _text(dice: Roll) -> str:
    return "-".join(map(str, dice))
