"""Ways to cheat with rolls and the clock."""

from msgspec.structs import replace
from tavla_engine.actions import Seat
from tavla_engine.dice import Dice
from tavla_engine.events import Ending, MatchEnded, Moved, OpeningRolled, Rolled
from tavla_protocol.view import View
from tavla_server.record.events import Created, Event
from tavla_server.record.state import Record

from tests.support.servers.rigged.dice import pips, pleases, truth
from tests.support.servers.rigged.mode import Mode
from tests.support.servers.rigged.retelling import Entries, with_events

BEYOND = 4  # the last roll that the last view admits to
EARLY = 2  # rolls, after which a flag may fall
SIXES, ONES = (6, 6), (1, 1)
TEMPTING: tuple[Dice, ...] = (SIXES, (5, 5), (4, 4), (3, 3), (6, 5), (5, 4), (2, 2), (4, 3), (2, 1), ONES)
# --- dice ---


def _skip(record: Record, event: Event, friend: Seat) -> list[Event]:
    """Rolls without a play, before the one that pleases."""
    if not isinstance(event, Rolled):
        return [event]
    rolled, number = [event], record.match.rolls + 1
    while not pleases(rolled[-1].dice, event.seat == friend):
        number += 1
        rolled.append(Rolled(event.seat, *truth(record)(number)))
    return [*rolled]


def _nothing_to_count_back(record: Record, view: View, _friend: Seat) -> View:
    """No turns in `last`, where counting back from `rolls` would find other dice for them."""
    if not view.last:
        return view
    roll, done = truth(record), view.rolls - bool(view.dice)
    fits = [sorted(turn[1:3]) == sorted(roll(done - back)) for back, turn in enumerate(reversed(view.last))]
    return view if all(fits) else replace(view, last=())


def _lied_of(number: int) -> bool:
    """True if `two_faced` lies of this roll."""
    return number % 3 == 2


def _other_dice(record: Record, event: Event, friend: Seat) -> list[Event]:
    """Another pair than the seeds have; the view tells the right one in `last`, when it was played."""
    if not (isinstance(event, Rolled) and _lied_of(record.match.rolls + 1)):
        return [event]
    wanted: tuple[Dice, ...] = (SIXES, (5, 5)) if event.seat == friend else ((2, 1), ONES)
    return [Rolled(event.seat, *next(dice for dice in wanted if pips(dice) != pips(event.dice)))]


def _right_in_last(record: Record, view: View, _friend: Seat) -> View:
    if not (record.match.game and view.last):
        return view
    roll, last = truth(record), list(view.last)
    done = view.rolls - bool(view.dice)
    for back in range(1, len(last) + 1):
        seat, _, _, *moves = last[-back]
        last[-back] = (seat, *sorted(roll(done + 1 - back), reverse=True), *moves)
    return replace(view, last=tuple(last))


def _right_in_record(record: Record, entries: Entries, _friend: Seat) -> Entries:
    roll, number = truth(record), 0

    def right(event: Event) -> list[Event]:
        nonlocal number
        number += isinstance(event, OpeningRolled | Rolled)
        return [Rolled(event.seat, *roll(number)) if isinstance(event, Rolled) else event]

    return with_events(entries, right)


def _beyond(record: Record, event: Event, friend: Seat) -> list[Event]:
    """Free choice, from the roll on after which the last view knows of none.

    One roll in four is true: with these two alone both players may be closed out on the bar, for ever.
    """
    if not isinstance(event, Rolled) or record.match.rolls < BEYOND or record.match.rolls % 4 == 0:
        return [event]
    return [Rolled(event.seat, *((6, 5) if event.seat == friend else (2, 1)))]


def _fewer_rolls(record: Record, view: View, _friend: Seat) -> View:
    return replace(view, rolls=min(view.rolls, BEYOND)) if record.over else view


def _wrong_dice(_record: Record, event: Event, _friend: Seat) -> list[Event]:
    """Each die one more than the seeds have."""
    match event:
        case OpeningRolled(one, two):
            return [OpeningRolled(one % 6 + 1, two % 6 + 1)]
        case Rolled(seat, one, two):
            return [Rolled(seat, one % 6 + 1, two % 6 + 1)]
    return [event]


def _friend_rolls_again(record: Record, event: Event, friend: Seat) -> list[Event]:
    """The friend gets a turn of the victim's: an early one, since a game that ends with it can no longer be stopped."""
    if isinstance(event, Rolled) and event.seat != friend and (record.match.rolls == 3 or record.match.rolls % 5 == 4):
        return [replace(event, seat=friend)]
    return [event]


def _roll_too_many(record: Record, event: Event, friend: Seat) -> list[Event]:
    """A roll after the last game."""
    if isinstance(event, MatchEnded) and record.match.game:
        return [Rolled(friend, *truth(record, record.match.game)(record.match.rolls + 1)), event]
    return [event]


def _flag_early(record: Record, event: Event, friend: Seat) -> list[Event]:
    """A clock, and its flag falls when the victim has just begun a turn."""
    match event:
        case Created(rules=rules):
            return [replace(event, rules=rules._replace(delay_s=2, reserve_s=120))]
        case Moved(seat, moves, auto) if seat != friend and moves and not auto and record.match.rolls > EARLY:
            return [MatchEnded(friend, Ending.TIME)]
    return [event]


DICE_MODES = {
    "skip": Mode(_skip, _nothing_to_count_back),
    "two_faced": Mode(_other_dice, _right_in_last, _right_in_record),
    "beyond": Mode(_beyond, _fewer_rolls),
    "wrong_dice": Mode(_wrong_dice),
    "added_roll": Mode(_friend_rolls_again),
    "roll_too_many": Mode(_roll_too_many),
    "early_flag": Mode(_flag_early),
}
